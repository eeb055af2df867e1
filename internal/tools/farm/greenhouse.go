package farm

import (
	"math"
	"sync"
)

// greenhouse is a heated house of polyethylene with roof vents and a screen.
type greenhouse struct {
	site  *site
	lag   float64 // s, see sunlight
	shift float64 // °C, how the thermostat's sensor differs

	stuckFrom, stuckUntil float64 // s since 1970: the vent does not move from stuckAt
	stuckAt               float64 // 0..1

	mu     sync.Mutex
	blocks map[int]*greenhouseBlock
}

// stuckVent is where a broken vent motor leaves the vent in summer. While the
// boiler runs it stays shut: what is open in frost somebody shuts by hand.
const stuckVent = .2

// greenhouseState is the state of a greenhouse.
type greenhouseState struct {
	temperature float64 // °C
	vapor       float64 // g/m³
	co2         float64 // ppm
	light       float64 // W/m² outside, as the screen's controller sees it
	vent        float64 // 0..1
	heating     bool
	screen      bool
}

const (
	stepSeconds = 300
	stepsADay   = secondsADay / stepSeconds

	// A house forgets within hours: blocks of days are stepped on their own,
	// from two days before, so that no day needs all those since an epoch.
	houseDays   = 8
	houseSpinUp = 2
	houseBlocks = 16 // kept; what was dropped is stepped again, to the same bits
)

type greenhouseBlock [houseDays*stepsADay + 1]greenhouseState

// at is the state at a moment, between two steps.
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
	solarGain     = .28  // of global radiation warms the house
	heaterPower   = 150  // W/m²
	wallLoss      = 6.5  // W/m²/K, closed
	ventLoss      = 38   // W/m²/K, open, on top
	transmission  = .62  // of light through the cover
	screenLight   = .55  // of light through the screen
	closedChange  = .0012
	ventChange    = .03
	condensing    = .005 // m/s to the cover
	nightVapor    = .01  // g/m²/s from soil and plants without light
	latentShare   = .55  // of the light inside evaporates water
	latentHeat    = 2450
	outsideCarbon = 420. // ppm
	boilerLow     = 11.  // °C, the normal night from which the boiler is off for the summer
)

// heated tells whether boilers run at that time of the year.
func (s *site) heated(d *day) bool {
	return s.climate.low.at(d.season) < boilerLow
}

// step goes on five minutes from the state at that time.
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

	// Air carries vapour out, and what touches the cold cover runs down it:
	// cold nights are the dry ones.
	change := closedChange + ventChange*h.vent
	source := nightVapor + transmission*inside*latentShare/latentHeat
	cover := saturationDensity(out.temperature + .35*(h.temperature-out.temperature))
	wet := (source + change*absoluteHumidity(out.temperature, out.dewPoint) + condensing*cover) / (change + condensing)
	if wet < cover {
		wet = absoluteHumidity(out.temperature, out.dewPoint) + source/change
	}
	// Soil and leaves answer more slowly than the air is exchanged.
	h.vapor = wet + (h.vapor-wet)*math.Exp(-stepSeconds/1200.)

	h.breathe(transmission * inside)
	return h
}

// breathe moves carbon dioxide: plants breathe it out in the dark and use it
// up in the light; the vent brings the air outside.
func (h *greenhouseState) breathe(light float64) {
	const hour = stepSeconds / 3600.
	day := clamp01(light / 120)
	closed := 700*(1-day) + 330*day
	closedRate, ventRate := .25+.75*day, 9*h.vent // per hour
	target := (closed*closedRate + outsideCarbon*ventRate) / (closedRate + ventRate)
	h.co2 = target + (h.co2-target)*math.Exp(-(closedRate+ventRate)*hour)
}

// control is the house's computer: heater, vent and screen.
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
	// Passing clouds do not drive the screen to and fro.
	h.light += (sun.global - h.light) * (1 - math.Exp(-stepSeconds/900.))
	switch {
	case h.light > 650:
		h.screen = true
	case h.light < 550:
		h.screen = false
	}
}

// shade is the share of light that the screen lets pass.
func (h *greenhouseState) shade() float64 {
	if h.screen {
		return screenLight
	}
	return 1
}

// humidity is in %; water that the air cannot hold settles on the cover, the
// sooner the nearer it is to saturation.
func (h *greenhouseState) humidity() float64 {
	const bend, top = 84, 96
	rh := 100 * h.vapor / saturationDensity(h.temperature)
	if rh <= bend {
		return rh
	}
	return bend + (top-bend)*(1-math.Exp(-(rh-bend)/(top-bend)))
}
