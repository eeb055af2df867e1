package openapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi/wire"
)

func aggregatesPath(day time.Time, more ...string) string {
	return query(
		"/devices/WS-1/aggregates",
		append([]string{"from", rfc3339(day), "to", rfc3339(day.Add(24 * time.Hour))}, more...)...)
}

// Hours and days have the expected form; texts and booleans have none.
func TestAggregatesForm(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	w.measure(
		t,
		w.ws1,
		day.Add(4*time.Hour+30*time.Minute),
		map[string]reading.Value{"airTemperature": reading.Number(3.8)},
	)
	a := w.do(t, call{path: aggregatesPath(day, "properties", "airTemperature,note,rain")})
	want := `{"resolution":"hour","items":[` +
		`{"time":"2026-11-01T00:00:00.000Z","values":{"airTemperature":{"count":1,"high":-0.5,"low":-0.5,"mean":-0.5,"sum":-0.5}}},` +
		`{"time":"2026-11-01T01:00:00.000Z","values":{"airTemperature":{"count":1,"high":1e+21,"low":1e+21,"mean":1e+21,"sum":1e+21}}},` +
		`{"time":"2026-11-01T02:00:00.000Z","values":{"rain":{"count":1,"high":0,"low":0,"mean":0,"sum":0}}},` +
		`{"time":"2026-11-01T04:00:00.000Z","values":{"airTemperature":{"count":2,"high":3.8,"low":3.4,"mean":3.6,"sum":7.2}}}]}`
	if got := strings.TrimSpace(string(a.body)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	// A day of Istanbul begins at 21:00 of the day before (UTC).
	list := ask[wire.AggregateList](t, w, call{path: aggregatesPath(
		day, "properties", "rain,heating", "resolution", "day", "timeZone", "Europe/Istanbul",
	)})
	if b, _ := json.Marshal(
		list,
	); !strings.Contains(string(b), `"time":"2026-10-31T21:00:00.000Z"`) ||
		len(list.Items) != 1 {
		t.Errorf("%s", b)
	}
}

// By reading, each row holds the numbers of one instant; texts and booleans have none.
func TestAggregatesByReading(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	w.measure(t, w.ws1, day.Add(5*time.Hour), map[string]reading.Value{
		"airTemperature": reading.Number(3.8), "rain": reading.Number(2), "note": reading.Text("wet"),
	})
	one := func(identifier, number string) string {
		return fmt.Sprintf(`%q:{"count":1,"high":%[2]s,"low":%[2]s,"mean":%[2]s,"sum":%[2]s}`, identifier, number)
	}
	want := `{"resolution":"raw","items":[` +
		`{"time":"2026-11-01T00:00:00.000Z","values":{` + one("airTemperature", "-0.5") + `}},` +
		`{"time":"2026-11-01T01:00:00.000Z","values":{` + one("airTemperature", "1e+21") + `}},` +
		`{"time":"2026-11-01T02:00:00.000Z","values":{` + one("rain", "0") + `}},` +
		`{"time":"2026-11-01T04:00:00.000Z","values":{` + one("airTemperature", "3.4") + `}},` +
		`{"time":"2026-11-01T05:00:00.000Z","values":{` + one("airTemperature", "3.8") + `,` + one("rain", "2") + `}}]}`
	for _, resolution := range []string{"raw", "auto"} {
		a := w.do(t, call{path: aggregatesPath(day, "resolution", resolution)})
		if got := strings.TrimSpace(string(a.body)); got != want {
			t.Errorf("%s: %s\nwant %s", resolution, got, want)
		}
		a = w.do(t, call{path: aggregatesPath(day, "resolution", resolution, "properties", "note,heating")})
		if got := strings.TrimSpace(string(a.body)); got != `{"resolution":"raw","items":[]}` {
			t.Errorf("%s without numbers: %s", resolution, got)
		}
	}
}

// The finest resolution that has at most as many values as asked for; without a resolution, hours.
func TestAggregatesChooseResolution(t *testing.T) {
	w := newFixture(t)
	from := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	w.measureMany(t, from, 7*3600) // one a second
	for n := range 150 {           // one a day and a half, later
		at := from.AddDate(1, 0, 0).Add(time.Duration(n) * 36 * time.Hour)
		w.measure(t, w.ws1, at, map[string]reading.Value{"rain": reading.Number(1)})
	}
	for _, c := range []struct {
		from, to           time.Time
		resolution, points string
		want               wire.AggregateListResolution
	}{
		{from, from.Add(7 * time.Hour), "hour", "100", wire.ByHour},
		{from, from.Add(7 * time.Hour), "auto", "20000", wire.ByHour},
		{from, from.Add(time.Second * 20000), "auto", "20000", wire.ByReading},
		{from, from.Add(time.Second * 20001), "auto", "20000", wire.ByHour},
		{from.Add(50 * time.Minute), from.Add(66 * time.Minute), "auto", "1000", wire.ByReading}, // of 2 hours
		{from.AddDate(0, 6, 0), from.AddDate(7, 0, 0), "auto", "150", wire.ByReading},
		{from.AddDate(0, 6, 0), from.AddDate(7, 0, 0), "auto", "149", wire.ByDay},
		{from, from.AddDate(7, 0, 0), "auto", "1000", wire.ByHour},
		{from, from.AddDate(7, 0, 0), "raw", "100", wire.ByReading},
		{from.AddDate(-9, 0, 0), from.AddDate(-8, 0, 0), "auto", "100", wire.ByReading}, // no readings
	} {
		list := ask[wire.AggregateList](t, w, call{path: query(
			"/devices/WS-1/aggregates", "from", rfc3339(c.from), "to", rfc3339(c.to),
			"resolution", c.resolution, "points", c.points,
		)})
		if list.Resolution != c.want {
			t.Errorf("%+v: %s", c, list.Resolution)
		}
	}
	if list := ask[wire.AggregateList](t, w, call{path: aggregatesPath(from)}); list.Resolution != wire.ByHour {
		t.Errorf("by default: %s", list.Resolution)
	}
}

func TestAggregatesRefuse(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	for _, c := range []struct{ parameter, path string }{
		{"resolution", aggregatesPath(day, "resolution", "week")},
		{"resolution", aggregatesPath(day, "resolution", "")},
		{"points", aggregatesPath(day, "resolution", "auto", "points", "99")},
		{"points", aggregatesPath(day, "resolution", "auto", "points", "20001")},
		{"points", aggregatesPath(day, "points", "many")},
		{"timeZone", aggregatesPath(day, "timeZone", "Mars/Olympus")},
		{"timeZone", aggregatesPath(day, "timeZone", "Local")},
		{"properties", aggregatesPath(day, "properties", "nothing")},
		{"limit", aggregatesPath(day, "limit", "50001")},
		{"from", query("/devices/WS-1/aggregates", "from", "yesterday")},
		{"to", query("/devices/WS-1/aggregates", "from", "2000", "to", "1000")},
		{"cursor", aggregatesPath(day, "cursor", "AAAA")},
	} {
		if p := w.mustRefuse(t, call{path: c.path}, http.StatusBadRequest); p.Parameter != c.parameter {
			t.Errorf("%s: %+v", c.path, p)
		}
	}
	if a := w.do(t, call{path: query("/devices/WS-9/aggregates", "from", "0")}); a.status != http.StatusNotFound {
		t.Errorf("another device: %d %s", a.status, a.body)
	}
}
