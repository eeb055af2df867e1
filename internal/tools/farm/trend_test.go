package farm

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/agronomy"
	"tilth/internal/tools/testkit/race"
)

// truthful returns the same farm with sensors that measure what is, unrounded.
func truthful(f *Farm) *Farm {
	for _, d := range f.devices {
		for _, s := range d.sensors {
			s.sigma, s.step, s.decimals = 0, 0, math.Pow10(9)
		}
	}
	return f
}

// measured is what a device measures of a property; false while it is dark.
func measured(d *Device, identifier string, at time.Time) (float64, bool) {
	values, _ := d.At(at, d.HistoryInterval)
	i := slices.IndexFunc(values, func(v Value) bool { return v.Identifier == identifier })
	if i < 0 {
		return 0, false
	}
	v, is := values[i].Value.(float64)
	return v, is
}

// readings are a property's readings at the interval of the product.
func readings(d *Device, identifier string) alarm.Range {
	return func(_ context.Context, from, to int64, fn func(at int64, fields []reading.Field) error) error {
		step := d.HistoryInterval.Milliseconds()
		for at := (from + step - 1) / step * step; at <= to; at += step {
			v, there := measured(d, identifier, time.UnixMilli(at))
			if !there {
				continue
			}
			if err := fn(at, []reading.Field{{Value: reading.Number(v)}}); err != nil {
				return err
			}
		}
		return nil
	}
}

// The simulation knows the truth. Where it changed by more than twice the noise over a quantity's span,
// the trend says so with the right sign in at least 95 of 100 spans, and silence counts as wrong. It is
// the same of sensors without noise.
func TestTrendsAreTrue(t *testing.T) {
	s, err := parse(farmFile)
	if err != nil {
		t.Fatal(err)
	}
	truth, noisy := truthful(New(testSeed, demoNow)), New(testSeed, demoNow)
	tallies := map[string]*trendTally{}
	for _, name := range []string{"SP-1288", "SP-1203", "WS-0417", "GC-0032", "WL-0008"} {
		clear, device := findDevice(t, truth, name), findDevice(t, noisy, name)
		for _, product := range s.Products {
			for _, p := range product.Properties {
				span := agronomy.TrendSpan(p.Identifier, p.ElementUnit)
				if product.Name != clear.Product || span == 0 || p.Formula != "" {
					continue
				}
				if tallies[p.Identifier] == nil {
					tallies[p.Identifier] = &trendTally{}
				}
				for i := range race.Cases(160) {
					at := demoNow.Add(-30*24*time.Hour - time.Duration(i)*27*time.Hour)
					tallies[p.Identifier].add(t, clear, device, &p, span, at)
				}
			}
		}
	}
	var all int
	for identifier, c := range tallies {
		t.Logf("%s: %d spans, %d right, %d without noise", identifier, c.spans, c.right, c.rightWithoutNoise)
		if all += c.spans; c.spans >= 20 && min(c.right, c.rightWithoutNoise) < c.spans*95/100 {
			t.Errorf("%s: of %d spans %d have the right sign, %d without noise", identifier, c.spans, c.right,
				c.rightWithoutNoise)
		}
	}
	if all < 20*race.Cases(10) {
		t.Errorf("only %d spans in which the truth changed", all)
	}
}

// trendTally counts the spans of a quantity in which the truth changed by more than twice the noise.
type trendTally struct{ spans, right, rightWithoutNoise int }

func (c *trendTally) add(t *testing.T, clear, noisy *Device, p *Property, span time.Duration, at time.Time) {
	t.Helper()
	after, measures := measured(clear, p.Identifier, at)
	before, measuredBefore := measured(clear, p.Identifier, at.Add(-span))
	sensor := noisy.sensors[p.Identifier]
	noise := sensor.sigma
	if sensor.share {
		noise *= max(before, after)
	}
	noise = max(noise, sensor.step/2, .5/sensor.decimals)
	if !measures || !measuredBefore || math.Abs(after-before) <= 2*noise {
		return
	}
	c.spans++
	for d, count := range map[*Device]*int{noisy: &c.right, clear: &c.rightWithoutNoise} {
		trend, err := alarm.TrendAt(t.Context(), readings(d, p.Identifier), span, *p.Precision, at.UnixMilli(),
			at.UnixMilli())
		if err != nil {
			t.Fatal(err)
		}
		if trend != nil && (trend.Change > 0) == (after > before) {
			*count++
		}
	}
}
