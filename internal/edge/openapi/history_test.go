package openapi_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/openapi/wire"
)

// newFixtureWithHistory returns a fixture whose WS-1 has five frames on one day.
func newFixtureWithHistory(t *testing.T) (*fixture, time.Time) {
	w := newFixture(t)
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i, values := range []map[string]reading.Value{
		{"airTemperature": reading.Number(-0.5), "heating": reading.Boolean(true), "note": reading.Text(`say "hi", all`)},
		{"airTemperature": reading.Number(1e21), "note": reading.Text("=1+1")},
		{"rain": reading.Number(0)},
		{"heating": reading.Boolean(false), "note": reading.Text("two\nlines")},
		{"airTemperature": reading.Number(3.4), "note": reading.Text("")},
	} {
		w.measure(t, w.ws1, day.Add(time.Duration(i)*time.Hour), values)
	}
	return w, day
}

func historyPath(day time.Time, more ...string) string {
	return query(
		"/devices/WS-1/history",
		append([]string{"from", rfc3339(day), "to", rfc3339(day.Add(24 * time.Hour))}, more...)...)
}

func TestHistoryAsJSON(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	a := w.do(t, call{path: historyPath(day)})
	want := `{"items":[` +
		`{"time":"2026-11-01T00:00:00.000Z","values":{"airTemperature":-0.5,"heating":true,"note":"say \"hi\", all"}},` +
		`{"time":"2026-11-01T01:00:00.000Z","values":{"airTemperature":1e+21,"note":"=1+1"}},` +
		`{"time":"2026-11-01T02:00:00.000Z","values":{"rain":0}},` +
		`{"time":"2026-11-01T03:00:00.000Z","values":{"heating":false,"note":"two\nlines"}},` +
		`{"time":"2026-11-01T04:00:00.000Z","values":{"airTemperature":3.4,"note":""}}]}`
	if got := strings.TrimSpace(string(a.body)); got != want || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s\nwant %s", got, want)
	}
	a = w.do(t, call{path: historyPath(day, "properties", "rain, heating,rain")})
	if strings.Count(string(a.body), `"time"`) != 3 || strings.Contains(string(a.body), "note") {
		t.Errorf("%s", a.body)
	}
	a = w.do(t, call{path: historyPath(day.AddDate(0, 0, -1))})
	if strings.TrimSpace(string(a.body)) != `{"items":[]}` {
		t.Errorf("%s", a.body)
	}
	// A range without an end goes up to now, which is not in it.
	lastHour := func() wire.History {
		from := rfc3339(w.Clock.Now().Add(-time.Hour))
		return ask[wire.History](t, w, call{path: query("/devices/WS-1/history", "from", from)})
	}
	if got := lastHour(); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
	w.Clock.Advance(time.Millisecond)
	if got := lastHour(); len(got.Items) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestHistoryPageByPage(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	var times []string
	path, pages := historyPath(day, "limit", "2"), 0
	for {
		pages++
		list := ask[wire.History](t, w, call{path: path})
		for _, r := range list.Items {
			b, _ := json.Marshal(r.Time)
			times = append(times, string(b[12:14]))
		}
		if pages == 1 { // late readings, before and after the start of the next page
			w.measure(t, w.ws1, day.Add(30*time.Minute), map[string]reading.Value{"rain": reading.Number(1)})
			w.measure(t, w.ws1, day.Add(23*time.Hour), map[string]reading.Value{"rain": reading.Number(1)})
		}
		if list.NextCursor == nil {
			break
		}
		path = historyPath(day, "limit", "2", "cursor", *list.NextCursor)
	}
	if got := strings.Join(times, " "); got != "00 01 02 03 04 23" || pages != 3 {
		t.Errorf("%s in %d pages", got, pages)
	}
}

func TestHistoryAsCSV(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	a := w.do(t, call{path: historyPath(day, "format", "csv")})
	want := "time,airTemperature,relativeHumidity,rain,heating,note\r\n" +
		"2026-11-01T00:00:00.000Z,-0.5,,,true,\"say \"\"hi\"\", all\"\r\n" +
		"2026-11-01T01:00:00.000Z,1e+21,,,,\"'=1+1\"\r\n" +
		"2026-11-01T02:00:00.000Z,,,0,,\r\n" +
		"2026-11-01T03:00:00.000Z,,,,false,\"two\nlines\"\r\n" +
		"2026-11-01T04:00:00.000Z,3.4,,,,\r\n"
	if string(a.body) != want || !strings.HasPrefix(a.header.Get("Content-Type"), "text/csv; charset=utf-8") ||
		a.header.Get("Content-Disposition") != `attachment; filename="history.csv"` {
		t.Errorf("%v\n%s\nwant\n%s", a.header, a.body, want)
	}
	// The columns have the order of the call.
	a = w.do(t, call{path: historyPath(day, "format", "csv", "properties", "note,airTemperature")})
	rows, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	if err != nil || len(rows) != 5 ||
		fmt.Sprint(rows[0], rows[1][1:]) != `[time note airTemperature] [say "hi", all -0.5]` {
		t.Errorf("%v (%v)", rows, err)
	}
}

func TestNoFormulaInCSV(t *testing.T) {
	w := newFixture(t)
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	texts := []string{
		"=cmd|' /C calc'!A0",
		"+1",
		"-1",
		"@SUM(A1)",
		"\t=1",
		"\r=1",
		"\n=1",
		"x;=1+1",
		"x\t@a",
		"x;\"=1",
		"＝1",
		" =1",
		"'=1",
		"plain",
		"a=b",
		" x ",
		"'quoted'",
		`"`,
		"ümlaut 北",
		"a;b",
	}
	wanted := []string{
		"'=cmd|' /C calc'!A0",
		"'+1",
		"'-1",
		"'@SUM(A1)",
		"\t'=1",
		"\r'=1",
		"\n'=1",
		"x;'=1+1",
		"x\t'@a",
		"x;\"'=1",
		"'＝1",
		" '=1",
		"''=1",
	}
	wanted = append(wanted, texts[len(wanted):]...)
	for i, text := range texts {
		w.measure(t, w.ws1, day.Add(time.Duration(i)*time.Minute), map[string]reading.Value{"note": reading.Text(text)})
	}
	a := w.do(t, call{path: historyPath(day, "format", "csv", "properties", "note")})
	r := csv.NewReader(strings.NewReader(strings.ReplaceAll(string(a.body), "\r\n", "\n")))
	rows, err := r.ReadAll()
	if err != nil || len(rows) != len(texts)+1 {
		t.Fatalf("%d rows (%v): %s", len(rows), err, a.body)
	}
	for i, text := range texts {
		if got := rows[i+1][1]; got != wanted[i] {
			t.Errorf("%q is written as %q, want %q", text, got, wanted[i])
		}
	}
}

func TestHistoryAsNDJSON(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	a := w.do(t, call{path: historyPath(day, "format", "ndjson")})
	lines := strings.Split(strings.TrimSuffix(string(a.body), "\n"), "\n")
	if len(lines) != 5 ||
		lines[3] != `{"time":"2026-11-01T03:00:00.000Z","values":{"heating":false,"note":"two\nlines"}}` ||
		a.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%v\n%s", a.header, a.body)
	}
	for _, line := range lines {
		var r wire.Reading
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestFormatByAccept(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	for accept, want := range map[string]string{
		"": "application/json", "*/*": "application/json", "text/html": "application/json", "text/csv": "text/csv",
		"TEXT/CSV; header=present": "text/csv", "application/x-ndjson, text/csv": "application/x-ndjson",
		"application/x-ndjson;q=0.5, text/csv;q=0.9, */*;q=0.1": "text/csv", "text/csv;q=0": "application/json",
		"text/csv;q=much": "text/csv",
	} {
		a := w.do(t, call{path: historyPath(day), header: map[string]string{"Accept": accept}})
		if got, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); got != want {
			t.Errorf("Accept %q: %s, want %s", accept, got, want)
		}
		a = w.do(t, call{path: historyPath(day, "format", "json"), header: map[string]string{"Accept": accept}})
		if a.header.Get("Content-Type") != "application/json" {
			t.Errorf("Accept %q overrides format", accept)
		}
	}
}

// Times may have any offset and count to the millisecond; when clocks are set back, the repeated
// hour counts as two hours.
func TestTimes(t *testing.T) {
	w := newFixture(t)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	back := time.Date(2026, 10, 25, 0, 30, 0, 0, time.UTC) // 02:30 in summer time; 02:30 occurs again an hour later
	for i := range 3 {
		w.measure(
			t,
			w.ws1,
			back.Add(time.Duration(i)*time.Hour),
			map[string]reading.Value{"rain": reading.Number(float64(i))},
		)
	}
	for _, c := range []struct{ from, to, want string }{
		{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "0"},
		{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00.001+01:00", "0 1"},
		{"2026-10-25T02:30:00+01:00", "2026-10-25T02:31:00+01:00", "1"},
		{"2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z", "0 1"},
		{"2026-10-25T00:30:00.0001Z", "2026-10-25T02:30:00.0001Z", "1 2"},
		{"2026-10-24T14:30:00-10:00", "2026-10-25T07:30:00+05:30", "0 1"},
		// an unescaped plus sign has become a space
		{"2026-10-25T02:30:00 02:00", "2026-10-25T02:30:00 01:00", "0"},
		{fmt.Sprint(back.UnixMilli()), fmt.Sprint(back.UnixMilli() + 1), "0"},
		{back.In(berlin).Format(time.RFC3339), back.In(berlin).Add(2 * time.Hour).Format(time.RFC3339), "0 1"},
		{"1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0 1 2"},
		{"2026-10-25t00:30:00z", "2026-10-25t02:30:00.000z", "0 1"},
		{"0", "253402300799999", "0 1 2"},
		{"2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+02:00", ""},
	} {
		list := ask[wire.History](
			t,
			w,
			call{path: query("/devices/WS-1/history", "from", c.from, "to", c.to, "properties", "rain")},
		)
		var got []string
		for _, r := range list.Items {
			got = append(got, fmt.Sprint(r.Values["rain"]))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s to %s: %v, want %s", c.from, c.to, got, c.want)
		}
	}
}

// A new device does not have the readings of an earlier device of the same name.
func TestHistoryOfRecreatedDevice(t *testing.T) {
	w, day := newFixtureWithHistory(t)
	a := w.do(t, call{path: historyPath(day, "limit", "1")})
	var list wire.History
	if err := json.Unmarshal(a.body, &list); err != nil || list.NextCursor == nil {
		t.Fatalf("%s (%v)", a.body, err)
	}
	if err := w.Devices.Delete(t.Context(), w.field.ID, w.ws1.ID); err != nil {
		t.Fatal(err)
	}
	w.mustRefuse(t, call{path: historyPath(day)}, http.StatusNotFound)
	w.Device(t, w.field.ID, w.station, "WS-1")
	if got := ask[wire.History](t, w, call{path: historyPath(day)}); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
	p := w.mustRefuse(t, call{path: historyPath(day, "cursor", *list.NextCursor)}, http.StatusBadRequest)
	if p.Parameter != "cursor" {
		t.Errorf("%+v", p)
	}
}
