package alarm

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// mostRehearsed is how many notices of a rehearsal are listed; the others are only counted.
const mostRehearsed = 500

// Rehearsal is what a rule would have recorded in a stretch of the past.
type Rehearsal struct {
	From, To  int64             // epoch ms, both inclusive
	Samples   int               // evaluated; of a rule on being offline, how often the device's presence changed
	Notices   []RehearsedNotice // oldest first, the newest 500
	Total     int               // of notices, including those that are not listed
	Attribute string            // the first of the conditions that is a number; empty: none
	Days      []DayRange        // of Attribute, oldest first; days without a reading are absent
	Pace      Pace
	// KnownFrom is, of a rule on being offline, since when the device's presence is known,
	// epoch ms; 0: nothing is known.
	KnownFrom int64
	// Advice are changes of the rule with which there would have been far fewer notices, the best
	// first. A rule on being offline has none.
	Advice []RehearsalAdvice
}

// RehearsedNotice is one notice that there would have been.
type RehearsedNotice struct {
	Start int64 // epoch ms
	End   int64 // epoch ms; 0: it would be open still
	Night bool  // began at night, see Coordinates
	Told  bool  // open within the rule's period: from its begin, or when the period began
	// Unsteady is set on a notice that began when the rule had begun the most notices that an hour
	// allows.
	Unsteady bool
}

// DayRange is the lowest and highest value of one day.
type DayRange struct {
	Day      int64 // its first instant, epoch ms
	Min, Max float64
}

// Rehearse evaluates the stored readings with from <= time <= to (epoch ms) as if the rule had been
// published at from; it writes nothing. It uses the rule's Tenant, Device, Conditions, Hits, Window
// and Period. zone determines Days and the period, place, which may be nil, the nights. maxPerHour
// is as for NewPredicate. Where there are many notices, one more pass over the readings finds
// Advice. The error is the store's, ctx's, or NewPredicate's where the product has no such
// properties.
func Rehearse(
	ctx context.Context,
	store *reading.Store,
	r Rule,
	p *device.Product,
	maxPerHour int,
	from, to int64,
	zone *time.Location,
	place *Coordinates,
) (*Rehearsal, error) {
	o := &RehearsalOptions{Readings: store, MaxPerHour: maxPerHour, From: from, To: to, Zone: zone}
	h, err := rehearse(ctx, o, r, p, place)
	if err != nil {
		return nil, err
	}
	builder := adviceBuilder{}
	builder.add(h, p)
	changes := builder.candidates()
	if err := builder.count(ctx, o, changes, r, p, place); err != nil {
		return nil, err
	}
	h.Advice = builder.best(changes)
	return &h.Rehearsal, nil
}

// rehearse is Rehearse without advice.
func rehearse(
	ctx context.Context,
	o *RehearsalOptions,
	r Rule,
	p *device.Product,
	place *Coordinates,
) (*rehearsalRun, error) {
	trials, err := newTrials(ctx, o, []Rule{r}, p)
	if err != nil {
		return nil, err
	}
	h := &rehearsalRun{
		Rehearsal: Rehearsal{From: o.From, To: o.To},
		rule:      &r,
		zone:      o.Zone,
		place:     place,
		trial:     &trials[0],
	}
	var counted, moved device.PropertyID
	h.Attribute, counted = firstNumber(r.Conditions, p)
	if _, property := firstRecoverable(r.Conditions, p); property != nil {
		moved = property.ID
	}
	var pace pacer
	properties := h.trial.predicate.Properties()
	err = o.Readings.Range(ctx, r.Tenant, r.Device, o.From, o.To, properties,
		func(at int64, fields []reading.Field) error {
			if h.Samples++; h.Samples == 1 {
				h.first = at
			}
			h.last = at
			pace.add(at)
			for _, f := range fields {
				if f.Value.Kind() != reading.KindNumber {
					continue
				}
				if f.Property == counted {
					h.extend(at, f.Value.Float())
				}
				if f.Property == moved {
					h.deltas.add(f.Value.Float())
				}
			}
			switch e, ok := h.trial.step(at, fields); {
			case ok && e.Kind == Opened:
				h.open(e.Time, e.Unsteady)
			case ok:
				h.resolve(e.Time)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	h.trial.end(h.last)
	h.Pace, h.interval = pace.pace(r), pace.usual()
	h.list()
	return h, nil
}

// RehearseOffline does for a rule on being offline what Rehearse does for one on readings. It uses
// the device's recorded presence changes. Before the first of them the device counts as online,
// since nothing is known. An absence that began before from counts from there.
func RehearseOffline(
	ctx context.Context,
	status *device.StatusStore,
	r Rule,
	maxPerHour int,
	from, to int64,
	zone *time.Location,
	place *Coordinates,
) (*Rehearsal, error) {
	changes, err := presenceSince(ctx, status, r, from)
	if err != nil {
		return nil, err
	}
	h := &rehearsalRun{
		Rehearsal: Rehearsal{From: from, To: to, Pace: Pace{Fits: true}},
		rule:      &r,
		zone:      zone,
		place:     place,
	}
	if len(changes) > 0 {
		h.KnownFrom = max(from, changes[len(changes)-1].Time)
	}
	o := offlineRehearsal{
		rehearsalRun: h,
		state:        newState(nil, 0),
		maxPerHour:   maxPerHour,
		offlineSince: never,
		onlineSince:  never,
	}
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		if c.Time > to {
			break
		}
		if c.Time >= from {
			h.Samples++
		}
		o.advance(c.Time)
		o.apply(c)
	}
	o.advance(to)
	h.list()
	return &h.Rehearsal, nil
}

// offlineRehearsal is a rehearsal of a rule on being offline.
type offlineRehearsal struct {
	*rehearsalRun
	state        *State
	maxPerHour   int
	offlineSince int64 // since when the device is offline, epoch ms; never: it is online
	onlineSince  int64 // since when it is online during an unsteady notice; never: it is not
}

// advance lets time pass up to a moment: a notice may begin, and an unsteady one end.
func (o *offlineRehearsal) advance(at int64) {
	if due := max(o.offlineSince, o.From) + o.rule.Window.Milliseconds(); o.offlineSince != never &&
		!o.state.Open && due <= at {
		o.state.open(o.maxPerHour, due)
		o.open(due, o.state.Unsteady)
	}
	if end := o.onlineSince + calmPeriod.Milliseconds(); o.onlineSince != never && end <= at {
		o.end(end)
	}
}

func (o *offlineRehearsal) apply(c device.PresenceChange) {
	switch {
	case !c.Online && o.offlineSince == never:
		o.offlineSince, o.onlineSince = c.Time, never
	case c.Online && o.offlineSince != never:
		o.offlineSince = never
		if o.state.Unsteady {
			o.onlineSince = c.Time
		} else if o.state.Open {
			o.end(c.Time)
		}
	}
}

func (o *offlineRehearsal) end(at int64) {
	o.state.Open, o.state.Unsteady, o.onlineSince = false, false, never
	o.resolve(at)
}

// presenceSince gives the presence changes of a rule's device, newest first, back to the one that
// tells its presence at the given time.
func presenceSince(
	ctx context.Context,
	status *device.StatusStore,
	r Rule,
	from int64,
) (all []device.PresenceChange, err error) {
	const page = 500
	for {
		part, _, err := status.PresenceHistory(ctx, r.Tenant, r.Device, int64(len(all)), page)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
		if len(part) < page || part[len(part)-1].Time < from {
			return all, nil
		}
	}
}

// rehearsalRun is a rehearsal under way.
type rehearsalRun struct {
	Rehearsal
	rule  *Rule
	zone  *time.Location
	place *Coordinates
	until int64 // end of the last of Days, epoch ms

	// The following belong to a rule on readings.
	trial       *trial
	deltas      deltaHistogram // of the property that a recovery value would apply to
	first, last int64          // sample, epoch ms; 0: there is none
	interval    int64          // the usual one over all samples, ms; 0: none is known
}

func (h *rehearsalRun) open(at int64, unsteady bool) {
	h.Total++
	h.Notices = append(h.Notices, RehearsedNotice{Start: at, Unsteady: unsteady})
	if len(h.Notices) >= 2*mostRehearsed {
		h.list()
	}
}

func (h *rehearsalRun) resolve(at int64) { h.Notices[len(h.Notices)-1].End = at }

// list drops all but the newest notices, and fills in what follows from each one's begin.
func (h *rehearsalRun) list() {
	h.Notices = append([]RehearsedNotice(nil), h.Notices[max(0, len(h.Notices)-mostRehearsed):]...)
	for i := range h.Notices {
		n := &h.Notices[i]
		n.Night = night(n.Start, h.zone, h.place)
		n.Told = h.isNotified(n)
	}
}

// isNotified tells whether people are notified of a notice: at once, or when the period begins, if
// it is open then.
func (h *rehearsalRun) isNotified(n *RehearsedNotice) bool {
	at := h.rule.Period.Next(time.UnixMilli(n.Start), h.zone).UnixMilli()
	if at == n.Start {
		return true
	}
	if n.End == 0 {
		return at <= h.To
	}
	return at < n.End
}

// extend adds a value to the range of its day; times only rise.
func (h *rehearsalRun) extend(at int64, v float64) {
	if len(h.Days) == 0 || at >= h.until {
		var begin int64
		begin, h.until = tenant.DayBounds(at, h.zone)
		h.Days = append(h.Days, DayRange{Day: begin, Min: v, Max: v})
	}
	day := &h.Days[len(h.Days)-1]
	day.Min, day.Max = min(day.Min, v), max(day.Max, v)
}

// firstNumber is the first attribute of conditions that is a number.
func firstNumber(conditions []Condition, p *device.Product) (string, device.PropertyID) {
	for _, c := range conditions {
		if property := p.Property(c.Attribute); property.DataType == device.Number {
			return c.Attribute, property.ID
		}
	}
	return "", 0
}
