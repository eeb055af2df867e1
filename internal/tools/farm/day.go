package farm

import (
	"math"
	"time"

	"tilth/internal/platform/agronomy"
)

// day holds what is computed once for a site's local day.
type day struct {
	number  int // since 1970-01-01, local
	yearDay int // 1..366
	season  season
	wet     bool
	rain    float64 // mm
	showers []shower
	tips    float64 // how full the tipping bucket is at midnight, 0..1

	cloud     float64 // 0..1
	anomaly   float64 // °C from the normal temperature
	high, low float64 // °C; low is at dawn
	dew       float64 // dew point at noon, °C

	rise, noon, set float64     // local hours
	sun             [24]float64 // expected global radiation by hour, W/m²
	sunshine        float64     // its sum over the day, MJ/m²
	evaporation     float64     // reference evapotranspiration, mm
}

// Whether a day is wet depends on the day before. So days are made in blocks: each block starts
// from the long-term chance, and a day depends only on the days before it in its block.
const daysABlock = 32

type block [daysABlock]day

func (s *site) day(number int) *day {
	b := number / daysABlock
	if number < 0 {
		b = (number - daysABlock + 1) / daysABlock
	}
	if cached, ok := s.blocks.Load(b); ok {
		return &cached.(*block)[number-b*daysABlock]
	}
	cached, _ := s.blocks.LoadOrStore(b, s.block(b*daysABlock))
	return &cached.(*block)[number-b*daysABlock]
}

func (s *site) block(first int) *block {
	var b block
	wet := false
	for i := range b {
		number := first + i
		date := time.Unix(int64(number)*secondsADay, 0).UTC()
		season := seasonOf(date)
		chance := s.wetChance(season)
		switch {
		case i == 0:
		case wet:
			chance += persistence * (1 - chance)
		default:
			chance *= 1 - persistence
		}
		wet = s.wet.uniform(int64(number)) < chance
		b[i] = s.makeDay(number, date.YearDay(), season, wet)
	}
	return &b
}

// persistence is how much likelier a day is wet after a wet day.
const persistence = .35

func (s *site) wetChance(at season) float64 {
	return s.climate.rainDays.at(at) / 30.4
}

func (s *site) makeDay(number, yearDay int, at season, wet bool) day {
	d := day{number: number, yearDay: yearDay, season: at, wet: wet}
	d.rain, d.showers = s.rainOf(&d)
	d.tips = s.amount.uniform(int64(number) + 1<<40)

	chance := s.wetChance(at)
	shine := s.climate.sunshine.at(at)
	veil := s.sky.normal(int64(number))
	if wet {
		d.cloud = clamp01(.85 + .12*veil)
	} else {
		// Dry days are sunnier, since wet days account for a part of the clouds.
		c := max(.04, (1-shine-.85*chance)/(1-chance))
		d.cloud = clamp01(c + .9*c*(1-c)*veil)
	}

	noon := s.start(number) + secondsADay/2
	wave := math.Cos(2 * math.Pi * float64(yearDay-15) / 365)
	d.anomaly = (3.2 + .9*wave) *
		(.8*s.anomaly.smooth(noon, 5*secondsADay) + .6*s.ripple.smooth(noon, 2.3*secondsADay))
	high, low := s.climate.high.at(at), s.climate.low.at(at)
	mean := (high + low) / 2
	half := (high - low) / 2 * (1.3 - .65*d.cloud) / (1.3 - .65*(1-shine))
	d.high, d.low = mean+d.anomaly+half, mean+d.anomaly-half

	d.dew = dewPoint(mean, s.climate.humidity.at(at)) + .75*d.anomaly +
		1.4*s.dew.smooth(noon, 1.7*secondsADay) - .6
	if wet {
		d.dew += 1.5
	} else {
		d.dew -= 1.5 * chance / (1 - chance)
	}

	s.light(&d)
	evaporation, _ := agronomy.DayWeather{ // 0 after an error: a site too hot, cold or high for grass
		High:      d.high,
		Low:       d.low,
		Vapor:     vaporPressure(min(d.dew, d.low)) / 10,
		Wind:      s.meanWind(noon) * windOf(&d) * meanDraught,
		Radiation: d.sunshine,
		Pressure:  agronomy.StandardPressure(s.elevation),
		Elevation: s.elevation,
		Latitude:  s.latitude,
		YearDay:   yearDay,
	}.Evapotranspiration()
	d.evaporation = max(0, evaporation)
	return d
}

// light sets when the sun is up and the radiation that is expected.
func (s *site) light(d *day) {
	j := float64(d.yearDay)
	d.noon = 12 - s.longitude/15 + s.zone.Hours() - equationOfTime(j+.5)
	half := sunsetAngle(s.latitude*math.Pi/180, declination(j+.5)) * 12 / math.Pi
	d.rise, d.set = d.noon-half, d.noon+half
	through := cloudTransmission(d.cloud, d.cloud)
	for h := range d.sun {
		// The mean of six instants is within a percent of the integral.
		for i := range 6 {
			d.sun[h] += s.clearSky(d, s.sunHeight(d, float64(h)+(float64(i)+.5)/6)) / 6 * through
		}
		d.sunshine += d.sun[h] * agronomy.MegajoulesPerWattHour
	}
}
