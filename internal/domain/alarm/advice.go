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

// advisedOver is the length of the stretch before an unsteady notice on which an advice is
// rehearsed.
const advisedOver = time.Hour

// Advice is a recovery value that would have kept a value which swings about the threshold from
// beginning notices.
type Advice struct {
	Attribute string
	Recovery  float64
	Notices   int // with the recovery value, in the hour before the unsteady notice
	Without   int // without it
}

// Advise looks for a recovery value with which a rule would have begun fewer notices in the hour
// before a tenant's unsteady notice. It tries the first condition on a number with <, <=, > or >=,
// at a quarter, half and three quarters of the way from the threshold to where the readings turned.
// It returns nil where no value would have helped. The error is the store's, ctx's, or
// NewPredicate's where the product no longer has such properties.
func Advise(ctx context.Context, store *reading.Store, t tenant.ID, d *Detail, p *device.Product) (*Advice, error) {
	r := Rule{
		Tenant:     t,
		Device:     d.Device,
		Conditions: d.RuleCopy.Conditions,
		Hits:       d.RuleCopy.Hits,
		Window:     time.Duration(d.RuleCopy.Window) * time.Millisecond,
	}
	index, property := firstRecoverable(r.Conditions, p)
	if property == nil {
		return nil, nil
	}
	from, to := d.Start-advisedOver.Milliseconds(), d.Start
	turned, err := turningPoint(ctx, store, &r, r.Conditions[index], property.ID, from, to)
	if err != nil {
		return nil, err
	}
	threshold := r.Conditions[index].Value.Float()
	rules := []Rule{r} // as it is, then with each recovery value
	for _, fraction := range []float64{.25, .5, .75} {
		if recovery := roundToDecimals(threshold+fraction*(turned-threshold),
			property.Precision); recovery != threshold {
			rules = append(rules, withRecovery(r, index, recovery))
		}
	}
	trials, err := runTrials(ctx, &RehearsalOptions{Readings: store, From: from, To: to}, rules, p, nil)
	if err != nil {
		return nil, err
	}
	var best *Advice
	without := trials[0].notices
	for i, tried := range trials[1:] {
		if tried.notices < without && (best == nil || tried.notices < best.Notices) {
			c := rules[i+1].Conditions[index]
			best = &Advice{Attribute: c.Attribute, Recovery: *c.Recovery, Notices: tried.notices, Without: without}
		}
	}
	return best, nil
}

// firstRecoverable finds the first condition that can have a recovery value, and its property,
// which is nil where there is no such condition.
func firstRecoverable(conditions []Condition, p *device.Product) (int, *device.Property) {
	for i, c := range conditions {
		property := p.Property(c.Attribute)
		if property != nil && property.DataType == device.Number && bySize(c) {
			return i, property
		}
	}
	return 0, nil
}

// turningPoint is how far a property went to the side of a condition's threshold where the
// condition is false. It is the threshold where the property never went there.
func turningPoint(
	ctx context.Context,
	store *reading.Store,
	r *Rule,
	c Condition,
	id device.PropertyID,
	from, to int64,
) (float64, error) {
	turned, falls := c.Value.Float(), rising(c)
	err := store.Range(ctx, r.Tenant, r.Device, from, to, []device.PropertyID{id},
		func(_ int64, fields []reading.Field) error {
			for _, f := range fields {
				if f.Value.Kind() != reading.KindNumber {
					continue
				}
				if falls {
					turned = min(turned, f.Value.Float())
				} else {
					turned = max(turned, f.Value.Float())
				}
			}
			return nil
		})
	return turned, err
}

// roundToDecimals rounds x to a property's decimals, or to three where the property has none given.
func roundToDecimals(x float64, precision *int) float64 {
	unit := 1e3
	if precision != nil {
		unit = math.Pow10(min(*precision, comparator.MaxDecimals))
	}
	return math.Round(x*unit) / unit
}
