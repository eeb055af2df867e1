package reading

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// recoverAggregatedFrom reads from which day on all sealed days have daily aggregates.
func (s *Store) recoverAggregatedFrom() error {
	from, err := readAggregatedFrom(s.db)
	s.aggregatedFrom.Store(from)
	return err
}

// readAggregatedFrom returns the first day from which on all sealed days have daily aggregates. A
// folder without the number is new, or of a version that wrote none: raiseFormat writes it then.
func readAggregatedFrom(engine *pebble.DB) (int32, error) {
	number, err := readNumber(engine, keyAggregatedFrom)
	return int32(uint32(number) ^ 1<<31), err
}

func appendAggregatedFrom(b []byte, day int32) []byte {
	return binary.AppendUvarint(b, uint64(uint32(day)^1<<31))
}

// fillAggregates packs the sealed days of an earlier version once more, so that they get hour sums
// and daily aggregates; the newest day first. It stops when ctx or the store ends and goes on the
// next time. Readers get the same aggregates before and after.
func (s *Store) fillAggregates(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	days := s.daysWithoutAggregates()
	if len(days) == 0 {
		return nil
	}
	s.opts.Logger.Info("readings: computing the aggregates of days that an earlier version sealed", "days", len(days))
	for i := len(days) - 1; i >= 0; i-- {
		if p := s.broken.Load(); p != nil {
			return *p
		}
		if err := s.fillDay(ctx, days[i].day); err != nil {
			return fmt.Errorf("reading: compute aggregates: %w", err)
		}
	}
	s.opts.Logger.Info("readings: all sealed days have aggregates now", "days", len(days))
	return nil
}

// daysWithoutAggregates returns the sealed days that may lack aggregates.
func (s *Store) daysWithoutAggregates() (days []dayState) {
	complete := s.aggregatedFrom.Load()
	for _, d := range s.calendar.now() {
		if d.day >= complete {
			break
		}
		if d.sealed {
			days = append(days, d)
		}
	}
	return days
}

func (s *Store) fillDay(ctx context.Context, day int32) error {
	started := time.Now() // a duration, not a time of day
	work := &daySealer{store: s, ctx: ctx, day: day}
	prefix := appendDay(nil, tagSegment, day)
	err := work.eachDevice(prefix, func(ref device.Ref) []byte { return appendSegmentPrefix(nil, day, ref) },
		func(_ *pebble.Batch, ref device.Ref) error { return work.fillDevice(ref) })
	if err != nil {
		return err
	}
	// The log keeps the order of writes, so the day is never on disk without its entries.
	if err := s.db.Set(keyAggregatedFrom, appendAggregatedFrom(nil, day), pebble.NoSync); err != nil {
		return err
	}
	s.aggregatedFrom.Store(day)
	s.opts.Logger.Debug("readings: computed aggregates", "day", dayName(day), "devices", work.devices,
		"took", time.Since(started))
	return nil
}

func dayName(day int32) string {
	return time.UnixMilli(int64(day) * msPerDay).UTC().Format(time.DateOnly)
}

// fillDevice packs the segments of a device-day once more, unless it has daily aggregates.
func (w *daySealer) fillDevice(ref device.Ref) (err error) {
	key := appendDayAggregatesKey(nil, ref, w.day)
	_, closer, err := w.store.db.Get(key)
	if err == nil {
		return closer.Close()
	}
	if !errors.Is(err, pebble.ErrNotFound) {
		return err
	}
	b := w.store.db.NewBatch()
	defer closeInto(&err, b)
	if err := w.sealDevice(b, dayState{day: w.day, sealed: true}, ref); err != nil {
		if !errors.Is(err, ErrCorrupt) {
			return err
		}
		w.store.opts.Logger.Error("readings: a damaged day gets no aggregates", "day", dayName(w.day),
			"tenant", ref.Tenant, "device", ref.ID, "error", err)
		return w.store.db.Set(key, nil, pebble.NoSync)
	}
	return b.Commit(pebble.NoSync)
}

// newAggregatedFrom is the number that a folder gets with the present format: a new folder lacks no
// aggregates, one of an earlier version all.
func newAggregatedFrom(earlier uint64) int32 {
	if earlier == 0 {
		return math.MinInt32
	}
	return math.MaxInt32
}
