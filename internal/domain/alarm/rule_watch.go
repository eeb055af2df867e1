package alarm

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// targetSet are the devices that a form names, each once.
type targetSet struct {
	named    []*device.Device  // named one by one, in the order that the user gave
	grouped  []*device.Device  // of named scenes and products, by their titles
	products []*device.Product // of the named devices, the named products, those of the grouped devices: each once
}

// resolveTargets finds a form's targets and trigger.
func (c *Checker) resolveTargets(ctx context.Context, t tenant.ID, f *Form) (r Rule, w targetSet, err error) {
	r.Tenant = t
	if f.Targets == nil {
		name := ""
		if f.Device != nil {
			name = strings.TrimSpace(*f.Device)
		}
		r.Targets, err = w.name(ctx, c, t, []string{name}, "device")
	} else {
		r.Targets, err = c.findTargets(ctx, t, f.Targets, &w)
	}
	if err != nil {
		return r, w, err
	}
	switch {
	case f.Trigger == nil:
		return r, w, errs.New(errs.Refused, "rule.triggerRequired")
	case *f.Trigger != int(AttributeChange) && *f.Trigger != int(DeviceOffline):
		return r, w, errs.New(errs.Refused, "invalid.choice").WithField("triggerType")
	}
	r.Trigger = Trigger(*f.Trigger)
	if first := slices.Concat(w.named, w.grouped); len(first) > 0 {
		r.Device = first[0].ID
	}
	return r, w, nil
}

// findTargets finds the targets of a form. It answers 404 for a target that the tenant does not
// have, 601 for none and for too many.
func (c *Checker) findTargets(
	ctx context.Context,
	t tenant.ID,
	said *FormTargets,
	w *targetSet,
) (named Targets, err error) {
	switch n := len(said.Devices) + len(said.Scenes) + len(said.Products); {
	case n == 0:
		return named, errs.New(errs.Refused, "rule.deviceRequired")
	case n > targetsAtMost:
		return named, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(targetsAtMost)).WithField("targets")
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
				return named, errs.Missing().WithField("groups")
			}
			return named, err
		}
	}
	for _, id := range named.Products {
		p := c.catalog.Product(id)
		if p == nil {
			return named, errs.Missing().WithField("products")
		}
		w.model(p)
	}
	if w.grouped, err = c.devices.BySceneOrProduct(ctx, t, named.Scenes, named.Products); err != nil {
		return named, err
	}
	w.grouped = slices.DeleteFunc(w.grouped,
		func(d *device.Device) bool { return slices.Contains(named.Devices, d.ID) })
	for _, d := range w.grouped {
		w.model(c.catalog.Product(d.ProductID))
	}
	if len(w.products) == 0 {
		return named, errs.New(errs.Refused, "rule.noDevice")
	}
	return named, nil
}

// name finds the devices that are named one by one; errors name field.
func (w *targetSet) name(
	ctx context.Context,
	c *Checker,
	t tenant.ID,
	names []string,
	field string,
) (named Targets, err error) {
	for _, name := range names {
		switch name = strings.TrimSpace(name); {
		case name == "":
			return named, errs.New(errs.Refused, "rule.deviceRequired")
		case strings.ContainsRune(name, 0):
			return named, errs.New(errs.Refused, "invalid.format").WithField(field)
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

func (w *targetSet) model(p *device.Product) {
	if p != nil && !slices.Contains(w.products, p) {
		w.products = append(w.products, p)
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

// applyForm sets the fields of r that determine when it has a notice, and its period. The
// conditions refer to the properties of one of the products. The devices that are named one by one
// must all have those (601).
func (w *targetSet) applyForm(r *Rule, f *Form) error {
	var first error
	for _, p := range w.products {
		as := *r
		err := applyFormForProduct(&as, f, p)
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
		if attribute := w.misfitOf(r, d); attribute != "" {
			misfits, lacking = append(misfits, w.named[i].Title()), cmp.Or(lacking, attribute)
		}
	}
	return refuseMisfits(misfits, lacking)
}

// misfitOf is the attribute of a rule that does not fit a device's product; empty: none.
func (w *targetSet) misfitOf(r *Rule, d *device.Device) string {
	for _, p := range w.products {
		if p.ID == d.ProductID {
			return misfitAttribute(r, p)
		}
	}
	return ""
}

// DeviceRule is a rule for evaluation on one of its devices.
type DeviceRule struct {
	Rule
	TargetDevice *device.Device
	Product      *device.Product
}

// FirstDeviceRule checks only the fields that determine when a rule has a notice, and its period,
// for a rehearsal on its first device that can have it. It refuses as Rule does.
func (c *Checker) FirstDeviceRule(ctx context.Context, t tenant.ID, f *Form) (DeviceRule, error) {
	all, err := c.DeviceRules(ctx, t, f)
	if err != nil {
		return DeviceRule{}, err
	}
	return all[0], nil
}

// DeviceRules is FirstDeviceRule for each of the rule's devices that can have it: those named one
// by one, then the others by their titles. It refuses a rule without any (601).
func (c *Checker) DeviceRules(ctx context.Context, t tenant.ID, f *Form) (all []DeviceRule, err error) {
	r, w, err := c.resolveTargets(ctx, t, f)
	if err != nil {
		return nil, err
	}
	if err := w.applyForm(&r, f); err != nil {
		return nil, err
	}
	for _, d := range slices.Concat(w.named, w.grouped) {
		p := c.catalog.Product(d.ProductID)
		if p == nil || len(AttributesGone(&r, p)) > 0 {
			continue
		}
		one := DeviceRule{Rule: r, TargetDevice: d, Product: p}
		one.Device = d.ID
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, errs.New(errs.Refused, "rule.noDevice")
	}
	return all, nil
}
