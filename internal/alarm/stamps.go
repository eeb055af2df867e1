package alarm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tilth/internal/reading"
)

// stamps tell which of a device's stored readings were stamped ahead, as far as
// they are judged.
type stamps struct {
	list   []reading.Ahead // by time
	judged uint64          // position of the journal
	now    int64           // epoch ms; what is further ahead of it is not known to be right
}

// standing is what is known of a stored reading's time.
type standing int

const (
	right      standing = iota // or no more to be told from one that is
	ahead                      // and counts as the newest until it is passed over
	passedOver                 // and counts once its time is past
	unknown                    // ahead of the clock, and nothing is known of its arrival
)

// stamps are those of a rule's device, whose tenant is judged up to an entry of
// the journal, at a time (epoch ms).
func (e *Engine) stamps(ctx context.Context, r *running, judged uint64, now int64) stamps {
	return stamps{list: e.o.Readings.Ahead(ctx, r.Tenant, r.Device), judged: judged, now: now}
}

// of tells it of the readings of a time.
func (s *stamps) of(at int64) standing {
	i, there := slices.BinarySearchFunc(s.list, at, func(a reading.Ahead, at int64) int { return cmp.Compare(a.Time, at) })
	switch {
	case there && s.list[i].Passed != 0 && s.list[i].Passed <= s.judged:
		return passedOver
	case there:
		return ahead
	case at > s.known():
		return unknown
	}
	return right
}

// known is up to when readings that are not in the list have right times.
func (s *stamps) known() int64 { return s.now + stampedAhead.Milliseconds() }

// last is up to when anything is known of readings.
func (s *stamps) last() int64 {
	if n := len(s.list); n > 0 {
		return max(s.known(), s.list[n-1].Time)
	}
	return s.known()
}

// newestRight is the time of a rule's newest stored sample up to upTo that has a
// right time and is not to be judged later; at least what its state knows.
func newestRight(ctx context.Context, from stored, r *running, upTo int64, later []judgedLater, s stamps) (int64, error) {
	newest, upTo := r.state.sure, min(upTo, s.known())
	first := int64(math.MaxInt64) // from here on there are others among them
	if len(s.list) > 0 {
		first = s.list[0].Time
	}
	last, err := asOf(ctx, from, r, min(upTo, first-1), later)
	if err != nil {
		return 0, err
	}
	for _, l := range last {
		newest = max(newest, l.Time)
	}
	if first > upTo {
		return newest, nil
	}
	return newest, from.Range(ctx, r.Tenant, r.Device, first, upTo, r.test.properties, func(at int64, own []reading.Field) error {
		if s.of(at) == right && slices.ContainsFunc(own, func(f reading.Field) bool { return !isLater(later, at, f.Property) }) {
			newest = max(newest, at)
		}
		return nil
	})
}

// began takes in when the open notice of a rule began: nothing up to there ends
// it, unless that is passed over.
func (s *State) began(at int64, stamps stamps) {
	switch stamps.of(at) {
	case right:
		s.sure = max(s.sure, at)
		s.newest = max(s.newest, at)
	case ahead:
		s.newest = max(s.newest, at)
	}
}

// published is the last moment before a rule was published or changed, or its device
// joined it, epoch ms.
func (r *running) published() int64 { return max(r.DeployTime, r.UpdateTime, r.JoinTime) - 1 }
