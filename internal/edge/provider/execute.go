package provider

import (
	"context"
	"slices"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/text"
)

// hashPasswords hashes every password that the plan stores.
func (p *plan) hashPasswords(ctx context.Context, v *passwordCache) error {
	for _, t := range p.tenants {
		for i := range t.users {
			if _, err := t.users[i].hash(ctx, t, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// hash returns the stored form of a user's new password, and the password itself if the server
// makes it. Both are empty if the user keeps the password.
func (u *userStep) hash(ctx context.Context, t *tenantStep, v *passwordCache) (made storedPassword, err error) {
	key := t.tenant.Name + "\x00" + text.FoldASCII(u.user.UserName)
	password := u.password
	if u.generatePassword {
		password = v.generate(key)
		made.generated = password
	}
	if password != "" {
		made.hash, err = v.hash(ctx, key, password)
	}
	return made, err
}

type storedPassword struct{ hash, generated string }

// execution carries out a plan. It runs in one transaction.
type execution struct {
	*Service
	passwords *passwordCache
	result    *Result
	products  map[string]int64 // ids by name
	actions   map[tenant.ID][]audit.Action
	// defersSecrets says that the secrets which the server makes are made later; generated are their devices.
	defersSecrets bool
	generated     []generatedSecret
}

func (s *Service) newExecution(v *passwordCache) *execution {
	return &execution{
		Service:   s,
		passwords: v,
		result:    &Result{},
		products:  map[string]int64{},
		actions:   map[tenant.ID][]audit.Action{},
	}
}

func (e *execution) run(ctx context.Context, p *plan) error {
	e.result.Unchanged, e.result.Kept = p.unchanged, p.kept
	for i := range p.elements {
		el := &p.elements[i]
		if err := e.Catalog.PutElement(ctx, &el.element); err != nil {
			return err
		}
		e.record(&el.step, Item{Kind: KindElement, Name: el.element.YeuSign}, 0, audit.Thing{Name: el.element.YeuSign})
	}
	for i := range p.products {
		pr := &p.products[i]
		if err := e.Catalog.PutProduct(ctx, pr.product); err != nil {
			return err
		}
		e.products[pr.product.Name] = pr.product.ID
		e.record(
			&pr.step,
			Item{Kind: KindProduct, Name: pr.product.Name},
			0,
			audit.Thing{ID: pr.product.ID, Name: pr.product.Name},
		)
	}
	if err := e.storeTenants(ctx, p.tenants); err != nil {
		return err
	}
	if err := e.removeReplacedSecrets(ctx, p.tenants); err != nil {
		return err
	}
	for _, t := range p.tenants {
		if err := e.storeContent(ctx, t); err != nil {
			return err
		}
	}
	if err := e.storeSecrets(ctx, p.tenants); err != nil {
		return err
	}
	if err := e.storeShelf(ctx, p); err != nil {
		return err
	}
	for owner, actions := range e.actions {
		if err := audit.Log(ctx, owner, actions...); err != nil {
			return err
		}
	}
	return nil
}

// record adds a thing that was created or changed to the result and to the audit log; owner is the
// tenant that has the thing, 0 for the platform.
func (e *execution) record(s *step, item Item, owner tenant.ID, thing audit.Thing) {
	e.actions[owner] = append(e.actions[owner], s.auditAction(item.Kind, thing))
	if s.created {
		e.result.Created = append(e.result.Created, item)
		return
	}
	item.Changes = s.changes
	e.result.Changed = append(e.result.Changed, item)
}

// storeTenants stores the tenants. Hosts that move from one tenant to another are removed first.
func (e *execution) storeTenants(ctx context.Context, list []*tenantStep) error {
	for _, t := range list {
		if t.created || !slices.Contains(t.changes, "hosts") {
			continue
		}
		kept := t.tenant
		kept.Hosts = slices.DeleteFunc(
			slices.Clone(t.oldHosts),
			func(h string) bool { return !slices.Contains(t.tenant.Hosts, h) },
		)
		if err := e.Tenants.Put(ctx, &kept); err != nil {
			return err
		}
	}
	for _, t := range list {
		if t.unchanged() {
			continue
		}
		if err := e.Tenants.Put(ctx, &t.tenant); err != nil {
			return err
		}
		if err := e.storeOIDC(ctx, t.tenant.ID, &t.connection); err != nil {
			return err
		}
		e.record(
			&t.step,
			Item{Kind: KindTenant, Name: t.tenant.Name},
			t.tenant.ID,
			audit.Thing{ID: int64(t.tenant.ID), Name: t.tenant.Name},
		)
	}
	return nil
}

// storeContent stores a tenant's users, scenes and devices.
func (e *execution) storeContent(ctx context.Context, t *tenantStep) error {
	for i := range t.users {
		if err := e.storeUser(ctx, t, &t.users[i]); err != nil {
			return err
		}
	}
	for _, name := range t.scenes {
		id, err := e.Scenes.Create(ctx, t.tenant.ID, name, device.SceneUsable)
		if err != nil {
			return err
		}
		t.scenesByName[text.Fold(name)].ID = id
		e.record(
			&step{created: true},
			Item{Kind: KindScene, Tenant: t.tenant.Name, Name: name},
			t.tenant.ID,
			audit.Thing{ID: id, Name: name},
		)
	}
	devices := make([]device.Provisioned, len(t.devices))
	for i, d := range t.devices {
		e.setReferences(t, d)
		e.makeSecret(d)
		devices[i] = device.Provisioned{Device: &d.device, Secrets: d.secrets}
	}
	return e.Devices.PutAll(ctx, t.tenant.ID, devices)
}

func (e *execution) storeUser(ctx context.Context, t *tenantStep, u *userStep) error {
	stored, err := u.hash(ctx, t, e.passwords)
	if err != nil {
		return err
	}
	id := t.tenant.ID
	if u.created {
		if err := e.Users.Create(ctx, id, &u.user, stored.hash); err != nil {
			return err
		}
	} else {
		if err := e.Users.Update(ctx, id, &u.user); err != nil {
			return err
		}
		if stored.hash != "" {
			if err := e.Users.PutPassword(ctx, id, u.user.ID, stored.hash); err != nil {
				return err
			}
		}
		if u.endSessions {
			if err := e.Sessions.EndUser(ctx, id, u.user.ID); err != nil {
				return err
			}
		}
	}
	item := Item{Kind: KindUser, Tenant: t.tenant.Name, Name: u.user.UserName, Secret: stored.generated}
	e.record(u.maskedStep(), item, id, u.user.AuditThing())
	return nil
}

// setReferences sets a device's product and scene, which are stored by now.
func (e *execution) setReferences(t *tenantStep, d *deviceStep) {
	if id, ok := e.products[d.product]; ok {
		d.device.ProductID = id
	} else if p := e.Catalog.ProductByName(d.product); p != nil {
		d.device.ProductID = p.ID
	}
	if d.scene != nil {
		d.device.SceneID = device.DefaultScene
		if scene := t.scenesByName[*d.scene]; scene != nil {
			d.device.SceneID = scene.ID
		}
	}
}

// makeSecret makes the secret of a device that gets one, unless that is to be done later.
func (e *execution) makeSecret(d *deviceStep) {
	if d.generateSecret && !e.defersSecrets {
		d.generated = device.GenerateSecret(false)
		d.secrets, d.rotate = []device.SecretHash{device.HashSecret(e.Key, d.generated)}, true
	}
}

// removeReplacedSecrets removes the secrets that others replace, before anything else: one may move to another device.
func (e *execution) removeReplacedSecrets(ctx context.Context, list []*tenantStep) error {
	for _, t := range list {
		var replaced []device.SecretsOfDevice
		for _, d := range t.devices {
			if d.rotate && !d.created {
				replaced = append(replaced, device.SecretsOfDevice{ID: d.device.ID})
			}
		}
		if err := e.Devices.PutAllSecrets(ctx, t.tenant.ID, replaced); err != nil {
			return err
		}
	}
	return nil
}

// storeSecrets stores the changed secrets of devices that existed before, and records what happened to all devices.
func (e *execution) storeSecrets(ctx context.Context, list []*tenantStep) error {
	for _, t := range list {
		var secrets []device.SecretsOfDevice
		for _, d := range t.devices {
			if d.generateSecret && e.defersSecrets {
				g := generatedSecret{t.tenant.ID, d.device.ID, d.created, len(e.result.Changed)}
				if d.created {
					g.item = len(e.result.Created)
				}
				e.generated = append(e.generated, g)
			}
			if d.rotate && !d.created {
				secrets = append(secrets, device.SecretsOfDevice{ID: d.device.ID, Hashes: d.secrets})
			}
			item := Item{Kind: KindDevice, Tenant: t.tenant.Name, Name: d.device.Name, Secret: d.generated}
			e.record(&d.step, item, t.tenant.ID, d.device.AuditThing())
		}
		if err := e.Devices.PutAllSecrets(ctx, t.tenant.ID, secrets); err != nil {
			return err
		}
	}
	return nil
}
