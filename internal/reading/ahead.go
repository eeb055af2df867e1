package reading

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// StampedAhead is how far a reading's time may be after its arrival, and before
// it, for its device's clock to count as right: one further ahead is stamped
// ahead.
const StampedAhead = time.Minute

const (
	// mostAhead is how many readings stamped ahead are remembered of a device.
	mostAhead = 128
	// aheadKept is for how long after its time one that was passed over is. Then
	// newer ones have come, and been judged.
	aheadKept = 30 * time.Minute
)

// Ahead is a reading that was stamped ahead.
type Ahead struct {
	Time int64 // its own, epoch ms
	// Passed is the journal's position at which a reading with a right time came
	// that passed it over, being more than StampedAhead before it; 0: none has.
	Passed uint64
}

// Ahead are the newest readings of a device that were stamped ahead, oldest
// first: those whose time is to come yet, and for half an hour after it those
// that were passed over. One that came again with its time right is none.
func (s *Store) Ahead(_ context.Context, t tenant.ID, d device.ID) []Ahead {
	return s.latest.stampedAhead(device.Ref{Tenant: t, ID: d})
}

func (l *latest) stampedAhead(ref device.Ref) []Ahead {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if d := l.devices[ref]; d != nil {
		return slices.Clone(d.ahead)
	}
	return nil
}

// stamp takes in that a frame with a time of its own (epoch ms) arrived at
// another, at a position of the journal.
func (d *lastValues) stamp(at, arrival int64, pos uint64) (changed bool) {
	limit := arrival + StampedAhead.Milliseconds()
	right := at <= limit && at >= arrival-StampedAhead.Milliseconds()
	left := d.ahead[:0]
	for _, a := range d.ahead {
		switch {
		case a.Time == at, // it is what it is now
			a.Passed == 0 && a.Time <= limit,
			a.Passed != 0 && a.Time <= arrival-aheadKept.Milliseconds():
			changed = true
			continue
		case a.Passed == 0 && right:
			a.Passed, changed = pos, true
		}
		left = append(left, a)
	}
	d.ahead = left
	if at <= limit {
		return changed
	}
	i, _ := slices.BinarySearchFunc(d.ahead, at, func(a Ahead, at int64) int { return cmp.Compare(a.Time, at) })
	d.ahead = slices.Insert(d.ahead, i, Ahead{Time: at})
	if len(d.ahead) > mostAhead {
		d.ahead = slices.Delete(d.ahead, 0, 1)
	}
	return true
}
