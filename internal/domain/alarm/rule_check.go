package alarm

import (
	"context"
	"slices"
	"strconv"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

const (
	dataSource       = 1 // the only source there is: a device
	shortestReminder = 5 * time.Minute
	longestReminder  = 24 * time.Hour
)

// Form is a rule as people fill it in. A nil field was not filled in.
type Form struct {
	Name          *string
	Source        *int
	Device        *string // its name; ignored where Targets are given
	Targets       *FormTargets
	Trigger       *int
	Level         *int
	Conditions    []FormCondition
	Hits          *int
	Window        *int64 // ms
	Complex       *int   // 1: Slots give the period, else Start and End
	Start, End    *string
	Slots         []int
	Weekdays      []int // on which the period counts, 1 Monday to 7 Sunday; none: every day
	Channels      []int64
	RemindEvery   *int // minutes; nil and 0: never
	Description   *string
	ManualRelease *int
}

// FormTargets are the targets of a rule, as people fill them in.
type FormTargets struct {
	Devices  []string // names
	Scenes   []int64
	Products []int64
}

// Checker makes rules of filled-in forms, or says what is wrong with them.
type Checker struct {
	devices  *device.Store
	scenes   *device.SceneStore
	catalog  *device.Catalog
	channels func(ctx context.Context, t tenant.ID, ids []int64) (missing []int64, err error)
}

// NewChecker makes a Checker. channels returns those of some ids that are not notification channels
// of the tenant.
func NewChecker(d *device.Store, s *device.SceneStore, c *device.Catalog,
	channels func(ctx context.Context, t tenant.ID, ids []int64) ([]int64, error)) *Checker {
	return &Checker{devices: d, scenes: s, catalog: c, channels: channels}
}

// Rule checks all fields of a rule. It reports the first error in the order of the form: 601, or
// 404 for a device that the tenant does not have.
func (c *Checker) Rule(ctx context.Context, t tenant.ID, f *Form) (Rule, error) {
	name, err := ruleName(f.Name)
	if err != nil {
		return Rule{}, err
	}
	switch {
	case f.Source == nil:
		return Rule{}, errs.New(errs.Refused, "rule.sourceRequired")
	case *f.Source != dataSource:
		return Rule{}, errs.New(errs.Refused, "invalid.choice").WithField("dataSource")
	}
	r, w, err := c.resolveTargets(ctx, t, f)
	if err != nil {
		return r, err
	}
	r.Name = name
	switch {
	case f.Level == nil:
		return r, errs.New(errs.Refused, "rule.levelRequired")
	case *f.Level < int(LevelGeneral) || *f.Level > int(LevelSerious):
		return r, errs.New(errs.Refused, "invalid.choice").WithField("alarmLevel")
	}
	r.Level = Level(*f.Level)
	if err := w.applyForm(&r, f); err != nil {
		return r, err
	}
	if r.Channels, err = c.checkChannels(ctx, t, f.Channels); err != nil {
		return r, err
	}
	if r.RemindEvery, err = f.remindEvery(); err != nil {
		return r, err
	}
	if f.Description != nil {
		if r.Description, err = tenant.ParseText(*f.Description, "alarmDesc"); err != nil {
			return r, err
		}
	}
	switch {
	case f.ManualRelease == nil:
		return r, errs.New(errs.Refused, "rule.releaseRequired")
	case *f.ManualRelease != 0 && *f.ManualRelease != 1:
		return r, errs.New(errs.Refused, "invalid.choice").WithField("manualRelease")
	}
	r.ManualRelease = *f.ManualRelease == 1
	return r, nil
}

func (c *Checker) device(ctx context.Context, t tenant.ID, name string) (*device.Device, *device.Product, error) {
	d, err := c.devices.Get(ctx, t, name)
	if errs.Is(err, errs.NotFound) {
		return nil, nil, errs.Missing().WithField("device")
	}
	if err != nil {
		return nil, nil, err
	}
	p := c.catalog.Product(d.ProductID)
	if p == nil {
		return nil, nil, errs.Missing().WithField("device")
	}
	return d, p, nil
}

// applyFormForProduct sets the fields of r that determine when it has a notice on devices of a
// product, and its period.
func applyFormForProduct(r *Rule, f *Form, p *device.Product) (err error) {
	if r.Conditions, err = conditions(r.Trigger, f.Conditions, p); err != nil {
		return err
	}
	r.Hits, r.Window = 1, Windows[0]
	if f.Hits != nil && r.Trigger == AttributeChange {
		if r.Hits = *f.Hits; r.Hits < 1 {
			return errs.New(errs.Refused, "invalid.min", "limit", "1").WithField("hitCounts")
		}
		if r.Hits > mostHits {
			return errs.New(errs.Refused, "invalid.max", "limit", strconv.Itoa(mostHits)).WithField("hitCounts")
		}
	}
	if f.Window != nil {
		if !slices.ContainsFunc(Windows, func(w time.Duration) bool { return w.Milliseconds() == *f.Window }) {
			return errs.New(errs.Refused, "invalid.choice").WithField("durations")
		}
		r.Window = time.Duration(*f.Window) * time.Millisecond
	}
	r.Period, err = f.period()
	return err
}

// checkChannels are the channels of a rule, each once, ascending.
func (c *Checker) checkChannels(ctx context.Context, t tenant.ID, ids []int64) ([]int64, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) > mostChannels {
		return nil, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(mostChannels)).WithField("passageway")
	}
	if len(ids) == 0 {
		return nil, nil
	}
	missing, err := c.channels(ctx, t, ids)
	if err == nil && len(missing) > 0 {
		err = errNoChannel(missing[0])
	}
	return ids, err
}

func errNoChannel(id int64) error {
	return errs.New(errs.Refused, "rule.channelMissing", "id", strconv.FormatInt(id, 10)).WithField("passageway")
}

// remindEvery is how often people are reminded of an open notice; 0: never.
func (f *Form) remindEvery() (time.Duration, error) {
	if f.RemindEvery == nil || *f.RemindEvery == 0 {
		return 0, nil
	}
	switch {
	case *f.RemindEvery < int(shortestReminder/time.Minute):
		return 0, errs.New(errs.Refused, "invalid.min", "limit", minutes(shortestReminder)).WithField("remindEvery")
	case *f.RemindEvery > int(longestReminder/time.Minute):
		return 0, errs.New(errs.Refused, "invalid.max", "limit", minutes(longestReminder)).WithField("remindEvery")
	}
	return time.Duration(*f.RemindEvery) * time.Minute, nil
}

func minutes(d time.Duration) string { return strconv.Itoa(int(d / time.Minute)) }

func ruleName(name *string) (string, error) {
	said := ""
	if name != nil {
		said = *name
	}
	return tenant.ParseName(said, "alarmName", "rule.nameRequired")
}
