package alarm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tilth/internal/domain/reading"
)

// stampIndex tells which of a device's stored readings were stamped ahead, as far as they are
// evaluated.
type stampIndex struct {
	list      []reading.AheadReading // by time
	evaluated uint64                 // position of the journal
	now       int64                  // epoch ms; readings after it are not known to be right
}

// stampStatus is what is known of a stored reading's time.
type stampStatus int

const (
	stampRight    stampStatus = iota // right, or no longer distinguishable from a right one
	stampAhead                       // stamped ahead; counts as the newest until it is deferred
	stampDeferred                    // deferred; counts once its time is past
	stampUnknown                     // ahead of the clock, and nothing is known of its arrival
)

// deviceStamps are those of a rule's device, whose tenant is evaluated up to an entry of the
// journal, at a time (epoch ms).
func (e *Engine) deviceStamps(ctx context.Context, r *activeRule, evaluated uint64, now int64) stampIndex {
	return stampIndex{list: e.opts.Readings.AheadReadings(ctx, r.Tenant, r.Device), evaluated: evaluated, now: now}
}

// status is the status of the readings of a time.
func (s *stampIndex) status(at int64) stampStatus {
	i, found := slices.BinarySearchFunc(s.list, at, func(a reading.AheadReading,
		at int64) int {
		return cmp.Compare(a.Time, at)
	})
	switch {
	case found && s.list[i].DeferredAtPosition != 0 && s.list[i].DeferredAtPosition <= s.evaluated:
		return stampDeferred
	case !found && at <= s.now:
		return stampRight
	case found, at <= s.knownUpTo():
		return stampAhead
	}
	return stampUnknown
}

// knownUpTo is up to when readings that are not in the list count: the clock of another node, or of
// before the start, may have been a little ahead.
func (s *stampIndex) knownUpTo() int64 { return s.now + clockTolerance.Milliseconds() }

// last is up to when readings are known at all.
func (s *stampIndex) last() int64 {
	if n := len(s.list); n > 0 {
		return max(s.knownUpTo(), s.list[n-1].Time)
	}
	return s.knownUpTo()
}

// newestConfirmed is the time of a rule's newest stored sample up to upTo that has a right time and
// is evaluated already. It is at least the confirmed time of the rule's state.
func newestConfirmed(
	ctx context.Context,
	from readingSource,
	r *activeRule,
	upTo int64,
	later []pendingValue,
	s stampIndex,
) (int64, error) {
	newest, upTo := r.state.confirmedUpTo, min(upTo, s.now)
	first := int64(math.MaxInt64) // from here on some readings are in the list
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
	return newest, from.Range(ctx, r.Tenant, r.Device, first, upTo, r.predicate.properties,
		func(at int64, own []reading.Field) error {
			if s.status(at) == stampRight && slices.ContainsFunc(own,
				func(f reading.Field) bool { return !isPendingValue(later, at, f.Property) }) {
				newest = max(newest, at)
			}
			return nil
		})
}

// noteOpened takes over when the open notice of a rule began: no sample up to there ends it, unless
// that begin is deferred.
func (s *State) noteOpened(at int64, stamps stampIndex) {
	switch stamps.status(at) {
	case stampRight:
		s.confirmedUpTo = max(s.confirmedUpTo, at)
		s.newest = max(s.newest, at)
	case stampAhead:
		s.newest = max(s.newest, at)
	}
}

// published is the last moment before a rule was published or changed, or its device joined it,
// epoch ms.
func (r *activeRule) published() int64 { return max(r.DeployTime, r.UpdateTime, r.JoinTime) - 1 }
