package reading

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// calendar knows which days hold readings and where they are. It may name a day that holds no
// readings (any more), but never omits one that does.
//
// Frames are written to a day's newest generation. To seal a day, the store raises its newest
// generation, after which nobody writes to the older ones; it moves their frames into segments and
// then deletes these generations together. A reader merges the segments and the generations, the
// newer over the older, so it gets the same result at every step.
type calendar struct {
	// writeMu is held (shared) from choosing a generation until the frames are in the log, so that
	// raising the generation waits for them.
	writeMu sync.RWMutex

	mu   sync.RWMutex
	days []dayState // ascending; replaced, never changed in place
}

type dayState struct {
	day    int32
	hot    bool   // there may be frames in oldest..newest
	sealed bool   // there may be segments
	oldest uint16 // generation
	newest uint16

	missing bool // the segments are in the archive and not here yet, or not all of them

	// Of a replicated store, the first entries of the log that wrote to the generations before the
	// newest one, and to that; unknownEntry if that is not known, 0 if there is none.
	since, newestSince uint64
}

// unknownEntry stands for an entry of the log that may be any.
const unknownEntry = 1

// firstEntry returns the first entry that wrote to a generation of the day; 0 if there is none.
func (d *dayState) firstEntry() uint64 {
	if d.since != 0 {
		return d.since
	}
	return d.newestSince
}

// find returns the index of day, or the index at which it would be inserted.
func find(days []dayState, day int32) (int, bool) {
	return slices.BinarySearchFunc(days, day, func(d dayState, day int32) int { return cmp.Compare(d.day, day) })
}

// between returns the days from..to.
func between(days []dayState, from, to int32) []dayState {
	i, _ := find(days, from)
	j, found := find(days, to)
	if found {
		j++
	}
	if i >= j {
		return nil
	}
	return days[i:j]
}

// generation returns the generation to which frames of day are written and marks the day as hot.
// The caller holds writeMu.
func (c *calendar) generation(day int32) uint16 {
	c.mu.RLock()
	i, found := find(c.days, day)
	if found && c.days[i].hot {
		defer c.mu.RUnlock()
		return c.days[i].newest
	}
	c.mu.RUnlock()
	return c.change(day, func(d *dayState) { d.hot = true }).newest
}

// generationFor is generation for an entry of the log.
func (c *calendar) generationFor(day int32, pos uint64) uint16 {
	c.mu.RLock()
	i, found := find(c.days, day)
	if found && c.days[i].hot && c.days[i].newestSince != 0 {
		defer c.mu.RUnlock()
		return c.days[i].newest
	}
	c.mu.RUnlock()
	return c.change(day, func(d *dayState) {
		d.hot = true
		if d.newestSince == 0 {
			d.newestSince = pos
		}
	}).newest
}

// change replaces one day's state.
func (c *calendar) change(day int32, change func(*dayState)) dayState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set(day, change)
}

func (c *calendar) set(day int32, change func(*dayState)) dayState {
	i, found := find(c.days, day)
	days := slices.Clone(c.days)
	if !found {
		days = slices.Insert(days, i, dayState{day: day})
	}
	change(&days[i])
	state := days[i]
	if !state.hot && !state.sealed && !state.missing {
		days = slices.Delete(days, i, i+1)
	}
	c.days = days
	return state
}

// forget drops the days before day.
func (c *calendar) forget(before int32) {
	i, _ := find(c.days, before)
	c.days = slices.Clone(c.days[i:])
}

// at returns the current state of one day.
func (c *calendar) at(day int32) (d dayState, found bool) {
	days := c.now()
	i, found := find(days, day)
	if !found {
		return dayState{}, false
	}
	return days[i], true
}

// now returns the current states of all days.
func (c *calendar) now() []dayState {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.days
}

// open returns an iterator over the store as it is now, and the days at the same moment. All other
// iterators of a reader are clones of it, so that they see the same state.
func (s *Store) open(ctx context.Context) (*pebble.Iterator, []dayState, error) {
	s.calendar.mu.RLock()
	defer s.calendar.mu.RUnlock()
	bounds := pebble.IterOptions{LowerBound: []byte{tagSegment}, UpperBound: []byte{tagHot + 1}}
	it, err := s.db.NewIterWithContext(ctx, &bounds)
	return it, s.calendar.days, scanError("frames", err)
}

// recoverCalendar finds the days that are on disk.
func (s *Store) recoverCalendar(ctx context.Context) (err error) {
	bounds := pebble.IterOptions{LowerBound: []byte{tagSegment}, UpperBound: []byte{tagHot + 1}}
	it, err := s.db.NewIterWithContext(ctx, &bounds)
	if err != nil {
		return scanError("frames", err)
	}
	defer closeInto(&err, it)
	for _, tag := range []byte{tagSegment, tagHot} {
		for ok := it.SeekGE([]byte{tag}); ok && it.Key()[0] == tag; {
			if err := ctx.Err(); err != nil {
				return err
			}
			day, err := cutDay(it.Key())
			if err != nil {
				return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
			}
			after := appendDay(nil, tag, day)
			after = append(after, dayEnd...)
			if tag == tagSegment {
				s.calendar.set(day, func(d *dayState) { d.sealed = true })
			} else if err := s.recoverHot(it, day, after); err != nil {
				return err
			}
			ok = it.SeekGE(after)
		}
		if err := iteratorError(it); err != nil {
			return err
		}
	}
	return s.recoverMissing(ctx)
}

// recoverHot reads the oldest and the newest generation of a day; the iterator is at the day's
// first frame.
func (s *Store) recoverHot(it *pebble.Iterator, day int32, after []byte) error {
	oldest, err := cutGeneration(it.Key())
	if err != nil {
		return err
	}
	newest := oldest
	if it.SeekLT(after) {
		if newest, err = cutGeneration(it.Key()); err != nil {
			return err
		}
	}
	s.calendar.set(day, func(d *dayState) {
		d.hot, d.oldest, d.newest = true, oldest, newest
		d.since, d.newestSince = unknownEntry, unknownEntry
	})
	return iteratorError(it)
}
