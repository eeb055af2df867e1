package farm

import (
	"math"
	"sync"
)

// greenhouse is a heated greenhouse of polyethylene with roof vents and a screen.
type greenhouse struct {
	site  *site
	lag   float64 // s, see sunlight
	shift float64 // °C, error of the thermostat's sensor

	stuckFrom, stuckUntil float64 // s since 1970: meanwhile the vent stays at stuckAt
	stuckAt               float64 // 0..1

	mu     sync.Mutex
	blocks map[int]*greenhouseBlock
}

// stuckVent is where a broken motor leaves the vent in summer. While the boiler runs, the vent is
// shut: people shut an open vent manually in frost.
const stuckVent = .2

// greenhouseState is the state of a greenhouse.
type greenhouseState struct {
	temperature float64 // °C
	vapor       float64 // g/m³
	co2         float64 // ppm
	light       float64 // W/m² outside, smoothed by the screen's controller
	vent        float64 // 0..1
	heating     bool
	screen      bool
}

const (
	stepSeconds = 300
	stepsADay   = secondsADay / stepSeconds

	// A greenhouse's state depends on the last hours only. So blocks of days are computed
	// separately, each from two days before, and no day depends on all days since an epoch.
	houseDays   = 8
	houseSpinUp = 2
	houseBlocks = 16 // cached; dropped blocks are computed again, to the same bits
)

type greenhouseBlock [houseDays*stepsADay + 1]greenhouseState

// at returns the state at a moment, interpolated between two steps.
func (g *greenhouse) at(m moment) greenhouseState {
	b := int(math.Floor(float64(m.day.number) / houseDays))
	x := (float64(m.day.number-b*houseDays)*secondsADay + m.hour*3600) / stepSeconds
	i := min(int(x), len(greenhouseBlock{})-2)
	block := g.block(b)
	now, next := block[i], &block[i+1]
	f := x - float64(i)
	now.temperature += (next.temperature - now.temperature) * f
	now.vapor += (next.vapor - now.vapor) * f
	now.co2 += (next.co2 - now.co2) * f
	return now
}

func (g *greenhouse) block(b int) *greenhouseBlock {
	g.mu.Lock()
	defer g.mu.Unlock()
	if cached, ok := g.blocks[b]; ok {
		return cached
	}
	if g.blocks == nil || len(g.blocks) >= houseBlocks {
		g.blocks = map[int]*greenhouseBlock{}
	}
	var block greenhouseBlock
	start := g.site.start(b * houseDays)
	state := greenhouseState{temperature: 18, vapor: 11, co2: 450}
	for i := -houseSpinUp * stepsADay; i < len(block)-1; i++ {
		if i >= 0 {
			block[i] = state
		}
		state = g.step(start+float64(i)*stepSeconds, state)
	}
	block[len(block)-1] = state
	g.blocks[b] = &block
	return &block
}

const (
	heatCapacity  = 60e3 // J/K a m² of ground
	solarGain     = .28  // share of global radiation that heats the air
	heaterPower   = 150  // W/m²
	wallLoss      = 6.5  // W/m²/K, closed
	ventLoss      = 38   // W/m²/K, open, on top
	transmission  = .62  // share of light that passes the cover
	screenLight   = .55  // share of light that passes the screen
	closedChange  = .0012
	ventChange    = .03
	condensing    = .005 // m/s to the cover
	nightVapor    = .01  // g/m²/s from soil and plants without light
	latentShare   = .55  // share of the light inside that evaporates water
	latentHeat    = 2450
	outsideCarbon = 420. // ppm
	boilerLow     = 11.  // °C, normal low above which the boiler is off for the summer
)

// heated tells whether the boilers run at that time of the year.
func (s *site) heated(d *day) bool {
	return s.climate.low.at(d.season) < boilerLow
}

// step returns the state five minutes after the state h at a time.
func (g *greenhouse) step(seconds float64, h greenhouseState) greenhouseState {
	m := g.site.momentAt(seconds + stepSeconds/2)
	out := g.site.air(m, false)
	sun := g.site.sunlight(m, g.lag)

	h.control(sun, m.hour, g.shift, g.site.heated(m.day))
	if seconds >= g.stuckFrom && seconds < g.stuckUntil {
		h.vent = g.stuckAt
	}

	inside := sun.global * h.shade()
	loss := wallLoss + ventLoss*h.vent
	heat := solarGain * inside
	if h.heating {
		heat += heaterPower
	}
	target := out.temperature + heat/loss
	h.temperature = target + (h.temperature-target)*math.Exp(-loss*stepSeconds/heatCapacity)

	// Air carries vapour out, and vapour condenses on the cold cover: the air is drier in cold
	// nights.
	change := closedChange + ventChange*h.vent
	source := nightVapor + transmission*inside*latentShare/latentHeat
	cover := saturationDensity(out.temperature + .35*(h.temperature-out.temperature))
	wet := (source + change*absoluteHumidity(out.temperature, out.dewPoint) + condensing*cover) / (change + condensing)
	if wet < cover {
		wet = absoluteHumidity(out.temperature, out.dewPoint) + source/change
	}
	// Soil and leaves respond more slowly than the air is exchanged.
	h.vapor = wet + (h.vapor-wet)*math.Exp(-stepSeconds/1200.)

	h.breathe(transmission * inside)
	return h
}

// breathe changes the carbon dioxide: plants emit it in the dark and take it up in the light, and
// the vent brings it towards the outside's.
func (h *greenhouseState) breathe(light float64) {
	const hour = stepSeconds / 3600.
	day := clamp01(light / 120)
	closed := 700*(1-day) + 330*day
	closedRate, ventRate := .25+.75*day, 9*h.vent // per hour
	target := (closed*closedRate + outsideCarbon*ventRate) / (closedRate + ventRate)
	h.co2 = target + (h.co2-target)*math.Exp(-(closedRate+ventRate)*hour)
}

// control is the greenhouse's computer: heater, vent and screen.
func (h *greenhouseState) control(sun sunlight, hour, shift float64, boiler bool) {
	felt := h.temperature + shift
	goal := 15.
	if hour >= 7 && hour < 19 {
		goal = 17
	}
	switch {
	case felt < goal:
		h.heating = boiler
	case felt > goal+1.5:
		h.heating = false
	}
	switch {
	case felt > 25:
		h.vent = min(1, h.vent+.1)
	case felt < 23:
		h.vent = max(0, h.vent-.1)
	}
	// The controller smooths the light, so that passing clouds do not move the screen.
	h.light += (sun.global - h.light) * (1 - math.Exp(-stepSeconds/900.))
	switch {
	case h.light > 650:
		h.screen = true
	case h.light < 550:
		h.screen = false
	}
}

// shade returns the share of light that the screen lets pass.
func (h *greenhouseState) shade() float64 {
	if h.screen {
		return screenLight
	}
	return 1
}

// humidity returns the humidity in %; near saturation it rises more slowly, since water settles on
// the cover.
func (h *greenhouseState) humidity() float64 {
	const bend, top = 84, 96
	rh := 100 * h.vapor / saturationDensity(h.temperature)
	if rh <= bend {
		return rh
	}
	return bend + (top-bend)*(1-math.Exp(-(rh-bend)/(top-bend)))
}
