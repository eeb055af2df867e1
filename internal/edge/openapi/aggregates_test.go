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

// Pages follow each other without a gap, over months without readings.
func TestAggregatesPageByPage(t *testing.T) {
	w := newFixture(t)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range 7 {
		w.measure(
			t,
			w.ws1,
			begin.AddDate(0, n, n),
			map[string]reading.Value{"airTemperature": reading.Number(float64(n))},
		)
	}
	for _, resolution := range []string{"hour", "day"} {
		path := query("/devices/WS-1/aggregates", "from", rfc3339(begin), "resolution", resolution, "limit", "2")
		var got []string
		for next := path; next != ""; {
			list := ask[wire.AggregateList](t, w, call{path: next})
			for _, item := range list.Items {
				got = append(got, fmt.Sprint(item.Values["airTemperature"].Sum))
			}
			if next = ""; list.NextCursor != nil {
				next = path + "&cursor=" + *list.NextCursor
			}
			if len(list.Items) > 2 || len(got) > 20 {
				t.Fatalf("by %s: %v", resolution, got)
			}
		}
		// The device of the fixture has a reading of its own at the end.
		if s := strings.Join(got, " "); !strings.HasPrefix(s, "0 1 2 3 4 5 6") {
			t.Errorf("by %s: %s", resolution, s)
		}
	}
}

func TestAggregatesRefuse(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	for name, path := range map[string]string{
		"resolution": aggregatesPath(day, "resolution", "week"),
		"timeZone":   aggregatesPath(day, "timeZone", "Mars/Olympus"),
		"local zone": aggregatesPath(day, "timeZone", "Local"),
		"properties": aggregatesPath(day, "properties", "nothing"),
		"limit":      aggregatesPath(day, "limit", "50001"),
		"from":       query("/devices/WS-1/aggregates", "from", "yesterday"),
		"to":         query("/devices/WS-1/aggregates", "from", "2000", "to", "1000"),
		"cursor":     aggregatesPath(day, "cursor", "AAAA"),
	} {
		if a := w.do(t, call{path: path}); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := w.do(t, call{path: query("/devices/WS-9/aggregates", "from", "0")}); a.status != http.StatusNotFound {
		t.Errorf("another device: %d %s", a.status, a.body)
	}
}
