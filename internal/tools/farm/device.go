package farm

import (
	"math"
	"time"
)

// Device is one simulated device. It is safe for concurrent use.
type Device struct {
	Name    string // deviceName, unique in the installation
	Tenant  string // name of its tenant; empty for a device of Simulate
	Product string

	// How often the product reports: in a stored history, and on a live connection.
	HistoryInterval, LiveInterval time.Duration

	seed    uint64
	site    *site
	product *product
	sensors map[string]*sensor
	plan    reportPlan
	faults  faultScenario

	hollow    bool
	warmer    float64 // °C, deviation at the device's place
	exposure  float64 // share of the site's wind at its place
	caught    float64 // share of the site's rain at its place
	lag       float64 // s, how much later the site's clouds arrive
	reception float64 // dBm
	signal    noise
	draught   noise

	battery    *battery
	plot       *plot       // of a soil probe
	greenhouse *greenhouse // of a greenhouse's climate computer
	tank       *tank       // of a water station
}

// newDevice makes an ordinary device on open ground; the caller adds its plot, tank or greenhouse.
func newDevice(seed uint64, s *site, name, productName string, properties []Property) *Device {
	p := products[productName]
	d := &Device{
		Name: name, Product: productName,
		HistoryInterval: p.history, LiveInterval: p.live,
		seed: seed, site: s, product: p,
		sensors: map[string]*sensor{},
		plan:    newPlan(seed, name),
		faults:  noFaults(),
		signal:  namedNoise(seed, name, "signal"),
		draught: namedNoise(seed, name, "draught"),
	}
	spot := namedNoise(seed, name, "spot")
	d.warmer = .15 * spot.normal(0)
	d.exposure = math.Exp(.12 * spot.normal(1))
	d.caught = math.Exp(.05 * spot.normal(6))
	d.lag = 90 * spot.normal(2)
	d.reception = -76 + 5*spot.normal(3)
	d.battery = newBattery(s, math.Exp(.08*spot.normal(4)), deviceLoad*math.Exp(.1*spot.normal(5)), 0)
	for _, property := range properties {
		if property.Formula != "" {
			continue
		}
		d.sensors[property.Identifier] = property.sensor(seed, name, p.accuracy[property.Identifier])
	}
	return d
}

// At returns what the device measures at t, with its sensors' noise, rounded as its product rounds.
// Rainfall is the rain in the time since before t. At returns false if the device is dark: never
// installed, silent, or without power.
//
// The values are in the order of the product's thing model. The same t gives the same values,
// except rainfall, which also depends on since.
func (d *Device) At(t time.Time, since time.Duration) ([]Value, bool) {
	m := d.site.moment(t)
	if d.isSilent(m) {
		return nil, false
	}
	f := frame{device: d, index: t.UnixMilli(), values: make([]Value, 0, len(d.sensors))}
	d.product.measure(d, d.site.moment(t.Add(-since)), m, &f)
	d.faults.apply(m, f.values)
	return f.values, true
}

// isSilent tells whether the device is silent at a moment, for good or until its battery is
// charged.
func (d *Device) isSilent(m moment) bool {
	if m.seconds >= d.faults.silentFrom {
		return true
	}
	if d.battery.dying == 0 {
		return false
	}
	_, alive := d.battery.volts(m)
	return !alive
}
