package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

const (
	// fetchDevices is how many device-days are read from the archive at once.
	fetchDevices = 200
	// fetchPauseFactor is how many times as long as a batch took fetching rests, if readings arrived
	// meanwhile.
	fetchPauseFactor = 3
)

// errStillMissing is the cause for a store that cannot be copied yet.
var errStillMissing = errors.New("reading: this node still fetches days from the archive; try again later, " +
	"or take another node")

// recoverMissing finds the days whose segments are in the archive.
func (s *Store) recoverMissing(ctx context.Context) error {
	return s.each(ctx, tagMissing, []byte{tagMissing}, func(it *pebble.Iterator) error {
		day, err := parseDay(it.Key(), tagMissing)
		if err != nil {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		s.calendar.set(day, func(d *dayState) { d.missing, d.sealed = true, true })
		return nil
	})
}

// missingDays returns the days whose segments are not here, oldest first.
func (s *Store) missingDays() (days []int32) {
	for _, d := range s.calendar.now() {
		if d.missing {
			days = append(days, d.day)
		}
	}
	return days
}

func (s *Store) hasMissing() bool {
	return slices.ContainsFunc(s.calendar.now(), func(d dayState) bool { return d.missing })
}

// FetchMissing fetches the days that this node does not hold yet from the archive, the newest first, and
// heals what is damaged here. It returns once nothing is missing, with an error, or when ctx or the store
// ends; the next call goes on. Readers get what is not here yet from the archive.
func (s *Store) FetchMissing(ctx context.Context) error {
	if s.opts.Archive == nil {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	ctx, cancel := s.withLifetime(ctx)
	defer cancel()
	days := s.missingDays()
	if len(days) > 0 {
		s.opts.Logger.Info("readings: fetching days from the archive", "days", len(days))
	}
	for _, day := range slices.Backward(days) {
		if err := s.fetchDay(ctx, day); err != nil {
			return fmt.Errorf("reading: fetch %s from the archive: %w", dayName(day), err)
		}
	}
	if len(days) > 0 {
		s.opts.Logger.Info("readings: all days are here", "days", len(days))
	}
	return s.healDamaged(ctx)
}

// fetchDay fetches a day. The archive must be the same one, and complete, from the first device to the
// last: otherwise what it does not have might be missing.
func (s *Store) fetchDay(ctx context.Context, day int32) error {
	before, err := s.completeState(ctx)
	if err != nil {
		return err
	}
	damaged := 0
	for after := (device.Ref{}); ; {
		frames, started := s.counts.frames.Load(), time.Now() // a duration, not a time of day
		list, err := s.opts.Archive.DayAfter(ctx, day, after, fetchDevices)
		if err != nil {
			return err
		}
		bad, err := s.storeFetched(ctx, list)
		if err != nil {
			return err
		}
		damaged += bad
		if len(list) < fetchDevices {
			break
		}
		after = list[len(list)-1].Ref
		if s.counts.frames.Load() != frames {
			if err := s.rest(ctx, time.Since(started)*fetchPauseFactor); err != nil {
				return err
			}
		}
	}
	if damaged > 0 {
		return fmt.Errorf("%d device-days: %w; the node that leads writes them anew", damaged, ErrArchiveDamaged)
	}
	now, err := s.completeState(ctx)
	if err != nil {
		return err
	}
	if now.Mark != before.Mark {
		return fmt.Errorf("%w: it was begun anew", ErrArchiveIncomplete)
	}
	s.calendar.mu.Lock()
	defer s.calendar.mu.Unlock()
	if err := s.db.Delete(missingKey(day), pebble.NoSync); err != nil {
		return err
	}
	s.calendar.set(day, func(d *dayState) { d.missing = false })
	return nil
}

// completeState returns the archive's state if it is complete and of this store's life.
func (s *Store) completeState(ctx context.Context) (ArchiveState, error) {
	state, err := s.opts.Archive.State(ctx)
	if err == nil {
		err = state.checkComplete(s.Life())
	}
	if err != nil {
		return state, err
	}
	known, err := s.marked()
	if err != nil {
		return state, err
	}
	if holds, err := s.opts.Archive.Has(ctx, known.last); err != nil || holds || !s.hasMissing() {
		return state, err
	}
	return state, fmt.Errorf("reading: the archive that this node was filled from is gone: %w", ErrGap)
}

// storeFetched stores device-days of the archive, but for those of devices that were erased since, and
// returns how many are damaged.
func (s *Store) storeFetched(ctx context.Context, list []ArchivedDay) (damaged int, err error) {
	s.sealMu.Lock()
	defer s.sealMu.Unlock()
	b := s.db.NewBatch()
	defer closeInto(&err, b)
	for i := range list {
		d := &list[i]
		if s.erasedAfter(d) {
			continue
		}
		if err := d.Check(); err != nil {
			damaged++
			s.opts.Logger.Error("readings: the archive holds a damaged day", "day", dayName(d.Day),
				"tenant", d.Ref.Tenant, "device", d.Ref.ID, "error", err)
			if err := s.opts.Archive.NoteDamaged(ctx, d.Ref.Tenant, d.Ref.ID, d.Day); err != nil {
				return damaged, err
			}
			continue
		}
		if err := setArchived(b, d); err != nil {
			return damaged, err
		}
		s.archived.fetched.Add(1)
	}
	return damaged, b.Commit(pebble.NoSync)
}

// setArchived puts the segments and the aggregates of a device-day.
func setArchived(b *pebble.Batch, d *ArchivedDay) error {
	segments, err := unpackSegments(d.Segments)
	if err != nil {
		return err
	}
	prefix := appendSegmentPrefix(nil, d.Day, d.Ref)
	if err := b.DeleteRange(prefix, append(slices.Clone(prefix), afterAnyMs), nil); err != nil {
		return err
	}
	for _, part := range segments {
		if err := b.Set(appendMs(slices.Clone(prefix), part.ms), part.raw, nil); err != nil {
			return err
		}
	}
	key := appendDayAggregatesKey(nil, d.Ref, d.Day)
	if d.Aggregates == nil {
		return b.Delete(key, nil)
	}
	return b.Set(key, d.Aggregates, nil)
}

// erasedAfter reports whether a device was erased after the archive got a device-day of it.
func (s *Store) erasedAfter(d *ArchivedDay) bool {
	s.order.Lock()
	defer s.order.Unlock()
	at, erased := s.order.erased[d.Ref]
	return erased && d.Position < at
}

// healDamaged replaces damaged device-days by those of the archive.
func (s *Store) healDamaged(ctx context.Context) error {
	for d := range s.damagedDays() {
		err := s.opts.Archive.DeviceDays(ctx, d.ref.Tenant, d.ref.ID, s.Life(), []int32{d.day},
			func(a *ArchivedDay) error {
				if marked, err := s.isMarked(d.ref, d.day); err != nil || marked {
					return err
				}
				bad, err := s.storeFetched(ctx, []ArchivedDay{*a})
				if err != nil || bad > 0 {
					return err
				}
				return s.verifyHealed(ctx, d)
			})
		if err != nil {
			return fmt.Errorf("reading: heal %s from the archive: %w", dayName(d.day), err)
		}
	}
	return nil
}

// verifyHealed reads a device-day back. While its file stays damaged, readers go on with the archive.
func (s *Store) verifyHealed(ctx context.Context, d deviceDay) error {
	segments, err := localSegments(ctx, s.db, d.ref, d.day)
	if err == nil {
		_, err = readSegments(d.day, segments)
	}
	if isDamage(err) {
		s.opts.Logger.Error("readings: a damaged day cannot be written anew here; it is read from the archive",
			"day", dayName(d.day), "tenant", d.ref.Tenant, "device", d.ref.ID, "error", err)
		return nil
	}
	if err == nil {
		s.forgetDamaged(d)
		s.opts.Logger.Info("readings: a damaged day is healed from the archive", "day", dayName(d.day),
			"tenant", d.ref.Tenant, "device", d.ref.ID)
	}
	return err
}

// rest waits, unless ctx or the store ends.
func (s *Store) rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.lifetime.Done():
	}
	return s.stopErr(ctx)
}
