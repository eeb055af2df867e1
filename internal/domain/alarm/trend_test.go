package alarm_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
)

// rangeOf reads what a device has that measures every step, as of calls its values.
func rangeOf(step time.Duration, value func(at time.Duration) reading.Value) alarm.Range {
	return func(_ context.Context, from, to int64, fn func(at int64, fields []reading.Field) error) error {
		ms := step.Milliseconds()
		for at := (from + ms - 1) / ms * ms; at <= to; at += ms {
			v := value(time.Duration(at) * time.Millisecond)
			if v.Kind() == reading.KindNone {
				continue
			}
			if err := fn(at, []reading.Field{{Value: v}}); err != nil {
				return err
			}
		}
		return nil
	}
}

// The trend is the change over the span. Outliers, noise and the time of day do not count; where there
// is too little to say it, where nothing moved, and of old readings, it says nothing.
func TestTrendAt(t *testing.T) {
	const day, now = 24 * time.Hour, 100 * 24 * time.Hour
	number := func(of func(hours float64) float64) func(time.Duration) reading.Value {
		return func(at time.Duration) reading.Value { return reading.Number(of(at.Hours())) }
	}
	slow := func(hours float64) float64 { return .05 * hours }
	for name, c := range map[string]struct {
		step, span, newest time.Duration
		value              func(at time.Duration) reading.Value
		want               float64 // 0: none
	}{
		"a steady rise":       {time.Minute, day, now, number(slow), 1.2},
		"few readings":        {4 * time.Hour, day, now, number(slow), 1.2},
		"an hour":             {10 * time.Minute, time.Hour, now, number(func(h float64) float64 { return -2 * h }), -2},
		"the time of day":     {time.Minute, day, now, number(func(h float64) float64 { return 5*math.Sin(h*math.Pi/12) + slow(h) }), 1.2},
		"outliers":            {10 * time.Minute, day, now, number(func(h float64) float64 { return slow(h) + 90*math.Floor(math.Mod(h, 2)/1.8) }), 1.2},
		"less than the noise": {time.Minute, day, now, number(func(h float64) float64 { return slow(h)/20 + math.Mod(math.Sin(h*1000)*1e4, 1) }), 0},
		"nothing moves":       {time.Minute, day, now, number(func(float64) float64 { return 17.4 }), 0},
		"less than is shown":  {time.Minute, day, now, number(func(h float64) float64 { return slow(h) / 30 }), 0},
		"too few readings":    {7 * time.Hour, day, now, number(slow), 0},
		"an old reading":      {time.Minute, day, now - 13*time.Hour, number(slow), 0},
		"no span":             {time.Minute, 0, now, number(slow), 0},
		"a switch":            {time.Minute, day, now, func(time.Duration) reading.Value { return reading.Boolean(true) }, 0},
		"a gap a day ago": {time.Minute, day, now, func(at time.Duration) reading.Value {
			if at < now-11*time.Hour {
				return reading.Value{}
			}
			return reading.Number(slow(at.Hours()))
		}, 0},
	} {
		got, err := alarm.TrendAt(
			t.Context(), rangeOf(c.step, c.value), c.span, 1, c.newest.Milliseconds(), now.Milliseconds(),
		)
		if err != nil {
			t.Fatal(err)
		}
		if (got == nil) != (c.want == 0) || got != nil && *got != (alarm.Trend{Change: c.want, Span: c.span}) {
			t.Errorf("%s: %+v, want %v", name, got, c.want)
		}
	}
	broken := errors.New("broken")
	_, err := alarm.TrendAt(t.Context(), func(context.Context, int64, int64, func(int64, []reading.Field) error) error {
		return broken
	}, day, 1, 0, 0)
	if !errors.Is(err, broken) {
		t.Errorf("%v of a store that fails", err)
	}
}
