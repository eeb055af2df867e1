package reading

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// frameID is a frame without its values.
type frameID struct {
	device.Ref
	at int64
}

const damageBatches = 60

// damageFolders are folders with the same readings, on disks in memory.
type damageFolders struct {
	stopped *vfs.MemFS // after Close
	killed  *vfs.MemFS // without it
	batchOf map[frameID]uint64
}

// writeDamageFolders writes batches of several sizes, some longer than a block of the log. The devices
// with low numbers are in all, so intact readings of them surround each lost one. The log of a new folder
// has chunks of the earlier kind.
func writeDamageFolders(t *testing.T, isNew bool) *damageFolders {
	t.Helper()
	d := &damageFolders{batchOf: map[frameID]uint64{}}
	disk := vfs.NewCrashableMem()
	if !isNew {
		s, err := Open(t.Context(), Options{Dir: "data", fs: disk})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), Options{Dir: "data", fs: disk})
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(damageBatches) {
		size := 1 + n%10*20
		if n%20 == 7 {
			size = 700
		}
		var batch []Arrival
		for i := range size {
			said := text(2, fmt.Sprint("the batch with the number ", n))
			a := arrival(tenant.ID(1+i%3), device.ID(1+i), start+n*minute, num(1, float64(n)), said)
			batch = append(batch, a)
			d.batchOf[frameID{device.Ref{Tenant: a.Tenant, ID: a.Device}, a.Time}] = uint64(n + 1)
		}
		mustAppend(t, s, batch...)
	}
	d.killed = disk.CrashClone(vfs.CrashCloneCfg{}) // what is acknowledged is on the disk
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	d.stopped = disk
	return d
}

// cloneDisk copies a disk.
func cloneDisk(t *testing.T, disk *vfs.MemFS) *vfs.MemFS {
	t.Helper()
	clone := vfs.NewCrashableMem()
	if _, err := vfs.Clone(disk, clone, "data", "data", vfs.CloneSync); err != nil {
		t.Fatal(err)
	}
	return clone
}

func readFile(t *testing.T, disk vfs.FS, path string) []byte {
	t.Helper()
	f, err := disk.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	closeInto(&err, f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, disk vfs.FS, path string, data []byte) {
	t.Helper()
	f, err := disk.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(bytes.Clone(data)) // under the race detector a file in memory spoils what it was given
	closeInto(&err, f)
	if err != nil {
		t.Fatal(err)
	}
}

// logsOf lists the write-ahead logs, the newest last.
func logsOf(t *testing.T, disk vfs.FS) (paths []string) {
	t.Helper()
	names, err := disk.List("data")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, ".log") {
			paths = append(paths, "data/"+name)
		}
	}
	return paths
}

func newestLog(t *testing.T, disk vfs.FS) string {
	t.Helper()
	logs := logsOf(t, disk)
	return logs[len(logs)-1]
}

// flipPositions are at least 24 places spread over a file, and those around the borders of blocks.
func flipPositions(size int) (positions []int) {
	for i := range 24 {
		positions = append(positions, size*i/24)
	}
	for _, block := range []int{0, 1, size / walBlock} {
		for _, at := range []int{-1, 0, 4, 6, 8, 19, 27} {
			positions = append(positions, block*walBlock+at)
		}
	}
	positions = append(positions, size-1, size-30)
	slices.Sort(positions)
	return slices.DeleteFunc(slices.Compact(positions), func(p int) bool { return p < 0 || p >= size })
}

// lostFrames are the frames that are not in the store.
func (d *damageFolders) lostFrames(t *testing.T, s *Store) map[frameID]uint64 {
	t.Helper()
	lost := maps.Clone(d.batchOf)
	err := s.each(t.Context(), tagHot, []byte{tagHot}, func(it *pebble.Iterator) error {
		ref, at, err := parseFrameKey(it.Key())
		delete(lost, frameID{ref, at})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lost
}

// named reports whether the losses name a frame.
func named(losses []Loss, f frameID) bool {
	return slices.ContainsFunc(losses, func(l Loss) bool {
		return slices.ContainsFunc(l.Devices, func(d LostReadings) bool {
			return d.Ref == f.Ref && d.From <= f.at && f.at <= d.To
		})
	})
}

func mustReadLosses(t *testing.T, disk vfs.FS) []Loss {
	t.Helper()
	losses, err := readLosses(disk, "data")
	if err != nil {
		t.Fatal(err)
	}
	return losses
}

// examineDisk examines a folder that no store has open.
func examineDisk(t *testing.T, disk *vfs.MemFS) *Findings {
	t.Helper()
	o := Options{Dir: "data", fs: disk}
	o.setDefaults()
	f, err := examine(t.Context(), o, damageBatches, anyDevice)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// start opens a damaged folder as a server does whose database has evaluated everything.
func startDamaged(t *testing.T, disk *vfs.MemFS) (s *Store, said string) {
	t.Helper()
	var lines bytes.Buffer
	s, err := Open(t.Context(), Options{Dir: "data", fs: disk, Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if err := s.skipJournalTo(damageBatches); err != nil {
		t.Fatal(err)
	}
	return s, lines.String()
}

// A flipped byte in the newest log after a kill takes at most the batch that it is in. Exactly what it
// takes is named: by doctor before a start, by the start, and by doctor after it.
func TestFlippedByteAfterKill(t *testing.T) {
	for name, isNew := range map[string]bool{"new folder": true, "opened before": false} {
		t.Run(name, func(t *testing.T) { flipBytesAfterKill(t, writeDamageFolders(t, isNew)) })
	}
}

func flipBytesAfterKill(t *testing.T, d *damageFolders) {
	t.Helper()
	path := newestLog(t, d.killed)
	log := readFile(t, d.killed, path)
	if len(log) < 5*walBlock {
		t.Fatalf("the log has %d bytes", len(log))
	}
	losing := 0
	for i, at := range flipPositions(len(log)) {
		what := fmt.Sprintf("byte %d of %d", at, len(log))
		disk := cloneDisk(t, d.killed)
		damaged := bytes.Clone(log)
		damaged[at] ^= []byte{0x01, 0x80, 0xff}[i%3]
		writeFile(t, disk, path, damaged)

		before := examineDisk(t, disk)
		s, said := startDamaged(t, disk)
		lost, losses := d.lostFrames(t, s), mustReadLosses(t, disk)
		batches := map[uint64]bool{}
		for f, batch := range lost {
			batches[batch] = true
			if !named(losses, f) || !named(before.Losses, f) {
				t.Fatalf("%s: %+v is lost and not named by %+v", what, f, losses)
			}
		}
		if len(batches) > 1 {
			t.Errorf("%s: batches %v are lost", what, batches)
		}
		for batch := range batches {
			l := losses[0]
			if l.After >= batch || l.Before <= batch || l.Frames != 0 && l.Frames < uint64(len(lost)) {
				t.Errorf("%s: %d frames of batch %d are lost, told is %s", what, len(lost), batch, l.summary())
			}
		}
		if len(lost) > 0 {
			losing++
		}
		if (len(lost) > 0) != (len(losses) > 0) || (len(lost) > 0) != strings.Contains(said, "level=ERROR") {
			t.Errorf("%s: %d frames are lost, told is %+v and\n%s", what, len(lost), losses, said)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if i%4 > 0 {
			continue
		}
		if after := examineDisk(t, disk); after.OK() != before.OK() || len(after.Losses) != len(losses) {
			t.Errorf("%s: doctor says before a start %+v, after it %+v", what, before.Losses, after.Losses)
		}
	}
	if losing < 24 {
		t.Errorf("only %d positions lost something", losing)
	}
}

// A clean stop leaves nothing in the logs.
func TestFlippedByteInALogAfterStop(t *testing.T) {
	d := writeDamageFolders(t, false)
	for _, path := range logsOf(t, d.stopped) {
		log := readFile(t, d.stopped, path)
		for _, at := range flipPositions(len(log)) {
			disk := cloneDisk(t, d.stopped)
			damaged := bytes.Clone(log)
			damaged[at] ^= 0x5a
			writeFile(t, disk, path, damaged)
			f := examineDisk(t, disk)
			s, said := startDamaged(t, disk)
			if lost := d.lostFrames(t, s); len(lost) > 0 || !f.OK() || strings.Contains(said, "level=ERROR") {
				t.Errorf("byte %d of %s: %d frames are lost, doctor says %+v\n%s", at, path, len(lost), f, said)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A flipped byte in a table is found by doctor, or takes nothing.
func TestFlippedByteInATable(t *testing.T) {
	d := writeDamageFolders(t, false)
	names, err := d.stopped.List("data")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".sst") {
			continue
		}
		table := readFile(t, d.stopped, "data/"+name)
		for i := range 24 {
			at := len(table) * i / 24
			disk := cloneDisk(t, d.stopped)
			damaged := bytes.Clone(table)
			damaged[at] ^= 0x5a
			writeFile(t, disk, "data/"+name, damaged)
			o := Options{Dir: "data", fs: disk}
			o.setDefaults()
			f, err := examine(t.Context(), o, damageBatches, anyDevice)
			if err == nil && f.OK() && f.Frames != uint64(len(d.batchOf)) || err != nil && Corruption(err) == "" {
				t.Errorf("byte %d of %s: %+v, %v", at, name, f, err)
			}
		}
	}
}

// The torn end of a log is no damage, unless what it held was evaluated: then it was acknowledged.
func TestTornLogIsNoDamage(t *testing.T) {
	d := writeDamageFolders(t, false)
	path := newestLog(t, d.killed)
	log := readFile(t, d.killed, path)
	for _, size := range flipPositions(len(log)) {
		disk := cloneDisk(t, d.killed)
		writeFile(t, disk, path, log[:size])
		o := Options{Dir: "data", fs: disk}
		o.setDefaults()
		f, err := examine(t.Context(), o, 0, anyDevice)
		if err != nil || !f.OK() {
			t.Errorf("%d of %d bytes: doctor says %+v, %v", size, len(log), f, err)
		}
		s := openStore(t, o)
		if losses := mustReadLosses(t, disk); len(losses) > 0 {
			t.Errorf("%d of %d bytes: %+v", size, len(log), losses)
		}
		end := s.Position()
		if err := s.skipJournalTo(damageBatches); err != nil {
			t.Fatal(err)
		}
		losses := mustReadLosses(t, disk)
		if len(losses) != 1 || losses[0].After != end || losses[0].Before != damageBatches+1 || losses[0].Whole {
			t.Errorf("%d of %d bytes, evaluated: %+v", size, len(log), losses)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Where whole sectors are gone, not all devices can be named, but the batches are, and when they arrived.
func TestLostSectors(t *testing.T) {
	d := writeDamageFolders(t, false)
	path := newestLog(t, d.killed)
	log := readFile(t, d.killed, path)
	const sector = 4096
	for from := 0; from+3*sector < len(log); from += 5 * sector {
		what := fmt.Sprintf("bytes %d to %d of %d", from, from+2*sector, len(log))
		disk := cloneDisk(t, d.killed)
		damaged := bytes.Clone(log)
		clear(damaged[from : from+2*sector])
		writeFile(t, disk, path, damaged)
		s, _ := startDamaged(t, disk)
		losses := mustReadLosses(t, disk)
		if len(losses) != 1 {
			t.Fatalf("%s: %+v", what, losses)
		}
		l := losses[0]
		for f, batch := range d.lostFrames(t, s) {
			arrived := f.at + 7
			if batch <= l.After || batch >= l.Before || arrived < l.ArrivedFrom ||
				l.ArrivedTo != 0 && arrived > l.ArrivedTo || l.Whole && !named(losses, f) {
				t.Fatalf("%s: %+v of batch %d is lost, named is %+v", what, f, batch, l)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
