package console_test

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func onTimesPath(deviceName, sign string, from, to time.Time) string {
	return "/admin-api/client/pc/device/get/on-times?" + url.Values{
		"deviceName": {deviceName}, "yeuSign": {sign},
		"startTime": {strconv.FormatInt(from.UnixMilli(), 10)}, "endTime": {strconv.FormatInt(to.UnixMilli(), 10)},
	}.Encode()
}

// A switch that changes rarely, of a device that reports more often at some times than at others: what
// counts is how long it was on, not how often that was reported.
func TestOnTimes(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now() // noon in the tenant's zone
	begin := now.Add(-24 * time.Hour)
	report := func(hours float64, is bool) {
		at := begin.Add(time.Duration(hours * float64(time.Hour)))
		w.measure(t, w.ws2, at, map[string]reading.Value{"heating": reading.Boolean(is)})
	}
	for i := range 24 * 6 {
		if hours := float64(i) / 6; hours < 20 {
			report(hours, hours >= 10 && hours < 14)
		}
	}
	for i := range 100 { // many more readings while it is off
		report(2+float64(i)/1000, false)
	}
	h := time.Hour.Milliseconds()
	at := func(hours int64) int64 { return begin.UnixMilli() + hours*h }
	last := at(20) - 10*time.Minute.Milliseconds()
	sum := func(on, off, unknown int64, starts, stops int) string {
		return fmt.Sprintf(`{"off":%d,"on":%d,"starts":%d,"stops":%d,"unknown":%d}`, off, on, starts, stops, unknown)
	}
	silent := at(24) - last
	want := fmt.Sprintf(
		`{"days":[{"sum":%s,"time":%d},{"sum":%s,"time":%d}],"endTime":%d,"longestOff":{"from":%d,"to":%d},`+
			`"longestOn":{"from":%d,"to":%d},"phases":[{"from":%d,"state":"off"},{"from":%d,"state":"on"},`+
			`{"from":%d,"state":"off"},{"from":%d,"state":"unknown"}],"startTime":%d,"total":%s}`,
		sum(2*h, 10*h, 0, 1, 0), at(-12), sum(2*h, 10*h-silent, silent, 0, 1), at(12), at(24),
		at(0), at(10), at(10), at(14), at(0), at(10), at(14), last, at(0), sum(4*h, 20*h-silent, silent, 1, 1),
	)
	path := onTimesPath("WS-2", "heating", begin, now.Add(time.Hour)) // beyond now
	if got := testkit.Ask[wire.OnTimes](t, w.Contract, w.get(path)); asJSON(t, got) != want {
		t.Errorf("%s, want\n%s", asJSON(t, got), want)
	}
}

func TestOnTimesRefuse(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	for name, path := range map[string]string{
		"a number":         onTimesPath("WS-2", "rain", now.Add(-time.Hour), now),
		"unknown":          onTimesPath("WS-2", "nothing", now.Add(-time.Hour), now),
		"reverse range":    onTimesPath("WS-2", "heating", now, now.Add(-time.Hour)),
		"too long":         onTimesPath("WS-2", "heating", now.AddDate(0, 0, -401), now),
		"another tenant's": onTimesPath(marker+"-1", "heating", now.Add(-time.Hour), now),
	} {
		if a := w.Do(t, w.get(path)); a.Code == 200 {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	ahead := testkit.Ask[wire.OnTimes](
		t,
		w.Contract,
		w.get(onTimesPath("WS-2", "heating", now.Add(time.Hour), now.Add(2*time.Hour))),
	)
	if len(ahead.Days) != 0 || ahead.EndTime != ahead.StartTime {
		t.Errorf("a range ahead: %s", asJSON(t, ahead))
	}
}
