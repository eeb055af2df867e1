package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// someYears returns a year of the devices C and D, and ten years of E and F.
func someYears(t *testing.T) *Years {
	t.Helper()
	year, ten := []string{"C", "D"}, []string{"E", "F"}
	y, err := NewYears(year, ten, []string{"warmth", "rain"}, 30*time.Minute, 20*time.Minute, someDay)
	if err != nil {
		t.Fatal(err)
	}
	y.Repeats = 2
	for _, r := range []*Records{y.Year, y.Ten} {
		for d := range r.Values {
			for p := range r.Values[d] {
				for n := range r.Values[d][p] {
					r.Values[d][p][n] = float64(d*1000+p*500+n*37%1217) / 10
				}
			}
		}
	}
	return y
}

func TestYears(t *testing.T) {
	y := someYears(t)
	for _, c := range []struct {
		r                 *Records
		count, hour, days int
	}{{y.Year, 365 * 48, 365 * 24, 365}, {y.Ten, 3650 * 72, 3650 * 24, 3650}} {
		last := c.r.Time(c.r.Count() - 1)
		if c.r.Count() != c.count || c.r.steps(hourStep) != c.hour || c.r.steps(dayStep) != c.days ||
			c.r.Start.Truncate(dayStep) != c.r.Start || !last.Before(someDay) || someDay.Sub(last) > dayStep {
			t.Errorf("%d readings from %s to %s, %d hours", c.r.Count(), c.r.Start, last, c.r.steps(hourStep))
		}
	}
	if len(y.Year.Properties) != 2 || len(y.Ten.Properties) != 1 {
		t.Error(y.Year.Properties, y.Ten.Properties)
	}
	some := []string{"A"}
	for says, f := range map[string]func() (*Years, error){
		"no devices": func() (*Years, error) { return NewYears(some, nil, some, time.Minute, time.Minute, someDay) },
		"of 7m0s":    func() (*Years, error) { return NewYears(some, some, some, 7*time.Minute, time.Minute, someDay) },
		"of 2h0m0s":  func() (*Years, error) { return NewYears(some, some, some, time.Minute, 2*time.Hour, someDay) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func TestAggregatesOfRecords(t *testing.T) {
	r := someYears(t).Year
	copy(r.Values[1][0], []float64{3, -1, 7, 7})
	if got := r.aggregates(1, 0, hourStep); got[0] != (aggregate{-1, 1, 3}) || got[1] != (aggregate{7, 7, 7}) {
		t.Error(got[:2])
	}
	lowest, highest, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, v := range r.Values[0][1][len(r.Values[0][1])-48:] {
		lowest, highest, sum = min(lowest, v), max(highest, v), sum+v
	}
	days := r.aggregates(0, 1, dayStep)
	if got := days[len(days)-1]; len(days) != 365 || got != (aggregate{lowest, sum / 48, highest}) {
		t.Error(len(days), got)
	}
}

// fillAggregates fills in the correct answer, with means of nine digits as tilth's.
func fillAggregates(r *Records, device int, step time.Duration, a *answer) {
	for p := range r.Properties {
		copy(a.aggregates[p], r.aggregates(device, p, step))
		for n := range a.aggregates[p] {
			rounded, _ := strconv.ParseFloat(
				strconv.FormatFloat(a.aggregates[p][n].mean, 'g', 9, 64),
				64,
			) // it is a number
			a.aggregates[p][n].mean = rounded
		}
	}
}

func TestAggregatesAreCompared(t *testing.T) {
	r := someYears(t).Year
	a := newAggregateAnswer(r, hourStep)
	if r.checkAggregates(0, hourStep, a) == nil {
		t.Error("an empty answer is accepted")
	}
	fillAggregates(r, 1, hourStep, a)
	if err := r.checkAggregates(1, hourStep, a); err != nil {
		t.Error(err)
	}
	if r.checkAggregates(0, hourStep, a) == nil {
		t.Error("the answer of another device is accepted")
	}
	for what, spoil := range map[string]func(g *aggregate){
		"low":     func(g *aggregate) { g.low += 1e-9 },
		"mean":    func(g *aggregate) { g.mean *= 1 + 1e-7 },
		"high":    func(g *aggregate) { g.high -= 1e-9 },
		"missing": func(g *aggregate) { *g = missingAggregate },
	} {
		fillAggregates(r, 1, hourStep, a)
		if spoil(&a.aggregates[1][8759]); r.checkAggregates(1, hourStep, a) == nil {
			t.Errorf("%s makes no difference", what)
		}
	}
	fillAggregates(r, 1, hourStep, a)
	if a.clear(); r.checkAggregates(1, hourStep, a) == nil {
		t.Error("clear leaves values")
	}
}

// aggregatesPieces encodes a device's hours or days as the console does, each property in two pieces.
func aggregatesPieces(r *Records, device int, step time.Duration) (pieces []any) {
	for _, half := range []int{0, 1} {
		for p, name := range r.Properties {
			all := r.aggregates(device, p, step)
			middle := len(all) / 3
			from, to := half*middle, middle+half*(len(all)-middle)
			columns := map[string][]float64{}
			var times []int64
			before := int64(0)
			for n, g := range all[from:to] {
				at := r.Start.Add(time.Duration(from+n) * step).UnixMilli()
				times, before = append(times, at-before), at
				columns["count"] = append(columns["count"], float64(step/r.Step))
				columns["low"] = append(columns["low"], g.low)
				columns["mean"] = append(columns["mean"], g.mean)
				columns["high"] = append(columns["high"], g.high)
				columns["sum"] = append(columns["sum"], g.mean*float64(step/r.Step))
			}
			pieces = append(pieces, struct {
				Identifier string    `json:"identifier"`
				Times      []int64   `json:"times"`
				Count      []float64 `json:"count"`
				Low        []float64 `json:"low"`
				Mean       []float64 `json:"mean"`
				High       []float64 `json:"high"`
				Sum        []float64 `json:"sum"`
			}{name, times, columns["count"], columns["low"], columns["mean"], columns["high"], columns["sum"]})
		}
	}
	return pieces
}

// answerAggregates answers the console's call for aggregates of one of the years' devices.
func answerAggregates(t *testing.T, y *Years, w http.ResponseWriter, q *http.Request) {
	r, device := y.Year, strings.Index("CD", q.FormValue("deviceName"))
	if device < 0 {
		r, device = y.Ten, strings.Index("EF", q.FormValue("deviceName"))
	}
	steps := map[string]time.Duration{"hour": hourStep, "day": dayStep}
	s := r.all()
	if q.Header.Get("Authorization") != "Bearer a-token" || q.FormValue("startTime") != fmt.Sprint(s.from) ||
		q.FormValue("endTime") != fmt.Sprint(s.to) ||
		q.FormValue("yeuSignList") != strings.Join(r.Properties, ",") {
		t.Errorf("unexpected request: %s", q.URL)
	}
	resolution := q.FormValue("resolution")
	reply(t, w, map[string]any{"code": 200, "msg": "", "data": map[string]any{
		"resolution": resolution, "aggregates": aggregatesPieces(r, device, steps[resolution]),
	}})
}

// readAggregates returns an error for a malformed answer.
func TestReadAggregates(t *testing.T) {
	r := someYears(t).Year
	o := &tilthStore{records: r}
	start := r.Start.UnixMilli()
	read := func(piece string) (*answer, error) {
		raw := fmt.Sprintf(`{"code":200,"data":{"resolution":"day","aggregates":[%s]},"msg":""}`, piece)
		a := newAggregateAnswer(r, dayStep)
		return a, o.readAggregates(scan(raw), dayStep, a)
	}
	rain := fmt.Sprintf(`{"identifier":"rain","times":[%d,86400000],`, start)
	a, err := read(rain + `"count":[48,48],"low":[1,2],"mean":[3,4],"high":[5,6],"sum":[7,8]}`)
	if got := a.aggregates[1]; err != nil || got[0] != (aggregate{1, 3, 5}) || got[1] != (aggregate{2, 4, 6}) ||
		!math.IsNaN(got[2].mean) || !math.IsNaN(a.aggregates[0][0].low) {
		t.Error(got[:3], err)
	}
	for piece, says := range map[string]string{
		rain + `"count":[48,47]}`:                                               "count 48",
		rain + `"low":[1]}`:                                                     "as many values as times",
		rain + `"low":[1,2,3]}`:                                                 "as many values as times",
		rain + `"low":[1,null]}`:                                                "number",
		`{"identifier":"snow","times":[],"low":[`:                               "known property",
		`{"low":[1],"identifier":"rain"}`:                                       "as many values as times",
		`{"times":[1],"identifier":"rain"}`:                                     "time of an hour or day",
		fmt.Sprintf(`{"identifier":"rain","times":[%d]}`, start-86_400_000):     "time of an hour or day",
		fmt.Sprintf(`{"identifier":"rain","times":[%d]}`, start+1):              "time of an hour or day",
		fmt.Sprintf(`{"identifier":"rain","times":[%d]}`, start+365*86_400_000): "time of an hour or day",
	} {
		if _, err := read(piece); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", piece, err, says)
		}
	}
	refused := scan(`{"code":601,"data":null,"msg":"no range"}`)
	if err := o.readAggregates(
		refused,
		dayStep,
		a,
	); !errors.Is(err, errAnswer) ||
		!strings.Contains(err.Error(), "no range") {
		t.Error(err)
	}
}

// importedValues counts the values of each metric in the lines that are imported.
func importedValues(t *testing.T, in io.Reader, counts map[string]int) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 10<<20) // the longest line that VictoriaMetrics takes by default
	for lines.Scan() {
		var line struct {
			Metric     struct{ Device string }
			Values     []float64
			Timestamps []int64
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Error(err)
		}
		if len(line.Values) != len(line.Timestamps) {
			t.Errorf("%d values at %d times", len(line.Values), len(line.Timestamps))
		}
		counts[line.Metric.Device] += len(line.Values)
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
}

func TestYearsOfVictoriaMetrics(t *testing.T) {
	y := someYears(t)
	for _, r := range []*Records{y.Year, y.Ten} {
		imported := map[string]int{}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			switch q.URL.Path {
			case "/api/v1/import":
				importedValues(t, q.Body, imported)
			case "/api/v1/query_range":
				width, err := time.ParseDuration(q.FormValue("step"))
				if err != nil {
					t.Error(err)
				}
				reply(t, w, rollupAnswer(r, width))
				window := fmt.Sprintf(`max_over_time"),{device=%q}[%dms])`, r.Devices[1], width.Milliseconds())
				if !strings.Contains(q.FormValue("query"), window) ||
					q.FormValue("start") != seconds(r.all().from+width.Milliseconds()) {
					t.Errorf("unexpected query: %s", q.URL)
				}
			}
		}))
		store := (&victoriaMetrics{httpStore: newHTTPStore(s.URL), records: someRecords(t)}).withYears(r)
		if err := store.load(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := r.Count() * len(r.Properties)
		if imported[r.Devices[0]] != want || imported[r.Devices[1]] != want || len(imported) != 2 {
			t.Errorf("imported %v, want %d of each of %v", imported, want, r.Devices)
		}
		for _, step := range []time.Duration{hourStep, dayStep} {
			a := newAggregateAnswer(r, step)
			if err := store.aggregates(t.Context(), 1, step, a); err != nil {
				t.Error(err)
			} else if err := r.checkAggregates(1, step, a); err != nil {
				t.Error(err)
			}
		}
		s.Close()
		if err := store.aggregates(t.Context(), 1, dayStep, newAggregateAnswer(r, dayStep)); err == nil {
			t.Error("a server that is gone gives no error")
		}
	}
}

// rollupAnswer encodes the second device's hours or days as VictoriaMetrics does.
func rollupAnswer(r *Records, step time.Duration) any {
	var series []any
	for p, name := range r.Properties {
		for function, of := range map[string]func(aggregate) float64{
			"min_over_time": func(g aggregate) float64 { return g.low },
			"avg_over_time": func(g aggregate) float64 { return g.mean },
			"max_over_time": func(g aggregate) float64 { return g.high },
		} {
			var values [][]any
			for n, g := range r.aggregates(1, p, step) {
				values = append(values, []any{r.Start.Add(time.Duration(n+1) * step).Unix(), fmt.Sprint(of(g))})
			}
			series = append(series, map[string]any{
				"metric": map[string]string{"__name__": name, "rollup": function}, "values": values,
			})
		}
	}
	return map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": series}}
}

func TestYearsOfPostgres(t *testing.T) {
	y := someYears(t)
	f := &fakePostgres{t: t, records: y.Year}
	month, err := openPostgres(t.Context(), f.start(), someRecords(t))
	if err != nil {
		t.Fatal(err)
	}
	store := month.withYears(y.Year)
	if err := store.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, step := range []time.Duration{hourStep, dayStep} {
		a := newAggregateAnswer(y.Year, step)
		if err := store.aggregates(t.Context(), 1, step, a); err != nil {
			t.Error(err)
		} else if err := y.Year.checkAggregates(1, step, a); err != nil {
			t.Error(err)
		}
	}
	if err := month.Close(); err != nil {
		t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if want := 2 * y.Year.Count(); f.rows != want {
		t.Errorf("%d rows were copied, want %d", f.rows, want)
	}
	queries := strings.Join(f.queries, "\n")
	for _, part := range []string{
		"CREATE TABLE station_365_days (device int", "VACUUM (FREEZE, ANALYZE) station_365_days",
		`min("warmth"),avg("warmth"),max("warmth"),min("rain"),avg("rain"),max("rain") FROM station_365_days`,
	} {
		if !strings.Contains(queries, part) {
			t.Errorf("no query contains %q:\n%s", part, queries)
		}
	}
}

// A run asks about years after the month. A wrong day is an error.
func TestRunHistoryWithYears(t *testing.T) {
	r, y := someRecords(t), someYears(t)
	o := HistoryOptions{Repeats: 1, Years: y, Progress: func(string, ...any) {}}
	own := Target{Name: "tilth", Console: fakeConsole(t, r, someYears(t), false).URL}
	h, err := RunHistory(t.Context(), o, own, r)
	if err != nil {
		t.Fatal(err)
	}
	if h.Err() != nil || len(h.Asked) != 3 || len(h.AskedYears) != 3 || h.AskedYears[2].Times[0].Warm.P50 == 0 {
		t.Errorf("%v, %+v", h.Err(), h)
	}
	y.Ten.Values[1][0][7]++
	if h, err = RunHistory(t.Context(), o, own, r); err != nil {
		t.Fatal(err)
	}
	const says = "tilth: ten years of a property by day: warmth of F: low, mean and high of 24h0m0s from 2016-"
	if err := h.Err(); err == nil || !strings.Contains(err.Error(), says) {
		t.Error(err)
	}
}

// InfluxDB is not asked about years, and its rows say so.
func TestYearsLeaveInfluxDBOut(t *testing.T) {
	r, y := someRecords(t), someYears(t)
	var requests bytes.Buffer
	o := HistoryOptions{
		Years:    y,
		Peers:    []Peer{{"influxdb", fakePeer(t, r, &requests).URL}},
		Progress: func(string, ...any) {},
	}
	own := Target{Name: "tilth", Console: fakeConsole(t, r, y, false).URL}
	h := &History{Records: r, Stores: []string{"tilth", "influxdb"}, Years: y}
	h.Loading, h.LoadingYears = make([]time.Duration, 2), make([]time.Duration, 2)
	mine, err := openTilthStore(t.Context(), own, r)
	if err != nil {
		t.Fatal(err)
	}
	peer, err := openPeer(t.Context(), o.Peers[0], r)
	if err != nil {
		t.Fatal(err)
	}
	stores := []*historyStore{{queryStore: mine, name: "tilth"}, {queryStore: peer, name: "influxdb"}}
	if err := h.askYears(t.Context(), o, stores); err != nil {
		t.Fatal(err)
	}
	if requests.Len() > 0 || h.Err() != nil || !h.AskedYears[0].Times[1].LeftOut || h.AskedYears[0].Times[0].LeftOut {
		t.Errorf("%v, %+v\n%s", h.Err(), h.AskedYears, &requests)
	}
	if store, _ := h.AskedYears[0].Fastest(false); store != -1 {
		t.Errorf("the fastest peer is %d", store)
	}
	var b strings.Builder
	if err := h.Print(&b); err != nil {
		t.Fatal(err)
	}
	for part, times := range map[string]int{
		"left out": 3, "failed": 0, "Loading influxdb": 1,
		"2 devices, 365 days, a reading every 30m0s, properties: 2; 70,080 values.\n": 1,
		"\na year of 2 properties by hour\n":                                          1,
		"\na year of 2 properties by day\n":                                           1,
		"\nten years of a property by day\n":                                          1,
	} {
		if n := strings.Count(b.String(), part); n != times {
			t.Errorf("the output has %q %d times, want %d:\n%s", part, n, times, &b)
		}
	}
}

// A peer that does not take the years is not asked about them, and the run does not count.
func TestYearsThatAPeerRefuses(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "out of room", http.StatusInsufficientStorage)
	}))
	t.Cleanup(s.Close)
	y := someYears(t)
	peer := &victoriaMetrics{httpStore: newHTTPStore(s.URL), records: someRecords(t)}
	h := &History{Stores: []string{"victoriametrics"}, Years: y, LoadingYears: make([]time.Duration, 1)}
	o := HistoryOptions{Years: y, Progress: func(string, ...any) {}}
	if err := h.askYears(t.Context(), o, []*historyStore{{queryStore: peer, name: "victoriametrics"}}); err != nil {
		t.Fatal(err)
	}
	if err := h.Err(); err == nil || !strings.Contains(err.Error(), "victoriametrics: load 365 days: ") ||
		!strings.Contains(err.Error(), "out of room") || h.AskedYears[0].Times[0].LeftOut {
		t.Error(err)
	}
}
