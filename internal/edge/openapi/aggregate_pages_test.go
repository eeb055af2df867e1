package openapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/race"
)

// aggregatePages returns the items of all pages of a path, and calls between after the first page.
func aggregatePages(
	t *testing.T,
	w *fixture,
	path string,
	limit int,
	between func(),
) (items []wire.Aggregates, resolution wire.AggregateListResolution) {
	t.Helper()
	path += fmt.Sprint("&limit=", limit)
	for next := path; next != ""; {
		list := ask[wire.AggregateList](t, w, call{path: next})
		if len(list.Items) > limit || len(items) > 1000 || items != nil && list.Resolution != resolution {
			t.Fatalf(
				"%s: %d items by %s, %d by %s before",
				next,
				len(list.Items),
				list.Resolution,
				len(items),
				resolution,
			)
		}
		resolution = list.Resolution
		if items == nil && between != nil {
			between()
		}
		items = append(items, list.Items...)
		if next = ""; list.NextCursor != nil {
			if len(list.Items) != limit {
				t.Errorf("a page of %d items is not the last", len(list.Items))
			}
			next = path + "&cursor=" + *list.NextCursor
		}
	}
	return items, resolution
}

// Pages follow each other without a gap, over months without readings. Readings of the same time are
// in one row, also at the end of a page.
func TestAggregatesPageByPage(t *testing.T) {
	w := newFixture(t)
	begin := time.Date(2026, 1, 1, 0, 30, 0, 0, time.UTC)
	for n := range 8 {
		at := begin.AddDate(0, n, n)
		number := reading.Number(float64(n))
		w.measure(t, w.ws1, at, map[string]reading.Value{"airTemperature": number})
		w.measure(t, w.ws1, at, map[string]reading.Value{"rain": number, "note": reading.Text("wet")})
		w.measure(t, w.ws1, at.Add(time.Minute), map[string]reading.Value{"note": reading.Text("a text only")})
		w.measure(t, w.ws1, at.Add(2*time.Minute), map[string]reading.Value{"rain": number})
		w.measure(t, w.ws1, at.Add(6*time.Hour), map[string]reading.Value{"rain": number})
	}
	for asked, want := range map[string]struct {
		rows int
		by   wire.AggregateListResolution
	}{"raw": {24, wire.ByReading}, "auto": {24, wire.ByReading}, "hour": {16, wire.ByHour}, "day": {8, wire.ByDay}} {
		path := query(
			"/devices/WS-1/aggregates",
			"from",
			rfc3339(begin),
			"to",
			rfc3339(begin.AddDate(0, 9, 0)),
			"resolution",
			asked,
		)
		whole := ask[wire.AggregateList](t, w, call{path: path})
		if len(whole.Items) != want.rows || whole.NextCursor != nil || whole.Resolution != want.by {
			t.Errorf(
				"by %s: %d rows by %s, more: %t",
				asked,
				len(whole.Items),
				whole.Resolution,
				whole.NextCursor != nil,
			)
		}
		if first := whole.Items[0].Values; len(first) != 2 {
			t.Errorf("by %s the first row has %v", asked, first)
		}
		for _, limit := range []int{1, 2, 3, 5, 8, 24} {
			items, by := aggregatePages(t, w, path, limit, nil)
			if !reflect.DeepEqual(items, whole.Items) || by != want.by {
				t.Errorf("by %s in pages of %d: %d rows by %s, want %d", asked, limit, len(items), by, len(whole.Items))
			}
		}
	}
}

// The first page chooses the resolution; readings that arrive meanwhile do not change it.
func TestAggregatesKeepResolution(t *testing.T) {
	w := newFixture(t)
	from := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	measure := func(from time.Time, n int, every time.Duration) {
		t.Helper()
		var batch []reading.Arrival
		for i := range n {
			at := from.Add(time.Duration(i) * every).UnixMilli()
			batch = append(batch, w.arrival(w.ws1, at, map[string]reading.Value{"rain": reading.Number(1)}))
		}
		if err := w.readings.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	path := query("/devices/WS-1/aggregates", "from", rfc3339(from), "resolution", "auto", "points", "100")
	for _, c := range []struct {
		path    string
		by      wire.AggregateListResolution
		n       int // readings that arrive
		every   time.Duration
		instead wire.AggregateListResolution // for who asks after that
	}{
		{path, wire.ByReading, 300, 10 * time.Minute, wire.ByHour},
		{path, wire.ByHour, 120, 7 * time.Hour, wire.ByDay},
		{path, wire.ByDay, 0, 0, wire.ByDay},
	} {
		if c.by == wire.ByReading {
			measure(from, 5, time.Minute)
		}
		_, by := aggregatePages(t, w, c.path, 3, func() { measure(from.Add(time.Hour), c.n, c.every) })
		again := ask[wire.AggregateList](t, w, call{path: c.path})
		if by != c.by || again.Resolution != c.instead {
			t.Errorf("by %s, want %s; afterwards by %s, want %s", by, c.by, again.Resolution, c.instead)
		}
	}
}

// A cursor belongs to its resolution and points; one without a resolution, as of before there were
// several, is refused.
func TestAggregateCursors(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	cursors := map[string]string{}
	for _, resolution := range []string{"auto", "raw", "hour"} {
		list := ask[wire.AggregateList](t, w, call{path: aggregatesPath(day, "resolution", resolution, "limit", "1")})
		cursors[resolution] = *list.NextCursor
	}
	with := func(of string, change func(fields map[string]any)) string {
		t.Helper()
		b, err := base64.RawURLEncoding.DecodeString(cursors[of])
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		change(fields)
		if b, err = json.Marshal(fields); err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	without := func(fields map[string]any) { delete(fields, "r") }
	setTo := func(value any) func(map[string]any) {
		return func(fields map[string]any) { fields["r"] = value }
	}
	for name, path := range map[string]string{
		"of another resolution":     aggregatesPath(day, "resolution", "hour", "cursor", cursors["raw"]),
		"of auto":                   aggregatesPath(day, "resolution", "raw", "cursor", cursors["auto"]),
		"of other points":           aggregatesPath(day, "resolution", "auto", "points", "101", "cursor", cursors["auto"]),
		"of another zone":           aggregatesPath(day, "timeZone", "Asia/Tokyo", "cursor", cursors["hour"]),
		"without a resolution":      aggregatesPath(day, "cursor", with("hour", without)),
		"of auto without":           aggregatesPath(day, "resolution", "auto", "cursor", with("auto", without)),
		"changed to day":            aggregatesPath(day, "cursor", with("hour", setTo("day"))),
		"changed to auto":           aggregatesPath(day, "resolution", "auto", "cursor", with("auto", setTo("auto"))),
		"changed to no resolution":  aggregatesPath(day, "resolution", "auto", "cursor", with("auto", setTo("week"))),
		"with a number as its step": aggregatesPath(day, "resolution", "auto", "cursor", with("auto", setTo(1))),
	} {
		if p := w.mustRefuse(t, call{path: path}, http.StatusBadRequest); p.Parameter != "cursor" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for resolution, given := range cursors { // the limit may differ
		ask[wire.AggregateList](
			t,
			w,
			call{path: aggregatesPath(day, "resolution", resolution, "limit", "3", "cursor", given)},
		)
	}
}

// Answers by reading count with those of history; those by hour and day do not.
func TestAggregatesByReadingTakeHistorySlots(t *testing.T) {
	streams := reading.NewHistoryStreams(nil)
	w := newFixture(t, func(o *openapi.Options) { o.HistoryStreams = streams })
	w.measureMany(t, longHistoryStart, 10)
	for range reading.HistoryStreamsPerUser {
		leave := streams.Acquire(t.Context(), w.field.ID, w.field.Ada.ID)
		if leave == nil {
			t.Fatal("no slot")
		}
		defer leave()
	}
	for _, resolution := range []string{"raw", "auto"} {
		path := aggregatesPath(longHistoryStart, "resolution", resolution)
		if p := w.mustRefuse(t, call{path: path}, http.StatusTooManyRequests); p.Code != "tooMany" {
			t.Errorf("%s: %+v", resolution, p)
		}
	}
	for _, resolution := range []string{"hour", "day"} {
		ask[wire.AggregateList](t, w, call{path: aggregatesPath(longHistoryStart, "resolution", resolution)})
	}
}

// No answer holds more than 1 MiB, however dense the readings are and however long the range is.
func TestAggregatesMemoryIsBounded(t *testing.T) {
	w := newFixture(t)
	w.measureMany(t, longHistoryStart, 100_000)
	for n := range 30 { // an hour each day and a half, for years before
		from := longHistoryStart.AddDate(0, -3*n-3, 0)
		var batch []reading.Arrival
		for i := range 300 {
			at := from.Add(time.Duration(i) * time.Hour).UnixMilli()
			batch = append(batch, w.arrival(w.ws1, at, map[string]reading.Value{
				"airTemperature": reading.Number(
					float64(i),
				),
				"rain":             reading.Number(1),
				"relativeHumidity": reading.Number(2),
			}))
		}
		if err := w.readings.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		resolution string
		rows       int
	}{{"raw", 50_000}, {"hour", 9_000}, {"day", 390}, {"auto", 390}} {
		path := query(
			"/devices/WS-1/aggregates", "from", "0", "resolution", c.resolution, "points", "1000", "limit", "50000",
		)
		held := testkit.MeasureResponseMemory(t, w.handler, func(ctx context.Context) *http.Request {
			return call{path: path}.request(t, w, "http://tilth.test").WithContext(ctx)
		})
		t.Logf("%-6s %9d bytes, %8d held", c.resolution, held.Sent, held.Peak)
		if held.Status != http.StatusOK || held.Peak > 1<<20 && !race.Enabled {
			t.Errorf("%s: %+v", c.resolution, held)
		}
		a := w.do(t, call{path: path})
		if got := strings.Count(string(a.body), `"time"`); got < c.rows {
			t.Errorf("%s: %d rows", c.resolution, got)
		}
	}
}
