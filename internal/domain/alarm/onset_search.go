package alarm

import (
	"context"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// heldAtMost is how far before a notice's start findOnset looks.
const heldAtMost = 30 * 24 * time.Hour

// lookBackSteps are the ends of the stretches that findOnset reads one after the other: for the
// frost of one night some hours suffice, and no stretch is read twice.
var lookBackSteps = []time.Duration{
	time.Hour, 6 * time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, heldAtMost,
}

// findOnset is the time of the earliest sample of an unbroken run of a device's samples, ending
// with the one at a time, for which the conditions hold by the stored readings: with the values as
// of each sample's own time, compared as without an open notice. It looks at samples of heldAtMost
// before. Those samples count that the evaluation would count at that time, including those that
// were deferred, since their time is past. 0: there is no sample at that time, or the conditions
// do not hold for it. Times are epoch ms.
func findOnset(
	ctx context.Context,
	from readingSource,
	t *Predicate,
	owner tenant.ID,
	d device.ID,
	at int64,
) (since int64, err error) {
	to := at
	for _, back := range lookBackSteps {
		begin := at - back.Milliseconds()
		found, err := lastHoldingRun(ctx, from, t, device.Ref{Tenant: owner, ID: d}, begin, to)
		switch {
		case err != nil:
			return 0, err
		case since == 0 && (found.newest != at || found.since == 0):
			return 0, nil
		case found.since != 0:
			since = found.since
		}
		if found.broken {
			break
		}
		to = begin - 1
	}
	return since, nil
}

// holdingRun is the newest run of samples of a stretch for which conditions hold.
type holdingRun struct {
	newest int64 // of all samples of the stretch, epoch ms; 0: there is none
	since  int64 // its first sample, epoch ms; 0: the conditions do not hold for the newest sample
	broken bool  // the conditions do not hold for a sample before the run
}

// lastHoldingRun finds the newest run of a device's samples with from <= time <= to (epoch ms).
func lastHoldingRun(
	ctx context.Context,
	store readingSource,
	t *Predicate,
	ref device.Ref,
	from, to int64,
) (r holdingRun, err error) {
	values := make([]reading.Value, len(t.properties))
	before, err := store.AsOf(ctx, ref.Tenant, ref.ID, from-1, t.properties)
	if err != nil {
		return r, err
	}
	for _, l := range before {
		if i, looked := slices.BinarySearch(t.properties, l.Property); looked {
			values[i] = l.Value
		}
	}
	err = store.Range(ctx, ref.Tenant, ref.ID, from, to, t.properties, func(at int64, fields []reading.Field) error {
		for _, f := range fields {
			if i, looked := slices.BinarySearch(t.properties, f.Property); looked {
				values[i] = kept(f.Value)
			}
		}
		r.newest = at
		switch holds := t.holds(values, false); {
		case !holds:
			r.since, r.broken = 0, true
		case r.since == 0:
			r.since = at
		}
		return nil
	})
	return r, err
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
