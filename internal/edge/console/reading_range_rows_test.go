package console_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// rowsByProperty groups the readings of rows by property, as the other call has them. Each row must
// hold a reading, and the rows must be in order of time.
func rowsByProperty(t *testing.T, rows []map[string]reading.Value) wire.Series {
	t.Helper()
	series, before := wire.Series{}, int64(-1)
	for i, row := range rows {
		at := int64(row["collect_time"].Float())
		if at <= before || len(row) < 2 {
			t.Fatalf("row %d: %v after %d", i, row, before)
		}
		before = at
		for sign, v := range row {
			if sign != "collect_time" {
				series[sign] = append(series[sign], wire.SeriesPoint{Time: at, Value: v})
			}
		}
	}
	return series
}

// Rows are downsampled like series: for each property the same readings stay, among them the lowest
// and highest of each bucket, and for booleans and texts the changes.
func TestRowsDownsampled(t *testing.T) {
	w := newServer(t)
	const n = 900
	from := w.Clock.Now().Add(-n * time.Second)
	for i := range n {
		values := map[string]reading.Value{
			"airTemperature": reading.Number(float64(i % 50)),
			"heating":        reading.Boolean(i >= n/2),
		}
		switch i {
		case 333:
			values["airTemperature"] = reading.Number(69.5)
		case 777:
			values["airTemperature"] = reading.Number(-49.5)
		}
		if i%7 == 0 {
			values["note"] = reading.Text(fmt.Sprint("<", i/70, ">"))
		}
		w.measure(t, w.ws2, from.Add(time.Duration(i)*time.Second), values)
	}
	const signs = "note,airTemperature,heating,rain,note"
	ask := func(points string) ([]map[string]reading.Value, wire.Series) {
		t.Helper()
		rows := testkit.Ask[[]map[string]reading.Value](
			t,
			w.Contract,
			w.get(w.pathAroundNow(rowsPath, "WS-2", signs)+points),
		)
		series := testkit.Ask[wire.Series](t, w.Contract, w.get(w.pathAroundNow(seriesPath, "WS-2", signs)+points))
		if len(series["rain"]) == 0 {
			delete(series, "rain") // no row has a property without readings
		}
		if got, want := asJSON(t, rowsByProperty(t, rows)), asJSON(t, series); got != want {
			t.Errorf("points %q: %.400s\nwant %.400s", points, got, want)
		}
		return rows, series
	}
	if rows, _ := ask(""); len(rows) != n {
		t.Errorf("%d rows of all readings", len(rows))
	}
	ask("&points=5000")
	rows, series := ask("&points=100")
	air := series["airTemperature"]
	lowest, highest := air[0].Value.Float(), air[0].Value.Float()
	for _, p := range air {
		lowest, highest = min(lowest, p.Value.Float()), max(highest, p.Value.Float())
	}
	if len(rows) > 300 || len(air) > 100 || len(air) < 20 || lowest != -49.5 || highest != 69.5 ||
		len(series["heating"]) != 2 ||
		len(series["note"]) != 13 {
		t.Errorf(
			"%d rows, %d points from %g to %g, %d and %d changes",
			len(rows),
			len(air),
			lowest,
			highest,
			len(series["heating"]),
			len(series["note"]),
		)
	}
	// A row has the readings that stayed at its time, and no members for those that did not.
	raw := map[string]json.RawMessage{}
	all := testkit.Ask[[]json.RawMessage](t, w.Contract, w.get(w.pathAroundNow(rowsPath, "WS-2", signs)+"&points=100"))
	if err := json.Unmarshal(all[len(all)-1], &raw); err != nil || raw["airTemperature"] == nil ||
		raw["heating"] != nil || raw["note"] != nil {
		t.Errorf("%s, %v", all[len(all)-1], err)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "too few",
			Call:     w.get(w.pathAroundNow(rowsPath, "WS-2", "rain") + "&points=99"),
			Code:     601,
			Contains: []string{"at least 100"},
		},
		{
			Name:     "too many",
			Call:     w.get(w.pathAroundNow(rowsPath, "WS-2", "rain") + "&points=5001"),
			Code:     601,
			Contains: []string{"at most 5,000"},
		},
		{Name: "no number", Call: w.get(w.pathAroundNow(rowsPath, "WS-2", "rain") + "&points=many"), Code: 400},
		{
			Name:     "of nothing",
			Call:     w.get(w.pathAroundNow(rowsPath, "WS-2", "rain") + "&points=100"),
			Contains: []string{`"data":[]`},
		},
		{
			Name:  "another's device",
			Call:  w.get(w.pathAroundNow(rowsPath, rivalDeviceName, "airTemperature") + "&points=100"),
			Code:  404,
			Lacks: []string{marker},
		},
	})
}
