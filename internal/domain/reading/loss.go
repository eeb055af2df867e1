package reading

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

// LossFile is the file beside the readings that lists what damage took from them, a Loss in JSON on each
// line. It stays until somebody who knows of the loss removes it.
const LossFile = "lost.jsonl"

// Loss is what a damaged stretch of the newest writes took.
type Loss struct {
	File string `json:"file,omitempty"` // the damaged log; empty: only the evaluated position tells of the loss
	From int64  `json:"from,omitempty"` // the damaged bytes of File
	To   int64  `json:"to,omitempty"`
	// After and Before are the journal positions on either side. 0: none is known.
	After  uint64 `json:"after,omitempty"`
	Before uint64 `json:"before,omitempty"`
	// ArrivedFrom and ArrivedTo are when the entries at After and Before arrived, in epoch ms. 0: unknown.
	ArrivedFrom int64          `json:"arrivedFrom,omitempty"`
	ArrivedTo   int64          `json:"arrivedTo,omitempty"`
	Frames      uint64         `json:"frames,omitempty"` // at most so many are lost; 0: unknown
	Devices     []LostReadings `json:"devices,omitempty"`
	// Whole is true if Devices names all whose readings are lost. Otherwise so much is damaged that some
	// cannot be read.
	Whole bool `json:"whole,omitempty"`
}

// LostReadings says of a device within what time readings are missing; it has others within that time.
type LostReadings struct {
	device.Ref
	From int64 `json:"from"` // epoch ms
	To   int64 `json:"to"`
}

func (d LostReadings) String() string {
	return fmt.Sprintf("tenant %d device %d from %s to %s", d.Tenant, d.ID, printTime(d.From), printTime(d.To))
}

// Lines describes the loss: what it is, then the devices.
func (l *Loss) Lines() []string {
	lines := []string{l.summary()}
	for _, d := range l.Devices {
		lines = append(lines, "readings of "+d.String())
	}
	if !l.Whole {
		lines = append(lines, "perhaps readings of others that arrived in that time: not all of it can be read")
	}
	return lines
}

func (l *Loss) summary() string {
	b := &bytes.Buffer{}
	switch {
	case l.After > 0 && l.Before == l.After+1:
		b.WriteString("packed readings, no batch of the journal")
	case l.After > 0 && l.Before > l.After:
		fmt.Fprintf(b, "batches %d to %d of the journal", l.After+1, l.Before-1)
	case l.Before > 0:
		fmt.Fprintf(b, "what was written before batch %d of the journal", l.Before)
	case l.After > 0:
		fmt.Fprintf(b, "what was written after batch %d of the journal", l.After)
	default:
		b.WriteString("what was written")
	}
	if l.Frames > 0 {
		fmt.Fprintf(b, ", at most %d frames", l.Frames)
	}
	if l.ArrivedFrom != 0 {
		fmt.Fprintf(b, ", arrived from %s", printTime(l.ArrivedFrom))
	}
	if l.ArrivedTo != 0 {
		fmt.Fprintf(b, ", arrived until %s", printTime(l.ArrivedTo))
	}
	if l.File == "" {
		b.WriteString(": they were evaluated, and the journal ends before them")
	} else {
		fmt.Fprintf(b, ": %s is damaged from byte %d to %d", l.File, l.From, l.To)
	}
	return b.String()
}

// printTime writes a time for an error or a log.
func printTime(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// harmless is true if the loss took no readings but work that is repeated, as of a checkpoint. New frames
// are written with a journal entry only.
func (l *Loss) harmless() bool {
	return len(l.Devices) == 0 && (l.Whole || l.After > 0 && l.Before == l.After+1)
}

// name finds the readings in the bytes of the batches that are lost. They are not verified, so it looks
// at every byte whether a key or a journal entry begins there. The frames and the entry of a batch name
// the same devices, and a flipped byte hides them in one of the two only. keys is how many keys are
// lost; 0 if that is unknown.
func (l *Loss) name(rest []byte, keys uint64) {
	found := map[device.Ref]*LostReadings{}
	add := func(ref device.Ref, from, to int64) {
		d := found[ref]
		if d == nil {
			d = &LostReadings{Ref: ref, From: math.MaxInt64, To: math.MinInt64}
			found[ref] = d
		}
		d.From, d.To = min(d.From, from), max(d.To, to)
	}
	for at := range rest {
		w, ok := cutWrite(&byteReader{rest: rest[at:]})
		if !ok || len(w.key) == 0 {
			continue
		}
		switch w.key[0] {
		case tagHot, tagSegment:
			ref, from, err := parseFrameKey(w.key)
			if err != nil || w.kind != pebble.InternalKeyKindMerge && w.kind != pebble.InternalKeyKindSet {
				continue
			}
			to := from
			if w.key[0] == tagSegment {
				day, _ := dayOf(from)
				to = int64(day+1)*msPerDay - 1
			}
			add(ref, from, to)
		case tagJournal:
			if _, err := parseJournalKey(w.key); err != nil {
				continue
			}
			batch, err := decodeEntry(w.value)
			if err != nil {
				continue
			}
			for i := range batch {
				add(device.Ref{Tenant: batch[i].Tenant, ID: batch[i].Device}, batch[i].Time, batch[i].Time)
			}
		}
	}
	for _, d := range found {
		l.Devices = append(l.Devices, *d)
	}
	slices.SortFunc(l.Devices, func(a, b LostReadings) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.ID, b.ID))
	})
	l.Whole = keys > 0 && countKeys(rest) == keys
}

// engineWrite is a change of a key in a batch of the engine.
type engineWrite struct {
	kind       pebble.InternalKeyKind
	key, value []byte
}

// cutWrite reads a change of a kind that this package makes. Unlike Pebble's own reader it may be given
// any bytes.
func cutWrite(c *byteReader) (w engineWrite, ok bool) {
	if len(c.rest) == 0 {
		return w, false
	}
	w.kind = pebble.InternalKeyKind(c.rest[0])
	c.rest = c.rest[1:]
	switch w.kind {
	case pebble.InternalKeyKindSet, pebble.InternalKeyKindMerge, pebble.InternalKeyKindRangeDelete:
		w.key = c.bytes(c.uvarint())
		w.value = c.bytes(c.uvarint())
	case pebble.InternalKeyKindDelete:
		w.key = c.bytes(c.uvarint())
	default:
		return w, false
	}
	return w, !c.failed
}

// countKeys returns how many keys the batches in b have; 0 if it is not whole batches.
func countKeys(b []byte) (keys uint64) {
	for len(b) > 0 {
		header, ok := batchrepr.ReadHeader(b)
		if !ok {
			return 0
		}
		c := byteReader{rest: b[batchrepr.HeaderLen:]}
		for range header.Count {
			if _, ok := cutWrite(&c); !ok {
				return 0
			}
		}
		keys += uint64(header.Count)
		b = c.rest
	}
	return keys
}

// readLosses reads the losses that were recorded beside the readings.
func readLosses(filesystem vfs.FS, dir string) (losses []Loss, err error) {
	f, err := filesystem.Open(filesystem.PathJoin(dir, LossFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, f)
	for d := json.NewDecoder(f); ; {
		var l Loss
		switch err := d.Decode(&l); {
		case errors.Is(err, io.EOF):
			return losses, nil
		case err != nil:
			return nil, fmt.Errorf("%s cannot be read; move it away: %w", filesystem.PathJoin(dir, LossFile), err)
		}
		losses = append(losses, l)
	}
}

// recordLosses adds losses to those recorded, durably.
func recordLosses(filesystem vfs.FS, dir string, losses []Loss) (err error) {
	recorded, err := readLosses(filesystem, dir)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, l := range addLosses(recorded, losses) {
		line, err := json.Marshal(&l)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	path := filesystem.PathJoin(dir, LossFile)
	f, err := filesystem.Create(path+".new", vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(lines.Bytes())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := filesystem.Rename(path+".new", path); err != nil {
		return err
	}
	folder, err := filesystem.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// addLosses adds those of more that losses lacks: a start that is interrupted finds them again, and so
// does doctor before the journal is past the evaluated position.
func addLosses(losses, more []Loss) []Loss {
	for _, l := range more {
		if !slices.ContainsFunc(losses, func(o Loss) bool {
			return o.After == l.After && o.Before == l.Before && (l.File == "" || o.File == l.File && o.From == l.From)
		}) {
			losses = append(losses, l)
		}
	}
	return losses
}
