package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func TestRows(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	yesterday := now.Add(-24 * time.Hour)
	w.measure(
		t,
		w.ws2,
		yesterday,
		map[string]reading.Value{
			"airTemperature": reading.Number(-3.5),
			"note":           reading.Text("=1+1 <\"水\">"),
			"rain":           reading.Number(0),
		},
	)
	if err := w.readings.Seal(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	w.measure(
		t,
		w.ws2,
		yesterday,
		map[string]reading.Value{"heating": reading.Boolean(false)},
	) // late: its day is sealed
	w.measure(t, w.ws2, now, map[string]reading.Value{"heating": reading.Boolean(true)})
	w.measure(t, w.ws2, now.Add(-time.Minute), map[string]reading.Value{"rain": reading.Number(1e-7)})

	call := w.get(rangePath(rowsPath, "WS-2", "note,airTemperature,heating,note", yesterday, now))
	y, n := yesterday.UnixMilli(), now.UnixMilli()
	want := fmt.Sprintf(
		`{"code":200,"data":[{"collect_time":%d,"airTemperature":-3.5,"heating":false,"note":"=1+1 \u003c\"水\"\u003e"},`+
			`{"collect_time":%d,"heating":true}],"msg":""}`,
		y,
		n,
	)
	if a := w.Do(t, call); string(a.Body) != want {
		t.Errorf("%s\nwant %s", a.Body, want)
	}
	want = fmt.Sprintf(
		`{"code":200,"data":[{"collect_time":%d,"rain":0},{"collect_time":%d,"rain":1e-7}],"msg":""}`,
		y,
		n-60_000,
	)
	if a := w.Do(t, w.get(rangePath(rowsPath, "WS-2", "rain", yesterday, now))); string(a.Body) != want {
		t.Errorf("%s\nwant %s", a.Body, want)
	}
	empty := w.Do(t, w.get(rangePath(rowsPath, "WS-2", "rain", now, now)))
	if string(empty.Body) != `{"code":200,"data":[],"msg":""}` {
		t.Errorf("%s", empty.Body)
	}
	// The series have the same readings, in the order in which the call names the properties.
	want = fmt.Sprintf(
		`{"code":200,"data":{"rain":[{"time":%d,"value":0},{"time":%d,"value":1e-7}],"heating":[{"time":%d,"value":false},{"time":%d,"value":true}]},"msg":""}`,
		y,
		n-60_000,
		y,
		n,
	)
	if a := w.Do(t, w.get(rangePath(seriesPath, "WS-2", "rain,heating,rain", yesterday, now))); string(a.Body) != want {
		t.Errorf("%s\nwant %s", a.Body, want)
	}
}

// rangeCall returns a call over a range of rain, with some parameters changed: names and values in
// turn.
func rangeCall(w *fixture, path string) func(pairs ...string) testkit.Call {
	return func(pairs ...string) testkit.Call {
		values := url.Values{
			"deviceName":  {"WS-1"},
			"yeuSignList": {"rain"},
			"startTime":   {"1000"},
			"endTime":     {"2000"},
		}
		for i := 0; i < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		return w.get(path + "?" + values.Encode())
	}
}

// Every call over a range has the refusals of the history form.
func TestRangeRefusals(t *testing.T) {
	w := newServer(t)
	const month = 30 * 24 * 3600 * 1000
	for _, path := range []string{seriesPath, rowsPath, columnsPath, exportPath, coveragePath} {
		q := rangeCall(w, path)
		name := path[strings.LastIndex(path, "device/")+len("device/"):]
		table := []testkit.Scenario{
			{
				Name:     "no start",
				Call:     q("startTime", ""),
				Code:     601,
				Contains: []string{`"msg":"The start time and end time cannot be empty"`},
			},
			{
				Name:     "no end",
				Call:     q("endTime", ""),
				Code:     601,
				Contains: []string{"The start time and end time cannot be empty"},
			},
			{
				Name:     "start after end",
				Call:     q("startTime", "2001"),
				Code:     601,
				Contains: []string{"The start must not be after the end"},
			},
			{
				Name:     "for ever",
				Call:     q("endTime", "9223372036854775807"),
				Code:     601,
				Contains: []string{`"msg":"Time frame is too long"`},
			},
			{Name: "unknown device", Call: q("deviceName", "none"), Code: 404},
			{Name: "another's device", Call: q("deviceName", rivalDeviceName), Code: 404, Lacks: []string{marker}},
			{Name: "no device", Call: q("deviceName", ""), Code: 601},
			{Name: "negative", Call: q("startTime", "-1"), Code: 601, Contains: []string{"Start time: at least 0"}},
			{Name: "no number", Call: q("endTime", "tomorrow"), Code: 400},
		}
		if path != coveragePath {
			table = append(table, []testkit.Scenario{
				{
					Name:     "a millisecond more than 30 days",
					Call:     q("endTime", fmt.Sprint(1001+month)),
					Code:     601,
					Contains: []string{`"msg":"Time frame is too long"`},
				},
				{
					Name:     "no attribute",
					Call:     q("yeuSignList", ""),
					Code:     601,
					Contains: []string{`"msg":"property cannot be empty"`},
				},
				{
					Name:     "unknown attribute",
					Call:     q("yeuSignList", "rain,snow"),
					Code:     601,
					Contains: []string{"Attributes: unknown: snow"},
				},
				{
					Name:     "too many attributes",
					Call:     q("yeuSignList", strings.Repeat("rain,", 64)+"rain"),
					Code:     601,
					Contains: []string{"choose at most 64"},
				},
			}...)
		}
		t.Run(name, func(t *testing.T) { w.Run(t, table) })
		if path == coveragePath {
			continue
		}
		// The longest ranges are accepted.
		for _, call := range []testkit.Call{q("endTime", fmt.Sprint(1000+month)), q("yeuSignList", " rain , heating "), q("startTime", "9223372036854775807", "endTime", "9223372036854775807")} {
			if a := w.Do(t, call); a.Status != http.StatusOK ||
				a.Code != 200 && a.Header.Get("Content-Type") != testkit.Spreadsheet {
				t.Errorf("%s: %s", call.Path, a.Body)
			}
		}
	}
}

func TestCoverage(t *testing.T) {
	w := newServer(t)
	day := time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)
	rain := map[string]reading.Value{"rain": reading.Number(1)}
	for _, hours := range []int{21, 23, 24, 46, 100} {
		w.measure(t, w.ws2, day.Add(time.Duration(hours)*time.Hour), rain)
	}
	if err := w.readings.Seal(t.Context(), day.Add(50*time.Hour)); err != nil {
		t.Fatal(err)
	}
	at := func(hours int) int64 { return day.Add(time.Duration(hours) * time.Hour).UnixMilli() }
	ask := func(zone string, from, to time.Time) string {
		t.Helper()
		call := w.get(rangePath(coveragePath, "WS-2", "", from, to))
		if zone != "" {
			call.Header = map[string]string{"Time-Zone": zone}
		}
		return asJSON(t, testkit.Ask[[]wire.CoverageDay](t, w.Contract, call))
	}
	all := [2]time.Time{day.AddDate(0, 0, -300), day.AddDate(0, 0, 100)}
	berlin := fmt.Sprintf(
		`[{"day":"2026-10-24","first":%d,"frames":1,"last":%d},{"day":"2026-10-25","first":%d,"frames":3,"last":%d},{"day":"2026-10-28","first":%d,"frames":1,"last":%d}]`,
		at(21),
		at(21),
		at(23),
		at(46),
		at(100),
		at(100),
	) // the 25th has 25 hours in that zone
	if got := ask("Europe/Berlin", all[0], all[1]); got != berlin {
		t.Errorf("%s\nwant %s", got, berlin)
	}
	utc := fmt.Sprintf(
		`[{"day":"2026-10-24","first":%d,"frames":2,"last":%d},{"day":"2026-10-25","first":%d,"frames":2,"last":%d},{"day":"2026-10-28","first":%d,"frames":1,"last":%d}]`,
		at(21),
		at(23),
		at(24),
		at(46),
		at(100),
		at(100),
	)
	if got := ask("UTC", all[0], all[1]); got != utc {
		t.Errorf("%s\nwant %s", got, utc)
	}
	oneDay := fmt.Sprintf(`[{"day":"2026-10-25","first":%d,"frames":1,"last":%d}]`, at(24), at(24))
	if got := ask("UTC", day.Add(24*time.Hour), day.Add(45*time.Hour)); got != oneDay {
		t.Errorf("%s", got)
	}
	// Without a header, the tenant's zone counts.
	own := w.field.TimeZone.String()
	if got := ask("", all[0], all[1]); got != ask(own, all[0], all[1]) {
		t.Errorf("%s, in %s %s", got, own, ask(own, all[0], all[1]))
	}
	if got := ask("UTC", day.AddDate(0, 0, -3), day); got != `[]` {
		t.Errorf("%s", got)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "a millisecond more than 400 days",
			Call:     w.get(rangePath(coveragePath, "WS-2", "", all[0], all[1].Add(time.Millisecond))),
			Code:     601,
			Contains: []string{`"msg":"Time frame is too long"`},
		},
		{
			Name:     "never measured",
			Call:     w.get(rangePath(coveragePath, "CAM-1", "", all[0], all[1])),
			Contains: []string{`"data":[]`},
		},
		{
			Name: "an unknown zone",
			Call: testkit.Call{
				Path:   rangePath(coveragePath, "WS-2", "", day, day),
				Token:  w.ada,
				Header: map[string]string{"Time-Zone": "Mars/Olympus"},
			},
			Code: 400,
		},
	})
}

// Sealed days, and one that is not sealed, are answered completely: by rows and by property, as the
// store has them.
func TestHistoryIsComplete(t *testing.T) {
	const days = 6
	w := newServer(t)
	from := w.createMonthDevice(t, days)
	to := from.AddDate(0, 0, days)
	monthSigns := monthSigns[:3]
	signs := strings.Join(monthSigns, ",")
	d, err := w.Devices.Get(t.Context(), w.field.ID, "MONTH")
	if err != nil {
		t.Fatal(err)
	}
	p := w.Catalog.Product(d.ProductID)
	ids := make([]device.PropertyID, len(monthSigns))
	for i := range ids {
		ids[i] = p.Properties[i].ID
	}
	want, err := w.readings.Series(t.Context(), d.Tenant, d.ID, from.UnixMilli(), to.UnixMilli(), ids, 0)
	if err != nil {
		t.Fatal(err)
	}
	series := testkit.Ask[wire.Series](t, w.Contract, w.get(rangePath(seriesPath, "MONTH", signs, from, to)))
	rows := testkit.Ask[[]map[string]float64](t, w.Contract, w.get(rangePath(rowsPath, "MONTH", signs, from, to)))
	if len(rows) != days*1440 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, sign := range monthSigns {
		points := want[ids[i]]
		if len(points) != days*1440 || len(series[sign]) != len(points) {
			t.Fatalf("%s: %d of %d points", sign, len(series[sign]), len(points))
		}
		for n, point := range points {
			if got := series[sign][n]; got.Time != point.Time || got.Value != point.Value {
				t.Fatalf("%s, point %d: %v, want %v", sign, n, got, point)
			}
			if row := rows[n]; int64(row["collect_time"]) != point.Time || row[sign] != point.Value.Float() {
				t.Fatalf("row %d: %v, want %s %v", n, row, sign, point)
			}
		}
	}
	columns := joinPieces(
		t,
		testkit.Ask[[]wire.ColumnsPiece](t, w.Contract, w.get(rangePath(columnsPath, "MONTH", signs, from, to))),
	)
	if diff := cmp.Diff(series, columns, cmpopts.EquateComparable(reading.Value{})); diff != "" {
		t.Errorf("the columns have other readings (-series +columns):\n%s", diff)
	}
	few := testkit.Ask[wire.Series](
		t,
		w.Contract,
		w.get(rangePath(seriesPath, "MONTH", signs, from, to)+"&points=1000"),
	)
	for _, sign := range monthSigns {
		if n := len(few[sign]); n < 900 || n > 1000 {
			t.Errorf("%s: %d points of 1000", sign, n)
		}
	}
	call := w.get(rangePath(columnsPath, "MONTH", signs, from, to) + "&points=1000")
	columns = joinPieces(t, testkit.Ask[[]wire.ColumnsPiece](t, w.Contract, call))
	if diff := cmp.Diff(few, columns, cmpopts.EquateComparable(reading.Value{})); diff != "" {
		t.Errorf("the columns have other points (-series +columns):\n%s", diff)
	}
}

// More properties than may be held at a time are read in several passes, and answered as if each
// had been requested alone.
func TestManyDownsampledProperties(t *testing.T) {
	w := newServer(t)
	var signs []string
	for i := range 20 {
		sign := fmt.Sprintf("layer%02d", i)
		signs = append(signs, sign)
		w.station.Properties = append(
			w.station.Properties,
			device.Property{Identifier: sign, DataType: device.Number, AccessMode: "r"},
		)
	}
	if err := w.Catalog.PutProduct(t.Context(), w.station); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	now := w.Clock.Now()
	for i := range 40 {
		values := map[string]reading.Value{}
		for k, sign := range signs {
			if k != 11 { // one property has no readings
				values[sign] = reading.Number(float64(100*k + i))
			}
		}
		w.measure(t, w.ws2, now.Add(time.Duration(i-60)*time.Minute), values)
	}
	from := now.Add(-2 * time.Hour)
	type point struct {
		Time  int64   `json:"time"`
		Value float64 `json:"value"`
	}
	ask := func(signs string) map[string][]point {
		return testkit.Ask[map[string][]point](
			t,
			w.Contract,
			w.get(rangePath(seriesPath, "WS-2", signs, from, now)+"&points=5000"),
		)
	}
	all := ask(strings.Join(signs, ","))
	columns := w.Do(t, w.get(rangePath(columnsPath, "WS-2", strings.Join(signs, ","), from, now)+"&points=5000"))
	for k, sign := range signs {
		if alone := ask(sign); !reflect.DeepEqual(alone[sign], all[sign]) || len(all[sign]) != 40 && k != 11 {
			t.Errorf("%s: %d of %d points", sign, len(all[sign]), len(alone[sign]))
		}
		if has := strings.Contains(string(columns.Body), `"`+sign+`":[`); has != (k != 11) {
			t.Errorf("%s among the columns: %t", sign, has)
		}
	}
}
