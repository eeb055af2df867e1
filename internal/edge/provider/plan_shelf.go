package provider

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// planSelfService plans what the owners of a tenant may do. A file that has selfService gives all of it.
func (pl *planner) planSelfService(t *tenantStep, f *fileTenant) {
	if !f.self.given {
		return
	}
	next := tenant.SelfService{Devices: f.self.devices.value, Claims: f.self.claims.value}
	for _, p := range f.self.products.value {
		if p.valid && pl.productByName(p.value) == nil {
			pl.out.add(p.at, "product %q is neither in this file nor on the server", p.value)
		}
		next.Products = append(next.Products, p.value)
	}
	before := t.tenant.SelfService
	if before.Equal(next) {
		return
	}
	for _, c := range []audit.Change{
		{Field: "selfService.devices", Before: before.Devices, After: next.Devices},
		{Field: "selfService.claims", Before: before.Claims, After: next.Claims},
	} {
		if c.Before != c.After {
			t.auditChanges = append(t.auditChanges, c)
		}
	}
	if !slices.Equal(before.Products, next.Products) {
		t.auditChanges = append(t.auditChanges, audit.Change{
			Field: "selfService.products", Before: before.Products, After: next.Products,
		})
	}
	t.tenant.SelfService = next
	t.changes = append(t.changes, "selfService")
}

// shelfStep is the change of a device on the shelf.
type shelfStep struct {
	step
	file    *fileShelfItem
	item    selfservice.ShelfItem
	product string
	tenant  string // the only one that may claim it; empty: as before
}

// planShelf plans the devices on the shelf. It leaves those that were claimed; one whose owner deleted it
// can be claimed again.
func (pl *planner) planShelf(ctx context.Context) error {
	taken, err := pl.takenHashes(ctx)
	if err != nil {
		return err
	}
	for i := range pl.file.shelf {
		f := &pl.file.shelf[i]
		if !f.deviceName.valid {
			continue
		}
		known := pl.shelf[f.deviceName.value]
		if known != nil && known.DeviceID != nil {
			pl.out.unchanged++
			continue
		}
		if pl.deviceOwners[f.deviceName.value] != 0 {
			pl.out.add(f.deviceName.at, "deviceName %q is a device already", f.deviceName.value)
			continue
		}
		s := &shelfStep{file: f}
		if known == nil {
			s.created = true
			s.item.DeviceName = f.deviceName.value
			if !f.product.present() {
				pl.out.add(f.at.child("product"), "product is missing: a new device needs one")
			}
		} else {
			s.item = *known
			if !known.Waits() {
				s.item.ClaimTime = nil
				s.changes = append(s.changes, "claimable")
			}
		}
		if err := pl.planShelfFields(ctx, s, taken); err != nil {
			return err
		}
		if s.unchanged() {
			pl.out.unchanged++
			continue
		}
		pl.out.shelf = append(pl.out.shelf, s)
	}
	return nil
}

// takenHashes are the owners of codes and secrets that the shelf of the file names.
type takenHashes struct {
	codes, secrets map[string]*selfservice.ShelfItem
	devices        map[device.SecretHash]device.ID
	euis           map[string]*selfservice.ShelfItem
}

func (pl *planner) takenHashes(ctx context.Context) (t takenHashes, err error) {
	var codes, secrets []device.SecretHash
	var euis []string
	for i := range pl.file.shelf {
		f := &pl.file.shelf[i]
		if f.claimCode.valid {
			codes = append(codes, pl.codeHash(f))
		}
		if f.secret.valid {
			secrets = append(secrets, device.HashSecret(pl.Key, f.secret.value))
		}
		if f.devEUI.valid {
			euis = append(euis, strings.ToUpper(f.devEUI.value))
		}
	}
	if t.codes, err = pl.Shelf.ByCodes(ctx, codes); err != nil {
		return t, err
	}
	if t.secrets, err = pl.Shelf.BySecrets(ctx, secrets); err != nil {
		return t, err
	}
	if t.euis, err = pl.Shelf.ByDevEUIs(ctx, euis); err != nil {
		return t, err
	}
	t.devices, err = pl.Devices.SecretOwners(ctx, secrets)
	return t, err
}

func (pl *planner) codeHash(f *fileShelfItem) device.SecretHash {
	code, _, _ := selfservice.ParseCode(f.claimCode.value)
	return selfservice.HashCode(pl.Key, code)
}

// planShelfFields sets the fields that the file gives.
func (pl *planner) planShelfFields(ctx context.Context, s *shelfStep, taken takenHashes) error {
	f := s.file
	if p := pl.Catalog.Product(s.item.ProductID); p != nil {
		s.product = p.Name
	}
	setField(&s.step, "product", &s.product, &f.product)
	if f.product.valid && pl.productByName(f.product.value) == nil {
		pl.out.add(f.product.at, "product %q is neither in this file nor on the server", f.product.value)
	}
	setField(&s.step, "serial", &s.item.Serial, &f.serial)
	other := func(item *selfservice.ShelfItem) bool { return item != nil && item.DeviceName != s.item.DeviceName }
	if eui := strings.ToUpper(f.devEUI.value); f.devEUI.valid && eui != s.item.DevEUI {
		if other(taken.euis[eui]) {
			pl.out.add(f.devEUI.at, "devEui %s is that of another device on the shelf", eui)
		}
		s.item.DevEUI = eui
		s.changes = append(s.changes, "devEui")
	}
	setHash := func(name string, into *[]byte, hash device.SecretHash) {
		if !bytes.Equal(*into, hash[:]) {
			*into = hash[:]
			s.changes = append(s.changes, name)
		}
	}
	if f.claimCode.valid {
		hash := pl.codeHash(f)
		if other(taken.codes[string(hash[:])]) {
			pl.out.add(f.claimCode.at, "this claimCode is that of another device on the shelf")
		}
		setHash("claimCode", &s.item.CodeHash, hash)
	}
	if f.ownerToken.valid {
		setHash("ownerToken", &s.item.TokenHash,
			selfservice.HashToken(pl.Key, s.item.DevEUI, strings.ToUpper(f.ownerToken.value)))
	}
	if f.secret.valid {
		hash := device.HashSecret(pl.Key, f.secret.value)
		if other(taken.secrets[string(hash[:])]) || taken.devices[hash] != 0 {
			pl.out.add(f.secret.at, "this secret is another device's")
		}
		setHash("secret", &s.item.SecretHash, hash)
	}
	return pl.planShelfTenant(ctx, s)
}

// planShelfTenant sets the only tenant that may claim a device.
func (pl *planner) planShelfTenant(ctx context.Context, s *shelfStep) error {
	f := s.file.tenant
	if !f.valid {
		return nil
	}
	if f.value == "" { // any
		if s.item.TenantID != nil {
			s.item.TenantID = nil
			s.changes = append(s.changes, "tenant")
		}
		return nil
	}
	if t := pl.tenants[f.value]; t != nil {
		if s.item.TenantID == nil || *s.item.TenantID != t.tenant.ID || t.created {
			s.tenant = f.value
			s.changes = append(s.changes, "tenant")
		}
		return nil
	}
	t, err := pl.Tenants.ByName(ctx, f.value)
	if errs.Is(err, errs.NotFound) {
		pl.out.add(f.at, "tenant %q is neither in this file nor on the server", f.value)
		return nil
	}
	if err != nil {
		return err
	}
	if s.item.TenantID == nil || *s.item.TenantID != t.ID {
		s.item.TenantID = &t.ID
		s.changes = append(s.changes, "tenant")
	}
	return nil
}

// storeShelf stores the devices on the shelf; a new one without a claim code gets one.
func (e *execution) storeShelf(ctx context.Context, p *plan) error {
	items := make([]*selfservice.ShelfItem, 0, len(p.shelf))
	for _, s := range p.shelf {
		if id, ok := e.products[s.product]; ok {
			s.item.ProductID = id
		} else if known := e.Catalog.ProductByName(s.product); known != nil {
			s.item.ProductID = known.ID
		}
		for _, t := range p.tenants {
			if s.tenant != "" && t.tenant.Name == s.tenant {
				s.item.TenantID = &t.tenant.ID
			}
		}
		made := ""
		if s.item.CodeHash == nil {
			code := selfservice.NewCode()
			hash := selfservice.HashCode(e.Key, code)
			s.item.CodeHash, made = hash[:], code.String()
		}
		items = append(items, &s.item)
		item := Item{Kind: KindShelf, Name: s.item.DeviceName, Secret: made}
		e.record(&s.step, item, 0, audit.Thing{Name: s.item.DeviceName})
	}
	return e.Shelf.Put(ctx, items...)
}

// takeOffShelf removes a device from the shelf; one that was claimed stays its owner's.
func (s *Service) takeOffShelf(ctx context.Context, name string) (*Result, error) {
	found, err := s.Shelf.ByNames(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	if !isName(name) || found[name] == nil {
		return nil, &Refusal{Missing: true, Detail: "there is no device of this name on the shelf"}
	}
	if err := s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if err := s.Shelf.Delete(ctx, name); err != nil {
			return err
		}
		return audit.Log(ctx, 0, audit.Action{Name: "shelf.delete", Thing: audit.Thing{Name: name}})
	}); err != nil {
		return nil, err
	}
	return &Result{Removed: []Item{{Kind: KindShelf, Name: name}}}, nil
}
