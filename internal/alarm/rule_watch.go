package alarm

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/tenant"
)

// watched are the devices that a form names, each once.
type watched struct {
	named  []*device.Device  // one by one, in the order that people gave
	others []*device.Device  // of scenes and models, by their titles
	models []*device.Product // of the named ones, of models that are named, of the others: each once
}

// watched is what a rule names, and what it watches for.
func (c *Checker) watched(ctx context.Context, t tenant.ID, f *Form) (r Rule, w watched, err error) {
	r.Tenant = t
	if f.Targets == nil {
		name := ""
		if f.Device != nil {
			name = strings.TrimSpace(*f.Device)
		}
		r.Targets, err = w.name(ctx, c, t, []string{name}, "device")
	} else {
		r.Targets, err = c.targets(ctx, t, f.Targets, &w)
	}
	if err != nil {
		return r, w, err
	}
	switch {
	case f.Trigger == nil:
		return r, w, errs.New(errs.Refused, "rule.triggerRequired")
	case *f.Trigger != int(AttributeChange) && *f.Trigger != int(DeviceOffline):
		return r, w, errs.New(errs.Refused, "invalid.choice").About("triggerType")
	}
	r.Trigger = Trigger(*f.Trigger)
	if first := slices.Concat(w.named, w.others); len(first) > 0 {
		r.Device = first[0].ID
	}
	return r, w, nil
}

// targets finds what a form names. What the tenant does not have is 404, nothing and
// too much 601.
func (c *Checker) targets(ctx context.Context, t tenant.ID, said *FormTargets, w *watched) (named Targets, err error) {
	switch n := len(said.Devices) + len(said.Scenes) + len(said.Products); {
	case n == 0:
		return named, errs.New(errs.Refused, "rule.deviceRequired")
	case n > targetsAtMost:
		return named, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(targetsAtMost)).About("targets")
	}
	if named, err = w.name(ctx, c, t, said.Devices, "device"); err != nil {
		return named, err
	}
	named.Scenes, named.Products = eachOnce(said.Scenes), eachOnce(said.Products)
	for _, id := range named.Scenes {
		if id == device.DefaultScene {
			continue
		}
		if _, err := c.scenes.Get(ctx, t, id); err != nil {
			if errs.Is(err, errs.NotFound) {
				return named, errs.Missing().About("groups")
			}
			return named, err
		}
	}
	for _, id := range named.Products {
		p := c.catalog.Product(id)
		if p == nil {
			return named, errs.Missing().About("products")
		}
		w.model(p)
	}
	if w.others, err = c.devices.In(ctx, t, named.Scenes, named.Products); err != nil {
		return named, err
	}
	w.others = slices.DeleteFunc(w.others, func(d *device.Device) bool { return slices.Contains(named.Devices, d.ID) })
	for _, d := range w.others {
		w.model(c.catalog.Product(d.ProductID))
	}
	if len(w.models) == 0 {
		return named, errs.New(errs.Refused, "rule.noDevice")
	}
	return named, nil
}

// name finds the devices that are named one by one; field is where.
func (w *watched) name(ctx context.Context, c *Checker, t tenant.ID, names []string, field string) (named Targets, err error) {
	for _, name := range names {
		switch name = strings.TrimSpace(name); {
		case name == "":
			return named, errs.New(errs.Refused, "rule.deviceRequired")
		case strings.ContainsRune(name, 0):
			return named, errs.New(errs.Refused, "invalid.format").About(field)
		}
		d, p, err := c.device(ctx, t, name)
		if err != nil {
			return named, err
		}
		if !slices.Contains(named.Devices, d.ID) {
			named.Devices, w.named = append(named.Devices, d.ID), append(w.named, d)
			w.model(p)
		}
	}
	return named, nil
}

func (w *watched) model(p *device.Product) {
	if p != nil && !slices.Contains(w.models, p) {
		w.models = append(w.models, p)
	}
}

func eachOnce(ids []int64) (list []int64) {
	for _, id := range ids {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// judged adds to r what decides when it has a notice, and its period. The conditions
// are as a model of its devices has the properties; the devices that are named one by
// one must all have them (601).
func (w *watched) judged(r *Rule, f *Form) error {
	var first error
	for _, p := range w.models {
		as := *r
		err := asJudged(&as, f, p)
		if err == nil {
			*r, first = as, nil
			break
		}
		if first == nil {
			first = err
		}
	}
	if first != nil {
		return first
	}
	var misfits []string
	lacking := ""
	for i, d := range w.named {
		if attribute := w.lacks(r, d); attribute != "" {
			misfits, lacking = append(misfits, w.named[i].Title()), cmp.Or(lacking, attribute)
		}
	}
	return refuseMisfits(misfits, lacking)
}

// lacks is what the model of a device lacks for a rule; empty: nothing.
func (w *watched) lacks(r *Rule, d *device.Device) string {
	for _, p := range w.models {
		if p.ID == d.ProductID {
			return misfit(r, p)
		}
	}
	return ""
}

// Judged is a rule as it is judged on one of its devices.
type Judged struct {
	Rule
	On    *device.Device
	Model *device.Product
}

// Judged checks only what decides when a rule has a notice, and its period, for a
// rehearsal on its first device that can have it. What it refuses is as of Rule.
func (c *Checker) Judged(ctx context.Context, t tenant.ID, f *Form) (Judged, error) {
	all, err := c.JudgedAll(ctx, t, f)
	if err != nil {
		return Judged{}, err
	}
	return all[0], nil
}

// JudgedAll is Judged for each of the rule's devices that can have it: those that are
// named one by one, then the others by their titles. Where there is none it refuses (601).
func (c *Checker) JudgedAll(ctx context.Context, t tenant.ID, f *Form) (all []Judged, err error) {
	r, w, err := c.watched(ctx, t, f)
	if err != nil {
		return nil, err
	}
	if err := w.judged(&r, f); err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(w.named, w.others) {
		p := c.catalog.Product(d.ProductID)
		if p == nil || len(AttributesGone(&r, p)) > 0 {
			continue
		}
		one := Judged{Rule: r, On: d, Model: p}
		one.Device = d.ID
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, errs.New(errs.Refused, "rule.noDevice")
	}
	return all, nil
}
