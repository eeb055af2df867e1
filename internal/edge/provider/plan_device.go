package provider

import (
	"context"
	"maps"
	"slices"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/platform/text"
)

type deviceStep struct {
	step
	file           *fileDevice
	device         device.Device
	product        string  // name of its product
	scene          *string // folded name of its new scene; empty: no scene; nil: unchanged
	secrets        []device.SecretHash
	secretFields   []field[string] // where the file has them
	rotate         bool            // secrets are to be stored
	generateSecret bool            // the server makes the secret
	generated      string          // that secret, once it is made
	movesSecret    bool            // it gets a secret that another device has, or gives one up to it
	keepsSerial    bool            // the file's is a former box's
}

func (pl *planner) planDevices(ctx context.Context, t *tenantStep) error {
	known := map[string]*device.Device{}
	var former map[device.ID]device.FormerBoxes
	if !t.created {
		var names []string
		for i := range t.file.devices {
			if name := t.file.devices[i].deviceName.value; pl.deviceOwners[name] == t.tenant.ID {
				names = append(names, name)
			}
		}
		var err error
		if known, err = pl.Devices.ByNames(ctx, t.tenant.ID, names); err != nil {
			return err
		}
		if !pl.overwrite {
			if former, err = pl.Devices.FormerBoxes(ctx, t.tenant.ID); err != nil {
				return err
			}
		}
	}
	for i := range t.file.devices {
		f := &t.file.devices[i]
		if !f.deviceName.valid {
			continue
		}
		if owner := pl.deviceOwners[f.deviceName.value]; owner != 0 && owner != t.tenant.ID {
			pl.out.add(
				f.deviceName.at,
				"deviceName %q belongs to another tenant; a device never changes its tenant",
				f.deviceName.value,
			)
			continue
		}
		if item := pl.shelf[f.deviceName.value]; item != nil && item.Waits() {
			pl.out.add(f.deviceName.at, "deviceName %q is on the shelf: take it off first", f.deviceName.value)
			continue
		}
		t.devices = append(t.devices, pl.planDevice(t, known[f.deviceName.value], former, f))
	}
	return nil
}

// planDevice plans one device without its secrets; known is nil if there is no device of that name.
func (pl *planner) planDevice(
	t *tenantStep,
	known *device.Device,
	former map[device.ID]device.FormerBoxes,
	f *fileDevice,
) *deviceStep {
	s := &deviceStep{file: f, product: f.product.value}
	if known == nil {
		s.created = true
		s.device = device.Device{Name: f.deviceName.value}
		s.generateSecret = !f.secret.present() && !f.secrets.present()
		// A device that has such a name already stays, because its readings belong to it.
		if isDotSegment(s.device.Name) {
			pl.out.add(
				f.deviceName.at,
				"deviceName must not be %q: in an address that means a folder, "+
					"and programs could not ask for the device",
				s.device.Name,
			)
		}
		if !f.product.present() {
			pl.out.add(f.at.child("product"), "product is missing: a new device needs one")
		}
	} else {
		s.device = *known
		s.device.ElementData = maps.Clone(known.ElementData)
		current := ""
		if p := pl.Catalog.Product(known.ProductID); p != nil {
			current = p.Name
		}
		s.product = current
		setField(&s.step, "product", &s.product, &f.product)
		if known.Removable() { // the file is its master from now on
			origin := field[device.Origin]{value: device.OriginProvider, valid: true}
			setField(&s.step, "origin", &s.device.Origin, &origin)
		}
		// An apply that was interrupted may have left the device without a secret.
		if e := pl.Registry.Get(known.ID); e != nil && !e.HasSecret() && !f.secret.present() && !f.secrets.present() {
			s.generateSecret = true
			s.changes = append(s.changes, "secrets")
		}
	}
	product := pl.productByName(s.product)
	if product == nil && f.product.valid {
		pl.out.add(f.product.at, "product %q is neither in this file nor on the server", f.product.value)
	}
	pl.planElementData(s, product, f)
	pl.planScene(t, s, f)
	if known != nil {
		pl.keepBox(t, s, known, former[known.ID])
	} else {
		s.secrets, s.secretFields = pl.hashSecrets(f, nil)
	}
	pl.planPlainFields(s, f)
	return s
}

// hashSecrets gives the hashes of the secrets that a file has for a device, but for those left out.
func (pl *planner) hashSecrets(f *fileDevice, without map[device.SecretHash]bool) (
	hashes []device.SecretHash,
	fields []field[string],
) {
	for _, secret := range f.secretFields() {
		if h := device.HashSecret(pl.Key, secret.value); !without[h] {
			hashes, fields = append(hashes, h), append(fields, secret)
		}
	}
	return hashes, fields
}

// keepBox leaves a device's serial or secrets as they are if the file's are those of a former box, and says so.
func (pl *planner) keepBox(t *tenantStep, s *deviceStep, known *device.Device, former device.FormerBoxes) {
	var kept []string
	given := s.file.plain["serial"]
	if serial, _ := given.value.(string); given.valid && serial != known.Serial && former.Serials[serial] {
		s.keepsSerial = true
		kept = append(kept, "serial")
	}
	if s.secrets, s.secretFields = pl.hashSecrets(s.file, former.Secrets); len(s.secrets) < len(s.file.secretFields()) {
		kept = append(kept, "secrets")
	}
	if len(kept) > 0 {
		pl.out.kept = append(pl.out.kept, Item{
			Kind: KindDevice, Tenant: t.tenant.Name, Name: known.Name, Changes: kept,
		})
	}
}

// planPlainFields sets the plain fields that the file gives. What people edit it leaves to them, except
// in a new device.
func (pl *planner) planPlainFields(s *deviceStep, given *fileDevice) {
	for _, f := range device.Fields {
		value, before := given.plain[f.Name], f.ValueIn(&s.device)
		kept := f.People && !s.created && !pl.overwrite || f.Name == "serial" && s.keepsSerial
		if value.valid && value.value != before && !kept {
			s.auditChanges = append(s.auditChanges, audit.Change{Field: f.Name, Before: before, After: value.value})
			s.changes = append(s.changes, f.Name)
			f.Set(&s.device, value.value)
		}
	}
}

// planElementData merges the given entries into the device's own; an empty text removes one.
func (pl *planner) planElementData(s *deviceStep, product *device.Product, f *fileDevice) {
	changed := false
	for identifier, data := range f.elementData.value {
		if product != nil && product.Property(identifier) == nil {
			pl.out.add(data.at, "product %q has no property %q", product.Name, identifier)
		}
		switch was, own := s.device.ElementData[identifier]; {
		case !data.valid || was == data.value:
		case data.value == "" && own:
			delete(s.device.ElementData, identifier)
			changed = true
		case data.value != "":
			if s.device.ElementData == nil {
				s.device.ElementData = map[string]string{}
			}
			s.device.ElementData[identifier] = data.value
			changed = true
		}
	}
	if changed {
		s.changes = append(s.changes, "elementData")
	}
}

// planScene plans the scene of a device. A forbidden scene keeps its devices and takes no new ones.
func (pl *planner) planScene(t *tenantStep, s *deviceStep, f *fileDevice) {
	if !f.scene.valid {
		return
	}
	name := text.Fold(f.scene.value)
	scene := t.scenesByName[name]
	if scene == nil && name != "" {
		pl.out.add(f.scene.at, "scene %q is neither in this file nor one of tenant %q", f.scene.value, t.tenant.Name)
		return
	}
	if !s.created && !pl.overwrite {
		return
	}
	// A scene that is yet to be created has no id and holds no device.
	stays := name == "" && s.device.SceneID == device.DefaultScene ||
		scene != nil && scene.ID != 0 && scene.ID == s.device.SceneID
	if stays {
		return
	}
	if scene != nil && scene.Status == device.SceneForbidden {
		pl.out.add(f.scene.at, "scene %q is forbidden: it takes no new devices", scene.Name)
		return
	}
	s.scene = &name
	s.changes = append(s.changes, "scene")
	s.auditChanges = append(
		s.auditChanges,
		audit.Change{Field: "groupName", Before: t.sceneName(s.device.SceneID), After: f.scene.value},
	)
}

// sceneName returns the name of one of the tenant's scenes; empty for the default group.
func (t *tenantStep) sceneName(id int64) string {
	for _, scene := range t.scenesByName {
		if id != device.DefaultScene && scene.ID == id {
			return scene.Name
		}
	}
	return ""
}

// planSecrets finds the devices whose secrets change, and refuses secrets of other devices; then it
// drops the steps of unchanged devices.
func (pl *planner) planSecrets(ctx context.Context) error {
	var asked []device.SecretHash
	given := map[device.ID]bool{} // devices whose secrets the file gives
	for _, t := range pl.out.tenants {
		var ids []device.ID
		for _, s := range t.devices {
			if len(s.secrets) > 0 {
				asked = append(asked, s.secrets...)
				if !s.created {
					ids = append(ids, s.device.ID)
				}
				given[s.device.ID] = true
			}
		}
		current, err := pl.Devices.SecretsOf(ctx, t.tenant.ID, ids)
		if err != nil {
			return err
		}
		for _, s := range t.devices {
			if len(s.secrets) > 0 && !equalSecrets(s.secrets, current[s.device.ID]) {
				s.rotate = true
				s.changes = append(s.changes, "secrets")
			}
		}
	}
	owners, err := pl.Devices.SecretOwners(ctx, asked)
	if err != nil {
		return err
	}
	shelved, err := pl.Shelf.BySecrets(ctx, asked)
	if err != nil {
		return err
	}
	byID := map[device.ID]*deviceStep{}
	for _, t := range pl.out.tenants {
		for _, s := range t.devices {
			byID[s.device.ID] = s
		}
	}
	for _, t := range pl.out.tenants {
		for _, s := range t.devices {
			for i, h := range s.secrets {
				if item := shelved[string(h[:])]; item != nil && item.Waits() {
					pl.out.add(s.secretFields[i].at, "this secret is that of a device on the shelf")
				}
				// If the file also gives the owner's secrets, the owner gives this one up: the file
				// holds no secret twice.
				owner := owners[h]
				if owner == 0 || owner == s.device.ID {
					continue
				}
				if !given[owner] {
					pl.out.add(s.secretFields[i].at, "this secret is another device's")
				} else {
					s.movesSecret, byID[owner].movesSecret = true, true
				}
			}
		}
		changed := slices.DeleteFunc(t.devices, func(s *deviceStep) bool { return s.unchanged() })
		pl.out.unchanged += len(t.devices) - len(changed)
		t.devices = changed
	}
	return nil
}

func equalSecrets(a, b []device.SecretHash) bool {
	if len(a) != len(b) {
		return false
	}
	for _, h := range a {
		if !slices.Contains(b, h) {
			return false
		}
	}
	return true
}
