package alarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// orchard has three devices measure ten days: one swings about the threshold every night, one
// never, one on the first two nights. The second has its air in whole degrees.
func rows(t *testing.T) (*history, *alarm.RehearsalOptions, func(r alarm.Rule) []alarm.DeviceRule) {
	t.Helper()
	p := newHistory(t)
	coarse := *historyProduct
	coarse.Properties = slices.Clone(historyProduct.Properties)
	coarse.Properties[0].Precision = new(0)
	models := []*device.Product{historyProduct, &coarse, historyProduct}
	nights := oscillation(0, .3, 5)
	for i, air := range []func(day, minute int64) float64{
		nights,
		func(_, minute int64) float64 { return 5 + float64(minute%2) },
		func(day, minute int64) float64 { return nights(0, minute+60*max(0, day-1)) },
	} {
		p.device = historyDevice + device.ID(i)
		p.measureEveryMinute(10, air)
	}
	all := func(r alarm.Rule) (list []alarm.DeviceRule) {
		for i, model := range models {
			r.Device = historyDevice + device.ID(i)
			list = append(list, alarm.DeviceRule{Rule: r, TargetDevice: &device.Device{ID: r.Device,
				Name: fmt.Sprint("WS-", i)}, Product: model})
		}
		return list
	}
	return p, &alarm.RehearsalOptions{Readings: p.Store, From: 0, To: 10 * dayMs, Zone: time.UTC}, all
}

// Each device's rehearsal is handed over as soon as it is made. The advice is for all devices
// together.
func TestRehearseAll(t *testing.T) {
	_, o, all := rows(t)
	frost := ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 0))
	var told []string
	each := func(j *alarm.DeviceRule, h *alarm.Rehearsal) error {
		sum := h.Sum()
		told = append(told, fmt.Sprint(j.TargetDevice.Name, " ", h.Samples, " ", h.Total, " ", sum.Told, " ",
			sum.Nights, " ", sum.Longest, " ", sum.Last/minuteMs))
		if h.Advice != nil {
			t.Errorf("%s alone is advised %+v", j.TargetDevice.Name, h.Advice)
		}
		return nil
	}
	again := 0
	got, err := alarm.RehearseAll(t.Context(), o, all(frost), each, func() error { again++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"WS-0 14400 300 300 300 60000 13018", "WS-1 14400 0 0 0 0 0", "WS-2 14400 60 60 60 60000 1498"}
	if !slices.Equal(told, want) {
		t.Errorf("%q\nwant %q", told, want)
	}
	if got.Devices != 3 || got.Total != 360 || again != 2 {
		t.Errorf("%+v, %d devices read again", got, again)
	}
	// Half a degree would suffice, except for the product with whole degrees.
	wantAdvice(t, got.Advice, "air 0 clears at 1: 12 of 360; 5 in 10m0s: 72 of 360, keeps 12 over 0s, drops 0")

	// More samples within a longer time may begin notices on devices that had none.
	again = 0
	if got, err = alarm.RehearseAll(t.Context(), o,
		all(ruleWith(2, time.Minute, numberCondition("air", comparator.Below, 1))), each,
		func() error { again++; return nil }); err != nil {
		t.Fatal(err)
	}
	if got.Total != 0 || again != 0 {
		t.Errorf("%+v, %d devices read again", got, again)
	}
	if _, err = alarm.RehearseAll(t.Context(), o,
		all(ruleWith(2, 4*time.Minute, numberCondition("air", comparator.Below, 0))), each,
		func() error { again++; return nil }); err != nil || again != 3 {
		t.Errorf("%d devices read again, %v", again, err)
	}
}

func wantAdvice(t *testing.T, list []alarm.RehearsalAdvice, want string) {
	t.Helper()
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = adviceText(a)
	}
	if got := strings.Join(words, "; "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// It ends when the caller's context ends, and with an error of the callback.
func TestRehearseAllEnds(t *testing.T) {
	_, o, all := rows(t)
	frost := all(ruleWith(1, time.Minute, numberCondition("air", comparator.Below, 0)))
	fault := errors.New("the client is gone")
	quiet := func() error { return nil }
	n := 0
	count := func(*alarm.DeviceRule, *alarm.Rehearsal) error { n++; return nil }
	ctx, cancel := context.WithCancel(t.Context())
	_, err := alarm.RehearseAll(ctx, o, frost, func(*alarm.DeviceRule,
		*alarm.Rehearsal) error {
		n++
		cancel()
		return nil
	}, quiet)
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
	if _, err = alarm.RehearseAll(t.Context(), o, frost, func(*alarm.DeviceRule,
		*alarm.Rehearsal) error {
		return fault
	}, quiet); !errors.Is(err, fault) {
		t.Errorf("%v", err)
	}
	n = 0
	if _, err = alarm.RehearseAll(t.Context(), o, frost, count, func() error { return fault }); !errors.Is(err,
		fault) || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
	// The caller's context ends during the second pass.
	ctx, cancel = context.WithCancel(t.Context())
	if _, err = alarm.RehearseAll(ctx, o, frost, count, func() error { cancel(); return nil }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
	frost[1].Product = &device.Product{Name: "bare"}
	n = 0
	if _, err = alarm.RehearseAll(t.Context(), o, frost, count, quiet); err == nil || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
}

// Rules on being offline get no advice.
func TestRehearseAllOffline(t *testing.T) {
	s := testkit.NewStores(t)
	field, station := s.Tenant(t, "field").ID, s.Station(t)
	rule := alarm.Rule{Tenant: field, Trigger: alarm.DeviceOffline, Window: time.Minute}
	var all []alarm.DeviceRule
	for i := range 2 {
		d := s.Device(t, field, station, fmt.Sprint("WS-", i))
		rule.Device = d.ID
		all = append(all, alarm.DeviceRule{Rule: rule, TargetDevice: d})
	}
	for range 5 {
		s.Presence.Seen(testkit.Ref(all[0].TargetDevice))
		s.Clock.Advance(testkit.OfflineAfter)
		s.Presence.Expire()
		s.Clock.Advance(time.Hour)
	}
	if err := s.Status.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	o := &alarm.RehearsalOptions{Status: s.Status, From: s.Clock.Milli() - dayMs, To: s.Clock.Milli(), Zone: time.UTC}
	totals := ""
	got, err := alarm.RehearseAll(t.Context(), o, all, func(j *alarm.DeviceRule, h *alarm.Rehearsal) error {
		totals += fmt.Sprint(j.TargetDevice.Name, " ", h.Total, " ", h.Sum().Longest/minuteMs, "; ")
		return nil
	}, func() error { t.Error("a second pass without readings"); return nil })
	if err != nil || totals != "WS-0 5 59; WS-1 0 0; " || got.Total != 5 || got.Devices != 2 || got.Advice != nil {
		t.Errorf("%q, %+v, %v", totals, got, err)
	}
}

// The quantiles of changes between readings, as round numbers.
func TestDeltaQuantile(t *testing.T) {
	for _, c := range []struct {
		readings   []float64
		half, nine float64 // of ten changes: five are within half, nine within nine
	}{
		{nil, 0, 0},
		{[]float64{3}, 0, 0},
		{[]float64{3, 3, 3}, 0, 0},
		{[]float64{2.1, 2.3, 2.1}, .2, .2},
		{[]float64{1013.2, 1013, 1012.8}, .2, .2},
		{[]float64{20, 20.3, 20.6}, .5, .5},
		{[]float64{0, 51, 0}, 100, 100},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 59}, 1, 1},
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 58}, 1, 50},
		{[]float64{0, 1e-12}, 1e-9, 1e-9},
		{[]float64{-1e300, 1e300}, 5e9, 5e9},
	} {
		if half, nine := alarm.DeltaQuantile(.5, c.readings...),
			alarm.DeltaQuantile(.9, c.readings...); half != c.half || nine != c.nine {
			t.Errorf("%v: %v and %v, want %v and %v", c.readings, half, nine, c.half, c.nine)
		}
	}
}
