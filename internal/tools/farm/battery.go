package farm

import "math"

// battery is a device's accumulator with its solar panel.
type battery struct {
	site  *site
	panel float64 // factor around 1: how well the panel faces the sun
	load  float64 // W
	dying int     // local day from which the capacity falls; 0: never

	charge *dailyState[float64] // Wh at midnight
}

const (
	batteryCapacity = 20. // Wh
	panelPower      = 1.5 // W in full sun, after losses
	deviceLoad      = .06 // W
	spentCapacity   = .37 // Wh, the capacity of a dead battery
	fadingDays      = 5.  // days in which the capacity falls to 1/e
	emptyShare      = .04 // charge below which the device is dark
	bootShare       = .2  // charge at which it starts again in the morning
)

func newBattery(s *site, panel, load float64, dying int) *battery {
	b := &battery{site: s, panel: panel, load: load, dying: dying}
	b.charge = newChain(.95*batteryCapacity, func(day int, charge float64) float64 {
		return b.after(s.day(day), charge, 24)
	})
	return b
}

func (b *battery) capacity(number int) float64 {
	if b.dying == 0 || number < b.dying {
		return batteryCapacity
	}
	return max(spentCapacity, batteryCapacity*math.Exp(-float64(number-b.dying)/fadingDays))
}

// after returns the charge at hour h of a day that began with a charge.
func (b *battery) after(d *day, charge, h float64) float64 {
	capacity := b.capacity(d.number)
	// Cells that fail take their charge with them.
	charge *= capacity / b.capacity(d.number-1)
	for i := 0; float64(i) < h; i++ {
		share := min(1, h-float64(i))
		charge += (b.power(d.sun[i]) - b.load) * share
		charge = max(0, min(capacity, charge))
	}
	return charge
}

func (b *battery) power(global float64) float64 {
	return panelPower * b.panel * global / 1000
}

// volts returns the voltage, and whether it is enough to run the device.
func (b *battery) volts(m moment) (v float64, alive bool) {
	d := m.day
	s := b.after(d, b.charge.at(d.number), m.hour) / b.capacity(d.number)
	sun := b.site.clearSky(d, b.site.sunHeight(d, m.hour)) * cloudTransmission(d.cloud, d.cloud)
	charging := clamp01(b.power(sun) / (4 * b.load))
	alive = s > emptyShare
	if m.hour < 12 && s <= bootShare && b.capacity(d.number) == spentCapacity {
		alive = false
	}
	return 3.30 + .12*s/(s+.05) + .62*s + .06*charging, alive
}
