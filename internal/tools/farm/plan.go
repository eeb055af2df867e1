package farm

import (
	"math"
	"time"
)

// reportPlan says when a device reports and when each report arrives. It contains only times, in
// epoch milliseconds.
type reportPlan struct {
	phase    noise
	clock    noise
	gaps     noise
	delivery noise
}

func newPlan(seed uint64, name string) reportPlan {
	return reportPlan{
		phase:    namedNoise(seed, name, "phase"),
		clock:    namedNoise(seed, name, "clock"),
		gaps:     namedNoise(seed, name, "gaps"),
		delivery: namedNoise(seed, name, "mail"),
	}
}

const (
	gapChance   = .04 // of a device on a day
	gapMean     = 1.5 * 3600e3
	gapLongest  = 12 * 3600e3
	gapComes    = .7 // share of gaps whose reports arrive later in one batch; the others are lost
	lateChance  = .01
	lateLongest = 5 * 60e3
	twiceChance = .005
	twiceAfter  = 20e3
	clockJitter = 2000
)

// slots is the plan at one interval: report k is due at k*every + offset, plus or minus the jitter.
type slots struct {
	reportPlan
	every, offset, jitter int64 // ms

	// Of the reports due before denseFrom, in ms, only every nth holds values. 0: all do.
	nth, denseFrom int64
}

func (p reportPlan) slots(every time.Duration) slots {
	ms := max(1, every.Milliseconds())
	return slots{
		reportPlan: p, every: ms,
		// Devices are spread over the interval, so that they do not all send at once.
		offset: int64(p.phase.uniform(0) * float64(ms)),
		// The jitter is small compared with the interval, so that it never swaps two reports.
		jitter: min(clockJitter, ms/5),
	}
}

// due returns when slot k is due, without jitter.
func (s slots) due(k int64) int64 {
	return k*s.every + s.offset
}

// at returns when slot k is measured.
func (s slots) at(k int64) int64 {
	return s.due(k) + int64((2*s.clock.uniform(k)-1)*float64(s.jitter))
}

// thinned returns the plan in which the reports due before denseFrom, in ms, hold values only once in
// an interval.
func (s slots) thinned(interval time.Duration, denseFrom int64) slots {
	s.nth, s.denseFrom = max(1, interval.Milliseconds()/s.every), denseFrom
	return s
}

// holdsValues tells whether the report of slot k holds values.
func (s slots) holdsValues(k int64) bool {
	return s.nth <= 1 || k%s.nth == 0 || s.due(k) >= s.denseFrom
}

// before returns the slot of the last report before slot k that holds values.
func (s slots) before(k int64) int64 {
	for k--; !s.holdsValues(k); k-- {
	}
	return k
}

// first returns the first slot that may be measured at or after ms.
func (s slots) first(ms int64) int64 {
	k := (ms - s.offset - s.jitter) / s.every
	for s.due(k)+s.jitter >= ms {
		k--
	}
	for s.due(k)+s.jitter < ms {
		k++
	}
	return k
}

// gap is a time in which no report of a device arrives.
type gap struct {
	from, until int64 // ms
	lost        bool  // the reports measured meanwhile never arrive
}

// gapOn returns the gap that begins on a local day, if any.
func (p reportPlan) gapOn(s *site, number int) (gap, bool) {
	i := int64(number) * 4
	if p.gaps.uniform(i) >= gapChance {
		return gap{}, false
	}
	from := s.start(number)*1000 + p.gaps.uniform(i+1)*secondsADay*1000
	length := min(gapLongest, -gapMean*math.Log(p.gaps.uniform(i+2)))
	return gap{from: int64(from), until: int64(from + length), lost: p.gaps.uniform(i+3) >= gapComes}, true
}

// gapAt returns the gap that contains a time, if any.
func (p reportPlan) gapAt(s *site, ms int64) (gap, bool) {
	number := int(math.Floor((float64(ms)/1000 + s.zone.Seconds()) / secondsADay))
	for n := number - 1; n <= number; n++ {
		if g, ok := p.gapOn(s, n); ok && ms >= g.from && ms < g.until {
			return g, true
		}
	}
	return gap{}, false
}

// arrivals calls deliver with each time at which the report measured at ms arrives: none, one, or
// two.
func (p reportPlan) arrivals(s *site, ms int64, deliver func(sent int64)) {
	if g, ok := p.gapAt(s, ms); ok {
		if !g.lost {
			// The batch arrives in order, a thousand times as fast as it was measured.
			deliver(g.until + (ms-g.from)/1000)
		}
		return
	}
	sent := ms
	if p.delivery.uniform(ms*4) < lateChance {
		sent = p.afterGap(s, sent+int64(lateLongest*p.delivery.uniform(ms*4+1)))
	}
	deliver(sent)
	if p.delivery.uniform(ms*4+2) < twiceChance {
		deliver(p.afterGap(s, sent+1000+int64(twiceAfter*p.delivery.uniform(ms*4+3))))
	}
}

// afterGap returns when a report arrives that would arrive at ms without gaps.
func (p reportPlan) afterGap(s *site, ms int64) int64 {
	if g, ok := p.gapAt(s, ms); ok {
		return g.until
	}
	return ms
}

const (
	// shortWait is longer than a report takes to arrive outside gaps.
	shortWait = lateLongest + 1000 + twiceAfter
	// longestWait is longer than any report takes to arrive.
	longestWait = 2 * (gapLongest + gapLongest/1000 + shortWait)
)

// earliestRelevant returns the time from which reports must be computed to find all that arrive
// from start on: some minutes before, or the beginning of a gap whose batch may still arrive.
func (p reportPlan) earliestRelevant(s *site, start int64) int64 {
	back := start - shortWait
	number := s.momentAt(float64(start) / 1000).day.number
	for n := number; n >= number-1; n-- {
		if g, ok := p.gapOn(s, n); ok && g.from < start && g.until+gapLongest/1000 >= start {
			back = min(back, g.from-shortWait)
		}
	}
	return back
}
