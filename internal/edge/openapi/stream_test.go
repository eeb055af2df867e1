package openapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/openapi"
	"tilth/internal/edge/openapi/wire"
	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/race"
)

// newWatchedFixture makes a fixture whose readings store is observed.
func newWatchedFixture(t testing.TB, s *testkit.ObservedStore) *fixture {
	t.Helper()
	return newFixture(t, func(o *openapi.Options) {
		s.Store = o.Stores.Readings
		o.Readings = s
	})
}

var longHistoryStart = time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)

func longHistoryPath(more ...string) string {
	return query(
		"/devices/WS-1/history",
		append(
			[]string{"from", rfc3339(longHistoryStart), "to", rfc3339(longHistoryStart.AddDate(0, 0, 30))},
			more...)...)
}

// fetch makes a call over a real connection.
func fetch(t testing.TB, w *fixture, base string, c call) *http.Response {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(c.request(t, w, base))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// 100,000 rows are sent, each once and in order, and memory does not grow with them.
func TestLongHistoryIsStreamed(t *testing.T) {
	const rows = 100_000
	var base, most uint64
	s := &testkit.ObservedStore{Each: func(_ context.Context, n int) error {
		if n%10_000 != 5_000 {
			return nil
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if n == 5_000 {
			base = m.HeapAlloc
		}
		most = max(most, m.HeapAlloc)
		return nil
	}}
	w := newWatchedFixture(t, s)
	w.measureMany(t, longHistoryStart, rows)
	server := w.serve(t)
	for _, format := range []string{"csv", "ndjson"} {
		base, most = 0, 0
		res := fetch(t, w, server, call{path: longHistoryPath("format", format)})
		lines, size := 0, 0
		for scan := bufio.NewScanner(res.Body); scan.Scan(); lines++ {
			line := scan.Text()
			size += len(line)
			i := lines
			if format == "csv" {
				i--
			}
			if want := rfc3339(longHistoryStart.Add(time.Duration(i) * time.Second)); i >= 0 &&
				(!strings.Contains(line, want) || !strings.Contains(line, fmt.Sprint("row ", i))) {
				t.Fatalf("line %d: %s", lines, line)
			}
		}
		if want := rows + strings.Count(format, "csv"); lines != want || len(res.Trailer["Link"]) != 0 {
			t.Errorf("%s: %d lines, want %d; trailer %v", format, lines, want, res.Trailer)
		}
		if most > base+uint64(size)/3 {
			t.Errorf("%s of %d bytes: memory went from %d to %d", format, size, base, most)
		}
	}
}

// No answer with history holds more than 1 MiB, however many readings it has.
func TestHistoryMemoryIsBounded(t *testing.T) {
	w := newFixture(t)
	w.measureMany(t, longHistoryStart, 100_000)
	for name, path := range map[string]string{
		"csv": longHistoryPath("format", "csv"), "ndjson": longHistoryPath("format", "ndjson"), "json": longHistoryPath("limit", "50000"),
	} {
		held := testkit.MeasureResponseMemory(t, w.handler, func(ctx context.Context) *http.Request {
			return call{path: path}.request(t, w, "http://tilth.test").WithContext(ctx)
		})
		t.Logf("%-6s %9d bytes, %8d held", name, held.Sent, held.Peak)
		if held.Status != http.StatusOK || held.Sent < 2<<20 || held.Peak > 1<<20 && !race.Enabled {
			t.Errorf("%s: %+v", name, held)
		}
	}
}

// An answer that ends at its row limit says at its end where to go on.
func TestNextPageLinkTrailer(t *testing.T) {
	w := newFixture(t)
	w.measureMany(t, longHistoryStart, 2_500)
	server := w.serve(t)
	for _, format := range []string{"csv", "ndjson"} {
		path, lines, answers := "/open-api/v1"+longHistoryPath(
			"format",
			format,
			"limit",
			"1000",
			"properties",
			"note",
		), 0, 0
		for ; path != ""; answers++ {
			res := fetch(t, w, server, call{path: path})
			if res.StatusCode != http.StatusOK || res.Header.Get("Link") != "" {
				t.Fatalf("%d %v", res.StatusCode, res.Header)
			}
			for scan := bufio.NewScanner(res.Body); scan.Scan(); {
				if !strings.HasPrefix(scan.Text(), "time,") {
					if !strings.Contains(scan.Text(), fmt.Sprint("row ", lines)) {
						t.Fatalf("row %d: %s", lines, scan.Text())
					}
					lines++
				}
			}
			link, more := strings.CutSuffix(res.Trailer.Get("Link"), `>; rel="next"`)
			if path = ""; more {
				next, err := res.Request.URL.Parse(strings.TrimPrefix(link, "<"))
				if err != nil {
					t.Fatal(err)
				}
				path = next.RequestURI()
			}
		}
		if lines != 2_500 || answers != 3 {
			t.Errorf("%s: %d rows in %d answers", format, lines, answers)
		}
	}
}

// If an answer fails after a part of it was sent, the connection is cut off, so that no client
// takes it for complete.
func TestErrorMidStreamCutsConnection(t *testing.T) {
	s := &testkit.ObservedStore{Each: func(_ context.Context, n int) error {
		if n > 5_000 {
			return errors.New("the disk is on fire")
		}
		return nil
	}}
	w := newWatchedFixture(t, s)
	w.measureMany(t, longHistoryStart, 6_000)
	server := w.serve(t)
	for _, format := range []string{"json", "csv", "ndjson"} {
		res := fetch(t, w, server, call{path: longHistoryPath("format", format)})
		n, err := io.Copy(io.Discard, res.Body)
		if !errors.Is(err, io.ErrUnexpectedEOF) || n < 30_000 || res.StatusCode != http.StatusOK ||
			len(res.Trailer["Link"]) != 0 {
			t.Errorf("%s: %d bytes of half an answer end with %v", format, n, err)
		}
		testkit.Eventually(t, "the line in the log", func() bool {
			return strings.Contains(
				w.Log.Text(),
				`level=ERROR msg="answer cut off" request=`+res.Header.Get("X-Request-Id"),
			)
		})
	}
}

// If the client leaves, reading ends.
func TestClientLeavesMidStream(t *testing.T) {
	at, ended := make(chan struct{}), make(chan error, 1)
	s := &testkit.ObservedStore{
		Each: func(ctx context.Context, n int) error {
			if n == 2_000 {
				close(at)
				<-ctx.Done()
			}
			return nil
		},
		Ended: func(_ int, err error) { ended <- err },
	}
	w := newWatchedFixture(t, s)
	w.measureMany(t, longHistoryStart, 20_000)
	ctx, leave := context.WithCancel(t.Context())
	res, err := http.DefaultTransport.RoundTrip(
		call{path: longHistoryPath("format", "csv")}.request(t, w, w.serve(t)).WithContext(ctx),
	)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, "the middle of the answer", at)
	leave()
	_ = res.Body.Close()
	if err := testkit.Receive(t, "the end of reading", ended); err == nil {
		t.Error("reading did not end early")
	}
	if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("the log has an error although the client left: %s", log)
	}
}

// unlimitedScheduler returns a scheduler that makes no task wait.
func unlimitedScheduler() *reading.WorkScheduler {
	return limit.NewScheduler[tenant.ID, int64](
		limit.Options{Name: "work", Meter: new(limit.Meter)},
		limit.SchedulerOptions{
			MaxRunning:             100,
			MaxRunningPerKey:       100,
			MaxRunningPerSubmitter: 100,
			MaxWaitingPerKey:       1,
			MaxWaitingPerSubmitter: 1,
			TimeSlice:              time.Minute,
		},
	)
}

// The number of concurrent history answers of one user is limited, over all credentials and the
// console together.
func TestConcurrentHistoryLimitPerUser(t *testing.T) {
	begun, goOn := make(chan struct{}, 100), make(chan struct{})
	s := &testkit.ObservedStore{Each: func(ctx context.Context, n int) error {
		if n == 1 {
			begun <- struct{}{}
			select {
			case <-goOn:
			case <-ctx.Done():
			}
		}
		return nil
	}}
	streams := reading.NewHistoryStreams(nil)
	w := newFixture(t, func(o *openapi.Options) {
		s.Store = o.Stores.Readings
		o.Readings, o.HistoryStreams, o.Turns = s, streams, unlimitedScheduler()
	})
	w.measureMany(t, longHistoryStart, 10)
	_, other := w.newKey(t, w.field.Ada)
	server := w.serve(t)
	const many = 5
	leave := streams.Acquire(t.Context(), w.field.ID, w.field.Ada.ID) // a sixth answer, of the console
	answers := make(chan int, many)
	for i := range many {
		go func() {
			c := call{path: longHistoryPath()}
			if i%2 == 0 {
				c.as = &other
			}
			res, err := http.DefaultTransport.RoundTrip(c.request(t, w, server))
			if err != nil {
				answers <- 0
				return
			}
			_ = res.Body.Close()
			answers <- res.StatusCode
		}()
	}
	for range many {
		testkit.Receive(t, "a running answer", begun)
	}
	for _, as := range []*key{nil, &other} {
		p := w.mustRefuse(t, call{path: longHistoryPath(), as: as}, http.StatusTooManyRequests)
		if p.Code != "tooMany" || !strings.Contains(p.Detail, "long answers") {
			t.Errorf("%+v", p)
		}
	}
	ask[wire.DeviceList](t, w, call{path: "/devices"}) // other calls are not limited
	leave()
	close(goOn)
	for range many {
		if status := testkit.Receive(t, "the answer", answers); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	if got := ask[wire.History](t, w, call{path: longHistoryPath()}); len(got.Items) != 10 {
		t.Errorf("%d rows", len(got.Items))
	}
}

// The number of concurrent history answers of a tenant is limited, over all its users.
func TestConcurrentHistoryLimitPerTenant(t *testing.T) {
	streams := reading.NewHistoryStreams(nil)
	w := newFixture(t, func(o *openapi.Options) { o.HistoryStreams = streams })
	w.measureMany(t, longHistoryStart, 10)
	for i := range reading.HistoryStreamsPerTenant {
		user := int64(1000 + i/reading.HistoryStreamsPerUser)
		if leave := streams.Acquire(t.Context(), w.field.ID, user); leave == nil {
			t.Fatalf("no slot for answer %d", i)
		}
	}
	w.mustRefuse(t, call{path: longHistoryPath()}, http.StatusTooManyRequests)
	ask[wire.History](
		t,
		w,
		call{path: query("/devices/"+marker+"-1/history", "from", rfc3339(longHistoryStart)), as: &w.rivalKey},
	)
}

// When memory gets short, the server refuses history first.
func TestMemoryPressureRefusals(t *testing.T) {
	gauge, percent := testkit.FakeMemory()
	percent.Store(85)
	w := newFixture(t, func(o *openapi.Options) { o.Memory = gauge })
	if p := w.mustRefuse(t, call{path: longHistoryPath()}, http.StatusServiceUnavailable); p.Code != "unavailable" ||
		!strings.Contains(p.Detail, "no memory to spare") {
		t.Errorf("%+v", p)
	}
	ask[wire.DeviceList](t, w, call{path: "/devices"})
	percent.Store(93)
	w.mustRefuse(t, call{path: "/devices"}, http.StatusServiceUnavailable)
	percent.Store(50)
	ask[wire.History](t, w, call{path: longHistoryPath()})
}

// JSON answers have pages of a default size.
func TestDefaultJSONPageSize(t *testing.T) {
	w := newFixture(t)
	w.measureMany(t, longHistoryStart, 12_000)
	first := ask[wire.History](t, w, call{path: longHistoryPath("properties", "airTemperature")})
	rest := ask[wire.History](
		t,
		w,
		call{path: longHistoryPath("properties", "airTemperature", "limit", "50000", "cursor", *first.NextCursor)},
	)
	if len(first.Items) != 10_000 || len(rest.Items) != 2_000 || rest.NextCursor != nil {
		t.Errorf("%d and %d rows", len(first.Items), len(rest.Items))
	}
}
