package reading

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

// The numbers of the logs that writeLogs writes.
const firstLogNumber, secondLogNumber = 7, 8

// writeLogs writes batches as Pebble does into two logs, the later of which is in use; half of them into
// each. sync says whether the chunks have synced offsets.
func writeLogs(t *testing.T, disk vfs.FS, sync bool, batches [][]byte) (first, second string) {
	t.Helper()
	config := record.LogWriterConfig{
		WALMinSyncInterval:  func() time.Duration { return 0 },
		QueueSemChan:        make(chan struct{}, len(batches)),
		WriteWALSyncOffsets: func() bool { return sync },
	}
	if err := disk.MkdirAll("data", 0o700); err != nil {
		t.Fatal(err)
	}
	first, second = "data/000007.log", "data/000008.log"
	write := func(w *record.LogWriter, batches [][]byte) {
		for _, b := range batches {
			if _, err := w.WriteRecord(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var a, b bytes.Buffer
	write(record.NewLogWriter(&a, firstLogNumber, config), batches[:len(batches)/2])
	write(record.NewLogWriter(&b, secondLogNumber, config), batches[len(batches)/2:])
	writeFile(t, disk, first, a.Bytes())
	writeFile(t, disk, second, b.Bytes()[:b.Len()-walTrailer])
	return first, second
}

// numberedEngineBatches are batches of the engine with a journal entry each, of very different sizes.
func numberedEngineBatches(t *testing.T, count int) (batches [][]byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	sequence := uint64(100)
	for n := range count {
		var w entryWriter
		size := 1 + rng.IntN(5)
		if n%9 == 4 {
			size = 900
		}
		w.begin(size)
		b := make([]byte, batchrepr.HeaderLen)
		put := func(kind pebble.InternalKeyKind, key, value []byte) {
			b = append(b, byte(kind))
			b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
			b = append(binary.AppendUvarint(b, uint64(len(value))), value...)
		}
		for i := range size {
			a := arrival(1, device.ID(1+i), start+int64(n), text(1, fmt.Sprint("batch ", n, " with a text ", i)))
			put(pebble.InternalKeyKindMerge, hotKey(1, a.Device, a.Time), w.add(&a))
		}
		put(pebble.InternalKeyKindSet, appendJournalKey(nil, uint64(n+1)), w.buf)
		binary.LittleEndian.PutUint64(b, sequence)
		binary.LittleEndian.PutUint32(b[8:], uint32(size+1))
		sequence += uint64(size + 1)
		batches = append(batches, b)
	}
	return batches
}

// salvaged reads the batches of both logs as Pebble does when it opens a folder.
func salvaged(t *testing.T, disk vfs.FS, first, second string) (batches [][]byte, s *salvage) {
	t.Helper()
	s = &salvage{FS: disk, dir: "data", logger: slog.New(slog.DiscardHandler)}
	for _, path := range []string{first, second} {
		f, err := s.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r := record.NewReader(f, firstLogNumber)
		if path == second {
			r = record.NewReader(f, secondLogNumber)
		}
		for {
			next, err := r.Next()
			var batch []byte
			if err == nil {
				batch, err = io.ReadAll(next)
			}
			if errors.Is(err, io.EOF) || errors.Is(err, record.ErrUnexpectedEOF) && path == second {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			batches = append(batches, batch)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return batches, s
}

// bothKinds calls fn for logs of both kinds of chunks.
func bothKinds(t *testing.T, fn func(t *testing.T, disk *vfs.MemFS, first, second string, batches [][]byte)) {
	t.Helper()
	for name, sync := range map[string]bool{"synced offsets": true, "earlier kind": false} {
		t.Run(name, func(t *testing.T) {
			disk, batches := vfs.NewMem(), numberedEngineBatches(t, 40)
			first, second := writeLogs(t, disk, sync, batches)
			fn(t, disk, first, second, batches)
		})
	}
}

func TestScanReadsWhatPebbleWrites(t *testing.T) {
	bothKinds(t, func(t *testing.T, disk *vfs.MemFS, first, second string, batches [][]byte) {
		closed := scanWAL(readFile(t, disk, first), firstLogNumber)
		open := scanWAL(readFile(t, disk, second), secondLogNumber)
		if !closed.closed || open.closed || len(closed.gaps)+len(open.gaps) > 0 {
			t.Errorf("closed %v, %v; gaps %v, %v", closed.closed, open.closed, closed.gaps, open.gaps)
		}
		for i, b := range append(closed.batches, open.batches...) {
			if !bytes.Equal(b.bytes(), batches[i]) {
				t.Fatalf("batch %d differs", i)
			}
		}
		if found := len(closed.batches) + len(open.batches); found != len(batches) {
			t.Errorf("%d batches of %d", found, len(batches))
		}
		// A file that was used before ends with what its former log held.
		again := append(readFile(t, disk, second), readFile(t, disk, first)[:3*walBlock]...)
		reused := scanWAL(again, secondLogNumber)
		if reused.closed || len(reused.batches) != len(open.batches) || len(reused.gaps) > 1 {
			t.Errorf("in a file used before: %d batches, gaps %v", len(reused.batches), reused.gaps)
		}
	})
}

// keysOf is how many keys a batch has.
func keysOf(batch []byte) uint64 { return uint64(binary.LittleEndian.Uint32(batch[8:])) }

// Of a log that another follows everything is known: where it ended, and what is missing.
func TestSalvageOfAnOlderLog(t *testing.T) {
	bothKinds(t, func(t *testing.T, disk *vfs.MemFS, first, second string, batches [][]byte) {
		log := readFile(t, disk, first)
		check := func(what string, damaged []byte, most int) {
			t.Helper()
			writeFile(t, disk, first, damaged)
			got, s := salvaged(t, disk, first, second)
			missing, at := len(batches)-len(got), 0
			for at < len(got) && bytes.Equal(got[at], batches[at]) {
				at++
			}
			after := slices.Concat(batches[at+missing:]...)
			if missing > most || missing > 0 && !bytes.Equal(slices.Concat(got[at:]...), after) {
				t.Fatalf("%s: %d batches from %d are missing", what, missing, at+1)
			}
			if s.tail != nil || len(s.losses) != min(missing, 1) {
				t.Fatalf("%s: %d batches from %d are missing: %+v", what, missing, at+1, s.losses)
			}
			if missing == 0 {
				return
			}
			frames := uint64(0)
			for _, b := range batches[at : at+missing] {
				frames += keysOf(b) - 1
			}
			// Before the first batch nothing is known.
			l := s.losses[0]
			if at > 0 && (l.After != uint64(at) || l.Frames != frames) || l.Before != uint64(at+missing+1) {
				t.Errorf("%s: %d frames of batches from %d are missing: %s", what, frames, at+1, l.summary())
			}
		}
		check("intact", log, 0)
		for _, at := range flipPositions(len(log)) {
			damaged := bytes.Clone(log)
			damaged[at] ^= 0x10
			check(fmt.Sprintf("byte %d of %d", at, len(log)), damaged, 1)
			check(fmt.Sprintf("%d of %d bytes", at, len(log)), log[:at], len(batches)/2)
		}
	})
}

// A newest log without a trailer ends anywhere. What is after its last intact batch may never have been
// acknowledged, so it is remembered and not told.
func TestEndOfTheNewestLog(t *testing.T) {
	bothKinds(t, func(t *testing.T, disk *vfs.MemFS, first, second string, batches [][]byte) {
		log := readFile(t, disk, second)
		damaged := bytes.Clone(log)
		damaged[len(log)-3] ^= 1
		writeFile(t, disk, second, damaged)
		got, s := salvaged(t, disk, first, second)
		if len(got) != len(batches)-1 || len(s.losses) > 0 || s.tail == nil || len(s.tail.Devices) == 0 {
			t.Errorf("%d batches, lost %+v, at the end %+v", len(got), s.losses, s.tail)
		}
		if l := s.missingAtEnd(uint64(len(got)), uint64(len(batches))); l.Before != uint64(len(batches)+1) || l.Whole {
			t.Errorf("%s", l.summary())
		}
	})
}

// A damaged log may have held the segments of a day that was sealed. The frames of that day stay then,
// although the log deletes them further on.
func TestDamagedSealLosesNothing(t *testing.T) {
	disk := vfs.NewCrashableMem()
	s, err := Open(t.Context(), Options{Dir: "data", fs: disk})
	if err != nil {
		t.Fatal(err)
	}
	const frames = 200
	for m := range int64(frames) {
		mustAppend(t, s, arrival(1, 7, start+m*minute, num(1, float64(m))))
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	seal(t, s, time.UnixMilli(start+5*msPerDay))
	mustAppend(t, s, arrival(1, 8, start+5*msPerDay, num(1, 1))) // it syncs what sealing wrote
	killed := disk.CrashClone(vfs.CrashCloneCfg{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := newestLog(t, killed)
	log := readFile(t, killed, path)
	at := bytes.Index(log, appendSegmentPrefix(nil, 20574, device.Ref{Tenant: 1, ID: 7}))
	if at < 0 {
		t.Fatal("the log holds no segment")
	}
	log[at+20] ^= 1
	writeFile(t, killed, path, log)
	s, err = Open(t.Context(), Options{Dir: "data", fs: killed})
	if err != nil {
		t.Fatal(err)
	}
	if rows := readRange(t, s, 1, 7, minTime, maxTime, 1); len(rows) != frames {
		t.Errorf("%d frames", len(rows))
	}
	seal(t, s, time.UnixMilli(start+5*msPerDay))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	f := examineDisk(t, killed)
	if f.Sealed != frames || len(f.Losses) != 1 || f.Losses[0].Devices[0].ID != 7 {
		t.Errorf("%+v", f)
	}
}

// A damaged log may have held the latest values of a checkpoint. The newest value of a device that is
// silent since is then read from the journal, although the log deletes it there further on.
func TestDamagedCheckpointLosesNothing(t *testing.T) {
	disk := vfs.NewCrashableMem()
	s, err := Open(t.Context(), Options{Dir: "data", fs: disk})
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, arrival(1, 7, start, num(1, 1)))
	if err := s.db.Flush(); err != nil { // the log has the checkpoint only
		t.Fatal(err)
	}
	s.Trim(s.Position())
	if err := s.writeCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, arrival(1, 8, start, num(1, 1))) // it syncs the checkpoint
	killed := disk.CrashClone(vfs.CrashCloneCfg{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := newestLog(t, killed)
	log := readFile(t, killed, path)
	at := bytes.Index(log, appendRefKey(nil, tagLatest, device.Ref{Tenant: 1, ID: 7}))
	if at < 0 {
		t.Fatal("the log holds no latest value")
	}
	log[at+2] ^= 1
	writeFile(t, killed, path, log)
	s, err = Open(t.Context(), Options{Dir: "data", fs: killed})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []device.ID{7, 8} {
		if latest := s.Latest(t.Context(), 1, d); len(latest) != 1 || latest[0].Time != start {
			t.Errorf("the latest values of device %d: %+v", d, latest)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkScanWAL is what reading a log before Pebble does adds to a start: of 64 MiB, four times what
// the newest log usually holds.
func BenchmarkScanWAL(b *testing.B) {
	config := record.LogWriterConfig{
		WALMinSyncInterval:  func() time.Duration { return 0 },
		QueueSemChan:        make(chan struct{}, 1),
		WriteWALSyncOffsets: func() bool { return true },
	}
	var log bytes.Buffer
	w := record.NewLogWriter(&log, firstLogNumber, config)
	for size := 0; size < 64<<20; size += 50_000 {
		if _, err := w.WriteRecord(make([]byte, 50_000)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		if s := scanWAL(log.Bytes(), firstLogNumber); len(s.gaps) > 0 {
			b.Fatal(s.gaps)
		}
	}
}
