package bench

import "fmt"

// busyDeviceRate is how many readings a second a device of the busy tenant sends: less than the
// server's default limit for a device.
const busyDeviceRate = 10

// tenants returns the tenants of a run with live screens. Each has a device that reports once a
// second; the last has more devices, for the parts in which it is busy.
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

// busyDevices returns how many devices report often while the tenant is busy.
func (o *LiveOptions) busyDevices() int { return (o.Busy + busyDeviceRate - 1) / busyDeviceRate }
