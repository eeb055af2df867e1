package bench

import (
	"bytes"
	"fmt"

	"github.com/goccy/go-yaml"
)

// oftenEvery is how many readings a second a device of the busy tenant sends:
// within what a server lets a device send, as delivered.
const oftenEvery = 10

// worlds are the tenants of a run with live screens. Each has a device that
// reports once a second; the last has more, for the time when it is busy.
func (o *LiveOptions) worlds() []World {
	worlds := make([]World, o.Tenants)
	for i := range worlds {
		devices := 1
		if i == len(worlds)-1 {
			devices += o.often()
		}
		w := NewWorld(devices, o.Values)
		w.Tenant = fmt.Sprintf("live-%04d", i+1)
		for d := range w.Devices {
			w.Devices[d].Name = fmt.Sprintf("LIVE-%04d-%03d", i+1, d)
		}
		worlds[i] = w
	}
	return worlds
}

// often is how many devices report often when a tenant is busy.
func (o *LiveOptions) often() int { return (o.Busy + oftenEvery - 1) / oftenEvery }

// fileOf is one provider's file with all worlds, which share a product.
func fileOf(worlds []World) ([]byte, error) {
	var all worldFile
	for _, w := range worlds {
		raw, err := w.File()
		if err != nil {
			return nil, err
		}
		var one worldFile
		if err := yaml.Unmarshal(raw, &one); err != nil {
			return nil, err
		}
		all.Products = one.Products
		all.Tenants = append(all.Tenants, one.Tenants...)
	}
	var b bytes.Buffer
	err := yaml.NewEncoder(&b).Encode(all)
	return b.Bytes(), err
}
