package selfservice

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// Form is what a person says of a new device.
type Form struct {
	NoteName            string
	ProductID           int64
	Serial              string
	SceneID             int64    // device.DefaultScene: in no scene
	Longitude, Latitude *float64 // degrees, WGS-84; both or neither
	Short               bool     // the secret is to be typed on the device
}

// Made is a new device. Nobody can read its secret later; it is empty if the box has it already.
type Made struct {
	DeviceName string
	Secret     string
}

// TakenBy is the data of a refusal whose remark name or serial a device has.
type TakenBy struct {
	DeviceName string `json:"deviceName"`
}

// addition is a device that is about to be stored.
type addition struct {
	device.Device
	product *device.Product
	scene   string // its name
	secret  string // empty: the box has it already
	hash    device.SecretHash
}

func itoa(n int) string { return strconv.Itoa(n) }

// check trims and checks everything but the product.
func (f *Form) check() (err error) {
	if f.NoteName, err = tenant.ParseName(f.NoteName, "noteName", "device.noteRequired"); err != nil {
		return err
	}
	if f.Serial, err = tenant.ParseLine(f.Serial, "serial", tenant.MaxNameLength); err != nil {
		return err
	}
	switch {
	case f.Longitude == nil && f.Latitude != nil:
		return errs.New(errs.Refused, "invalid.required").WithField("longitude")
	case f.Longitude != nil && f.Latitude == nil:
		return errs.New(errs.Refused, "invalid.required").WithField("latitude")
	}
	return nil
}

// Create adds a device of an offered product.
func (s *Service) Create(ctx context.Context, t tenant.ID, f Form) (*Made, error) {
	if err := s.countChange(t); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	var a *addition
	err := s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		offer, err := s.Offer(ctx, t)
		if err != nil {
			return err
		}
		if err := offer.admit(1); err != nil {
			return err
		}
		p, err := offer.product(f.ProductID)
		if err != nil {
			return err
		}
		if err := s.requireUnused(ctx, t, &f); err != nil {
			return err
		}
		scene, err := s.sceneName(ctx, t, &f)
		if err != nil {
			return err
		}
		names, err := s.newNames(ctx, 1)
		if err != nil {
			return err
		}
		a = s.addition(&f, p, device.OriginConsole, scene, names[0])
		return s.store(ctx, t, []*addition{a})
	})
	if err != nil {
		return nil, err
	}
	return &Made{a.Name, a.secret}, s.load(ctx, t, []*addition{a})
}

// requireUnused refuses a remark name or serial that a device of the tenant has.
func (s *Service) requireUnused(ctx context.Context, t tenant.ID, f *Form) error {
	var serials []string
	if f.Serial != "" {
		serials = append(serials, f.Serial)
	}
	byNoteName, bySerial, err := s.Devices.NamedAlike(ctx, t, []string{f.NoteName}, serials)
	if err != nil {
		return err
	}
	return taken(f, byNoteName, bySerial)
}

// taken refuses a form whose remark name or serial a device has already.
func taken(f *Form, byNoteName, bySerial map[string]string) error {
	if name, found := byNoteName[f.NoteName]; found {
		return errs.New(errs.Refused, "device.nameTaken").WithField("noteName").WithData(TakenBy{name})
	}
	if name, found := bySerial[f.Serial]; found && f.Serial != "" {
		return errs.New(errs.Refused, "device.serialTaken").WithField("serial").WithData(TakenBy{name})
	}
	return nil
}

// addition makes a device of a checked form, with a new secret.
func (s *Service) addition(f *Form, p *device.Product, o device.Origin, scene, name string) *addition {
	a := &addition{product: p, scene: scene, secret: device.GenerateSecret(f.Short), Device: device.Device{
		Name: name, Serial: f.Serial, NoteName: f.NoteName, ProductID: p.ID, SceneID: f.SceneID, Origin: o,
		Longitude: f.Longitude, Latitude: f.Latitude,
	}}
	a.hash = device.HashSecret(s.Key, a.secret)
	return a
}

// sceneName gives the name of the scene of a form; empty: the default group. It refuses a scene that takes
// no devices.
func (s *Service) sceneName(ctx context.Context, t tenant.ID, f *Form) (string, error) {
	if f.SceneID == device.DefaultScene {
		return "", nil
	}
	if err := s.Scenes.RequireOpen(ctx, t, f.SceneID); err != nil {
		return "", err
	}
	scene, err := s.Scenes.Get(ctx, t, f.SceneID)
	if err != nil {
		return "", err
	}
	return scene.Name, nil
}

const (
	namePrefix   = "d-"
	nameLength   = 8
	nameAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

// newNames makes device names that neither a device nor the shelf has: people who could choose names would
// learn those of other tenants.
func (s *Service) newNames(ctx context.Context, n int) (names []string, err error) {
	for len(names) < n {
		made := make([]string, n-len(names))
		for i := range made {
			made[i] = randomName()
		}
		owners, err := s.Devices.OwnersOf(ctx, made)
		if err != nil {
			return nil, err
		}
		shelved, err := s.Shelf.ByNames(ctx, made)
		if err != nil {
			return nil, err
		}
		for _, name := range made {
			if owners[name] == 0 && shelved[name] == nil && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

func randomName() string {
	var raw [nameLength]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	for i := range raw {
		raw[i] = nameAlphabet[int(raw[i])%len(nameAlphabet)] // 32 divides 256: no letter is likelier
	}
	return namePrefix + string(raw[:])
}

// store creates devices and records them in the audit log.
func (s *Service) store(ctx context.Context, t tenant.ID, list []*addition) error {
	devices, actions := make([]device.Provisioned, len(list)), make([]audit.Action, len(list))
	for i, a := range list {
		devices[i] = device.Provisioned{Device: &a.Device, Secrets: []device.SecretHash{a.hash}}
	}
	if err := s.Devices.PutAll(ctx, t, devices); err != nil {
		return err
	}
	for i, a := range list {
		actions[i] = audit.Action{Name: "device.create", Thing: a.AuditThing(), Changes: a.auditChanges()}
	}
	return audit.Log(ctx, t, actions...)
}

// auditChanges are what the new device has.
func (a *addition) auditChanges() []audit.Change {
	list := []audit.Change{{Field: "product", After: a.product.Name}}
	for _, f := range device.Fields {
		if value := f.ValueIn(&a.Device); value != nil && value != "" && value != false {
			list = append(list, audit.Change{Field: f.Name, After: value})
		}
	}
	if a.scene != "" {
		list = append(list, audit.Change{Field: "groupName", After: a.scene})
	}
	return list
}

// load lets stored devices in. It does so even if the caller has gone.
func (s *Service) load(ctx context.Context, t tenant.ID, list []*addition) error {
	ids := make([]device.ID, len(list))
	for i, a := range list {
		ids[i] = a.ID
	}
	return s.Devices.Reload(context.WithoutCancel(ctx), t, s.Catalog, s.Registry, ids...)
}
