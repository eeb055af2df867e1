package farm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// SimulatedDevice is a device of an existing server for which the simulator publishes.
type SimulatedDevice struct {
	Name, Secret string
	// Product is the product's name. Devices of the demo's six products report weather, soil and so
	// on; devices of other products report numbers that vary randomly within the bounds of
	// Properties, and booleans that sometimes change.
	Product string
	// Properties is the product's thing model. The device reports only what it lists, rounded and
	// bounded as it says. It reports no text, since the simulator cannot know what the text should
	// say.
	Properties []Property
	// Latitude and Longitude select the nearer of the simulator's climates; both zero means
	// unknown.
	Latitude, Longitude float64
}

// SimulateOptions say what to simulate, and the broker.
type SimulateOptions struct {
	Broker  string // or several, with commas; a device uses the first that lets it in
	Devices []SimulatedDevice
	Seed    uint64
	// Every is the interval of all devices; zero means that of each device's product, and ten
	// seconds for other products than the demo's.
	Every time.Duration
	// Count is how many reports each device sends; zero means no end.
	Count int
	// OnAck is called as in PublishOptions.
	OnAck func(deviceName string, r Report)

	LinkOptions
}

// Simulate publishes for the given devices over MQTT until ctx ends or each has sent Count reports.
// The devices have no faults: they send every report on time and once, and repeat it only if the
// server did not acknowledge it. Errors are those of Publish; a device with nothing to report is an
// error, too.
func Simulate(ctx context.Context, o SimulateOptions) error {
	link := o.LinkOptions.withDefaults()
	places := newPlaces(o.Seed)
	senders := make([]*sender, 0, len(o.Devices))
	for _, sd := range o.Devices {
		measure, every, err := sd.source(o.Seed, places)
		if err != nil {
			return fmt.Errorf("simulate: %s: %w", sd.Name, err)
		}
		if o.Every > 0 {
			every = o.Every
		}
		s := &sender{
			name: sd.Name, secret: sd.Secret, broker: o.Broker, link: link, every: every,
			reports: steadyReports(newPlan(o.Seed, sd.Name).slots(every), link.Now(), o.Count, measure),
		}
		if o.OnAck != nil {
			s.onAck = func(r Report) { o.OnAck(sd.Name, r) }
		}
		senders = append(senders, s)
	}
	return run(ctx, senders)
}

// measureFunc returns what a device reports at t; since is the time since its previous report.
type measureFunc func(t time.Time, since time.Duration) ([]Value, bool)

// steadyReports returns reports without faults, count of them or without end.
func steadyReports(s slots, from time.Time, count int, measure measureFunc) iter.Seq[Report] {
	return func(yield func(Report) bool) {
		first := s.first(from.UnixMilli())
		for k := first; count == 0 || k < first+int64(count); k++ {
			ms := s.at(k)
			at := time.UnixMilli(ms)
			values, ok := measure(at, time.Duration(ms-s.at(k-1))*time.Millisecond)
			if ok && !yield(Report{Sent: at, Time: at, Values: values}) {
				return
			}
		}
	}
}

func (sd SimulatedDevice) source(seed uint64, places []*site) (measureFunc, time.Duration, error) {
	if products[sd.Product] == nil {
		w := newWalk(seed, sd.Name, sd.Properties)
		if len(w) == 0 {
			return nil, 0, errors.New("its product has no number or boolean to report")
		}
		return w.measure, defaultInterval, nil
	}
	d := newDevice(seed, nearest(places, sd.Latitude, sd.Longitude), sd.Name, sd.Product, sd.Properties)
	if err := d.equip(spotFile{}); err != nil {
		return nil, 0, err
	}
	if sd.Product == "water-station" {
		d.tank = newTank(d.site, nil, seed, sd.Name)
	}
	if values, _ := d.At(time.Unix(epoch*secondsADay, 0), d.LiveInterval); len(values) == 0 {
		return nil, 0, errors.New("its thing model lists no property that its product measures")
	}
	return d.At, d.LiveInterval, nil
}

const defaultInterval = 10 * time.Second

// newPlaces returns the sites of the demo's farm with another seed.
func newPlaces(seed uint64) []*site {
	var all []*site
	for _, d := range New(seed, time.Unix(epoch*secondsADay, 0)).devices {
		if len(all) == 0 || all[len(all)-1] != d.site {
			all = append(all, d.site)
		}
	}
	return all
}

// nearest returns the site nearest to a position. For a climate this is accurate enough: a degree
// of longitude counts as much as at the equator. Without a position it returns the first site.
func nearest(places []*site, latitude, longitude float64) *site {
	best := places[0]
	if latitude == 0 && longitude == 0 {
		return best
	}
	distance := func(s *site) float64 { return math.Hypot(s.latitude-latitude, s.longitude-longitude) }
	for _, s := range places {
		if distance(s) < distance(best) {
			best = s
		}
	}
	return best
}
