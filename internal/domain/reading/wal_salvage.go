package reading

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// salvage is the file system through which Pebble reads its write-ahead logs when it opens a folder. Of
// a damaged log Pebble gets the intact batches, with the sequence numbers that they have, so it applies
// them as it does after any kill and makes them durable before it drops the log. What is lost is recorded
// before that. The torn end of the newest log is no damage. Pebble does not get to see it either, because it
// would search it for a flipped bit, for a second or more.
type salvage struct {
	vfs.FS
	dir      string
	readOnly bool // losses are not recorded
	logger   *slog.Logger
	opened   atomic.Bool // from here on logs are read for copies only

	// Pebble reads one log after the other.
	losses  []Loss
	tail    *Loss    // after the last intact batch of the newest log; whether it was acknowledged is unknown
	end     uint64   // sequence number after the last batch; 0: unknown
	last    walEntry // last journal entry
	damaged bool     // something before the present batch cannot be read
}

// walEntry is a journal entry of a log.
type walEntry struct {
	pos uint64
	at  int64 // when its last arrival arrived, epoch ms
}

// Unwrap returns the file system below.
func (s *salvage) Unwrap() vfs.FS { return s.FS }

// Open opens a file. Of a write-ahead log it returns the intact batches.
func (s *salvage) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	number, _, isLog := wal.ParseLogFilename(s.PathBase(name))
	if !isLog || s.opened.Load() {
		return s.FS.Open(name, opts...)
	}
	data, err := s.read(name)
	if err != nil {
		return nil, err
	}
	if data, err = s.mend(data, number); err != nil {
		return nil, fmt.Errorf("%s: %w", s.PathBase(name), err)
	}
	return vfs.NewMemFile(data), nil
}

func (s *salvage) read(name string) (data []byte, err error) {
	f, err := s.FS.Open(name, vfs.SequentialReadsOption)
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, f)
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data = make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// mend returns a log in which Pebble finds every intact batch.
func (s *salvage) mend(data []byte, number wal.NumWAL) ([]byte, error) {
	scan := scanWAL(data, uint32(number))
	later, err := s.laterLog(number)
	if err != nil {
		return nil, err
	}
	if later == 0 && !scan.closed && len(scan.gaps) > 0 && isReplicated(scan.batches) {
		// Nothing was synced, so after a power failure a gap is no damage, and the log of all nodes has
		// what came after it.
		return writeWAL(s.keep(nil, scan.batches[:scan.gaps[0].index]))
	}
	gaps, all := scan.gaps, len(scan.batches)
	hitsEnd := len(gaps) > 0 && gaps[len(gaps)-1].index == all
	if later != 0 && !scan.closed && !hitsEnd { // Pebble closes a log before it begins the next one
		end := int64(len(data))
		gaps = append(gaps, walGap{index: all, from: end, to: end})
	}
	var following []walBatch
	if len(gaps) > 0 && later != 0 {
		next, err := s.read(s.logPath(later))
		if err != nil {
			return nil, err
		}
		following = scanWAL(next, uint32(later)).batches
	}
	var kept []walBatch
	var found []Loss
	begin := 0
	for i := range gaps {
		g := &gaps[i]
		kept = s.keep(kept, scan.batches[begin:g.index])
		begin = g.index
		loss, lost := s.describe(g, append(scan.batches[begin:all:all], following...))
		loss.File = s.PathBase(s.logPath(number))
		if g.index == all && later == 0 && !scan.closed {
			s.tail = &loss
			continue
		}
		s.damaged = true
		if lost {
			found = append(found, loss)
		} else if !s.readOnly {
			s.logger.Warn("readings: a part of the log is damaged; no reading was in it",
				"file", loss.File, "from", loss.From, "to", loss.To)
		}
	}
	kept = s.keep(kept, scan.batches[begin:])
	if len(found) > 0 {
		if err := s.report(found); err != nil {
			return nil, err
		}
	}
	if len(gaps) == 0 && len(kept) == all {
		return data, nil
	}
	return writeWAL(kept)
}

// keep appends batches of a log to kept, in order. Once something is damaged, what relies on earlier
// batches is left out. A batch that deletes a sealed day's frames relies on the day's segments; the day
// is sealed again. A checkpoint relies on the latest values that were written before it; without it the
// journal is read from the checkpoint before, whose entries it would have deleted.
func (s *salvage) keep(kept, batches []walBatch) []walBatch {
	for _, b := range batches {
		if !s.damaged || !dropsSealed(b.bytes()) && !isCheckpoint(b.bytes()) {
			kept = append(kept, b)
		}
	}
	if len(batches) > 0 {
		if header, ok := batchrepr.ReadHeader(batches[len(batches)-1].bytes()); ok {
			s.end = uint64(header.SeqNum) + uint64(header.Count)
		}
	}
	for i := len(batches) - 1; i >= 0; i-- {
		if e, ok := walEntryOf(batches[i]); ok {
			s.last = e
			break
		}
	}
	return kept
}

// describe says what a gap took, of which the batches after it are known. lost is false if it took
// no batch, or none with readings.
func (s *salvage) describe(g *walGap, after []walBatch) (loss Loss, lost bool) {
	loss = Loss{From: g.from, To: g.to, After: s.last.pos, ArrivedFrom: s.last.at}
	for _, b := range after {
		if e, ok := walEntryOf(b); ok {
			loss.Before, loss.ArrivedTo = e.pos, e.at
			break
		}
	}
	keys, known := uint64(0), false
	if len(after) > 0 && s.end > 0 {
		// Pebble numbers all changes, without gaps.
		if header, ok := batchrepr.ReadHeader(after[0].bytes()); ok && uint64(header.SeqNum) >= s.end {
			keys, known = uint64(header.SeqNum)-s.end, true
		}
	}
	if known && keys == 0 {
		return loss, false
	}
	loss.Frames = keys
	if entries := loss.Before - loss.After - 1; loss.After > 0 && loss.Before > loss.After && entries <= keys {
		loss.Frames -= entries
	}
	loss.name(g.rest, keys)
	return loss, !loss.harmless()
}

// report records and logs losses.
func (s *salvage) report(losses []Loss) error {
	s.losses = addLosses(s.losses, losses)
	if s.readOnly {
		return nil
	}
	if err := recordLosses(s.FS, s.dir, losses); err != nil {
		return fmt.Errorf("a loss of readings cannot be recorded: %w", err)
	}
	for i := range losses {
		l := &losses[i]
		s.logger.Error("readings: lost to damage of the disk; stop the server and run tilth doctor",
			"lost", l.summary(), "devices", len(l.Devices), "first", l.Devices[:min(len(l.Devices), 10)])
	}
	return nil
}

// remind logs that readings were lost before an earlier start, as long as nobody removed their list.
func (s *salvage) remind() error {
	recorded, err := readLosses(s.FS, s.dir)
	if earlier := len(recorded) - len(s.losses); err == nil && earlier > 0 {
		s.logger.Warn("readings: some were lost before; tilth doctor names them until the list is removed",
			"losses", earlier, "list", s.PathJoin(s.dir, LossFile))
	}
	return err
}

// missingAtEnd is the loss of everything after the end of the journal up to the evaluated position. If
// the newest log has a torn end, it names what is in it.
func (s *salvage) missingAtEnd(end, evaluated uint64) Loss {
	var l Loss
	if s.tail != nil {
		l = *s.tail
	}
	l.After, l.Before, l.Whole = end, evaluated+1, false
	return l
}

// laterLog returns the number of the log after a log; 0 if it is the newest.
func (s *salvage) laterLog(number wal.NumWAL) (later wal.NumWAL, err error) {
	names, err := s.List(s.dir)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		n, _, isLog := wal.ParseLogFilename(name)
		if isLog && n > number && (later == 0 || n < later) {
			later = n
		}
	}
	return later, nil
}

func (s *salvage) logPath(number wal.NumWAL) string {
	return s.PathJoin(s.dir, fmt.Sprintf("%06d.log", uint64(number)))
}

// writeWAL makes a log of batches, in the kind of chunks that has no number.
func writeWAL(batches []walBatch) ([]byte, error) {
	var log bytes.Buffer
	w := record.NewWriter(&log)
	for _, b := range batches {
		if _, err := w.WriteRecord(b.bytes()); err != nil {
			return nil, err
		}
	}
	return log.Bytes(), w.Close()
}

// dropsSealed reports whether a batch deletes the frames of a day that is sealed; see Store.dropSealed.
func dropsSealed(batch []byte) bool {
	header, ok := batchrepr.ReadHeader(batch)
	if !ok || header.Count != 1 {
		return false
	}
	w, ok := cutWrite(&byteReader{rest: batch[batchrepr.HeaderLen:]})
	return ok && w.kind == pebble.InternalKeyKindRangeDelete && len(w.key) == dayLen && w.key[0] == tagHot &&
		len(w.value) == hotPrefixLen && bytes.HasPrefix(w.value, w.key)
}

// isCheckpoint reports whether a batch moves the checkpoint; see Store.writeLatest.
func isCheckpoint(batch []byte) bool {
	w, ok := cutWrite(&byteReader{rest: batch[min(batchrepr.HeaderLen, len(batch)):]})
	return ok && w.kind == pebble.InternalKeyKindSet && bytes.Equal(w.key, keyCheckpoint)
}

// isReplicated reports whether a store that belongs to the log of several nodes wrote batches: its entries
// have chains.
func isReplicated(batches []walBatch) bool {
	return slices.ContainsFunc(batches, func(batch walBatch) bool {
		b := batch.bytes()
		c := byteReader{rest: b[min(batchrepr.HeaderLen, len(b)):]}
		for {
			w, ok := cutWrite(&c)
			if !ok {
				return false
			}
			if _, err := parsePositionKey(w.key, tagChain); err == nil && w.kind == pebble.InternalKeyKindSet {
				return true
			}
		}
	})
}

// walEntryOf finds the journal entry in a batch.
func walEntryOf(b walBatch) (e walEntry, found bool) {
	batch := b.bytes()
	if len(batch) < batchrepr.HeaderLen {
		return e, false
	}
	for c := (byteReader{rest: batch[batchrepr.HeaderLen:]}); ; {
		w, ok := cutWrite(&c)
		if !ok {
			return e, false
		}
		pos, err := parseJournalKey(w.key)
		if err != nil || w.kind != pebble.InternalKeyKindSet {
			continue
		}
		arrivals, err := decodeEntry(w.value)
		if err != nil {
			return e, false
		}
		if len(arrivals) > 0 {
			e.at = arrivals[len(arrivals)-1].At
		}
		e.pos = pos
		return e, true
	}
}
