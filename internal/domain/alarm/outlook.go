package alarm

import (
	"context"
	"math"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/comparator"
)

const (
	trendSpan    = time.Hour        // the stretch of newest readings from which a trend is made
	trendLeast   = 10               // fewer readings make no trend
	trendSpread  = 30 * time.Minute // readings over a shorter time make no trend
	trendFit     = 0.9              // the share of the readings' variance that the line must explain
	trendFar     = 6 * time.Hour    // an expected time further ahead is not given
	trendStale   = 2 * time.Minute  // maximum age of the newest reading; three usual intervals where that is more
	trendUneven  = 2                // by what factor either half may be slower or faster than the whole
	trendRounded = time.Minute
)

// paceSpans are how far back samples are looked for until there are enough of them for the usual
// interval.
var paceSpans = []time.Duration{2 * time.Minute, 10 * time.Minute, time.Hour, 12 * time.Hour, 7 * 24 * time.Hour}

// Outlook is how close a rule is to triggering. What cannot be said with some certainty is absent.
type Outlook struct {
	Pace       Pace
	LastSample int64    // the newest sample of the rule, epoch ms; 0: none
	Value      *float64 // the newest value of the attribute; set together with Distance
	Distance   *float64 // from Value to the threshold, 0 when beyond it, in the attribute's unit
	Holds      *bool    // whether Value meets the condition; set together with it
	Expected   int64    // about when the threshold is reached, epoch ms, whole minutes; 0: not given
}

// LookAhead gives the outlook of a rule. open says whether a notice of it is open; now is the
// server's clock (epoch ms). A rule on being offline has no outlook. The error is the store's,
// ctx's, or NewPredicate's where the product has no such properties.
func LookAhead(
	ctx context.Context,
	store *reading.Store,
	r Rule,
	p *device.Product,
	open bool,
	now int64,
) (Outlook, error) {
	o := Outlook{Pace: Pace{Fits: true}}
	if r.Trigger == DeviceOffline {
		return o, nil
	}
	predicate, err := NewPredicate(r, p, 0)
	if err != nil {
		return o, err
	}
	newest := map[device.PropertyID]reading.Last{}
	for _, l := range store.Latest(ctx, r.Tenant, r.Device) {
		newest[l.Property] = l
	}
	for _, property := range predicate.Properties() {
		if l, ok := newest[property]; ok {
			o.LastSample = max(o.LastSample, l.Time)
		}
	}
	if o.LastSample == 0 {
		return o, nil
	}
	if o.Pace, err = paceAt(ctx, store, r, predicate, o.LastSample); err != nil {
		return o, err
	}
	if r.Deploy != Running || open || len(r.Conditions) != 1 || !bySize(r.Conditions[0]) {
		return o, nil
	}
	condition := r.Conditions[0]
	property := p.Property(condition.Attribute)
	last := newest[property.ID]
	if last.Value.Kind() != reading.KindNumber {
		return o, nil // from when the property was of another type
	}
	o.Value = new(last.Value.Float())
	o.Distance = new(distance(*o.Value, condition, property))
	o.Holds = new(predicate.comparisons[0].holds(last.Value, condition.Value))
	if *o.Distance == 0 || now-last.Time > max(3*o.Pace.Interval, trendStale.Milliseconds()) {
		return o, nil
	}
	o.Expected, err = expected(ctx, store, r, property.ID, last, now)
	return o, err
}

// bySize tells whether a condition compares numbers by size.
func bySize(c Condition) bool {
	return c.Value.Kind() == reading.KindNumber && comparator.Of(c.Operator).Side != comparator.NoSide
}

// rising tells whether the threshold is reached from below.
func rising(c Condition) bool { return comparator.Of(c.Operator).Side == comparator.Over }

// distance is how far a value is from the condition, rounded to the decimals of the property.
func distance(v float64, c Condition, p *device.Property) float64 {
	d := v - c.Value.Float()
	if rising(c) {
		d = -d
	}
	decimals := 6
	if p.Precision != nil {
		decimals = *p.Precision
	}
	unit := math.Pow10(decimals)
	return max(0, math.Round(d*unit)/unit)
}

// paceAt is the pace of the samples up to the newest.
func paceAt(ctx context.Context, store *reading.Store, r Rule, predicate *Predicate, newest int64) (Pace, error) {
	var times pacer
	for _, span := range paceSpans {
		times = pacer{}
		err := store.Range(ctx, r.Tenant, r.Device, newest-span.Milliseconds(), newest, predicate.Properties(),
			func(at int64, _ []reading.Field) error {
				times.add(at)
				return nil
			})
		if err != nil {
			return Pace{}, err
		}
		if times.count > paceGaps {
			break
		}
	}
	return times.pace(r), nil
}

// expected is about when the attribute of a rule's only condition reaches the threshold, by the
// trend of the last hour. It is 0 where that hour has no steady trend.
func expected(
	ctx context.Context,
	store *reading.Store,
	r Rule,
	property device.PropertyID,
	last reading.Last,
	now int64,
) (int64, error) {
	var points []point
	err := store.Range(ctx, r.Tenant, r.Device, last.Time-trendSpan.Milliseconds(), last.Time,
		[]device.PropertyID{property},
		func(at int64, fields []reading.Field) error {
			if v := fields[0].Value; v.Kind() == reading.KindNumber {
				points = append(points, point{float64(at - last.Time), v.Float()})
			}
			return nil
		})
	if err != nil {
		return 0, err
	}
	whole, ok := extrapolable(points)
	c := r.Conditions[0]
	if !ok || rising(c) != (whole.slope > 0) {
		return 0, nil
	}
	at := float64(last.Time) + (c.Value.Float()-whole.at0)/whole.slope
	if at <= float64(now) || at > float64(now)+float64(trendFar.Milliseconds()) {
		return 0, nil
	}
	minute := float64(trendRounded.Milliseconds())
	return int64(math.Round(at/minute) * minute), nil
}

// Closest is the one of a rule's devices whose newest value is closest to the threshold, or
// furthest beyond it. It is the first device where no such value is known, or where the rule has no
// single condition that compares a number by size. models gives the product of a tenant's device;
// nil where the device is gone.
func Closest(
	ctx context.Context,
	store *reading.Store,
	r *Rule,
	devices []device.ID,
	models func(t tenant.ID, id device.ID) *device.Product,
) device.ID {
	if len(devices) == 0 {
		return r.Device
	}
	if len(devices) == 1 || len(r.Conditions) != 1 || !bySize(r.Conditions[0]) {
		return devices[0]
	}
	closest, least, c := devices[0], math.Inf(1), r.Conditions[0]
	for _, id := range devices {
		p := models(r.Tenant, id)
		if p == nil || p.Property(c.Attribute) == nil {
			continue
		}
		number := p.Property(c.Attribute).ID
		for _, l := range store.Latest(ctx, r.Tenant, id) {
			if l.Property != number || l.Value.Kind() != reading.KindNumber {
				continue
			}
			far := l.Value.Float() - c.Value.Float()
			if rising(c) {
				far = -far
			}
			if far < least {
				closest, least = id, far
			}
		}
	}
	return closest
}
