package ingest

import (
	"context"
	"math"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/rain"
	"tilth/internal/domain/reading"
)

// maxHeldGauges bounds heldGauges. Of one that is dropped, counts that are not believed
// are waited for anew, as after a restart.
const maxHeldGauges = 10_000

// rainCounter is a field that counts rain, and the readings of it.
type rainCounter struct {
	field   string
	reading device.PropertyID
}

var rainCounters = [rain.Counters]rainCounter{
	rain.Total:        {"totalrainin", device.RainTotal},
	rain.Yearly:       {"yearlyrainin", device.RainYearly},
	rain.Monthly:      {"monthlyrainin", device.RainMonthly},
	rain.Weekly:       {"weeklyrainin", device.RainWeekly},
	rain.Daily:        {"dailyrainin", device.RainDaily},
	rain.PiezoYearly:  {"yrain_piezo", device.RainPiezoYearly},
	rain.PiezoMonthly: {"mrain_piezo", device.RainPiezoMonthly},
	rain.PiezoWeekly:  {"wrain_piezo", device.RainPiezoWeekly},
	rain.PiezoDaily:   {"drain_piezo", device.RainPiezoDaily},
}

// rainCounterFields are the names of the fields that count rain.
func rainCounterFields() (names []string) {
	for _, c := range rainCounters {
		names = append(names, c.field)
	}
	return names
}

// heldGauges are gauges of which the stored readings do not tell everything.
type heldGauges map[device.ID]rain.Gauge

// rainGauges derive the rain since the report before from the rain counters in a batch. The counts that the next
// report is compared with are readings too, written in the same batch as the rain, so that no rain is lost or counted
// twice by a restart.
type rainGauges struct {
	newest newest
	held   heldGauges
	batch  heldGauges // after the reports in this batch so far
}

// countersFrom is the place of the rain counters in a frame; they have the highest numbers.
func countersFrom(sorted []reading.Field) int {
	n := len(sorted)
	for n > 0 && sorted[n-1].Property.IsRainCounter() {
		n--
	}
	return n
}

// countValues counts the values of a frame; all rain counters together are one.
func countValues(sorted []reading.Field) int {
	n := countersFrom(sorted)
	return n + min(1, len(sorted)-n)
}

// derive adds the rainfall to a frame with counters, and replaces counts that are not believed by those that the next
// ones are compared with. The counters of a late or repeated report are removed. The reason is empty unless something
// is refused.
func (g *rainGauges) derive(ctx context.Context, e *device.Entry, a *reading.Arrival) (refused device.Reason) {
	n := countersFrom(a.Fields)
	property, maxRise := e.Product.Property(device.Rainfall), float64(rain.DefaultMaxRise)
	if property != nil && property.MaxRise != nil {
		maxRise = *property.MaxRise
	}
	before, shown := g.last(ctx, e), countsOf(a.Fields[n:])
	after, fall := before.Next(a.Time, shown, maxRise)
	if fall.Late {
		a.Fields = a.Fields[:n:n]
		return ""
	}
	if g.batch == nil {
		g.batch = heldGauges{}
	}
	g.batch[e.ID] = after
	a.Fields = slices.Clone(a.Fields)
	replaceCounts(a.Fields[n:], &shown, after.References())
	if property == nil || !property.CountsRain() {
		return ""
	}
	if fall.TooFast {
		refused = device.ReasonTooFast
	}
	fallen := roundToHundredths(fall.MM)
	switch {
	case !fall.Known:
	case !property.InRange(fallen):
		refused = device.ReasonOutOfRange
	default:
		place, _ := slices.BinarySearchFunc(a.Fields, property.ID, byProperty)
		field := reading.Field{Property: property.ID, Value: reading.Number(fallen)}
		a.Fields = slices.Insert(a.Fields, place, field)
	}
	return refused
}

// countsOf reads the counters of a frame.
func countsOf(counters []reading.Field) (shown rain.Counts) {
	for c := range rainCounters {
		i := slices.IndexFunc(counters, func(f reading.Field) bool { return f.Property == rainCounters[c].reading })
		if i >= 0 {
			shown[c] = rain.Count{MM: counters[i].Value.Float() * mmPerInch, Shown: true}
		}
	}
	return shown
}

// replaceCounts replaces the counts that are no references. Counts are kept as they were sent, in inches.
func replaceCounts(counters []reading.Field, shown *rain.Counts, references rain.Counts) {
	for c := range rainCounters {
		if shown[c] == references[c] {
			continue
		}
		for i := range counters {
			if counters[i].Property == rainCounters[c].reading {
				const digits = 1e6 // more than any station sends
				inches := math.Round(references[c].MM/mmPerInch*digits) / digits
				counters[i].Value = reading.Number(inches)
			}
		}
	}
}

// last returns what is known of the counters of the device's present box. Those of a box that was swapped say nothing
// about it.
func (g *rainGauges) last(ctx context.Context, e *device.Entry) rain.Gauge {
	gauge, known := g.batch[e.ID]
	if !known && g.newest != nil {
		gauge = storedGauge(ctx, g.newest, e.Ref)
		// A held gauge of another time was overtaken, by another server of the cluster for instance.
		if held, known := g.held[e.ID]; known && held.At() == gauge.At() {
			gauge = held
		}
	}
	if gauge.At() < e.BoxSince() {
		return rain.Gauge{}
	}
	return gauge
}

// keep holds what the stored readings do not tell of the gauges of a batch that is on disk.
func (g *rainGauges) keep() {
	for id, gauge := range g.batch {
		if gauge.Settled() {
			delete(g.held, id)
			continue
		}
		if _, known := g.held[id]; !known && len(g.held) >= maxHeldGauges {
			for other := range g.held {
				delete(g.held, other)
				break
			}
		}
		g.held[id] = gauge
	}
}

// storedGauge returns the gauge of a device as the readings on disk tell it. A counter that the newest report lacked
// has no reference: what it grew since was told by others.
func storedGauge(ctx context.Context, of newest, ref device.Ref) rain.Gauge {
	var times [rain.Counters]int64
	var references rain.Counts
	for c := range rainCounters {
		if n, ok := of.NewestOf(ctx, ref.Tenant, ref.ID, rainCounters[c].reading); ok {
			times[c] = n.Time
			references[c] = rain.Count{MM: n.Value.Float() * mmPerInch, Shown: true}
		}
	}
	at := slices.Max(times[:])
	for c := range references {
		if times[c] != at {
			references[c] = rain.Count{}
		}
	}
	return rain.Stored(at, references)
}

// LastRainCount gives what tells the time of the newest count of a device's rain gauge, epoch milliseconds; 0:
// there is none.
func LastRainCount(of newest) func(ctx context.Context, ref device.Ref) int64 {
	return func(ctx context.Context, ref device.Ref) int64 {
		gauge := storedGauge(ctx, of, ref)
		return gauge.At()
	}
}
