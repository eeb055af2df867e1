package reading

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// ClockTolerance is how far a reading's time may be after or before its arrival for the device's
// clock to count as right.
const ClockTolerance = time.Minute

const (
	// maxAhead is how many readings stamped ahead the store remembers of a device.
	maxAhead = 128
	// aheadRetention is how long after its own time the store remembers a deferred reading. A restart
	// rebuilds rules from what the store remembers, so it must exceed the time by which evaluation may be
	// behind; if it is behind by more, the reading counts as a late one.
	aheadRetention = 30 * time.Minute
)

// AheadReading is a reading that was stamped ahead: its time is after its arrival.
type AheadReading struct {
	Time int64 // its own time, epoch ms
	// DeferredAtPosition is the journal position of the reading that deferred this one: one with a
	// right time, if both that time and its arrival are before this one's time. 0: none has.
	DeferredAtPosition uint64
}

// AheadReadings returns the newest readings of a device that were stamped ahead, oldest first: those
// whose time is after the last arrival and, for half an hour after their time, those that were
// deferred. A reading that was sent again when its time was right no longer
// counts as stamped ahead.
func (s *Store) AheadReadings(_ context.Context, t tenant.ID, d device.ID) []AheadReading {
	return s.latest.aheadReadings(device.Ref{Tenant: t, ID: d})
}

func (l *latest) aheadReadings(ref device.Ref) []AheadReading {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if d := l.devices[ref]; d != nil {
		return slices.Clone(d.ahead)
	}
	return nil
}

// trackAhead records that a frame with the time at arrived at the time arrival (both epoch ms), at
// journal position pos.
func (d *deviceLatest) trackAhead(at, arrival int64, pos uint64) (changed bool) {
	tolerance := ClockTolerance.Milliseconds()
	right := at <= arrival+tolerance && at >= arrival-tolerance
	remaining := d.ahead[:0]
	for _, a := range d.ahead {
		switch {
		case a.Time == at, // sent again: this arrival decides
			a.DeferredAtPosition == 0 && a.Time <= arrival,
			a.DeferredAtPosition != 0 && a.Time <= arrival-aheadRetention.Milliseconds():
			changed = true
			continue
		case a.DeferredAtPosition == 0 && right && a.Time > at:
			a.DeferredAtPosition, changed = pos, true
		}
		remaining = append(remaining, a)
	}
	d.ahead = remaining
	if at <= arrival {
		return changed
	}
	i, _ := slices.BinarySearchFunc(d.ahead, at, func(a AheadReading, at int64) int { return cmp.Compare(a.Time, at) })
	d.ahead = slices.Insert(d.ahead, i, AheadReading{Time: at})
	if len(d.ahead) > maxAhead {
		d.ahead = slices.Delete(d.ahead, 0, 1)
	}
	return true
}
