// Package rain works out how much rain fell from what the counters of a rain gauge show. It knows no device and no
// store, so that every way by which counts come in may use it.
package rain

import "time"

// Counter is a counter that a station may have. The one that begins anew most seldom comes first and is preferred;
// piezo sensors take wind for drizzle at times, so they come last.
type Counter int

// The counters, in the order in which they are preferred.
const (
	Total Counter = iota
	Yearly
	Monthly
	Weekly
	Daily
	PiezoYearly
	PiezoMonthly
	PiezoWeekly
	PiezoDaily
	Counters // how many there are
)

const (
	// DefaultMaxRise is how many mm a counter may grow in RisePeriod, where nothing else is said.
	DefaultMaxRise = 100
	// RisePeriod is what a bound of growth is for; each that has begun since the report before counts whole.
	RisePeriod = 10 * time.Minute
	// MaxLead bounds the rain, mm, that a counter is taken to show later than another one. A counter that works
	// again after it was stuck loses at most this much.
	MaxLead = 2.54

	maxRestart = 25.4  // mm that a counter shows at most when it began anew
	patience   = 3     // reports after which a count is believed
	tip        = 0.254 // mm, a hundredth of an inch: the last digit of a count
	noise      = 0.001 // mm: a smaller difference is one of rounding
)

// Count is what a counter shows; Shown is false if the report lacks it.
type Count struct {
	MM    float64
	Shown bool
}

// Counts are what the counters of a station show.
type Counts [Counters]Count

// Gauge is what is known of a station's counters after a report. The zero gauge knows nothing.
type Gauge struct {
	at       int64 // of the newest report, epoch ms; 0: there is none
	counters [Counters]counter
}

// Stored gives the gauge after a restart: its newest report was at a time, epoch ms, and had left these references.
func Stored(at int64, references Counts) Gauge {
	g := Gauge{at: at}
	for i, r := range references {
		g.counters[i] = counter{known: r.Shown, reference: r.MM}
	}
	return g
}

// At is the time of the newest report, epoch ms; 0: there is none.
func (g *Gauge) At() int64 { return g.at }

// References are the counts that the next report is compared with.
func (g *Gauge) References() (list Counts) {
	for i := range g.counters {
		list[i] = Count{MM: g.counters[i].reference, Shown: g.counters[i].known}
	}
	return list
}

// Settled tells whether References are all that there is to know, so that nothing is lost with the gauge.
func (g *Gauge) Settled() bool {
	for i := range g.counters {
		if c := &g.counters[i]; c.strikes > 0 || c.doubt > 0 || c.lead > 0 {
			return false
		}
	}
	return true
}

// Fall is what a report tells of the rain since the one before.
type Fall struct {
	MM      float64
	Known   bool // there was something to compare with
	Late    bool // the report is not newer than the newest, and changes nothing
	TooFast bool // a counter grew more than a gauge can, and is not believed
}

// Next takes a report of a time, epoch ms. maxRise, mm, bounds the growth in RisePeriod. The first counter that grew
// tells the rain. One that stands still, steps down or grows too fast gives way to those after it; what they told is
// not told again by a counter that shows it later.
func (g *Gauge) Next(at int64, shown Counts, maxRise float64) (Gauge, Fall) {
	if at <= g.at {
		return *g, Fall{Late: true}
	}
	next, fall := Gauge{at: at}, Fall{}
	since := time.Duration(at-g.at) * time.Millisecond
	limit := maxRise * float64(max(1, (since+RisePeriod-1)/RisePeriod))
	var growth [Counters]float64
	var outcomes [Counters]outcome
	told := false
	for i, count := range shown {
		if !count.Shown {
			continue
		}
		c := &next.counters[i]
		*c = g.counters[i]
		growth[i], outcomes[i] = c.step(count.MM, limit, since)
		if told || outcomes[i] == first {
			continue
		}
		if outcomes[i] == tooFast {
			fall.TooFast = true
			continue
		}
		fall.Known = true
		if told = growth[i] > noise; told {
			fall.MM = max(0, growth[i]-c.lead)
		}
	}
	for i := range next.counters {
		next.counters[i].follow(outcomes[i], fall.MM-growth[i])
	}
	return next, fall
}

// counter is what is known of one counter.
type counter struct {
	known     bool
	reference float64 // mm, that the next count is compared with
	strikes   int     // counts in a row that were not believed
	lead      float64 // mm of rain that others told and this one has not shown yet

	// A counter that began anew may turn out to have shown nonsense: it returns within patience reports.
	doubt  int     // reports in which it may
	former float64 // the reference before
	fallen float64 // mm that were rain since
}

// outcome is what a count is, compared with the reference.
type outcome int

const (
	first     outcome = iota // there is no reference
	grown                    // it is not lower
	restarted                // the counter began anew
	lower                    // it is lower, and no restart
	tooFast                  // no gauge grows so much
)

// step takes a count; it returns the rain since the one before, mm.
func (c *counter) step(shown, limit float64, since time.Duration) (growth float64, what outcome) {
	rise := shown - c.reference
	switch {
	case !c.known:
		*c = counter{known: true, reference: shown}
		return 0, first
	case c.returns(shown, limit, since):
		growth = max(0, shown-c.former-c.fallen)
		*c = counter{known: true, reference: shown, lead: c.lead}
		return growth, grown
	case rise > limit:
		return 0, c.refuse(shown, tooFast)
	case rise >= -noise:
		growth = max(0, rise)
		c.believe(shown, growth)
		return growth, grown
	case c.restarts(shown) && shown <= limit:
		if c.doubt == 0 {
			c.former = c.reference
		}
		c.doubt, c.lead = patience+1, 0 // what it had not shown yet it never will
		c.believe(shown, shown)
		return shown, restarted
	}
	return 0, c.refuse(shown, lower)
}

// restarts tells whether a lower count is one of a counter that began anew. One lower by its last digit was rounded or
// corrected, unless next to nothing is left of it.
func (c *counter) restarts(shown float64) bool {
	rounded := c.reference-shown < tip+noise && shown > 10*tip
	return shown < maxRestart+noise && !rounded
}

// returns tells whether a counter that seemed to begin anew shows its former count again. What rain may do (a
// millimetre a minute) is no return: a counter that begins anew each night may soon pass the count of the day before.
func (c *counter) returns(shown, limit float64, since time.Duration) bool {
	return c.doubt > 0 && shown > c.former-noise && shown-c.former <= limit &&
		shown-c.reference > max(1, since.Minutes())
}

// believe takes a count as the reference.
func (c *counter) believe(shown, growth float64) {
	c.reference, c.strikes = shown, 0
	c.fallen += growth
	c.doubtLess()
}

// refuse notes a count that is not believed. When the counter does not return to the reference, it replaces it.
func (c *counter) refuse(shown float64, what outcome) outcome {
	c.doubtLess()
	if c.strikes++; c.strikes == patience {
		*c = counter{known: true, reference: shown}
	}
	return what
}

func (c *counter) doubtLess() {
	if c.doubt--; c.doubt <= 0 {
		c.doubt, c.former, c.fallen = 0, 0, 0
	}
}

// follow notes how much more rain was told than this counter showed. It cannot be known of one with a new reference.
func (c *counter) follow(what outcome, more float64) {
	if what == grown || c.strikes > 0 {
		c.lead = max(0, min(c.lead+more, MaxLead))
	}
	if c.lead < noise {
		c.lead = 0
	}
}
