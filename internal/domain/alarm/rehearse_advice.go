package alarm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/comparator"
)

const (
	// fewestAdvised is how many notices a rehearsal needs at least to get advice.
	fewestAdvised = 4
	// mostOfBest is the share of the notices spared by the best change that a smaller change must
	// spare to be advised in its place.
	mostOfBest = 0.8
	// longerOpen is for which share of the time a notice may be open longer with a change than
	// without it: a recovery value that readings hardly ever reach also spares notices, by leaving
	// one open.
	longerOpen = 0.2
	// mostRecoveries is how many recovery values are tried at most.
	mostRecoveries = 6
)

// Stated are the times that advice may state: every longer episode is kept. A change that drops one
// which is longer than all of them is not advised.
var Stated = [...]time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 20 * time.Minute,
	30 * time.Minute,
}

// hitsTried are the numbers of hits to try; those not above the rule's are skipped.
var hitsTried = []int{2, 3, 5, mostHits}

// The kinds of RehearsalAdvice.
const (
	AdviseRecovery = "recovery"
	AdviseHits     = "hits"
)

// RehearsalAdvice is one change of a rule, and how many notices the same readings would have led to
// with it.
type RehearsalAdvice struct {
	Kind string

	// With AdviseRecovery: the condition's index, its attribute and its new recovery value.
	Condition int
	Attribute string
	Recovery  float64

	// With AdviseHits: the number of samples, and the window that they need.
	Hits   int
	Window time.Duration

	Notices int // with the change
	Without int // without it

	// KeepsLonger is one of Stated, or 0. Every longer episode (notices without the change that are
	// at most ten minutes apart) is kept: with the change a notice is open at some time of it, and
	// began at most half a day before it.
	KeepsLonger time.Duration
	Kept        int // episodes longer than KeepsLonger
	Dropped     int // episodes that are not kept
	// KeptNights are the nights of the episodes that Kept counts; 0: some were by day.
	KeptNights int
}

// apply returns a rule with the change.
func (a *RehearsalAdvice) apply(r Rule) Rule {
	if a.Kind == AdviseHits {
		r.Hits, r.Window = a.Hits, a.Window
		return r
	}
	return withRecovery(r, a.Condition, a.Recovery)
}

// withRecovery returns a rule with another recovery value of one of its conditions.
func withRecovery(r Rule, index int, recovery float64) Rule {
	r.Conditions = slices.Clone(r.Conditions)
	r.Conditions[index].Recovery = &recovery
	return r
}

// candidate is a change to try.
type candidate struct {
	RehearsalAdvice
	openTime int64         // for how long a notice would have been open, in all, ms
	dropped  durationTally // episodes that are not kept
}

// adviceBuilder collects what rehearsals of a rule, on one device or on several, say about possible
// changes of it.
type adviceBuilder struct {
	rule     *Rule
	models   []*device.Product // of the devices
	total    int               // notices
	openTime int64             // for how long one was open, ms
	spanned  int64             // from the first sample to the last, ms
	deltas   deltaHistogram    // of the property that a recovery value would apply to
	interval int64             // the longest of the usual intervals, ms; 0: none is known
	episodes episodeTally
}

// add takes in the rehearsal of a device of a product.
func (h *adviceBuilder) add(run *rehearsalRun, p *device.Product) {
	if !slices.Contains(h.models, p) {
		h.models = append(h.models, p)
	}
	h.rule = run.rule // the same rule, except for the device
	h.total += run.Total
	h.openTime += run.trial.openTime
	h.spanned += run.last - run.first
	h.deltas.merge(&run.deltas)
	h.interval = max(h.interval, run.Pace.Interval, run.interval)
}

// candidates are the changes to try; of each kind the smaller ones first.
func (h *adviceBuilder) candidates() []candidate {
	if h.total < fewestAdvised {
		return nil
	}
	return append(h.recoveries(), h.moreHits()...)
}

// recoveries are round steps from the threshold to its safe side. The smallest is below the median
// change of the readings, since a value that swings about the threshold goes half as far beyond it.
// The largest is above nearly all changes.
func (h *adviceBuilder) recoveries() (all []candidate) {
	index, property := firstRecoverable(h.rule.Conditions, h.models[0])
	half, most := h.deltas.quantile(.5), h.deltas.quantile(.9)
	if property == nil || most < 0 {
		return nil
	}
	c := h.rule.Conditions[index]
	threshold, precision := c.Value.Float(), h.precision(c.Attribute)
	first := max(half-1, bucketOf(math.Pow10(-precision)))
	last := min(max(first, most)+2, first+mostRecoveries-1, len(buckets)-1)
	for _, step := range buckets[first : last+1] {
		if rising(c) {
			step = -step
		}
		recovery := roundToDecimals(threshold+step, &precision)
		if h.reached(c, recovery) &&
			(c.Recovery == nil || math.Abs(recovery-threshold) > math.Abs(*c.Recovery-threshold)) {
			a := RehearsalAdvice{Kind: AdviseRecovery, Condition: index, Attribute: c.Attribute, Recovery: recovery}
			all = append(all, candidate{RehearsalAdvice: a})
		}
	}
	return all
}

// precision is how many decimals a recovery value has with each of the products.
func (h *adviceBuilder) precision(attribute string) int {
	least := comparator.MaxDecimals
	for _, p := range h.models {
		if has := p.Property(attribute).Precision; has != nil {
			least = min(least, *has)
		}
	}
	return least
}

// reached tells whether readings within the bounds of each product can pass a recovery value.
func (h *adviceBuilder) reached(c Condition, recovery float64) bool {
	for _, p := range h.models {
		property := p.Property(c.Attribute)
		furthest := property.Max // that a reading can be on the safe side
		if rising(c) {
			furthest = property.Min
		}
		if furthest != nil && comparator.Of(c.Operator).HoldsNumber(*furthest, recovery, property.Precision) {
			return false
		}
	}
	return true
}

// moreHits are higher numbers of samples, in a window that holds them at the usual interval.
func (h *adviceBuilder) moreHits() (all []candidate) {
	if h.interval == 0 {
		return nil
	}
	for _, hits := range hitsTried {
		if window := h.windowFor(hits); hits > h.rule.Hits && window > 0 {
			all = append(all, candidate{RehearsalAdvice: RehearsalAdvice{Kind: AdviseHits, Hits: hits, Window: window}})
		}
	}
	return all
}

// mayAdd tells whether a change may lead to notices on a device that had none without it: more
// samples within a longer window may.
func (h *adviceBuilder) mayAdd(changes []candidate) bool {
	wider := func(c candidate) bool { return c.Window > h.rule.Window }
	return h.rule.Hits > 1 && slices.ContainsFunc(changes, wider)
}

// windowFor is the shortest window that holds so many samples when the conditions are true for
// every second one only. So more hits hide a single outlier, but no value that stays about the
// threshold. The result is not shorter than the rule's own window, unless the rule needs one hit,
// for which no window counts. 0: no window is long enough.
func (h *adviceBuilder) windowFor(hits int) time.Duration {
	for _, w := range Windows {
		if (w >= h.rule.Window || h.rule.Hits == 1) && w.Milliseconds() > 2*int64(hits-1)*h.interval {
			return w
		}
	}
	return 0
}

// best selects, of the tried changes, those with which there would have been at most half as many
// notices but some, and which drop no episode longer than all of Stated: of each kind the smallest that
// spares nearly as many as the best of that kind.
func (h *adviceBuilder) best(changes []candidate) (all []RehearsalAdvice) {
	for _, kind := range []string{AdviseRecovery, AdviseHits} {
		fewest := math.MaxInt
		var fit []RehearsalAdvice
		for _, c := range changes {
			longer := float64(c.openTime - h.openTime)
			if c.Kind == kind && c.Notices > 0 && 2*c.Notices <= h.total &&
				longer <= longerOpen*float64(h.spanned) && h.keeps(&c) {
				c.Without = h.total
				fit = append(fit, c.RehearsalAdvice)
				fewest = min(fewest, c.Notices)
			}
		}
		for _, a := range fit {
			if float64(h.total-a.Notices) >= mostOfBest*float64(h.total-fewest) {
				all = append(all, a)
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b RehearsalAdvice) int { return cmp.Compare(a.Notices, b.Notices) })
	return all
}

// keeps fills in which episodes a change keeps. It returns false where no stated time is long enough.
func (h *adviceBuilder) keeps(c *candidate) bool {
	longest := c.dropped.longest()
	if longest == len(Stated) {
		return false
	}
	if longest >= 0 {
		c.KeepsLonger = Stated[longest]
	}
	c.Dropped = c.dropped.longerThan(-1)
	c.Kept, c.KeptNights = h.episodes.longerThan(longest)
	return true
}

// count adds to each change what it leads to on a device, in one more pass over its readings, and
// the episodes that there are without one.
func (h *adviceBuilder) count(
	ctx context.Context,
	o *RehearsalOptions,
	changes []candidate,
	r Rule,
	p *device.Product,
	place *Coordinates,
) error {
	if len(changes) == 0 {
		return nil
	}
	rules := []Rule{r}
	for i := range changes {
		rules = append(rules, changes[i].apply(r))
	}
	trials, err := runTrials(ctx, o, rules, p, func(e episode, trials []trial) {
		length, middle := lengthOf(e.to-e.from), (e.from+e.to)/2
		h.episodes.add(length, night(middle, o.Zone, place), nightOf(middle, o.Zone))
		for i := range changes {
			if !trials[1+i].covers(e.from) {
				changes[i].dropped[length]++
			}
		}
	})
	if err != nil {
		return err
	}
	for i, tried := range trials[1:] {
		changes[i].Notices += tried.notices
		changes[i].openTime += tried.openTime
	}
	return nil
}
