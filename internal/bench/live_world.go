package bench

import "fmt"

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
