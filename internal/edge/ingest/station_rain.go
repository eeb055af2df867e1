package ingest

import (
	"context"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// rainGauges derive the rain since the report before from the rain counters in a batch. What a
// counter had grown to is a reading too, written in the same batch as the rain, so that no rain is
// lost or counted twice by a restart.
type rainGauges struct {
	newest newest
	batch  map[device.ID]rainCount // counters in this batch so far
}

// rainCount is what a counter showed.
type rainCount struct {
	counter device.PropertyID
	at      int64 // epoch ms
	inches  float64
}

// hasRainCounter tells whether a frame holds what a rain counter showed. Counters have the highest
// numbers, and a report has at most one.
func hasRainCounter(sorted []reading.Field) bool {
	return len(sorted) > 0 && slices.Contains(rainCounters, sorted[len(sorted)-1].Property)
}

// derive adds the rainfall to a frame with a counter. There is none for the first count of the device's
// present box, for that of another counter than before, and for a late or repeated one, which is removed. A
// lower count means that the counter began anew, so all of it fell since. ok is false if the rainfall is
// outside the property's range.
func (g *rainGauges) derive(ctx context.Context, e *device.Entry, a *reading.Arrival) (ok bool) {
	n := len(a.Fields) - 1
	count := rainCount{a.Fields[n].Property, a.Time, a.Fields[n].Value.Float()}
	before, known := g.last(ctx, e)
	if known && count.at <= before.at {
		a.Fields = a.Fields[:n:n]
		return true
	}
	if g.batch == nil {
		g.batch = map[device.ID]rainCount{}
	}
	g.batch[e.ID] = count
	property := e.Product.Property(rainfall)
	if !known || before.counter != count.counter || property == nil || !derivesRain(property) {
		return true
	}
	fallen := count.inches
	if fallen >= before.inches {
		fallen -= before.inches
	}
	fallen = roundToHundredths(fallen * mmPerInch)
	if !property.InRange(fallen) {
		return false
	}
	place, _ := slices.BinarySearchFunc(a.Fields, property.ID, byProperty)
	field := reading.Field{Property: property.ID, Value: reading.Number(fallen)}
	a.Fields = slices.Insert(slices.Clone(a.Fields), place, field)
	return true
}

// last returns what the counter of the device's present box showed last. The one of a box that was swapped
// says nothing about it.
func (g *rainGauges) last(ctx context.Context, e *device.Entry) (last rainCount, known bool) {
	last, known = g.newestCount(ctx, e)
	return last, known && last.at >= e.BoxSince()
}

// newestCount returns the newest count of the device, whichever box it is of.
func (g *rainGauges) newestCount(ctx context.Context, e *device.Entry) (last rainCount, known bool) {
	if last, known = g.batch[e.ID]; known || g.newest == nil {
		return last, known
	}
	return storedCount(ctx, g.newest, e.Ref)
}

// storedCount returns the newest count of a device that is on disk.
func storedCount(ctx context.Context, of newest, ref device.Ref) (last rainCount, known bool) {
	for _, counter := range rainCounters {
		n, ok := of.NewestOf(ctx, ref.Tenant, ref.ID, counter)
		if ok && (!known || n.Time > last.at) {
			last, known = rainCount{counter, n.Time, n.Value.Float()}, true
		}
	}
	return last, known
}

// LastRainCount gives what tells the time of the newest count of a device's rain gauge, epoch milliseconds; 0:
// there is none.
func LastRainCount(of newest) func(ctx context.Context, ref device.Ref) int64 {
	return func(ctx context.Context, ref device.Ref) int64 {
		last, _ := storedCount(ctx, of, ref)
		return last.at
	}
}
