// Package calibration corrects what sensors measured: it keeps the calibrations of devices, gives the store
// of readings their curves, and has derived values of the past computed again.
package calibration

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// Kind is how a calibration corrects.
type Kind string

// The kinds of calibrations.
const (
	Offset   Kind = "offset"   // adds
	TwoPoint Kind = "twoPoint" // the line through two points
	None     Kind = "none"     // ends the correction
)

const (
	mostOfProperty     = 100 // calibrations of a property that hold
	smallestGain       = 0.1
	largestGain        = 10
	mostMagnitude      = 1e9 // of a number that a person enters
	changesAnHour      = 120 // of a tenant; each may compute years of derived values again
	limitedTenants     = 10_000
	roundingOfTheLimit = 1e-9 // a gain of 0.1 from 1/10 is within the limits
)

// Numbers are what a calibration corrects with.
type Numbers struct {
	Shift       float64 // of Offset: is added
	Raw1, True1 float64 // of TwoPoint: what the sensor showed, and what was right
	Raw2, True2 float64
}

// Calibration is a correction of a property of a device from a time on, until the next one of the property.
type Calibration struct {
	ID         int64
	Property   device.PropertyID
	FromTime   int64 // epoch milliseconds
	Kind       Kind
	Numbers    Numbers
	Note       string
	MadeBy     string
	CreateTime int64  // epoch milliseconds
	Swap       bool   // a swap of the device made it
	UndoneBy   string // if UndoTime
	UndoTime   int64  // epoch milliseconds; 0: it holds
}

// Form is what a person says of a new calibration. Absent numbers are nil.
type Form struct {
	Property                 string // identifier
	FromTime                 int64  // epoch milliseconds
	Kind                     Kind
	Shift                    *float64
	Raw1, True1, Raw2, True2 *float64
	Note                     string
}

// Judge judges alarm rules; the engine of alarms does.
type Judge interface {
	Recalibrate(
		ctx context.Context,
		ref device.Ref,
		change func(ctx context.Context) ([]device.PropertyID, error),
		apply func(),
	) error
}

// Deriver computes derived values of new readings, and keeps values in memory.
type Deriver interface {
	Forget(ref device.Ref)
}

// Deps holds the dependencies of a Service.
type Deps struct {
	DB       *db.DB
	Devices  *device.Store
	Registry *device.Registry
	Catalog  *device.Catalog
	Readings *reading.Store
	Judge    Judge
	Deriver  Deriver
	Past     Past
	Now      func() time.Time
	// Retention is how long readings are kept, RetentionClock the time by which they expire.
	Retention      time.Duration
	RetentionClock func() time.Time
	Meter          *limit.Meter // counts refusals; nil: they are not counted
}

// Service keeps the calibrations of devices.
type Service struct {
	Deps
	changes *limit.SlidingWindows[tenant.ID]
	wake    chan struct{} // holds one: derived values are to be computed again

	// Changed tells of a device whose numbers are corrected in another way.
	Changed change.Kind[device.Ref]

	mu      sync.Mutex
	holding map[device.Ref][]Calibration // those that hold, by property and time; none: no entry

	// clamps are the curves of products that clamp, for devices without calibrations.
	clamps atomic.Pointer[map[int64]reading.Curves]
}

// New makes a Service. Load must come before readings are served.
func New(d Deps) *Service {
	s := &Service{Deps: d, wake: make(chan struct{}, 1), holding: map[device.Ref][]Calibration{}}
	s.changes = limit.NewSlidingWindows[tenant.ID](
		limit.Options{Name: "calibration_changes", MaxKeys: limitedTenants, Now: d.Now, Meter: d.Meter},
		changesAnHour, time.Hour,
	)
	d.Readings.SetOtherCurves(s.clampsOf)
	return s
}

func refused(key, field string, args ...string) error {
	e := errs.New(errs.Refused, key, args...)
	if field != "" {
		e = e.WithField(field)
	}
	return e
}

// check checks a form for a property of a product, and returns what is stored.
func (s *Service) check(f *Form, p *device.Product) (*Calibration, *device.Property, error) {
	property := p.Property(strings.TrimSpace(f.Property))
	switch {
	case property == nil:
		return nil, nil, refused("invalid.unknown", "yeuSign", "value", f.Property)
	case property.Derived():
		return nil, nil, refused("calibration.derived", "yeuSign")
	case property.DataType != device.Number:
		return nil, nil, refused("calibration.notNumber", "yeuSign")
	case f.FromTime > s.Now().UnixMilli():
		return nil, nil, refused("calibration.future", "fromTime")
	case f.FromTime < s.RetentionClock().Add(-s.Retention).UnixMilli():
		return nil, nil, refused("calibration.expired", "fromTime")
	}
	note, err := tenant.ParseText(f.Note, "note")
	if err != nil {
		return nil, nil, err
	}
	c := &Calibration{Property: property.ID, FromTime: f.FromTime, Kind: f.Kind, Note: note}
	return c, property, c.setNumbers(f)
}

// setNumbers takes the numbers that the kind needs from a form.
func (c *Calibration) setNumbers(f *Form) error {
	n := &c.Numbers
	type number struct {
		field string
		given *float64
		into  *float64
	}
	var needed []number
	switch f.Kind {
	case None:
	case Offset:
		needed = []number{{"offset", f.Shift, &n.Shift}}
	case TwoPoint:
		needed = []number{
			{"raw1", f.Raw1, &n.Raw1},
			{"true1", f.True1, &n.True1},
			{"raw2", f.Raw2, &n.Raw2},
			{"true2", f.True2, &n.True2},
		}
	default:
		return refused("invalid.choice", "kind")
	}
	for _, x := range needed {
		switch {
		case x.given == nil:
			return refused("invalid.required", x.field)
		case !(math.Abs(*x.given) <= mostMagnitude):
			return refused("invalid.format", x.field)
		}
		*x.into = *x.given
	}
	if f.Kind != TwoPoint {
		return nil
	}
	if n.Raw1 == n.Raw2 {
		return refused("calibration.samePoints", "raw2")
	}
	if gain := n.gain(); gain < smallestGain-roundingOfTheLimit || gain > largestGain+roundingOfTheLimit {
		return refused("calibration.gain", "true2")
	}
	return nil
}

func (n *Numbers) gain() float64 { return (n.True2 - n.True1) / (n.Raw2 - n.Raw1) }

// fact is the calibration as readers apply it.
func (c *Calibration) fact() reading.Fact {
	f := reading.Fact{From: c.FromTime}
	switch c.Kind {
	case Offset:
		f.True, f.Gain = c.Numbers.Shift, 1
	case TwoPoint:
		f.Raw, f.True, f.Gain = c.Numbers.Raw1, c.Numbers.True1, c.Numbers.gain()
	default:
		f.None = true
	}
	return f
}

// curves makes the curves of a device's calibrations that hold, sorted by property and time, and of the
// properties that its product clamps. Numbers of a property that the product does not have are neither rounded
// nor bounded.
func curves(list []Calibration, p *device.Product) reading.Curves {
	by := clamps(p)
	for i := range list {
		c := &list[i]
		curve := by[c.Property]
		if curve == nil {
			curve = newCurve(p.PropertyByID(c.Property))
			by[c.Property] = curve
		}
		curve.Facts = append(curve.Facts, c.fact())
	}
	return by
}

// clamps makes the curves of the properties that a product clamps.
func clamps(p *device.Product) reading.Curves {
	by := reading.Curves{}
	for i := range p.Properties {
		if property := &p.Properties[i]; property.Clamp != nil {
			by[property.ID] = newCurve(property)
		}
	}
	return by
}

// newCurve makes a curve without facts for a property; nil: for one that the product does not have.
func newCurve(p *device.Property) *reading.Curve {
	c := &reading.Curve{Decimals: -1, Min: math.Inf(-1), Max: math.Inf(1)}
	if p != nil {
		c.Decimals = deref(p.Precision, -1)
		c.Min, c.Max, c.Clamped = deref(p.Min, c.Min), deref(p.Highest(), c.Max), p.Clamp != nil
	}
	return c
}

// clampsOf gives the curves of a device without calibrations; nil: its product clamps nothing.
func (s *Service) clampsOf(ref device.Ref) reading.Curves {
	byProduct := s.clamps.Load()
	if byProduct == nil || len(*byProduct) == 0 {
		return nil
	}
	e := s.Registry.Get(ref.ID)
	if e == nil || e.Ref != ref || e.Product == nil {
		return nil
	}
	return (*byProduct)[e.Product.ID]
}

// setClamps takes the curves of the products that clamp.
func (s *Service) setClamps() {
	byProduct := map[int64]reading.Curves{}
	for _, p := range s.Catalog.Products() {
		if c := clamps(p); len(c) > 0 {
			byProduct[p.ID] = c
		}
	}
	s.clamps.Store(&byProduct)
}

func deref[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// dependents are a property and those that are computed from it, of a product.
func dependents(p *device.Product, of device.PropertyID) []device.PropertyID {
	list := []device.PropertyID{of}
	names := map[string]bool{}
	if property := p.PropertyByID(of); property != nil {
		names[property.Identifier] = true
	}
	for more := true; more; {
		more = false
		for i := range p.Properties {
			one := &p.Properties[i]
			if !names[one.Identifier] &&
				slices.ContainsFunc(one.Inputs, func(input string) bool { return names[input] }) {
				names[one.Identifier], more = true, true
				list = append(list, one.ID)
			}
		}
	}
	return list
}
