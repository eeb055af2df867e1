package reading

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// fillLatest is how many devices' latest values are read from the archive at once.
const fillLatest = 1000

// Filled says with what Fill began.
type Filled struct {
	Position uint64 // archived position: the node follows the log from here on
	Days     int    // days that the node fetches once it runs
	Devices  int    // devices with latest values
}

// Fill makes the folder o.Dir, which must not hold readings yet, that of a node which stands at the
// archived position of the log's life: with the latest values, and with all days in the archive, from
// which the node reads and fetches them once it runs (FetchMissing). What came after that
// position the node reads from the log.
func Fill(ctx context.Context, o Options, log LogReader) (f Filled, err error) {
	o.setDefaults()
	mark, begin, err := log.Life(ctx)
	if err != nil {
		return f, err
	}
	state, err := o.Archive.State(ctx)
	if err != nil {
		return f, err
	}
	if err := state.checkComplete(mark); err != nil {
		return f, err
	}
	db, _, err := openEngine(o)
	if err != nil {
		return f, err
	}
	defer closeInto(&err, db)
	number, err := readFormat(db)
	if err == nil && number != 0 {
		err = errors.New("it holds readings already")
	}
	if err != nil {
		return f, openError(o, err)
	}
	if err := raiseFormat(db); err != nil {
		return f, err
	}
	f.Position = state.Position
	if f.Devices, err = fillLatestValues(ctx, db, o.Archive); err != nil {
		return f, err
	}
	days, err := o.Archive.Days(ctx)
	if err != nil {
		return f, err
	}
	b := db.NewBatch()
	for _, day := range days {
		f.Days++
		if err := b.Set(missingKey(day), nil, nil); err != nil {
			return f, err
		}
	}
	if state.Position > begin {
		e := Entry{Chain: state.Chain, Kind: EntryFrames}
		if err := b.Set(chainKey(state.Position), appendChain(nil, &e), nil); err != nil {
			return f, err
		}
	}
	for _, kv := range []struct{ key, value []byte }{
		{keyCheckpoint, binary.AppendUvarint(nil, state.Position)},
		{keyMarked, appendMarked(nil, marked{0, state.Last})},
		{keyLife, append(binary.AppendUvarint(nil, begin), mark...)},
	} {
		if err := b.Set(kv.key, kv.value, nil); err != nil {
			return f, err
		}
	}
	// The archive must not have been begun anew meanwhile.
	now, err := o.Archive.State(ctx)
	if err == nil && now.Mark != state.Mark {
		err = fmt.Errorf("reading: %w: it was begun anew; try again", ErrArchiveIncomplete)
	}
	if err != nil {
		return f, err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return f, err
	}
	return f, b.Close()
}

func fillLatestValues(ctx context.Context, db *pebble.DB, from ArchiveReader) (devices int, err error) {
	for after := (device.Ref{}); ; {
		list, err := from.LatestAfter(ctx, after, fillLatest)
		if err != nil || len(list) == 0 {
			return devices, err
		}
		b := db.NewBatch()
		for i := range list {
			l := &list[i]
			if err := l.Check(); err != nil {
				return devices, err
			}
			if err := b.Set(appendRefKey(nil, tagLatest, l.Ref), l.Values, nil); err != nil {
				return devices, err
			}
		}
		if err := b.Commit(pebble.NoSync); err != nil {
			return devices, err
		}
		if err := b.Close(); err != nil {
			return devices, err
		}
		devices += len(list)
		after = list[len(list)-1].Ref
	}
}

// ArchiveFindings are what ExamineArchive found.
type ArchiveFindings struct {
	Days, DeviceDays int
	Bytes            int64
	Position         uint64
	Complete         bool
	Problems         []string // the first maxNamedProblems
	Total            int
}

// ExamineArchive reads the latest values and the device-days from a day on back, and reports what is damaged.
// With note, it asks the leader to write that anew.
func ExamineArchive(ctx context.Context, a ArchiveReader, from time.Time, note bool) (*ArchiveFindings, error) {
	f := &ArchiveFindings{}
	state, err := a.State(ctx)
	if err != nil {
		return nil, err
	}
	f.Position, f.Complete = state.Position, state.Complete
	days, err := a.Days(ctx)
	if err != nil {
		return nil, err
	}
	first, _ := dayOf(clampTime(from.UnixMilli()))
	for _, day := range days {
		if day < first {
			continue
		}
		f.Days++
		if err := f.examineDay(ctx, a, day, note); err != nil {
			return nil, err
		}
	}
	return f, f.examineLatest(ctx, a, note)
}

func (f *ArchiveFindings) examineLatest(ctx context.Context, a ArchiveReader, note bool) error {
	for after := (device.Ref{}); ; {
		list, err := a.LatestAfter(ctx, after, fillLatest)
		if err != nil || len(list) == 0 {
			return err
		}
		for i := range list {
			l := &list[i]
			err := l.Check()
			if err == nil {
				continue
			}
			f.add(err)
			if note {
				if err := a.NoteDamaged(ctx, l.Ref.Tenant, l.Ref.ID, LatestDay); err != nil {
					return err
				}
			}
		}
		after = list[len(list)-1].Ref
	}
}

func (f *ArchiveFindings) add(problem error) {
	if f.Total++; len(f.Problems) < maxNamedProblems {
		f.Problems = append(f.Problems, oneLine(problem.Error()))
	}
}

func (f *ArchiveFindings) examineDay(ctx context.Context, a ArchiveReader, day int32, note bool) error {
	for after := (device.Ref{}); ; {
		list, err := a.DayAfter(ctx, day, after, fetchDevices)
		if err != nil || len(list) == 0 {
			return err
		}
		for i := range list {
			d := &list[i]
			f.DeviceDays++
			f.Bytes += int64(len(d.Segments) + len(d.Aggregates))
			err := d.Check()
			if err == nil {
				continue
			}
			f.add(err)
			if note {
				if err := a.NoteDamaged(ctx, d.Ref.Tenant, d.Ref.ID, d.Day); err != nil {
					return err
				}
			}
		}
		after = list[len(list)-1].Ref
	}
}
