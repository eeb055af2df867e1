package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

// fakeStore is a store that answers correctly until the query wrongAt.
type fakeStore struct {
	records *Records
	queries int
	wrongAt int // number of the query with a wrong answer
	err     error
}

func (p *fakeStore) load(context.Context) error { return nil }

func (p *fakeStore) points(_ context.Context, device int, s span, a *answer) error {
	fillAnswer(p.records, device, s, a)
	if p.queries++; p.queries == p.wrongAt {
		a.points[0][0].Value++
	}
	return p.err
}

func (p *fakeStore) minMax(ctx context.Context, device int, a *answer) error {
	return p.points(ctx, device, p.records.all(), a)
}

// withYears is nil, as for a store that is left out.
func (p *fakeStore) withYears(*Records) aggregateStore { return nil }

// The run makes the same number of queries to every store. A store with a wrong answer or an error
// gets no more queries and has no times.
func TestQuestions(t *testing.T) {
	r := someRecords(t)
	for i, k := range questions(r) {
		fine, wrong := &fakeStore{records: r}, &fakeStore{records: r, wrongAt: 3}
		refusing := &fakeStore{records: r, err: errors.New("out of paper")}
		stores := []*historyStore{
			{queryStore: fine, name: "fine"},
			{queryStore: wrong, name: "wrong"},
			{queryStore: refusing, name: "refusing"},
		}
		if err := k.run(t.Context(), 5, 2, stores, newAnswer(2)); err != nil {
			t.Fatal(err)
		}
		a := k.result(stores)
		if fine.queries != 7 || refusing.queries != 1 || a.Times[0].Failed != nil ||
			a.Times[0].Warm.P95 < a.Times[0].Warm.P50 {
			t.Errorf("%s: asked %d and %d times: %+v", k.name, fine.queries, refusing.queries, a)
		}
		if err := a.Times[2].Failed; err == nil ||
			!strings.Contains(err.Error(), "refusing: "+k.name+": out of paper") {
			t.Errorf("%s: %v", k.name, err)
		}
		if points := i != 1; points && (wrong.queries != 3 || a.Times[1].Failed == nil) { // minMax ignores wrongAt
			t.Errorf("%s: asked %d times: %v", k.name, wrong.queries, a.Times[1].Failed)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all := questions(r)
	stores := []*historyStore{{queryStore: &fakeStore{records: r}}}
	if err := all[0].run(ctx, 1, 2, stores, newAnswer(2)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// fakeConsole answers the console's calls from the records and years.
func fakeConsole(t *testing.T, r *Records, y *Years, spoil bool) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost {
			fmt.Fprint(w, `{"code":200,"msg":"","data":{"accessToken":"a-token"}}`)
			return
		}
		if strings.HasSuffix(q.URL.Path, "/aggregated-data") {
			answerAggregates(t, y, w, q)
			return
		}
		if q.Header.Get("Authorization") != "Bearer a-token" || q.FormValue("yeuSignList") != "warmth,rain" {
			t.Errorf("unexpected request: %s", q.URL)
		}
		from, err1 := strconv.ParseInt(q.FormValue("startTime"), 10, 64)
		to, err2 := strconv.ParseInt(q.FormValue("endTime"), 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			t.Error(err)
		}
		a := newAnswer(2)
		fillAnswer(r, strings.Index("AB", q.FormValue("deviceName")), span{from, to}, a)
		if strings.Contains(q.URL.Path, "excel") {
			f := excelize.NewFile()
			for n := range len(a.points[0]) + 1 {
				if err := f.SetCellValue("Sheet1", fmt.Sprintf("A%d", n+1), n); err != nil {
					t.Error(err)
				}
			}
			if err := f.Write(w); err != nil {
				t.Error(err)
			}
			return
		}
		if spoil {
			a.points[1] = append(a.points[1][:5], a.points[1][6:]...)
		}
		reply(t, w, map[string]any{"code": 200, "msg": "", "data": []any{
			pieceOf(map[string][]point{"rain": a.points[1][:2], "warmth": a.points[0][:2]}),
			pieceOf(map[string][]point{"warmth": a.points[0][2:]}),
			pieceOf(map[string][]point{"rain": a.points[1][2:]}),
		}})
	}))
	t.Cleanup(s.Close)
	return s
}

// pieceOf encodes readings that have the same times, as the console does.
func pieceOf(series map[string][]point) any {
	times, values := []int64{}, map[string][]float64{}
	for name, points := range series {
		times = times[:0]
		before := int64(0)
		for _, p := range points {
			times, values[name] = append(times, p.Time-before), append(values[name], p.Value)
			before = p.Time
		}
	}
	return map[string]any{"times": times, "values": values}
}

// readColumns returns an error for a malformed answer.
func TestReadColumns(t *testing.T) {
	o := &tilthStore{records: someRecords(t)}
	read := func(answer string) (points int, err error) {
		err = o.readColumns(&scanner{raw: []byte(answer)}, func(int, point) { points++ })
		return points, err
	}
	const good = `{"code":200,"data":[{"times":[5,1],"values":{"rain":[1,2],"warmth":[3,4]},"bucket":60000}],"msg":""}`
	if n, err := read(good); n != 4 || err != nil {
		t.Error(n, err)
	}
	for answer, says := range map[string]string{
		`{"code":404,"msg":"none"}`: "none",
		`{"code":200,"data":{}}`:    "[ expected",
		``:                          "{ expected",
		`{"code":200,"data":[{"times":[5,1],"values":{"rain":[1]}}]}`:       "as many values as times",
		`{"code":200,"data":[{"times":[5],"values":{"rain":[1,2]}}]}`:       "as many values as times",
		`{"code":200,"data":[{"values":{"rain":[1]},"times":[5]}]}`:         "as many values as times",
		`{"code":200,"data":[{"times":[5],"values":{"snow":[1]}}]}`:         "known property",
		`{"code":200,"data":[{"times":[5],"values":{"rain":[null]}}],"msg"`: "number",
	} {
		if _, err := read(answer); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", answer, err, says)
		}
	}
}

func TestRunHistory(t *testing.T) {
	r := someRecords(t)
	var progress strings.Builder
	o := HistoryOptions{
		Repeats:  3,
		Progress: func(format string, a ...any) { fmt.Fprintf(&progress, format+"\n", a...) },
	}
	o.Peers = []Peer{{"influxdb", "http://127.0.0.1:1"}}
	h, err := RunHistory(t.Context(), o, Target{Name: "tilth", Console: fakeConsole(t, r, nil, false).URL}, r)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Asked) != 3 || h.Rows != 121 || h.Asked[0].Times[0].Failed != nil ||
		!strings.Contains(progress.String(), "Loading influxdb\nAsking: 5 days, every") {
		t.Errorf("%+v\n%s", h, &progress)
	}
	if err := h.Err(); err == nil || !strings.HasPrefix(err.Error(), "influxdb: load: ") ||
		!strings.Contains(err.Error(), "refused") {
		t.Errorf("a peer that does not answer: %v", err)
	}
	o.Peers = nil
	if h, err = RunHistory(
		t.Context(),
		o,
		Target{Name: "tilth", Console: fakeConsole(t, r, nil, true).URL},
		r,
	); err != nil {
		t.Fatal(err)
	}
	if err := h.Err(); err == nil || !strings.Contains(err.Error(), "tilth: 5 days, every reading: rain of ") {
		t.Errorf("a reading is missing: %v", err)
	}
}

func ms(n int) Percentiles {
	return Percentiles{time.Duration(n) * time.Millisecond, time.Duration(2*n) * time.Millisecond}
}

func TestPrintHistory(t *testing.T) {
	h := &History{
		Records: someRecords(t),
		Repeats: 3,
		Stores:  []string{"tilth", "victoriametrics", "postgres"},
		Loading: []time.Duration{0, time.Second, 1500 * time.Millisecond},
		Asked: []QuestionResult{
			{
				Question: "all of it",
				Goal:     2,
				Times: []Timing{
					{First: ms(20), Warm: ms(10)},
					{First: ms(40), Warm: ms(25)},
					{First: ms(30), Warm: ms(35)},
				},
			},
			{
				Question: "a bit",
				Times: []Timing{
					{First: ms(2), Warm: ms(1)},
					{Failed: errors.New("broken")},
					{Failed: errors.New("broken, too")},
				},
			},
		},
		Rows:   121,
		Bytes:  2048,
		Export: ms(7),
	}
	var b strings.Builder
	if err := h.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"2 devices, 5 days, a reading every 1h0m0s, 2 properties: 480 values", "Loading postgres took 1.5s.",
		"Faster than the fastest peer: 2.50 times warm (victoriametrics), 1.50 times the first time (postgres); wanted: 2\n",
		"(121 rows, 2.0 KiB): p50 7ms, p95 14ms",
	} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("the output lacks %q:\n%s", part, &b)
		}
	}
	if n := strings.Count(b.String(), "failed"); n != 2 || strings.Count(b.String(), "Faster") != 1 {
		t.Errorf("%d failed:\n%s", n, &b)
	}
	if err := h.Err(); err == nil || err.Error() != "broken\nbroken, too" {
		t.Error(err)
	}
}

func TestStoreResult(t *testing.T) {
	times := 0
	s, err := Measure(9, func(n int) error { times += n; return nil })
	if err != nil || times != 36 || s.P95 < s.P50 {
		t.Errorf("%d, %+v, %v", times, s, err)
	}
	broken := errors.New("broken")
	if _, err := Measure(3, func(int) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	f := &StoreResult{
		Years: []GoalResult{
			{Question: "a year by hour", Took: ms(8), Goal: 30 * time.Millisecond},
			{Question: "a year by day", Took: ms(1)},
		},
		Values:      1000,
		Writing:     time.Second,
		Sealing:     2 * time.Second,
		Bytes:       700,
		Folder:      2800,
		SealingRate: 900,
		PlainRate:   1000,
		Series:      ms(4),
		Downsampled: ms(3),
		Range:       ms(9),
		Points:      1000,
	}
	var b strings.Builder
	if err := f.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"1,000 values/s",
		"0.70 bytes a value sealed (0.7 KiB)",
		"2.80 the whole folder",
		"900 frames/s while sealing, 1,000 otherwise: 90 %",
		"p50 4ms, p95 8ms; wanted: 10ms",
		"p50 8ms, p95 16ms; wanted: under 30ms\n",
		"a year by day   p50 1ms, p95 2ms\n",
	} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("the output lacks %q:\n%s", part, &b)
		}
	}
}
