package alarm_test

import (
	"context"
	"math"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
)

// outlookAt is the time of the outlook tests; the newest reading has that time.
const outlookAt = 20_000 * dayMs

// A reading a minute for an hour, from 60 minutes ago to now.
func TestExpected(t *testing.T) {
	falling := func(m float64) float64 { return 10 - m/10 } // 4 at 60; 2 in 20 minutes
	for _, c := range []struct {
		name     string
		value    func(minute float64) float64
		rule     alarm.Condition
		distance float64
		expected int64 // minutes from now; 0: none
	}{
		{"falling to below", falling, numberCondition("air", comparator.Below, 2), 2, 20},
		{"falling to at most", falling, numberCondition("air", comparator.AtMost, 2), 2, 20},
		{"rising to above", func(m float64) float64 { return m / 10 }, numberCondition("air", comparator.Above, 9), 3, 30},
		{"rising to at least", func(m float64) float64 { return m / 10 }, numberCondition("air", comparator.AtLeast, 6.5), .5, 5},
		{"away from it", falling, numberCondition("air", comparator.Above, 20), 16, 0},
		{"a slight scatter", func(m float64) float64 { return falling(m) + .2*math.Sin(40*m) }, numberCondition("air", comparator.Below, 2), 2, 20},
		{"too much scatter", func(m float64) float64 { return falling(m) + 3*math.Sin(40*m) }, numberCondition("air", comparator.Below, -5), 8.5, 0},
		{"flat", func(float64) float64 { return 4 }, numberCondition("air", comparator.Below, 2), 2, 0},
		{"flattening", func(m float64) float64 { return 2.5 + 8*math.Exp(-m/20) }, numberCondition("air", comparator.Below, 2), .9, 0},
		{"flattening, straight enough for the whole", func(m float64) float64 { return 1 + 8*math.Exp(-m/24) }, numberCondition("air", comparator.Below, -3), 4.7, 0},
		{"the newest is off a line that leaves", func(m float64) float64 {
			if m == 60 {
				return 2.1
			}
			return m * .03
		}, numberCondition("air", comparator.Below, 2), .1, 0},
		{"turned", func(m float64) float64 { return math.Abs(m-45) / 10 }, numberCondition("air", comparator.Below, -1), 2.5, 0},
		{"beyond six hours", falling, numberCondition("air", comparator.Below, -40), 44, 0},
		{"just within", falling, numberCondition("air", comparator.Below, -31.9), 35.9, 359},
		{"beyond already, too few hits", falling, numberCondition("air", comparator.Below, 5), 0, 0},
		{"at the threshold, not below it", falling, numberCondition("air", comparator.Below, 4), 0, 0},
	} {
		p := newHistory(t)
		for m := range int64(61) {
			p.measure(outlookAt-(60-m)*minuteMs, "air", math.Round(100*c.value(float64(m)))/100, "soil", 50.)
		}
		p.done()
		o := look(t, p, ruleWith(3, 5*time.Minute, c.rule), false, outlookAt)
		if o.Value == nil || o.Distance == nil || math.Abs(*o.Distance-c.distance) > 1e-9 {
			t.Errorf("%s: value %v, distance %v", c.name, number(o.Value), number(o.Distance))
		}
		switch {
		case c.expected == 0 && o.Expected != 0:
			t.Errorf("%s: expected in %d min", c.name, (o.Expected-outlookAt)/minuteMs)
		case c.expected != 0 && math.Abs(float64(o.Expected-outlookAt-c.expected*minuteMs)) > float64(minuteMs):
			t.Errorf("%s: expected in %d min, want %d", c.name, (o.Expected-outlookAt)/minuteMs, c.expected)
		}
		if o.Expected%minuteMs != 0 || o.LastSample != outlookAt || o.Pace.Interval != minuteMs {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

func number(f *float64) any {
	if f == nil {
		return nil
	}
	return *f
}

func look(t *testing.T, p *history, r alarm.Rule, open bool, now int64) alarm.Outlook {
	t.Helper()
	o, err := alarm.LookAhead(t.Context(), p.Store, r, historyProduct, open, now)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Whether the newest value meets the condition is decided as alarms are: rounded to the decimals.
func TestOutlookHolds(t *testing.T) {
	for value, want := range map[float64]bool{1.9: true, 1.94: true, 1.96: false, 2: false, 2.1: false} {
		p := newHistory(t)
		p.measure(outlookAt, "air", value)
		p.done()
		o := look(t, p, ruleWith(3, 5*time.Minute, numberCondition("air", comparator.Below, 2)), false, outlookAt)
		if o.Holds == nil || *o.Holds != want || (*o.Distance == 0) != (value <= 2.04) {
			t.Errorf("%v: holds %v, distance %v", value, o.Holds, number(o.Distance))
		}
	}
}

// Too few readings, over too short a time, or too old ones give no expected time.
func TestExpectedNeedsEnough(t *testing.T) {
	for _, c := range []struct {
		name  string
		every int64 // minutes
		count int64
		old   int64 // ms, of the newest
		said  bool
	}{
		{"ten over 45 minutes", 5, 10, 0, true},
		{"nine", 5, 9, 0, false},
		{"over 29 minutes", 1, 30, 0, false},
		{"over 30 minutes", 1, 31, 0, true},
		{"three intervals old", 5, 12, 15 * minuteMs, true},
		{"older", 5, 12, 15*minuteMs + 1, false},
		{"every minute, three old", 1, 40, 3 * minuteMs, true},
		{"every minute, older", 1, 40, 3*minuteMs + 1, false},
	} {
		p := newHistory(t)
		for i := range c.count {
			back := (c.count - 1 - i) * c.every
			p.measure(outlookAt-c.old-back*minuteMs, "air", 10+float64(back)/10)
		}
		p.done()
		if o := look(t, p, ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 5)), false,
			outlookAt); (o.Expected != 0) != c.said || o.Distance == nil || *o.Distance != 5 {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// An expected time that has passed already is not given.
func TestExpectedIsAhead(t *testing.T) {
	p := newHistory(t)
	for m := range int64(61) {
		p.measure(outlookAt-(60-m)*minuteMs, "air", 10-float64(m)/10)
	}
	p.done()
	r := ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 3.8)) // in two minutes
	for later, said := range map[int64]bool{0: true, minuteMs: true, 2*minuteMs + 1000: false} {
		if o := look(t, p, r, false, outlookAt+later); (o.Expected != 0) != said || o.Distance == nil ||
			*o.Distance != .2 {
			t.Errorf("%d ms later: %+v", later, o)
		}
	}
}

// Running rules with one condition that compares a number by size, and without an open notice, have
// distance and expected time. All rules on readings have the pace and the newest sample.
func TestOutlookOf(t *testing.T) {
	p := newHistory(t)
	for m := range int64(61) {
		p.measure(outlookAt-(60-m)*minuteMs, "air", 10-float64(m)/10)
	}
	p.measure(outlookAt-30*minuteMs, "watering", false)
	p.measure(outlookAt+minuteMs, "soil", 50.)
	p.done()
	cold := numberCondition("air", comparator.Below, 2)
	stopped := ruleWith(1, time.Minute, cold)
	stopped.Deploy = alarm.TakenDown
	wet := alarm.Condition{Join: "or", Attribute: "watering", Operator: comparator.Equal, Value: reading.Boolean(true)}
	for _, c := range []struct {
		name string
		rule alarm.Rule
		open bool
		last int64
		said bool
	}{
		{"running", ruleWith(1, time.Minute, cold), false, outlookAt, true},
		{"open", ruleWith(1, time.Minute, cold), true, outlookAt, false},
		{"stopped", stopped, false, outlookAt, false},
		{"two conditions", ruleWith(1, time.Minute, cold, wet), false, outlookAt, false},
		{"of the other's time", ruleWith(1, time.Minute, cold, numberCondition("soil", comparator.Above, 3)), false, outlookAt + minuteMs, false},
		{"a boolean", ruleWith(1, time.Minute, wet), false, outlookAt - 30*minuteMs, false},
		{"equal", ruleWith(1, time.Minute, numberCondition("air", comparator.Equal, 2)), false, outlookAt, false},
		{"not equal", ruleWith(1, time.Minute, numberCondition("air", comparator.NotEqual, 2)), false, outlookAt, false},
		{"offline", alarm.Rule{Tenant: historyTenant, Device: historyDevice, Deploy: alarm.Running, Trigger: alarm.DeviceOffline, Window: time.Minute}, false, 0, false},
		{"another tenant's", func() alarm.Rule { r := ruleWith(1, time.Minute, cold); r.Tenant++; return r }(), false, 0, false},
	} {
		o := look(t, p, c.rule, c.open, outlookAt)
		if o.LastSample != c.last || (o.Distance != nil) != c.said || (o.Value != nil) != c.said ||
			(o.Expected != 0) != c.said || !o.Pace.Fits {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
	if _, err := alarm.LookAhead(t.Context(), p.Store, ruleWith(1, time.Minute,
		numberCondition("fog", comparator.Below, 2)), historyProduct, false, outlookAt); err == nil {
		t.Error("a rule on a property that is gone has an outlook")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := alarm.LookAhead(gone, p.Store, ruleWith(1, time.Minute, cold), historyProduct, false,
		outlookAt); err == nil {
		t.Error("readings that could not be read have an outlook")
	}
}

// Values from when the property had another type do not count: neither in a day's range nor in a
// trend, nor as the newest.
func TestOtherType(t *testing.T) {
	p := newHistory(t)
	for m := range int64(60) {
		p.measure(outlookAt-(60-m)*minuteMs, "air", 10-float64(m)/10)
		if m%20 == 0 {
			p.measure(outlookAt-(60-m)*minuteMs+1000, "air", true)
		}
	}
	p.done()
	r := ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 2))
	if o := look(t, p, r, false, outlookAt); o.Distance == nil || o.Expected == 0 {
		t.Errorf("with some of another type: %+v", o)
	}
	got, err := alarm.Rehearse(t.Context(), p.Store, r, historyProduct, 0, outlookAt-hour, outlookAt, time.UTC, nil)
	if err != nil || len(got.Days) != 1 || got.Days[0].Min != 10-5.9 || got.Days[0].Max != 10 {
		t.Errorf("%+v %v", got, err)
	}
	p.measure(outlookAt, "air", true)
	p.done()
	if o := look(t, p, r, false, outlookAt); o.Value != nil || o.Distance != nil || o.Expected != 0 ||
		o.LastSample != outlookAt {
		t.Errorf("the newest of another type: %+v", o)
	}
}

// BenchmarkLookAhead is for a device that measures every ten seconds.
func BenchmarkLookAhead(b *testing.B) {
	p := newHistory(b)
	for i := range int64(8640) {
		p.measure(outlookAt-(8640-i)*10_000, "air", 10-float64(i%360)/100, "soil", 50.)
	}
	p.done()
	r := ruleWith(3, 5*time.Minute, numberCondition("air", comparator.Below, 2))
	for b.Loop() {
		if o, err := alarm.LookAhead(b.Context(), p.Store, r, historyProduct, false, outlookAt); err != nil ||
			o.Distance == nil {
			b.Fatal(o, err)
		}
	}
}
