package alarm

import (
	"context"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// lookBackSteps are the ends of the stretches that findOnset reads one after the other: for the
// frost of one night some hours suffice, and no stretch is read twice.
var lookBackSteps = []time.Duration{
	time.Hour, 6 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, heldAtMost,
}

// heldAtMost is how far before a notice's start findOnset reads every sample.
const heldAtMost = 30 * 24 * time.Hour

// findOnset finds since when the conditions hold for a device's sample at a time: the earliest sample
// for which they held by the stored readings, after the last one at which they were over. They are
// over as a notice would end: at a sample for which they do not hold, or, with a recovery value, for
// which that is passed. Values are those as of each sample's own time. It looks at samples of
// heldAtMost before, and then at days (see findOnsetDay). Those samples count that the evaluation would count at that
// time, including those that were deferred, since their time is past. The time is 0 if there is no
// sample at that time, or the conditions do not hold for it. retention is how long readings are
// kept. Times are epoch ms.
func findOnset(
	ctx context.Context,
	from onsetSource,
	t *Predicate,
	owner tenant.ID,
	d device.ID,
	at int64,
	retention time.Duration,
) (onsetTime, error) {
	ref := device.Ref{Tenant: owner, ID: d}
	to, since := at, int64(0)
	for _, back := range lookBackSteps {
		begin := at - back.Milliseconds()
		found, err := lastHoldingRun(ctx, from, t, ref, begin, to)
		switch {
		case err != nil:
			return onsetTime{}, err
		case since == 0 && (found.newest != at || !found.holds):
			return onsetTime{}, nil
		case found.since != 0:
			since = found.since
		}
		if found.over {
			return onsetTime{since: since}, nil
		}
		to = begin - 1
	}
	return findOnsetDay(ctx, from, t, ref, at, since, retention)
}

// holdingRun is what a stretch of samples says of conditions.
type holdingRun struct {
	newest int64 // of all samples of the stretch, epoch ms; 0: there is none
	holds  bool  // the conditions hold for the newest sample
	since  int64 // the first sample for which they hold, after the last at which they were over, epoch ms; 0: none
	over   bool  // they were over at a sample before that
}

// lastHoldingRun looks at a device's samples with from <= time <= to (epoch ms).
func lastHoldingRun(
	ctx context.Context,
	store readingSource,
	t *Predicate,
	ref device.Ref,
	from, to int64,
) (r holdingRun, err error) {
	values, err := valuesAsOf(ctx, store, t, ref, from-1)
	if err != nil {
		return r, err
	}
	err = store.Range(ctx, ref.Tenant, ref.ID, from, to, t.properties, func(at int64, fields []reading.Field) error {
		for _, f := range fields {
			if i, looked := slices.BinarySearch(t.properties, f.Property); looked {
				values[i] = kept(f.Value)
			}
		}
		r.newest, r.holds = at, t.holds(values, false)
		switch {
		case r.holds && r.since == 0:
			r.since = at
		case !r.holds && !t.holds(values, true):
			r.since, r.over = 0, true
		}
		return nil
	})
	return r, err
}

// valuesAsOf gives a device's values as of a time (epoch ms), one per property of the predicate.
func valuesAsOf(
	ctx context.Context,
	store readingSource,
	t *Predicate,
	ref device.Ref,
	at int64,
) ([]reading.Value, error) {
	values := make([]reading.Value, len(t.properties))
	before, err := store.AsOf(ctx, ref.Tenant, ref.ID, at, t.properties)
	for _, l := range before {
		if i, looked := slices.BinarySearch(t.properties, l.Property); looked {
			values[i] = l.Value
		}
	}
	return values, err
}

// predicateOfCopy prepares the conditions of a rule as it was when a notice of it began, with the
// decimals that its attributes had then. It returns nil where no device ever had one of them.
func predicateOfCopy(was *RuleCopy, c *device.Catalog) (*Predicate, error) {
	p := &device.Product{ID: was.ProductID}
	for _, one := range was.Conditions {
		if p.Property(one.Attribute) != nil {
			continue
		}
		id, ever := c.Number(one.Attribute)
		if !ever {
			return nil, nil
		}
		property := device.Property{ID: id, Identifier: one.Attribute, DataType: typeOf(one.Value.Kind())}
		if attribute := was.Attribute(one.Attribute); attribute != nil {
			property.Precision = attribute.Precision
		} else if now := c.Product(was.ProductID); now != nil && now.Property(one.Attribute) != nil {
			property.Precision = now.Property(one.Attribute).Precision
		}
		p.Properties = append(p.Properties, property)
	}
	return NewPredicate(Rule{Conditions: was.Conditions}, p, 0)
}

// typeOf is the type of properties whose values are of a kind.
func typeOf(k reading.Kind) device.DataType {
	switch k {
	case reading.KindNumber:
		return device.Number
	case reading.KindBoolean:
		return device.Boolean
	default:
		return device.Text
	}
}

// silentSince is since when a device is silent that is offline at a time: since its last contact,
// or, where that is not known, since it went offline. 0: it was never seen, or has come back
// meanwhile. Times are epoch ms.
func silentSince(st device.Status, at int64) int64 {
	since := st.LastContact
	if since == 0 {
		since = st.OfflineTime
	}
	if st.Online || since > at {
		return 0
	}
	return since
}
