package farm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// SimulatedDevice is a device that somebody else set up and that shall
// publish.
type SimulatedDevice struct {
	Name, Secret string
	// Product is its product's name. The six products of the demo's farm
	// report weather, soil and so on; any other reports numbers that wander
	// within the bounds of Properties, and booleans that change now and then.
	Product string
	// Properties is the product's thing model. Only what it lists is
	// reported, rounded and bounded as it says. Text is left out, since
	// nobody can guess what it should say.
	Properties []Property
	// Latitude and Longitude choose the nearer of the simulator's climates;
	// both zero means unknown.
	Latitude, Longitude float64
}

// SimulateOptions says what to simulate and where.
type SimulateOptions struct {
	Broker  string
	Devices []SimulatedDevice
	Seed    uint64
	// Every is the interval of all devices; zero means that of each device's
	// product, and ten seconds for a product that is not the demo's.
	Every time.Duration
	// Count ends each device after so many reports; zero means never.
	Count int
	// OnAck is called as in PublishOptions.
	OnAck func(deviceName string, r Report)

	LinkOptions
}

// Simulate publishes for given devices over MQTT until ctx ends or each has
// sent its Count. Nothing goes wrong on their side: every report is sent on
// time and once, and again only when it was not acknowledged. Errors are as
// with Publish; a device with nothing to report is one too.
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

// measureFunc is what a device reports at t; since is the time from its last
// report.
type measureFunc func(t time.Time, since time.Duration) ([]Value, bool)

// steadyReports is reports without trouble, count of them or without end.
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
			return nil, 0, errors.New("its product has no number and no boolean to report")
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
		return nil, 0, errors.New("its thing model lists nothing that its product measures")
	}
	return d.At, d.LiveInterval, nil
}

const defaultInterval = 10 * time.Second

// newPlaces are the sites of the demo's farm under another seed.
func newPlaces(seed uint64) []*site {
	var all []*site
	for _, d := range New(seed, time.Unix(epoch*secondsADay, 0)).devices {
		if len(all) == 0 || all[len(all)-1] != d.site {
			all = append(all, d.site)
		}
	}
	return all
}

// nearest is the site nearest to a position, near enough for a climate: a
// degree east counts as it does at the equator. Without a position it is the
// first.
func nearest(places []*site, latitude, longitude float64) *site {
	best := places[0]
	if latitude == 0 && longitude == 0 {
		return best
	}
	far := func(s *site) float64 { return math.Hypot(s.latitude-latitude, s.longitude-longitude) }
	for _, s := range places {
		if far(s) < far(best) {
			best = s
		}
	}
	return best
}
