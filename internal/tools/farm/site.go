package farm

import (
	"math"
	"sync"
	"time"
)

// place is the location of a site.
type place struct {
	climate    *climate
	latitude   float64       // degrees north
	longitude  float64       // degrees east
	elevation  float64       // m
	zone       time.Duration // local time ahead of UTC, the year round
	prevailing float64       // prevailing direction from which the wind comes, degrees
}

// site is a place with its weather.
type site struct {
	place
	seed           uint64
	name           string
	sinLat, cosLat float64
	wave           yearWave

	wet, amount, showers        noise // by local day
	anomaly, dew, sky           noise
	clouds, thickness, ripple   noise // by second
	wind, breeze, gust, bearing noise
	pressure                    noise

	blocks sync.Map // by block number: *block of days
}

func newSite(seed uint64, name string, p place) *site {
	s := &site{place: p, seed: seed, name: name, wave: p.climate.yearWave()}
	s.sinLat, s.cosLat = math.Sincos(p.latitude * math.Pi / 180)
	for quantity, n := range map[string]*noise{
		"wet": &s.wet, "amount": &s.amount, "showers": &s.showers,
		"anomaly": &s.anomaly, "dew": &s.dew, "sky": &s.sky,
		"clouds": &s.clouds, "thickness": &s.thickness, "ripple": &s.ripple,
		"wind": &s.wind, "breeze": &s.breeze, "gust": &s.gust, "bearing": &s.bearing,
		"pressure": &s.pressure,
	} {
		*n = namedNoise(seed, name, quantity)
	}
	return s
}

// moment is an instant in a site's local time.
type moment struct {
	seconds float64 // since 1970, UTC
	day     *day
	hour    float64 // local, 0..24
}

func (s *site) moment(t time.Time) moment {
	return s.momentAt(float64(t.UnixMilli()) / 1000)
}

func (s *site) momentAt(seconds float64) moment {
	local := seconds + s.zone.Seconds()
	number := math.Floor(local / secondsADay)
	return moment{seconds: seconds, day: s.day(int(number)), hour: (local - number*secondsADay) / 3600}
}

// start returns when a local day begins, in seconds since 1970 UTC.
func (s *site) start(number int) float64 {
	return float64(number)*secondsADay - s.zone.Seconds()
}

// between interpolates a quantity of the day from noon to noon, so that it
// does not jump at midnight.
func (s *site) between(m moment, of func(*day) float64) float64 {
	if m.hour < 12 {
		share := (m.hour + 12) / 24
		return of(s.day(m.day.number-1))*(1-share) + of(m.day)*share
	}
	share := (m.hour - 12) / 24
	return of(m.day)*(1-share) + of(s.day(m.day.number+1))*share
}

const secondsADay = 86400
