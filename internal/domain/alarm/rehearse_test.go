package alarm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

const (
	historyTenant = tenant.ID(3)
	historyDevice = device.ID(11)
	minuteMs      = int64(time.Minute / time.Millisecond)
	dayMs         = 24 * hour
)

// historyProduct measures air and soil, and whether the plants are being watered.
var historyProduct = &device.Product{Name: "past", Properties: []device.Property{
	{ID: 5, Identifier: "air", DataType: device.Number, Precision: new(1)},
	{ID: 2, Identifier: "soil", DataType: device.Number, Precision: new(0)},
	{ID: 9, Identifier: "watering", DataType: device.Boolean},
}}

// history is a store of readings that keeps few frames in memory.
type history struct {
	*reading.Store
	t       testing.TB
	device  device.ID // that measures
	waiting []reading.Arrival
}

func newHistory(t testing.TB) *history {
	t.Helper()
	store, err := reading.Open(t.Context(), reading.Options{Dir: t.TempDir(), Now: testkit.NewClock().Now})
	if err != nil {
		t.Fatal(err)
	}
	go func() { // as the consumer does, so that Append never waits
		_ = store.Consume(context.WithoutCancel(t.Context()), 0,
			func(context.Context, uint64, []reading.Arrival) error { return nil })
	}()
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &history{Store: store, t: t, device: historyDevice}
}

// measure puts a frame into the store; values alternate name and value.
func (p *history) measure(at int64, values ...any) {
	p.t.Helper()
	var fields []reading.Field
	for i := 0; i < len(values); i += 2 {
		v := reading.Value{}
		switch x := values[i+1].(type) {
		case bool:
			v = reading.Boolean(x)
		case float64:
			v = reading.Number(x)
		default:
			p.t.Fatalf("%v is no value", x)
		}
		fields = append(fields, reading.Field{Property: historyProduct.Property(values[i].(string)).ID, Value: v})
	}
	slices.SortFunc(fields, func(a, b reading.Field) int { return int(a.Property) - int(b.Property) })
	p.waiting = append(p.waiting, reading.Arrival{At: at,
		Frame: reading.Frame{Tenant: historyTenant, Device: p.device, Time: at, Fields: fields}})
	if len(p.waiting) == 1000 {
		p.done()
	}
}

func (p *history) done() {
	p.t.Helper()
	if err := p.Append(p.t.Context(), p.waiting); err != nil {
		p.t.Fatal(err)
	}
	p.waiting = nil
}

func ruleWith(hits int, window time.Duration, conditions ...alarm.Condition) alarm.Rule {
	return alarm.Rule{
		ID:         4,
		Tenant:     historyTenant,
		Device:     historyDevice,
		Deploy:     alarm.Running,
		Hits:       hits,
		Window:     window,
		Conditions: conditions,
	}
}

func numberCondition(name string, op comparator.Operator, v float64) alarm.Condition {
	return alarm.Condition{Join: "and", Attribute: name, Operator: op, Value: reading.Number(v)}
}

func istanbul(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Istanbul")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Three nights of frost, one with a pause. Readings before the first day are known and do not
// count.
func TestRehearse(t *testing.T) {
	p, zone := newHistory(t), istanbul(t)
	from := time.Date(2026, 11, 18, 0, 0, 0, 0, zone).UnixMilli()
	to := from + 3*dayMs
	p.measure(from-hour, "soil", 40.)
	p.measure(from-10*minuteMs, "air", -9.)
	p.measure(from-5*minuteMs, "air", -9.)
	for at := from; at <= to; at += 10 * minuteMs {
		since := (at - from) % dayMs / minuteMs
		air := 8.
		switch {
		case since >= 5*60 && since < 6*60:
			air = 1
		case (at-from)/dayMs == 1 && since >= 13*60 && since < 13*60+30:
			air = 1.5
		}
		p.measure(at, "air", air+float64((at-from)/dayMs)/10)
	}
	p.measure(to+minuteMs, "air", -40.) // after the end
	p.done()

	rule := ruleWith(2, 15*time.Minute, numberCondition("air", comparator.Below, 2),
		numberCondition("soil", comparator.Above, 30))
	rule.Period = alertmsg.Period{Start: 12 * 60, End: 18 * 60}
	place := &alarm.Coordinates{Latitude: 36.9, Longitude: 30.7}
	got, err := alarm.Rehearse(t.Context(), p.Store, rule, historyProduct, 0, from, to, zone, place)
	if err != nil {
		t.Fatal(err)
	}
	clock := func(day, h, m int64) int64 { return from + day*dayMs + (h*60+m)*minuteMs }
	want := []alarm.RehearsedNotice{
		{Start: clock(0, 5, 10), End: clock(0, 6, 0), Night: true},
		{Start: clock(1, 5, 10), End: clock(1, 6, 0), Night: true},
		{Start: clock(1, 13, 10), End: clock(1, 13, 30), Told: true},
		{Start: clock(2, 5, 10), End: clock(2, 6, 0), Night: true},
	}
	if !slices.Equal(got.Notices, want) || got.Total != 4 {
		t.Errorf("%+v\nwant %+v", got.Notices, want)
	}
	// Where people are not notified at once, they are notified when the period begins, of the
	// notices that are open then.
	for begin, told := range map[int]int{5*60 + 45: 4, 6 * 60: 1, 0: 4} {
		rule.Period = alertmsg.Period{Start: begin, End: 18 * 60}
		again, err := alarm.Rehearse(t.Context(), p.Store, rule, historyProduct, 0, from, to, zone, place)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, notice := range again.Notices {
			if notice.Told {
				n++
			}
		}
		if n != told {
			t.Errorf("period from minute %d: %d notified, want %d: %+v", begin, n, told, again.Notices)
		}
	}
	// 18 November 2026 is a Wednesday: its notices do not belong to Thursday.
	rule.Period = alertmsg.Period{Weekdays: []int{4}}
	on, err := alarm.Rehearse(t.Context(), p.Store, rule, historyProduct, 0, from, to, zone, place)
	if err != nil {
		t.Fatal(err)
	}
	for _, notice := range on.Notices {
		if want := notice.Start >= clock(1, 0, 0) && notice.Start < clock(2, 0, 0); notice.Told != want {
			t.Errorf("on Thursdays: %+v", notice)
		}
	}
	if got.Samples != 3*144+1 || got.From != from || got.To != to || got.Attribute != "air" {
		t.Errorf("%d samples of %s from %d to %d", got.Samples, got.Attribute, got.From, got.To)
	}
	days := []alarm.DayRange{{from, 1, 8}, {from + dayMs, 1.1, 8.1}, {from + 2*dayMs, 1.2, 8.2}, {to, 8.3, 8.3}}
	if !slices.Equal(got.Days, days) {
		t.Errorf("%+v\nwant %+v", got.Days, days)
	}
	if got.Pace != (alarm.Pace{Interval: 10 * minuteMs, Fits: true}) {
		t.Errorf("%+v", got.Pace)
	}
	// The rehearsal uses the code of the evaluation: the same frames handed to Step lead to the
	// same result.
	if steps := p.stepped(rule, from, to); !slices.Equal(steps, noticeTimes(want)) {
		t.Errorf("evaluated one by one: %v, rehearsed %v", steps, noticeTimes(want))
	}
	// Without coordinates the clock decides: 05:10 is night, 13:10 is not.
	if got, err = alarm.Rehearse(t.Context(), p.Store, rule, historyProduct, 0, from, to, zone, nil); err != nil ||
		!got.Notices[0].Night || got.Notices[2].Night {
		t.Errorf("%+v %v", got, err)
	}
	// Three samples in 15 minutes are impossible at one in ten minutes.
	rule.Hits = 3
	if got, err = alarm.Rehearse(t.Context(), p.Store, rule, historyProduct, 0, from, to, zone, nil); err != nil ||
		got.Total != 0 || got.Pace.Fits {
		t.Errorf("%+v %v", got, err)
	}
}

// stepped are the begins and ends when Step evaluates each frame.
func (p *history) stepped(r alarm.Rule, from, to int64) (moments []int64) {
	p.t.Helper()
	predicate, err := alarm.NewPredicate(r, historyProduct, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	state := alarm.NewState(predicate, from-1)
	err = p.Range(p.t.Context(), r.Tenant, r.Device, 0, to, []device.PropertyID{2, 5, 9},
		func(at int64, fields []reading.Field) error {
			if e, some := alarm.Step(predicate, state, at, max(at, from), fields); some {
				moments = append(moments, e.Time)
			}
			return nil
		})
	if err != nil {
		p.t.Fatal(err)
	}
	return moments
}

func noticeTimes(notices []alarm.RehearsedNotice) (moments []int64) {
	for _, n := range notices {
		moments = append(moments, n.Start, n.End)
	}
	return moments
}

// Notices beyond the listed ones are counted. The newest are listed; an open one has no end.
func TestRehearseMany(t *testing.T) {
	p := newHistory(t)
	for i := range int64(2401) {
		p.measure(i*minuteMs, "watering", i%2 == 0)
	}
	p.done()
	r := ruleWith(1, time.Minute, alarm.Condition{Join: "and", Attribute: "watering", Operator: comparator.Equal,
		Value: reading.Boolean(true)})
	got, err := alarm.Rehearse(t.Context(), p.Store, r, historyProduct, 0, 0, 2400*minuteMs, time.UTC, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Total != 1201 || len(got.Notices) != 500 || got.Samples != 2401 || got.Attribute != "" || got.Days != nil {
		t.Fatalf("%d notices, %d listed, %d samples, days of %q: %v", got.Total, len(got.Notices), got.Samples,
			got.Attribute, got.Days)
	}
	for i, n := range got.Notices {
		start := int64(2*(701+i)) * minuteMs
		if end := start + minuteMs; n.Start != start || i < 499 && n.End != end || i == 499 && n.End != 0 {
			t.Fatalf("notice %d: %+v", i, n)
		}
	}
}

func TestRehearseNothing(t *testing.T) {
	p := newHistory(t)
	r := ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 2))
	got, err := alarm.Rehearse(t.Context(), p.Store, r, historyProduct, 0, 0, dayMs, time.UTC, nil)
	if err != nil || got.Total != 0 || len(got.Notices) != 0 || got.Samples != 0 || !got.Pace.Fits ||
		got.Pace.Interval != 0 {
		t.Errorf("%+v %v", got, err)
	}
	r.Conditions[0].Attribute = "fog"
	if _, err := alarm.Rehearse(t.Context(), p.Store, r, historyProduct, 0, 0, dayMs, time.UTC, nil); err == nil ||
		!strings.Contains(err.Error(), "no property fog") {
		t.Errorf("%v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	r.Conditions[0].Attribute = "air"
	for i := range int64(2000) {
		p.measure(i*1000, "air", 1.)
	}
	p.done()
	if _, err := alarm.Rehearse(gone, p.Store, r, historyProduct, 0, 0, dayMs, time.UTC, nil); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The usual interval is that of the newest fifty gaps, and a pause does not affect it.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		gaps []int64 // ms, oldest first
		hits int
		want alarm.Pace
	}{
		{nil, 10, alarm.Pace{Fits: true}},
		{slices.Repeat([]int64{1000}, 4), 10, alarm.Pace{Fits: true}}, // five samples are too few
		{slices.Repeat([]int64{1000}, 5), 10, alarm.Pace{Interval: 1000, Fits: true}},
		{slices.Concat(slices.Repeat([]int64{1000}, 100), slices.Repeat([]int64{minuteMs}, 50)), 5,
			alarm.Pace{Interval: minuteMs, Fits: true}},
		{slices.Concat(slices.Repeat([]int64{minuteMs}, 20), []int64{5 * dayMs},
			slices.Repeat([]int64{minuteMs}, 20)), 5, alarm.Pace{Interval: minuteMs, Fits: true}},
		// 5 in 5 minutes: a sample as old as the window is outside.
		{slices.Repeat([]int64{minuteMs}, 10), 6, alarm.Pace{Interval: minuteMs}},
		{slices.Repeat([]int64{minuteMs - 1}, 10), 6, alarm.Pace{Interval: minuteMs - 1, Fits: true}}, // 6 samples
		// One sample always fits.
		{slices.Repeat([]int64{dayMs / 24}, 10), 1, alarm.Pace{Interval: hour, Fits: true}},
	} {
		p := newHistory(t)
		at := dayMs
		if c.gaps != nil {
			p.measure(at, "air", 5.)
		}
		for _, gap := range c.gaps {
			at += gap
			p.measure(at, "air", 5.)
		}
		p.done()
		r := ruleWith(c.hits, 5*time.Minute, numberCondition("air", comparator.Below, 2))
		got, err := alarm.Rehearse(t.Context(), p.Store, r, historyProduct, 0, 0, at, time.UTC, nil)
		if err != nil || got.Pace != c.want {
			t.Errorf("rehearsed: %+v (%v), want %+v", got.Pace, err, c.want)
		}
		o, err := alarm.LookAhead(t.Context(), p.Store, r, historyProduct, false, at)
		if err != nil || o.Pace != c.want {
			t.Errorf("outlook: %+v (%v), want %+v", o.Pace, err, c.want)
		}
	}
}

// The rehearsal finds absences longer than the rule's window in the device's presence changes.
func TestRehearseOffline(t *testing.T) {
	s := testkit.NewStores(t)
	d := s.Device(t, s.Tenant(t, "field").ID, s.Station(t), "WS-1")
	start := s.Clock.Milli()
	ref := testkit.Ref(d)
	after := testkit.OfflineAfter
	seen := func(later time.Duration) {
		s.Clock.Advance(later)
		s.Presence.Seen(ref)
	}
	gone := func() {
		s.Clock.Advance(after)
		s.Presence.Expire()
	}
	seen(0)
	gone()                 // 15 min
	seen(10 * time.Minute) // 25: shorter than the window
	gone()                 // 40
	seen(30 * time.Minute) // 70: as long as the window
	gone()                 // 85
	seen(2 * time.Hour)    // 205
	gone()                 // 220, and stays offline
	if err := s.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	r := alarm.Rule{Tenant: d.Tenant, Device: d.ID, Trigger: alarm.DeviceOffline, Window: 30 * time.Minute}
	at := func(minutes int64) int64 { return start + minutes*minuteMs }
	for _, c := range []struct {
		from, to int64
		want     []alarm.RehearsedNotice
		samples  int
	}{
		{at(-60), at(400), []alarm.RehearsedNotice{{Start: at(70), End: at(70)}, {Start: at(115), End: at(205)},
			{Start: at(250)}}, 8},
		{at(-60), at(249), []alarm.RehearsedNotice{{Start: at(70), End: at(70)}, {Start: at(115), End: at(205)}}, 8},
		{at(100), at(200), []alarm.RehearsedNotice{{Start: at(130)}}, 0},               // counts from the begin
		{at(100), at(220), []alarm.RehearsedNotice{{Start: at(130), End: at(205)}}, 2}, // and ends within the stretch
		// Too short when counted from the begin.
		{at(180), at(300), []alarm.RehearsedNotice{{Start: at(250)}}, 2},
		{at(-60), at(0), nil, 1},
	} {
		for i := range c.want {
			c.want[i].Told = true // always
		}
		got, err := alarm.RehearseOffline(t.Context(), s.Status, r, 0, c.from, c.to, time.UTC, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Notices, c.want) || got.Total != len(c.want) || got.Samples != c.samples ||
			!got.Pace.Fits || got.KnownFrom != max(c.from, start) {
			t.Errorf("%d to %d min: %d of %d samples, %+v\nwant %d, %+v", (c.from-start)/minuteMs,
				(c.to-start)/minuteMs, got.Total, got.Samples, got.Notices, c.samples, c.want)
		}
	}
	// Another tenant's device has no history.
	r.Tenant++
	if got, err := alarm.RehearseOffline(t.Context(), s.Status, r, 0, at(-60), at(400), time.UTC,
		nil); err != nil || got.Total != 0 || got.Samples != 0 || got.KnownFrom != 0 {
		t.Errorf("%+v %v", got, err)
	}
	broken, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := alarm.RehearseOffline(broken, s.Status, r, 0, at(-60), at(400), time.UTC, nil); err == nil {
		t.Error("a database that cannot be queried is taken for a device that never went offline")
	}
}

// BenchmarkRehearse rehearses 30 days of a reading a minute, of three attributes.
func BenchmarkRehearse(b *testing.B) {
	p := newHistory(b)
	end := testkit.Start.UnixMilli()
	for i := range int64(43_200) {
		at := end - (43_200-i)*minuteMs
		phase := 2 * math.Pi * float64(at%dayMs) / float64(dayMs)
		p.measure(at, "air", math.Round(100-80*math.Cos(phase))/10, "soil", float64(30+i%7), "watering", i%50 == 0)
	}
	p.done()
	r := ruleWith(
		3,
		30*time.Minute,
		numberCondition("air", comparator.Below, 4),
		numberCondition("soil", comparator.Above, 20),
		alarm.Condition{Join: "and", Attribute: "watering", Operator: comparator.Equal, Value: reading.Boolean(false)},
	)
	for b.Loop() {
		got, err := alarm.Rehearse(b.Context(), p.Store, r, historyProduct, 0, end-30*dayMs, end, istanbul(b),
			&alarm.Coordinates{Latitude: 36.9, Longitude: 30.7})
		if err != nil || got.Samples != 43_200 || got.Total < 30 {
			b.Fatal(fmt.Sprint(got.Samples, got.Total, err))
		}
	}
}
