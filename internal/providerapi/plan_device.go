package providerapi

import (
	"context"
	"maps"
	"slices"

	"tilth/internal/audit"
	"tilth/internal/device"
	"tilth/internal/text"
)

type deviceStep struct {
	step
	file     *fileDevice
	device   device.Device
	product  string  // its product's name
	scene    *string // folded name of the scene to put it in; empty: in none; nil: as it is
	secrets  []device.SecretHash
	rotate   bool // secrets are to be stored
	generate bool // the server makes the secret
}

func (pl *planner) devices(ctx context.Context, t *tenantStep) error {
	known := map[string]*device.Device{}
	if !t.created {
		var names []string
		for i := range t.file.devices {
			names = append(names, t.file.devices[i].deviceName.v)
		}
		var err error
		if known, err = pl.Devices.ByNames(ctx, t.tenant.ID, names); err != nil {
			return err
		}
	}
	for i := range t.file.devices {
		f := &t.file.devices[i]
		if !f.deviceName.set {
			continue
		}
		if owner := pl.owners[f.deviceName.v]; owner != 0 && owner != t.tenant.ID {
			pl.p.add(f.deviceName.at, "deviceName %q belongs to another tenant; a device never changes its tenant", f.deviceName.v)
			continue
		}
		t.devices = append(t.devices, pl.device(t, known[f.deviceName.v], f))
	}
	return nil
}

// device plans one device, its secrets apart; known is nil where there is none
// of that name.
func (pl *planner) device(t *tenantStep, known *device.Device, f *fileDevice) *deviceStep {
	s := &deviceStep{file: f, product: f.product.v}
	if known == nil {
		s.created = true
		s.device = device.Device{Name: f.deviceName.v}
		s.generate = !f.secret.given() && !f.secrets.given()
		// One that exists stays: its readings hang on it.
		if isFolder(s.device.Name) {
			pl.p.add(f.deviceName.at, "deviceName must not be %q: in an address that means a folder, and programs could not ask for the device", s.device.Name)
		}
		if !f.product.given() {
			pl.p.add(f.at.key("product"), "product is missing: a new device needs one")
		}
	} else {
		s.device = *known
		s.device.ElementData = maps.Clone(known.ElementData)
		current := ""
		if p := pl.Catalog.Product(known.ProductID); p != nil {
			current = p.Name
		}
		s.product = current
		change(&s.step, "product", &s.product, &f.product)
	}
	product := pl.find(s.product)
	if product == nil && f.product.set {
		pl.p.add(f.product.at, "product %q is neither in this file nor on the server", f.product.v)
	}
	change(&s.step, "serial", &s.device.Serial, &f.serial)
	change(&s.step, "gateway", &s.device.Gateway, &f.gateway)
	change(&s.step, "disabled", &s.device.Disabled, &f.disabled)
	pl.elementData(s, product, f)
	pl.scene(t, s, f)
	if s.created || pl.overwrite {
		change(&s.step, "noteName", &s.device.NoteName, &f.noteName)
		position(&s.step, "longitude", &s.device.Longitude, &f.longitude)
		position(&s.step, "latitude", &s.device.Latitude, &f.latitude)
	}
	position(&s.step, "elevation", &s.device.Elevation, &f.elevation)
	for _, secret := range f.given() {
		s.secrets = append(s.secrets, device.HashSecret(pl.DeviceKey, secret.v))
	}
	return s
}

func position(s *step, name string, into **float64, f *field[float64]) {
	if f.set && !same(*into, &f.v) {
		s.seen = append(s.seen, audit.Change{Field: name, Before: *into, After: f.v})
		*into = &f.v
		s.changes = append(s.changes, name)
	}
}

// elementData lays the given entries over the device's own; an empty text
// takes one away.
func (pl *planner) elementData(s *deviceStep, product *device.Product, f *fileDevice) {
	changed := false
	for identifier, data := range f.elementData.v {
		if product != nil && product.Property(identifier) == nil {
			pl.p.add(data.at, "product %q has no property %q", product.Name, identifier)
		}
		switch was, own := s.device.ElementData[identifier]; {
		case !data.set || was == data.v:
		case data.v == "" && own:
			delete(s.device.ElementData, identifier)
			changed = true
		case data.v != "":
			if s.device.ElementData == nil {
				s.device.ElementData = map[string]string{}
			}
			s.device.ElementData[identifier] = data.v
			changed = true
		}
	}
	if changed {
		s.changes = append(s.changes, "elementData")
	}
}

// scene plans where a device stands. A forbidden scene keeps its devices and
// takes no new ones.
func (pl *planner) scene(t *tenantStep, s *deviceStep, f *fileDevice) {
	if !f.scene.set {
		return
	}
	name := text.Fold(f.scene.v)
	scene := t.known[name]
	if scene == nil && name != "" {
		pl.p.add(f.scene.at, "scene %q is neither in this file nor one of tenant %q", f.scene.v, t.tenant.Name)
		return
	}
	if !s.created && !pl.overwrite {
		return
	}
	// A scene that is yet to be created has no id, and holds no device.
	stays := name == "" && s.device.SceneID == device.DefaultScene ||
		scene != nil && scene.ID != 0 && scene.ID == s.device.SceneID
	if stays {
		return
	}
	if scene != nil && scene.Status == device.SceneForbidden {
		pl.p.add(f.scene.at, "scene %q is forbidden: it takes no new devices", scene.Name)
		return
	}
	s.scene = &name
	s.changes = append(s.changes, "scene")
	s.seen = append(s.seen, audit.Change{Field: "groupName", Before: t.sceneName(s.device.SceneID), After: f.scene.v})
}

// sceneName is what one of the tenant's scenes is called; empty for the default
// group.
func (t *tenantStep) sceneName(id int64) string {
	for _, scene := range t.known {
		if id != device.DefaultScene && scene.ID == id {
			return scene.Name
		}
	}
	return ""
}

// secrets finds out whose secrets change and refuses those of other devices;
// then it leaves out the devices that are as the file says.
func (pl *planner) secrets(ctx context.Context) error {
	var asked []device.SecretHash
	given := map[device.ID]bool{} // devices whose secrets the file says
	for _, t := range pl.p.tenants {
		var ids []device.ID
		for _, s := range t.devices {
			if len(s.secrets) > 0 {
				asked = append(asked, s.secrets...)
				ids = append(ids, s.device.ID)
				given[s.device.ID] = true
			}
		}
		current, err := pl.Devices.SecretsOf(ctx, t.tenant.ID, ids)
		if err != nil {
			return err
		}
		for _, s := range t.devices {
			if len(s.secrets) > 0 && !sameSecrets(s.secrets, current[s.device.ID]) {
				s.rotate = true
				s.changes = append(s.changes, "secrets")
			}
		}
	}
	owners, err := pl.Devices.SecretOwners(ctx, asked)
	if err != nil {
		return err
	}
	for _, t := range pl.p.tenants {
		for _, s := range t.devices {
			for i, h := range s.secrets {
				// An owner whose secrets the file says gives this one up: the
				// file holds no secret twice.
				if owner := owners[h]; owner != 0 && owner != s.device.ID && !given[owner] {
					pl.p.add(s.file.given()[i].at, "this secret is another device's")
				}
			}
		}
		busy := slices.DeleteFunc(t.devices, func(s *deviceStep) bool { return s.idle() })
		pl.p.left += len(t.devices) - len(busy)
		t.devices = busy
	}
	return nil
}

func sameSecrets(a, b []device.SecretHash) bool {
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
