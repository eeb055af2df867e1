package farm

import "math"

const layers = 3

// The soil of every plot: a loam in three layers. Moisture is in % by volume.
var (
	layerDepth    = [layers]float64{200, 200, 400} // mm thick
	fieldCapacity = [layers]float64{32, 33, 34}
	wiltingPoint  = [layers]float64{14, 15, 16}
	rootShare     = [layers]float64{.5, .3, .2} // of the crop's thirst
	probeDepth    = [layers]float64{.1, .3, .6} // m
	wettingDelay  = [layers]float64{0, 3, 10}   // hours until water gets to the probe
)

// managed is how many layers an irrigator watches and refills: the upper 40 cm,
// where most of the roots drink. What lies deeper is a reserve that a summer uses
// up and a winter refills; counted in, it would hide that the roots run dry.
const managed = 2

// allowed is the share of the managed layers' available water that may be used
// up before the next irrigation. Beyond it most crops begin to suffer.
const allowed = .5

// saturated is how far above field capacity water fills a layer, in %.
const saturated = 4

// crops tell how thirsty a stand is, month by month, as a share of the
// reference evapotranspiration.
var crops = map[string]*monthly{
	"orchard":     {.4, .4, .5, .65, .85, 1, 1.05, 1, .85, .65, .5, .4},
	"wheat-maize": {.4, .5, .9, 1.15, 1, .5, .8, 1.1, .8, .4, .45, .4},
	"grass":       {.7, .7, .8, .9, .95, 1, 1, 1, .95, .85, .75, .7},
}

// plot is the ground around a soil probe.
type plot struct {
	site      *site
	crop      *monthly
	thirst    float64 // the stand's own factor, around 1
	irrigated bool
	salinity  float64         // 1..2.5
	offset    [layers]float64 // % by volume, how the soil differs from the loam
	water     *chain[moisture]
}

type moisture [layers]float64

func newPlot(s *site, p plot) *plot {
	p.site = s
	p.water = newChain(moisture{29, 30, 31}, func(day int, m moisture) moisture {
		return p.balance(day, m).end(m)
	})
	return &p
}

// waterDay is one day of a plot: what each layer gains and loses, in % by
// volume, and what was brought.
type waterDay struct {
	irrigation float64 // mm
	rain       float64 // mm that enter
	gained     moisture
	used       moisture // by roots and air
	drained    moisture // out of the layer
	seeped     moisture // into it from the one above
}

func (w waterDay) end(m moisture) moisture {
	for i := range m {
		m[i] += w.gained[i] + w.seeped[i] - w.used[i] - w.drained[i]
	}
	return m
}

// balance decides a day from the moisture at its start.
func (p *plot) balance(number int, m moisture) waterDay {
	d := p.site.day(number)
	w := waterDay{rain: .85 * d.rain}
	depletion, total := 0., 0.
	for i := range managed {
		depletion += max(0, fieldCapacity[i]-m[i]) / 100 * layerDepth[i]
		total += (fieldCapacity[i] - wiltingPoint[i]) / 100 * layerDepth[i]
	}
	if p.irrigated && depletion > allowed*total && p.site.frostFree(d) {
		w.irrigation = min(30, .9*depletion)
	}
	demand := d.evaporation * p.crop.at(d.season) * p.thirst
	brought := w.rain + w.irrigation
	for i := range m {
		available := held((m[i] - wiltingPoint[i]) / (fieldCapacity[i] - wiltingPoint[i]))
		percent := 100 / layerDepth[i]
		w.used[i] = demand * rootShare[i] * min(1, available/.5) * percent
		w.drained[i] = max(0, m[i]-fieldCapacity[i]) / 2
		if i > 0 {
			w.seeped[i] = w.drained[i-1] * layerDepth[i-1] / layerDepth[i]
		}
		room := fieldCapacity[i] + saturated - (m[i] + w.seeped[i] - w.drained[i])
		w.gained[i] = max(0, min(brought*percent, room))
		brought -= w.gained[i] / percent
	}
	return w
}

// frostFree tells whether the pipes may hold water at that time of the year.
func (s *site) frostFree(d *day) bool {
	return s.climate.low.at(d.season) > 4
}

// moisture is what the soil holds at a probe's depth, in % by volume. A deep
// probe hears late and blurred of what happened above.
func (p *plot) moisture(m moment, layer int) float64 {
	delay := wettingDelay[layer] * 3600
	if delay == 0 {
		return p.held(m, layer)
	}
	sum := 0.
	for _, share := range blur {
		sum += p.held(p.site.momentAt(m.seconds-delay*share), layer)
	}
	return sum / float64(len(blur))
}

// blur spreads a delay around its mean.
var blur = [...]float64{.3, .5, .7, .9, 1.1, 1.3, 1.5, 1.7}

// held is what a layer holds, in % by volume.
func (p *plot) held(m moment, layer int) float64 {
	theta := p.water.at(m.day.number)
	w := p.balance(m.day.number, theta)
	brought := 0.
	if all := w.rain + w.irrigation; all > 0 {
		brought = (.85*m.day.fallen(m.hour) + w.irrigation*irrigated(m.hour)) / all
	}
	ebbed := 2 * (1 - math.Exp2(-m.hour/24))
	return theta[layer] + p.offset[layer] + w.gained[layer]*brought -
		w.used[layer]*drunk(m.day, m.hour) + (w.seeped[layer]-w.drained[layer])*ebbed
}

// irrigated is the share of a morning's irrigation that was given by hour h.
func irrigated(h float64) float64 {
	return eased((h - irrigationStart) / (irrigationEnd - irrigationStart))
}

const (
	irrigationStart = 5 // local hours
	irrigationEnd   = 7
)

// drunk is the share of a day's evapotranspiration by hour h: it goes with the
// square of the sun's course.
func drunk(d *day, h float64) float64 {
	x := held((h - d.rise) / (d.set - d.rise))
	return x - math.Sin(2*math.Pi*x)/(2*math.Pi)
}

// conductivity of the bulk soil, in mS/cm, goes with the water in it.
func (p *plot) conductivity(theta float64) float64 {
	return max(.02, .25+.02*(theta-10)*p.salinity)
}

// soilTemperature at a depth in m: the year's wave, the day's wave and the last
// days' weather, each fading and late as it goes down.
func (s *site) soilTemperature(m moment, z float64) float64 {
	const (
		yearDepth    = 2.24 // m, where the year's wave has faded to 1/e
		dayDepth     = .117
		weatherDepth = .5
	)
	year := 2 * math.Pi * (float64(m.day.yearDay) + m.hour/24 - s.wave.hottest) / daysInYear
	half := s.between(m, func(d *day) float64 { return (d.high - d.low) / 2 })
	recent := s.between(m, func(d *day) float64 {
		return (d.anomaly + s.day(d.number-1).anomaly + s.day(d.number-2).anomaly) / 3
	})
	return s.wave.mean + s.wave.amplitude*math.Exp(-z/yearDepth)*math.Cos(year-z/yearDepth) +
		half*.8*math.Exp(-z/dayDepth)*math.Cos(2*math.Pi*(m.hour-14)/24-z/dayDepth) +
		.6*recent*math.Exp(-z/weatherDepth)
}
