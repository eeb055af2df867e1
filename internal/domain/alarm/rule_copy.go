package alarm

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// copiesAtMost is to how many devices one call copies a rule.
const copiesAtMost = 400

// misfitsNamed is how many of the devices that do not fit a rule a refusal names.
const misfitsNamed = 10

// FittingProducts are the products whose devices can have a copy of a rule.
func (c *Checker) FittingProducts(r *Rule) map[int64]bool {
	fit := map[int64]bool{}
	for _, p := range c.catalog.Products() {
		if misfitAttribute(r, p) == "" {
			fit[p.ID] = true
		}
	}
	return fit
}

// CopyTargets are the devices that a rule is copied to, in the order of their names. It refuses by
// name (601) a device that the tenant does not have or that is named twice. It refuses all devices
// that do not fit the rule together: a user who chose many need not try once for each.
func (c *Checker) CopyTargets(ctx context.Context, t tenant.ID, r *Rule, names []string) ([]device.ID, error) {
	switch {
	case len(names) == 0:
		return nil, errs.New(errs.Refused, "rule.deviceRequired")
	case len(names) > copiesAtMost:
		return nil, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(copiesAtMost)).
			WithField("executionIds")
	}
	ids, seen := make([]device.ID, len(names)), make(map[device.ID]bool, len(names))
	var misfits []string
	lacking := "" // the attribute that the first of them lacks
	for i, name := range names {
		name = strings.TrimSpace(name)
		if strings.ContainsRune(name, 0) {
			return nil, errs.New(errs.Refused, "invalid.format").WithField("executionIds")
		}
		d, p, err := c.device(ctx, t, name)
		if errs.Is(err, errs.NotFound) {
			return nil, errs.New(errs.Refused, "invalid.unknown", "value", name).WithField("executionIds")
		}
		if err != nil {
			return nil, err
		}
		if seen[d.ID] {
			return nil, errs.New(errs.Refused, "rule.copyTwice", "device", d.Title())
		}
		if attribute := misfitAttribute(r, p); attribute != "" {
			misfits, lacking = append(misfits, d.Title()), cmp.Or(lacking, attribute)
		}
		ids[i], seen[d.ID] = d.ID, true
	}
	return ids, refuseMisfits(misfits, lacking)
}

func refuseMisfits(titles []string, lacking string) error {
	switch n := len(titles); {
	case n == 0:
		return nil
	case n == 1:
		return errs.New(errs.Refused, "rule.copyMisfit", "device", titles[0], "value", lacking)
	case n > misfitsNamed:
		titles = append(titles[:misfitsNamed:misfitsNamed], "… (+"+strconv.Itoa(n-misfitsNamed)+")")
	}
	return errs.New(errs.Refused, "rule.copyMisfits", "devices", strings.Join(titles, " · "))
}
