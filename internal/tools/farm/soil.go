package farm

import "math"

const layers = 3

// The soil of every plot: a loam in three layers. Moisture is in % by volume.
var (
	layerDepth    = [layers]float64{200, 200, 400} // mm thick
	fieldCapacity = [layers]float64{32, 33, 34}
	wiltingPoint  = [layers]float64{14, 15, 16}
	rootShare     = [layers]float64{.5, .3, .2} // share of the crop's water uptake
	probeDepth    = [layers]float64{.1, .3, .6} // m
	wettingDelay  = [layers]float64{0, 3, 10}   // hours until water reaches the probe
)

// A grower watches the layers with most of the roots, the upper 40 cm, and waters when the first of
// them has lost a share of its available water. FAO-56 gives .5 for fruit trees on a mild day and
// less the hotter it is: .42 where 7 mm evaporate. The sum over all layers is no measure: while the
// deep layer is still full, it hides that the roots above it run dry.
const (
	monitoredLayers  = 2
	allowedDepletion = .4
)

// An irrigation refills the whole root zone, as far as the pipes can in one morning.
const (
	refillShare   = .9 // share of the depletion; the rest is left to rain
	maxIrrigation = 40 // mm
)

// saturationMargin is how far above field capacity water can fill a layer, in %.
const saturationMargin = 4

// crop is how a stand of plants uses the soil's water.
type crop struct {
	coefficient monthly // water uptake as a share of the reference evapotranspiration
	hardy       bool    // watered from open ditches, which tolerate frost
}

var crops = map[string]*crop{
	"orchard":     {coefficient: monthly{.4, .4, .5, .65, .85, 1, 1.05, 1, .85, .65, .5, .4}},
	"wheat-maize": {coefficient: monthly{.4, .5, .9, 1.15, 1, .5, .8, 1.1, .8, .4, .45, .4}, hardy: true},
	"grass":       {coefficient: monthly{.7, .7, .8, .9, .95, 1, 1, 1, .95, .85, .75, .7}},
}

// plot is the ground around a soil probe.
type plot struct {
	site         *site
	crop         *crop
	demandFactor float64 // factor of the stand's water uptake, around 1
	irrigated    bool
	salinity     float64         // 1..2.5
	exposure     float64         // around 1: more for bare ground, less for shaded ground
	offset       [layers]float64 // % by volume, how the soil differs from the loam
	water        *dailyState[moisture]
}

type moisture [layers]float64

func newPlot(s *site, p plot) *plot {
	p.site = s
	p.water = newChain(moisture{29, 30, 31}, func(day int, m moisture) moisture {
		return p.balance(day, m).end(m)
	})
	return &p
}

// waterDay is one day of a plot's water: what each layer gains and loses, in % by volume, and the
// irrigation.
type waterDay struct {
	irrigation float64 // mm
	rain       float64 // mm that enter the soil
	gained     moisture
	used       moisture // by roots and air
	drained    moisture // out of the layer
	seeped     moisture // into the layer from the one above
}

func (w waterDay) end(m moisture) moisture {
	for i := range m {
		m[i] += w.gained[i] + w.seeped[i] - w.used[i] - w.drained[i]
	}
	return m
}

// balance computes a day from the moisture at its start.
func (p *plot) balance(number int, m moisture) waterDay {
	d := p.site.day(number)
	w := waterDay{rain: .85 * d.rain}
	depletion, dry := 0., false
	for i := range m {
		lost := max(0, fieldCapacity[i]-m[i])
		depletion += lost / 100 * layerDepth[i]
		if i < monitoredLayers && lost > allowedDepletion*(fieldCapacity[i]-wiltingPoint[i]) {
			dry = true
		}
	}
	if p.irrigated && dry && p.inSeason(d) {
		w.irrigation = min(maxIrrigation, refillShare*depletion)
	}
	demand := d.evaporation * p.crop.coefficient.at(d.season) * p.demandFactor
	brought := w.rain + w.irrigation
	for i := range m {
		available := clamp01((m[i] - wiltingPoint[i]) / (fieldCapacity[i] - wiltingPoint[i]))
		percent := 100 / layerDepth[i]
		w.used[i] = demand * rootShare[i] * min(1, available/.5) * percent
		w.drained[i] = max(0, m[i]-fieldCapacity[i]) / 2
		if i > 0 {
			w.seeped[i] = w.drained[i-1] * layerDepth[i-1] / layerDepth[i]
		}
		room := fieldCapacity[i] + saturationMargin - (m[i] + w.seeped[i] - w.drained[i])
		w.gained[i] = max(0, min(brought*percent, room))
		brought -= w.gained[i] / percent
	}
	return w
}

// inSeason tells whether the plot may be watered at that time of the year: from pipes while nights
// are free of frost, from ditches until the ground begins to freeze, since wheat needs moist soil
// in a dry winter.
func (p *plot) inSeason(d *day) bool {
	low, high := p.site.climate.low.at(d.season), p.site.climate.high.at(d.season)
	if p.crop.hardy {
		return (low+high)/2 > 3
	}
	return low > 4
}

// moisture returns the moisture at a probe's depth, in % by volume. Changes above reach a deep
// probe late and blurred.
func (p *plot) moisture(m moment, layer int) float64 {
	delay := wettingDelay[layer] * 3600
	if delay == 0 {
		return p.waterContent(m, layer)
	}
	sum := 0.
	for _, share := range blur {
		sum += p.waterContent(p.site.momentAt(m.seconds-delay*share), layer)
	}
	return sum / float64(len(blur))
}

// blur spreads a delay around its mean.
var blur = [...]float64{.3, .5, .7, .9, 1.1, 1.3, 1.5, 1.7}

// waterContent returns the moisture of a layer, in % by volume.
func (p *plot) waterContent(m moment, layer int) float64 {
	theta := p.water.at(m.day.number)
	w := p.balance(m.day.number, theta)
	brought := 0.
	if all := w.rain + w.irrigation; all > 0 {
		brought = (.85*m.day.fallen(m.hour) + w.irrigation*irrigated(m.hour)) / all
	}
	ebbed := 2 * (1 - math.Exp2(-m.hour/24))
	return theta[layer] + p.offset[layer] + w.gained[layer]*brought -
		w.used[layer]*evaporatedShare(m.day, m.hour) + (w.seeped[layer]-w.drained[layer])*ebbed
}

// irrigated returns the share of a morning's irrigation that is done by hour h.
func irrigated(h float64) float64 {
	return smoothstep((h - irrigationStart) / (irrigationEnd - irrigationStart))
}

const (
	irrigationStart = 5 // local hours
	irrigationEnd   = 7
)

// evaporatedShare returns the share of a day's evapotranspiration that is done by hour h. The rate
// follows the square of the sun's course.
func evaporatedShare(d *day, h float64) float64 {
	x := clamp01((h - d.rise) / (d.set - d.rise))
	return x - math.Sin(2*math.Pi*x)/(2*math.Pi)
}

// conductivity returns the conductivity of the bulk soil, in mS/cm, which rises with its water.
func (p *plot) conductivity(theta float64) float64 {
	return max(.02, .25+.02*(theta-10)*p.salinity)
}

// soilTemperature returns the temperature at a depth z in m: the annual wave, the daily wave and
// the weather of the last days, each weaker and later with depth. exposure is the share of the
// daily warming and cooling that the plot gets.
func (s *site) soilTemperature(m moment, z, exposure float64) float64 {
	const (
		yearDepth    = 2.24 // m, where the annual wave has fallen to 1/e
		dayDepth     = .117
		weatherDepth = .5
	)
	year := 2 * math.Pi * (float64(m.day.yearDay) + m.hour/24 - s.wave.hottest) / daysInYear
	half := s.between(m, func(d *day) float64 { return (d.high - d.low) / 2 })
	recent := s.between(m, func(d *day) float64 {
		return (d.anomaly + s.day(d.number-1).anomaly + s.day(d.number-2).anomaly) / 3
	})
	t := s.wave.mean + s.wave.amplitude*math.Exp(-z/yearDepth)*math.Cos(year-z/yearDepth) +
		half*.8*exposure*math.Exp(-z/dayDepth)*math.Cos(2*math.Pi*(m.hour-14)/24-z/dayDepth) +
		.6*recent*math.Exp(-z/weatherDepth)
	// Freezing water keeps wet soil near zero.
	if t < 0 {
		t *= frozenShare
	}
	return t
}

// frozenShare is the share of a temperature below zero that remains while water freezes.
const frozenShare = .4
