package console_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const columnsPath = "/admin-api/client/pc/device/get/columns/time-interval-data"

// joinPieces joins pieces, as a client does.
func joinPieces(t *testing.T, pieces []wire.ColumnsPiece) wire.Series {
	t.Helper()
	series := wire.Series{}
	for _, piece := range pieces {
		for sign, values := range piece.Values {
			if len(values) != len(piece.Times) {
				t.Fatalf("%s: %d values at %d times", sign, len(values), len(piece.Times))
			}
			at := int64(0)
			for i, v := range values {
				if at += piece.Times[i]; v != nil {
					series[sign] = append(series[sign], wire.SeriesPoint{Time: at, Value: *v})
				}
			}
		}
	}
	return series
}

// Pieces have the expected form: for sealed days and others, with texts, booleans and missing
// values.
func TestColumns(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	yesterday := now.Add(-24 * time.Hour)
	w.measure(
		t,
		w.ws2,
		yesterday,
		map[string]reading.Value{"airTemperature": reading.Number(-3.5), "note": reading.Text("=1+1 <\"水\">")},
	)
	w.measure(t, w.ws2, yesterday.Add(time.Minute), map[string]reading.Value{"airTemperature": reading.Number(-3.40)})
	w.measure(t, w.ws2, yesterday.Add(2*time.Minute), map[string]reading.Value{"rain": reading.Number(0)})
	if err := w.readings.Seal(t.Context(), now.Add(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.measure(
		t,
		w.ws2,
		now,
		map[string]reading.Value{"airTemperature": reading.Number(1e-7), "heating": reading.Boolean(true)},
	)

	y, n := yesterday.UnixMilli(), now.UnixMilli()
	for signs, want := range map[string]string{
		"note,airTemperature,heating": fmt.Sprintf(`[{"times":[%d,60000],"values":{"airTemperature":[-3.5,-3.4],"note":["=1+1 \u003c\"水\"\u003e",null]}},`+
			`{"times":[%d],"values":{"airTemperature":[0.0000001],"heating":[true]}}]`, y, n),
		"rain": fmt.Sprintf(`[{"times":[%d],"values":{"rain":[0]}}]`, y+120_000),
	} {
		var wanted []wire.ColumnsPiece
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(err)
		}
		call := w.get(rangePath(columnsPath, "WS-2", signs, yesterday, now))
		if got := testkit.Ask[[]wire.ColumnsPiece](t, w.Contract, call); asJSON(t, got) != asJSON(t, wanted) {
			t.Errorf("%s\nwant %s", asJSON(t, got), want)
		}
		// So few readings all stay, and each property's are in a piece of its own.
		call.Path += "&points=100"
		thinned := testkit.Ask[[]wire.ColumnsPiece](t, w.Contract, call)
		if asJSON(t, joinPieces(t, thinned)) != asJSON(t, joinPieces(t, wanted)) {
			t.Errorf("%s\nwant %s", asJSON(t, thinned), want)
		}
		for _, piece := range thinned {
			if len(piece.Values) != 1 || piece.Bucket != nil {
				t.Errorf("%s", asJSON(t, piece))
			}
		}
	}
	for _, points := range []string{"", "&points=100"} {
		a := w.Do(t, w.get(rangePath(columnsPath, "WS-2", "rain", now, now)+points))
		if string(a.Body) != `{"code":200,"data":[],"msg":""}` {
			t.Errorf("%s", a.Body)
		}
	}
	if a := w.Do(t, w.get(rangePath(columnsPath, "WS-2", "rain", now, now)+"&points=99")); a.Code != 601 {
		t.Errorf("too few points: %s", a.Body)
	}
}

// A downsampled piece has the length of its buckets: without it, a client could not know whether
// these are all the readings.
func TestColumnsIncludeBucketLength(t *testing.T) {
	w := newServer(t)
	from := w.createMonthDevice(t, 6)
	for _, c := range []struct {
		days, points int
		bucket       int64 // ms
	}{{1, 1440, 0}, {2, 100, 3_454_801}, {6, 100, 10_800_000}} {
		to := from.AddDate(0, 0, c.days).Add(-time.Minute)
		pieces := testkit.Ask[[]wire.ColumnsPiece](
			t,
			w.Contract,
			w.get(rangePath(columnsPath, "MONTH", "t1", from, to)+fmt.Sprint("&points=", c.points)),
		)
		got := int64(0)
		if len(pieces) == 1 && pieces[0].Bucket != nil {
			got = *pieces[0].Bucket
		}
		if len(pieces) != 1 || got != c.bucket {
			t.Errorf("%d days: %d pieces, a bucket of %d ms, want %d", c.days, len(pieces), got, c.bucket)
		}
	}
}

// An answer that is sent as a whole has its length; a longer one does not.
func TestBufferedAnswersHaveContentLength(t *testing.T) {
	w := newServer(t)
	from := w.createMonthDevice(t, 20)
	to := from.AddDate(0, 0, 20)
	base := w.Serve(t)
	for _, c := range []struct {
		path  string
		whole bool
	}{
		{rangePath(columnsPath, "MONTH", "t1,t2,t3", from, to) + "&points=960", true},
		{rangePath(columnsPath, "MONTH", "t1", from.Add(-time.Hour), from.Add(-time.Minute)), true},
		{rangePath(seriesPath, "MONTH", "t1", from, from.AddDate(0, 0, 1)), true},
		{rangePath(columnsPath, "MONTH", "t1,t2", from, to), false},
		{rangePath(rowsPath, "MONTH", "t1,t2", from, to), false},
	} {
		res, err := http.DefaultTransport.RoundTrip(w.get(c.path).Request(t.Context(), base))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err = errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if c.whole && res.ContentLength != int64(len(body)) || !c.whole && res.ContentLength != -1 ||
			!json.Valid(body) {
			t.Errorf("%s: %d bytes, Content-Length is %d", c.path, len(body), res.ContentLength)
		}
	}
}
