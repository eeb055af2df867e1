package farm

import (
	"math"
	"time"
)

// reportPlan decides when a device reports and what becomes of each report on its
// way. It knows times only, in epoch milliseconds.
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
	gapChance   = .04 // a device and day
	gapMean     = 1.5 * 3600e3
	gapLongest  = 12 * 3600e3
	gapComes    = .7 // of gaps come later in one batch; the others are lost
	lateChance  = .01
	lateLongest = 5 * 60e3
	twiceChance = .005
	twiceAfter  = 20e3
	clockJitter = 2000
)

// slots is the plan at one rate: report k is due at k*every + offset, give or
// take the jitter.
type slots struct {
	reportPlan
	every, offset, jitter int64 // ms
}

func (p reportPlan) slots(every time.Duration) slots {
	ms := max(1, every.Milliseconds())
	return slots{
		reportPlan: p, every: ms,
		// Devices are spread over the interval: they do not all call at once.
		offset: int64(p.phase.uniform(0) * float64(ms)),
		// A jitter that is small beside the interval never swaps two reports.
		jitter: min(clockJitter, ms/5),
	}
}

// due is when slot k is due before jitter.
func (s slots) due(k int64) int64 {
	return k*s.every + s.offset
}

// at is when slot k is measured.
func (s slots) at(k int64) int64 {
	return s.due(k) + int64((2*s.clock.uniform(k)-1)*float64(s.jitter))
}

// first is the first slot that may be measured at or after ms.
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

// gap is a time in which nothing of a device gets through.
type gap struct {
	from, until int64 // ms
	lost        bool  // what was measured then never comes
}

// gapOn is the gap that begins on a local day, if any.
func (p reportPlan) gapOn(s *site, number int) (gap, bool) {
	i := int64(number) * 4
	if p.gaps.uniform(i) >= gapChance {
		return gap{}, false
	}
	from := s.start(number)*1000 + p.gaps.uniform(i+1)*secondsADay*1000
	length := min(gapLongest, -gapMean*math.Log(p.gaps.uniform(i+2)))
	return gap{from: int64(from), until: int64(from + length), lost: p.gaps.uniform(i+3) >= gapComes}, true
}

// gapAt is the gap in which a time lies, if any.
func (p reportPlan) gapAt(s *site, ms int64) (gap, bool) {
	number := int(math.Floor((float64(ms)/1000 + s.zone.Seconds()) / secondsADay))
	for n := number - 1; n <= number; n++ {
		if g, ok := p.gapOn(s, n); ok && ms >= g.from && ms < g.until {
			return g, true
		}
	}
	return gap{}, false
}

// arrivals calls deliver with each time at which the report measured at ms
// arrives: none, one, or two.
func (p reportPlan) arrivals(s *site, ms int64, deliver func(sent int64)) {
	if g, ok := p.gapAt(s, ms); ok {
		if !g.lost {
			// The batch comes in order, a thousand times as fast as measured.
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

// afterGap is when something gets through that would arrive at ms: not in a gap.
func (p reportPlan) afterGap(s *site, ms int64) int64 {
	if g, ok := p.gapAt(s, ms); ok {
		return g.until
	}
	return ms
}

const (
	// shortWait is more than a report takes to arrive that no gap delays.
	shortWait = lateLongest + 1000 + twiceAfter
	// longestWait is more than any report takes.
	longestWait = 2 * (gapLongest + gapLongest/1000 + shortWait)
)

// earliestRelevant is how far back must be measured to know all that arrives from start
// on: some minutes, or the gaps that may still have a batch to come.
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
