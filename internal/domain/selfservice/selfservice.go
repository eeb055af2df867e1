// Package selfservice lets the owners of a tenant add, claim, import and delete devices, as far as the
// provider allows it, and its people put another box in the place of a broken one.
package selfservice

import (
	"context"
	"slices"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// The limits of a tenant. Each change makes the device edge look at its connections again, so their number
// is bounded; wrong codes are limited because somebody may try them one by one.
const (
	changesAnHour    = 300 // calls that create, import, claim, swap or delete
	wrongCodesAnHour = 10  // of a user
	wrongCodesADay   = 20  // of all users of a tenant
	day              = 24 * time.Hour

	limitedTenants = 10_000
	limitedUsers   = 10_000
)

// Deps holds the dependencies of a Service.
type Deps struct {
	DB       *db.DB
	Tenants  *tenant.Store
	Catalog  *device.Catalog
	Devices  *device.Store
	Scenes   *device.SceneStore
	Registry *device.Registry
	Remover  *device.Remover
	Hints    *device.Hints
	Shelf    *Shelf
	Key      []byte // the platform's key for the hashes of secrets and codes
	Now      func() time.Time
	Meter    *limit.Meter // counts refusals; nil: they are not counted

	// LastRainCount gives the time of a device's newest rain count, epoch milliseconds; 0: it has none. A
	// swap begins after it, also if the old box's clock was ahead. nil: no device has one.
	LastRainCount func(ctx context.Context, ref device.Ref) int64
	// EndCalibrations ends the calibrations of a device that is swapped, in the swap's transaction; nil:
	// there are none.
	EndCalibrations func(ctx context.Context, t tenant.ID, d device.ID, by string, at time.Time) error
}

// Service adds and deletes the devices that owners manage by themselves.
type Service struct {
	Deps
	changes            *limit.SlidingWindows[tenant.ID]
	wrongCodesOfUser   *limit.SlidingWindows[int64]
	wrongCodesOfTenant *limit.SlidingWindows[tenant.ID]
}

// New makes a Service.
func New(d Deps) *Service {
	options := func(name string, keys int) limit.Options {
		return limit.Options{Name: name, MaxKeys: keys, Now: d.Now, Meter: d.Meter}
	}
	return &Service{
		Deps: d,
		changes: limit.NewSlidingWindows[tenant.ID](
			options("device_changes", limitedTenants), changesAnHour, time.Hour,
		),
		wrongCodesOfUser: limit.NewSlidingWindows[int64](
			options("claim_codes_user", limitedUsers), wrongCodesAnHour, time.Hour,
		),
		wrongCodesOfTenant: limit.NewSlidingWindows[tenant.ID](
			options("claim_codes_tenant", limitedTenants), wrongCodesADay, day,
		),
	}
}

// Offer is what the owners of a tenant may add.
type Offer struct {
	Used, Most int               // devices that were added, and how many there may be
	Products   []*device.Product // in the order of the provider's file
	Claims     bool
}

// Offer gives what the owners of a tenant may add now.
func (s *Service) Offer(ctx context.Context, t tenant.ID) (*Offer, error) {
	owner, err := s.Tenants.Get(ctx, t)
	if err != nil {
		return nil, err
	}
	o := &Offer{Most: owner.SelfService.Devices, Claims: owner.SelfService.Claims}
	if o.Used, err = s.Devices.CountByOrigin(ctx, t, device.OriginConsole); err != nil || o.Most == 0 {
		return o, err
	}
	for _, name := range owner.SelfService.Products {
		if p := s.Catalog.ProductByName(name); p != nil {
			o.Products = append(o.Products, p)
		}
	}
	return o, nil
}

// admit refuses more further devices than the offer leaves.
func (o *Offer) admit(further int) error {
	switch {
	case o.Most == 0 || len(o.Products) == 0:
		return errs.New(errs.Refused, "device.notOffered")
	case o.Used+further > o.Most:
		return errs.New(errs.Refused, "device.mostReached", "limit", itoa(o.Most))
	}
	return nil
}

// product gives an offered product.
func (o *Offer) product(id int64) (*device.Product, error) {
	i := slices.IndexFunc(o.Products, func(p *device.Product) bool { return p.ID == id })
	if i < 0 {
		return nil, errs.New(errs.Refused, "device.productNotOffered").WithField("productId")
	}
	return o.Products[i], nil
}

// countChange counts a call that changes devices, and refuses one too many.
func (s *Service) countChange(t tenant.ID) error {
	if state := s.changes.Allow(t); state.Retry > 0 {
		return errs.New(errs.TooMany, "error.429").RetryAfter(state.Retry)
	}
	return nil
}

// Delete deletes a device that owners manage, with all its readings.
func (s *Service) Delete(ctx context.Context, t tenant.ID, name string) error {
	if err := s.countChange(t); err != nil {
		return err
	}
	return s.Remover.Remove(ctx, t, name, func(d *device.Device) error {
		if !d.Removable() {
			return errs.New(errs.Refused, "device.fromProvider")
		}
		return nil
	})
}
