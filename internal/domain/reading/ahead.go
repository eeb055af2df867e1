package reading

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// ClockTolerance is how far a reading's time may be after its arrival, and before
// it, for its device's clock to count as right: one further ahead is stamped
// ahead.
const ClockTolerance = time.Minute

const (
	// maxAhead is how many readings stamped ahead are remembered of a device.
	maxAhead = 128
	// aheadRetention is for how long after its time one that was passed over is. Then
	// newer ones have come, and been judged.
	aheadRetention = 30 * time.Minute
)

// AheadReading is a reading that was stamped ahead.
type AheadReading struct {
	Time int64 // its own, epoch ms
	// PassedAtPosition is the journal's position at which a reading with a right time came
	// that passed it over, being more than ClockTolerance before it; 0: none has.
	PassedAtPosition uint64
}

// AheadReadings are the newest readings of a device that were stamped ahead, oldest
// first: those whose time is to come yet, and for half an hour after it those
// that were passed over. One that came again with its time right is none.
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

// trackAhead takes in that a frame with a time of its own (epoch ms) arrived at
// another, at a position of the journal.
func (d *deviceLatest) trackAhead(at, arrival int64, pos uint64) (changed bool) {
	limit := arrival + ClockTolerance.Milliseconds()
	right := at <= limit && at >= arrival-ClockTolerance.Milliseconds()
	remaining := d.ahead[:0]
	for _, a := range d.ahead {
		switch {
		case a.Time == at, // it is what it is now
			a.PassedAtPosition == 0 && a.Time <= limit,
			a.PassedAtPosition != 0 && a.Time <= arrival-aheadRetention.Milliseconds():
			changed = true
			continue
		case a.PassedAtPosition == 0 && right:
			a.PassedAtPosition, changed = pos, true
		}
		remaining = append(remaining, a)
	}
	d.ahead = remaining
	if at <= limit {
		return changed
	}
	i, _ := slices.BinarySearchFunc(d.ahead, at, func(a AheadReading, at int64) int { return cmp.Compare(a.Time, at) })
	d.ahead = slices.Insert(d.ahead, i, AheadReading{Time: at})
	if len(d.ahead) > maxAhead {
		d.ahead = slices.Delete(d.ahead, 0, 1)
	}
	return true
}
