// Package bench loads an MQTT server as many devices would, measures what it can take, and then
// reads back every acknowledged reading. It uses only the server's network interfaces and imports
// nothing of it, so that it measures what devices and people experience.
package bench

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
)

// Tenant is a tenant for a run: a user who reads back, and devices of one product.
type Tenant struct {
	Name       string
	User       string
	Password   string
	Product    string
	Properties []string // identifiers; all numbers without bounds
	Devices    []Device
	Guests     []string // more users, with the same password
}

// Device is the name and the secret with which a device signs in.
type Device struct{ Name, Secret string }

// NewTenant makes a tenant with so many devices, of a product with so many properties. The password
// and the secrets are random.
func NewTenant(devices, properties int) Tenant {
	w := Tenant{Name: "bench", User: "bench", Password: rand.Text(), Product: "bench"}
	for i := range properties {
		w.Properties = append(w.Properties, fmt.Sprintf("sensor%02d", i+1))
	}
	for i := range devices {
		w.Devices = append(w.Devices, Device{Name: fmt.Sprintf("BENCH-%05d", i+1), Secret: rand.Text()})
	}
	return w
}

// The parts of a provider's file that a Tenant needs.
type (
	providerFile struct {
		Products []productFile `yaml:"products"`
		Tenants  []tenantFile  `yaml:"tenants"`
	}
	productFile struct {
		Name       string         `yaml:"name"`
		Properties []propertyFile `yaml:"properties"`
	}
	propertyFile struct {
		Identifier string   `yaml:"identifier"`
		DataType   string   `yaml:"dataType"`
		Min        *float64 `yaml:"min,omitempty"`
		Max        *float64 `yaml:"max,omitempty"`
	}
	tenantFile struct {
		Name     string       `yaml:"name"`
		TimeZone string       `yaml:"timeZone"`
		Language string       `yaml:"language"`
		Users    []userFile   `yaml:"users"`
		Devices  []deviceFile `yaml:"devices"`
	}
	userFile struct {
		UserName string `yaml:"userName"`
		Password string `yaml:"password"`
	}
	deviceFile struct {
		DeviceName string `yaml:"deviceName"`
		Serial     string `yaml:"serial"`
		Product    string `yaml:"product"`
		Secret     string `yaml:"secret"`
	}
)

// File returns the tenant as a provider's file for `tilth apply`.
func (w Tenant) File() ([]byte, error) {
	return fileOf([]Tenant{w})
}

// fileOf returns one provider's file with all tenants, which share a product.
func fileOf(tenants []Tenant) ([]byte, error) {
	var all providerFile
	for _, w := range tenants {
		all.Products = []productFile{w.product()}
		all.Tenants = append(all.Tenants, w.owner())
	}
	var b bytes.Buffer
	err := yaml.NewEncoder(&b).Encode(all)
	return b.Bytes(), err
}

func (w Tenant) product() productFile {
	product := productFile{Name: w.Product}
	for _, p := range w.Properties {
		product.Properties = append(product.Properties, propertyFile{Identifier: p, DataType: "number"})
	}
	return product
}

func (w Tenant) owner() tenantFile {
	owner := tenantFile{Name: w.Name, TimeZone: "UTC", Language: "en-us"}
	for _, name := range append([]string{w.User}, w.Guests...) {
		owner.Users = append(owner.Users, userFile{UserName: name, Password: w.Password})
	}
	for _, d := range w.Devices {
		owner.Devices = append(
			owner.Devices,
			deviceFile{DeviceName: d.Name, Serial: d.Name, Product: w.Product, Secret: d.Secret},
		)
	}
	return owner
}

// ReadTenant reads what File writes. It also reads another provider's file, if that has one tenant,
// a user with a password, and devices with secrets, all of one product whose properties are numbers
// without bounds.
func ReadTenant(raw []byte) (Tenant, error) {
	var f providerFile
	if err := yaml.Unmarshal(raw, &f); err != nil {
		return Tenant{}, err
	}
	if len(f.Products) != 1 || len(f.Tenants) != 1 || len(f.Tenants[0].Users) == 0 ||
		f.Tenants[0].Users[0].Password == "" {
		const want = "one product, one tenant and a user with a password are needed; `workshop file` writes such a file"
		return Tenant{}, errors.New(want)
	}
	owner := f.Tenants[0]
	w := Tenant{
		Name:     owner.Name,
		User:     owner.Users[0].UserName,
		Password: owner.Users[0].Password,
		Product:  f.Products[0].Name,
	}
	for _, p := range f.Products[0].Properties {
		if p.DataType != "number" || p.Min != nil || p.Max != nil {
			return Tenant{}, fmt.Errorf("property %q is not a number without bounds", p.Identifier)
		}
		w.Properties = append(w.Properties, p.Identifier)
	}
	for _, d := range owner.Devices {
		if d.Secret == "" || d.Product != w.Product {
			return Tenant{}, fmt.Errorf(
				"device %q has no secret, or is not of product %q",
				d.DeviceName,
				w.Product,
			)
		}
		w.Devices = append(w.Devices, Device{Name: d.DeviceName, Secret: d.Secret})
	}
	if len(w.Devices) == 0 || len(w.Properties) == 0 {
		return Tenant{}, errors.New("no devices, or a product without properties")
	}
	return w, nil
}

// DeviceNames returns the names of the devices.
func (w Tenant) DeviceNames() []string {
	names := make([]string, len(w.Devices))
	for i, d := range w.Devices {
		names[i] = d.Name
	}
	return names
}
