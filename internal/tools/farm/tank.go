package farm

import (
	"math"

	"tilth/internal/platform/agronomy"
)

// tank is an open basin, four metres deep. A well pump fills it at night; plots and greenhouses are
// watered from it.
type tank struct {
	site  *site
	plots []*plot
	fault noise // by month: on which day the pump fails

	// Properties of this tank's well and users: factors around 1, and how much its pH differs.
	demand, minerals, mud float64
	algae                 float64
	alkaline              float64

	level *dailyState[tankState]
}

type tankState struct {
	level    float64 // m
	pumping  bool
	repaired int // local day on which the pump works again
	faults   int // number of the last month in which the pump failed
}

const (
	tankArea     = 20. // m²
	plotDraw     = .3  // m of level for a plot's largest irrigation
	pumpFlow     = 12. // m³/h
	pumpOn       = 1.8 // m, enough to water all plots of a tank in one morning
	pumpOff      = 3.4
	intake       = .15 // m, level of the outlet
	stepsAnHour  = 12
	repairNights = 2
	faultDays    = 30 // days in which the pump fails once
)

func newTank(s *site, plots []*plot, seed uint64, name string) *tank {
	own := namedNoise(seed, name, "water")
	t := &tank{
		site: s, plots: plots, fault: namedNoise(seed, name, "pump"),
		demand:   math.Exp(.25 * own.normal(0)),
		minerals: math.Exp(.15 * own.normal(1)),
		mud:      math.Exp(.25 * own.normal(2)),
		algae:    math.Exp(.25 * own.normal(4)),
		alkaline: .1 * own.normal(3),
	}
	t.level = newChain(tankState{level: 2.6}, func(day int, state tankState) tankState {
		state, _ = t.run(s.day(day), state, 24)
		return state
	})
	return t
}

// run computes the state at hour h of a day from that at its start, and returns the outflow at that
// time, in m³/h.
func (t *tank) run(d *day, s tankState, h float64) (tankState, float64) {
	watering := 0. // m of level
	for _, p := range t.plots {
		watering += plotDraw * p.balance(d.number, p.water.at(d.number)).irrigation / maxIrrigation
	}
	flow := 0.
	for i := 0; float64(i)/stepsAnHour < h; i++ {
		at := float64(i) / stepsAnHour
		step := min(1./stepsAnHour, h-at)
		t.pump(d.number, at, &s)
		drawn := t.demand * supply(d, at)
		if at >= irrigationStart && at < irrigationEnd {
			drawn += watering / (irrigationEnd - irrigationStart)
		}
		drawn = min(drawn, max(0, s.level-intake)/step)
		flow = drawn * tankArea
		s.level -= drawn * step
		if s.pumping {
			s.level += pumpFlow / tankArea * step
		}
	}
	// Water evaporates from the surface, and rain adds to it.
	s.level += (d.fallen(h) - .7*d.evaporation*evaporatedShare(d, h)) / 1000
	s.level = max(.05, min(4, s.level))
	return s, flow
}

// pump switches the pump for the next five minutes. Once a month, after a random day of the month,
// the pump fails on the first night on which it is needed; it is repaired two nights later.
func (t *tank) pump(number int, hour float64, s *tankState) {
	night := hour >= 22 || hour < 4
	if !night || s.level >= pumpOff {
		s.pumping = false
	}
	if s.pumping || !night || s.level >= pumpOn {
		return
	}
	month := number / faultDays
	due := month*faultDays + int(faultDays*t.fault.uniform(int64(month)))
	if number >= due && s.faults < month {
		s.faults = month
		s.repaired = number + repairNights
	}
	s.pumping = number >= s.repaired
}

// supply returns what greenhouses draw, in m of level an hour: they are watered in the morning and
// in the afternoon.
func supply(d *day, hour float64) float64 {
	if (hour >= 8 && hour < 10) || (hour >= 15 && hour < 17) {
		return (.1 + .02*d.evaporation) / 4
	}
	return 0
}

// water is the tank at one instant.
type water struct {
	level        float64 // m
	flow         float64 // m³/h out
	pumping      bool
	temperature  float64 // °C
	ph           float64
	conductivity float64 // mS/cm
	oxygen       float64 // mg/L
	turbidity    float64 // NTU
}

func (t *tank) at(m moment) water {
	s, flow := t.run(m.day, t.level.at(m.day.number), m.hour)
	w := water{level: s.level, flow: flow, pumping: s.pumping}

	mean := t.site.between(m, func(d *day) float64 {
		sum := 0.
		for n := d.number - 2; n <= d.number; n++ {
			sum += t.site.day(n).high + t.site.day(n).low
		}
		return sum / 6
	})
	// The water under ice gets no colder.
	w.temperature = max(.2, mean+1.5*math.Cos(2*math.Pi*(m.hour-17)/24))

	daylight := t.daylight(m)
	w.ph = 7.6 + t.alkaline + .3*t.algae*daylight
	// The error is for water above 40 °C, which no tank reaches.
	full, _ := agronomy.OxygenSolubilityAt(w.temperature, agronomy.StandardPressure(t.site.elevation))
	w.oxygen = full * (.9 + .15*t.algae*daylight)
	season := t.site.dew.smooth(m.seconds, 20*secondsADay)
	w.conductivity = t.minerals * (.62 + .04*season)

	w.turbidity = 5
	t.site.nearby(m, 4, func(r shower, since float64) {
		washed := smoothstep(since/r.length) * math.Exp(-max(0, since-r.length)/12)
		w.turbidity = max(w.turbidity, 5+40*washed*min(1, r.rain/5))
	})
	w.turbidity *= t.mud
	return w
}

// daylight returns the mean light of the last hours, 0..1, to which algae respond.
func (t *tank) daylight(m moment) float64 {
	sum := 0.
	for back := range 4 {
		c := t.site.sunHeight(m.day, m.hour-float64(back))
		sum += t.site.clearSky(m.day, c) * cloudTransmission(m.day.cloud, m.day.cloud)
	}
	return clamp01(sum / 4 / 850)
}
