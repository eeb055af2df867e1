package bench

import "fmt"

// busyDeviceRate is how many readings a second a device of the busy tenant sends:
// within what a server lets a device send, as delivered.
const busyDeviceRate = 10

// tenants are the tenants of a run with live screens. Each has a device that
// reports once a second; the last has more, for the time when it is busy.
func (o *LiveOptions) tenants() []Tenant {
	tenants := make([]Tenant, o.Tenants)
	for i := range tenants {
		devices := 1
		if i == len(tenants)-1 {
			devices += o.busyDevices()
		}
		w := NewTenant(devices, o.Values)
		w.Name = fmt.Sprintf("live-%04d", i+1)
		for d := range w.Devices {
			w.Devices[d].Name = fmt.Sprintf("LIVE-%04d-%03d", i+1, d)
		}
		tenants[i] = w
	}
	return tenants
}

// busyDevices is how many devices report often when a tenant is busy.
func (o *LiveOptions) busyDevices() int { return (o.Busy + busyDeviceRate - 1) / busyDeviceRate }
