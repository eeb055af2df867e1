package alarm

import (
	"context"
	"math"
	"time"

	"tilth/internal/device"
	"tilth/internal/reading"
	"tilth/internal/tenant"
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
// or ctx's, or NewTest's where the product has no such properties any more.
func Advise(ctx context.Context, store *reading.Store, t tenant.ID, d *Detail, p *device.Product) (*Advice, error) {
	r := Rule{Tenant: t, Device: d.Device, Conditions: d.Was.Conditions, Hits: d.Was.Hits, Window: time.Duration(d.Was.Window) * time.Millisecond}
	place, property := advisable(r.Conditions, p)
	if property == nil {
		return nil, nil
	}
	from, to := d.Start-advisedOver.Milliseconds(), d.Start
	notices := func(recovery *float64) (int, error) {
		with := r
		with.Conditions = append([]Condition(nil), r.Conditions...)
		with.Conditions[place].Recovery = recovery
		h, err := Rehearse(ctx, store, with, p, 0, from, to, time.UTC, nil)
		if err != nil {
			return 0, err
		}
		return h.Total, nil
	}
	without, err := notices(r.Conditions[place].Recovery)
	if err != nil {
		return nil, err
	}
	turned, err := turnedAt(ctx, store, &r, r.Conditions[place], property.ID, from, to)
	if err != nil {
		return nil, err
	}
	threshold := r.Conditions[place].Value.Float()
	var best *Advice
	for _, part := range []float64{.25, .5, .75} {
		recovery := inDecimals(threshold+part*(turned-threshold), property.Precision)
		if recovery == threshold {
			continue
		}
		n, err := notices(&recovery)
		if err != nil {
			return nil, err
		}
		if n < without && (best == nil || n < best.Notices) {
			best = &Advice{Attribute: r.Conditions[place].Attribute, Recovery: recovery, Notices: n, Without: without}
		}
	}
	return best, nil
}

// advisable finds the first condition that can have a recovery value, and its
// property; nil: there is none.
func advisable(conditions []Condition, p *device.Product) (int, *device.Property) {
	for i, c := range conditions {
		property := p.Property(c.Attribute)
		if property != nil && property.DataType == device.Number && c.Operator != Equal && c.Operator != NotEqual {
			return i, property
		}
	}
	return 0, nil
}

// turnedAt is how far a property went to the side of a condition's threshold where
// that is false; the threshold, where it never did.
func turnedAt(ctx context.Context, store *reading.Store, r *Rule, c Condition, id device.PropertyID, from, to int64) (float64, error) {
	turned, falls := c.Value.Float(), c.Operator == Above || c.Operator == AtLeast
	err := store.Range(ctx, r.Tenant, r.Device, from, to, []device.PropertyID{id}, func(_ int64, fields []reading.Field) error {
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

// inDecimals is x in a property's decimals; where it has none given, in three.
func inDecimals(x float64, precision *int) float64 {
	unit := 1e3
	if precision != nil {
		unit = powersOfTen[min(*precision, len(powersOfTen)-1)]
	}
	return math.Round(x*unit) / unit
}
