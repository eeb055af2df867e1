package alarm

import (
	"context"
	"math"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// advisedOver is the stretch before an unsteady notice that an advice is rehearsed
// over.
const advisedOver = time.Hour

// Advice is a recovery value that would have kept a value which swings from
// beginning notices.
type Advice struct {
	Attribute string
	Recovery  float64
	Notices   int // that there would have been with it in the hour before the unsteady one
	Without   int // that there would have been without
}

// Advise looks for a recovery value with which a rule would have begun fewer notices
// in the hour before an unsteady one of a tenant: on its first condition on a number
// with <, <=, > or >=, at a quarter, half or three quarters of the way from the threshold to
// where the readings turned. nil: none would have helped. The error is the store's
// or ctx's, or NewPredicate's where the product has no such properties any more.
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
		if recovery := roundToDecimals(
			threshold+fraction*(turned-threshold),
			property.Precision,
		); recovery != threshold {
			rules = append(rules, withRecovery(r, index, recovery))
		}
	}
	trials, err := runTrials(ctx, &RehearsalOptions{Readings: store, From: from, To: to}, rules, p)
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

// firstRecoverable finds the first condition that can have a recovery value, and its
// property; nil: there is none.
func firstRecoverable(conditions []Condition, p *device.Product) (int, *device.Property) {
	for i, c := range conditions {
		property := p.Property(c.Attribute)
		if property != nil && property.DataType == device.Number && c.Operator != Equal && c.Operator != NotEqual {
			return i, property
		}
	}
	return 0, nil
}

// turningPoint is how far a property went to the side of a condition's threshold where
// that is false; the threshold, where it never did.
func turningPoint(
	ctx context.Context,
	store *reading.Store,
	r *Rule,
	c Condition,
	id device.PropertyID,
	from, to int64,
) (float64, error) {
	turned, falls := c.Value.Float(), c.Operator == Above || c.Operator == AtLeast
	err := store.Range(
		ctx,
		r.Tenant,
		r.Device,
		from,
		to,
		[]device.PropertyID{id},
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
		},
	)
	return turned, err
}

// roundToDecimals is x in a property's decimals; where it has none given, in three.
func roundToDecimals(x float64, precision *int) float64 {
	unit := 1e3
	if precision != nil {
		unit = powersOfTen[min(*precision, len(powersOfTen)-1)]
	}
	return math.Round(x*unit) / unit
}
