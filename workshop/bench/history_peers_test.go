package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// fakePeer answers queries about the second device from the records, as a peer does.
func fakePeer(t *testing.T, r *Records, requests *bytes.Buffer) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		raw, err := io.ReadAll(q.Body)
		if err != nil {
			t.Error(err)
		}
		requests.WriteString(q.URL.Path + "\n")
		requests.Write(raw)
		a := newAnswer(len(r.Properties))
		fillAnswer(r, 1, r.all(), a)
		query := q.FormValue("q") + q.FormValue("query") + q.FormValue("match[]")
		if query != "" && !strings.Contains(query, "CREATE") && !strings.Contains(query, `device='B'`) &&
			!strings.Contains(query, `device="B"`) {
			t.Errorf("unexpected query: %s", query)
		}
		switch {
		case q.URL.Path == "/api/v1/export":
			for p, name := range r.Properties {
				var times, values []string
				for _, at := range a.points[p] {
					times, values = append(times, fmt.Sprint(at.Time)), append(values, fmt.Sprint(at.Value))
				}
				fmt.Fprintf(
					w,
					`{"metric":{"__name__":%q,"device":"B"},"values":[%s],"timestamps":[%s]}`+"\n",
					name,
					strings.Join(values, ","),
					strings.Join(times, ","),
				)
			}
		case q.URL.Path == "/api/v1/query_range":
			var series []any
			for p, name := range r.Properties {
				for _, rollup := range []string{"min_over_time", "max_over_time"} {
					var values [][]any
					for n, b := range a.buckets[p] {
						if v := map[bool]float64{true: b.low, false: b.high}[rollup == "min_over_time"]; b.filled {
							values = append(values, []any{(r.all().from + int64(n+1)*r.width()) / 1000, fmt.Sprint(v)})
						}
					}
					series = append(
						series,
						map[string]any{
							"metric": map[string]string{"__name__": name, "rollup": rollup},
							"values": values,
						},
					)
				}
			}
			reply(
				t,
				w,
				map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": series}},
			)
		case strings.Contains(query, "GROUP BY"):
			var rows [][]any
			for n := range r.buckets() {
				if a.buckets[0][n].filled {
					row := []any{r.all().from + int64(n)*r.width()}
					for p := range r.Properties {
						row = append(row, a.buckets[p][n].low, a.buckets[p][n].high)
					}
					rows = append(rows, row)
				}
			}
			reply(t, w, influxAnswer(rows))
		case strings.HasPrefix(query, "SELECT"):
			var rows [][]any
			for n := range a.points[0] {
				rows = append(rows, []any{a.points[0][n].Time, a.points[0][n].Value, a.points[1][n].Value})
			}
			reply(t, w, influxAnswer(rows))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func influxAnswer(rows [][]any) any {
	return map[string]any{
		"results": []any{
			map[string]any{"statement_id": 0, "series": []any{map[string]any{"name": "station", "values": rows}}},
		},
	}
}

func reply(t *testing.T, w io.Writer, answer any) {
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		t.Error(err)
	}
}

func TestPeersOverHTTP(t *testing.T) {
	r := someRecords(t)
	for name, loaded := range map[string][]string{
		"victoriametrics": {`{"metric":{"__name__":"rain","device":"B"},"values":[150,153.7,`, "/internal/force_merge\n", "/internal/force_flush\n"},
		"influxdb":        {fmt.Sprintf("station,device=B warmth=103.7,rain=153.7 %d\n", r.Time(1).UnixMilli()), "/query\n", "/write\n"},
	} {
		var requests bytes.Buffer
		store, err := openPeer(t.Context(), Peer{name, fakePeer(t, r, &requests).URL}, r)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.load(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, part := range loaded {
			if !strings.Contains(requests.String(), part) {
				t.Errorf("%s: no request contains %q:\n%.600s", name, part, requests.String())
			}
		}
		a := newAnswer(2)
		if err := store.points(t.Context(), 1, r.all(), a); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := r.checkPoints(1, r.all(), a); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		a.clear()
		if err := store.minMax(t.Context(), 1, a); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := r.checkBuckets(1, a); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The error of a query contains the peer's message.
func TestPeersRefuse(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":"no such database"}`, http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	r := someRecords(t)
	for _, name := range []string{"victoriametrics", "influxdb"} {
		store, err := openPeer(t.Context(), Peer{name, s.URL}, r)
		if err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"load":   store.load(t.Context()),
			"points": store.points(t.Context(), 0, r.all(), newAnswer(2)),
			"minMax": store.minMax(t.Context(), 0, newAnswer(2)),
		} {
			if err == nil || !strings.Contains(err.Error(), "404 Not Found: {\"error\":\"no such database\"}") {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
	}
	address := s.Listener.Addr().String()
	s.Close()
	p := Peer{"postgres", "postgres://nobody@" + address + "/x?sslmode=disable"}
	if _, err := openPeer(t.Context(), p, r); err == nil {
		t.Error("openPeer gives no error without a PostgreSQL")
	}
}

func TestMalformedPeerAnswers(t *testing.T) {
	r := someRecords(t)
	for _, raw := range []string{
		`{"metric":{"__name__":"depth"},"values":[1],"timestamps":[1]}`, `{"metric":{"__name__":"rain"},"values":[1,2],"timestamps":[1]}`,
		`{"metric":{"__name__":"rain"},"values":[1],"timestamps":[1,2]}`, `{"metric":{"__name__":"rain"}`, `[]`,
	} {
		if err := r.readExport(scan(raw), newAnswer(2)); err == nil {
			t.Errorf("export %s was accepted", raw)
		}
	}
	const rain = `{"data":{"result":[{"metric":{"__name__":"rain","rollup":"min_over_time"},"values":[[`
	end := r.all().to/1000 + 1
	for raw, says := range map[string]string{
		`{"data":{"result":[{"metric":{"__name__":"depth"},"values":[]}]}}`:              "known metric",
		`{"data":{"result":[{"metric":{"__name__":"rain","rollup":"p9"},"values":[]}]}}`: "known rollup",
		`{"data":{"result":[{"values":[[1,"2"]],"metric":{"__name__":"rain"}}]}}`:        "metric expected",
		rain + fmt.Sprintf(`%d,"2"]]}]}}`, r.Start.Unix()):                               "time of a bucket",
		rain + fmt.Sprintf(`%d,"2"]]}]}}`, end+r.width()/1000):                           "time of a bucket",
		rain: "] expected",
	} {
		err := r.readMatrix(scan(raw), r.width(), func(int, int, rollup, float64) {})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("matrix %s: %v, want %q", raw, err, says)
		}
	}
	last := 0
	raw := rain + fmt.Sprintf(`%d,"2"]]}]}}`, end)
	err := r.readMatrix(scan(raw), r.width(), func(property, n int, of rollup, value float64) {
		if last = n; property != 1 || of != rollupLow || value != 2 {
			t.Error(property, of, value)
		}
	})
	if err != nil || last != r.buckets()-1 {
		t.Error(last, err)
	}
}

func TestParsePeers(t *testing.T) {
	got, err := ParsePeers([]string{"influxdb=http://h:1", "postgres=postgres://u@h:2/d?sslmode=disable"})
	if err != nil || len(got) != 2 || got[0] != (Peer{"influxdb", "http://h:1"}) ||
		got[1].Address != "postgres://u@h:2/d?sslmode=disable" {
		t.Errorf("%v, %v", got, err)
	}
	const want = "victoriametrics: it is Debian's package victoria-metrics, or go install "
	if lines := MissingPeers(got); len(lines) != 1 || !strings.Contains(lines[0], want) {
		t.Errorf("%q", lines)
	}
	if got, err := ParsePeers([]string{"none"}); err != nil || len(got) != 0 || len(MissingPeers(got)) != 3 {
		t.Errorf("%v, %v", got, err)
	}
	for entry, says := range map[string]string{"oracle=x": `"oracle" is none of`, "influxdb": "influxdb=http://host:port", "influxdb=a,influxdb=b": "twice"} {
		if _, err := ParsePeers(strings.Split(entry, ",")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}

// BenchmarkReadOwn measures how long the client takes to read an answer, which is part of every
// figure.
func BenchmarkReadOwn(b *testing.B) {
	r, err := NewRecords([]string{"A"}, []string{"p"}, 30, time.Minute, someDay)
	if err != nil {
		b.Fatal(err)
	}
	raw, begun := []byte(`{"code":200,"data":[{"times":[`), byte('[')
	before := int64(0)
	for n := range r.Count() {
		at := r.Time(n).UnixMilli()
		raw = append(strconv.AppendInt(raw, at-before, 10), ',')
		before = at
	}
	raw = append(raw[:len(raw)-1], `],"values":{"p":`...)
	for n := range r.Count() {
		raw = strconv.AppendFloat(append(raw, begun), float64(n%4000)/100, 'f', -1, 64)
		begun = ','
	}
	raw = append(raw, `]}}],"msg":""}`...)
	b.SetBytes(int64(len(raw)))
	o := &tilthStore{records: r}
	var points []point
	for b.Loop() {
		points = points[:0]
		take := func(_ int, p point) { points = append(points, p) }
		if err := o.readColumns(&scanner{raw: raw}, take); err != nil || len(points) != r.Count() {
			b.Fatal(len(points), err)
		}
	}
}
