package httpapi_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/httpapi/wire"
	"tilth/internal/reading"
	"tilth/internal/testkit"
	"tilth/internal/testkit/race"
)

// heldAtMost is how much memory an answer may hold at any moment, in bytes.
const heldAtMost = 1 << 20

// slowReader counts what an answer sends, and looks now and then at how much
// memory is held meanwhile.
type slowReader struct {
	header http.Header
	status int
	sent   int
	looked int    // after so many bytes
	most   uint64 // bytes of the heap that are in use
}

func (s *slowReader) Header() http.Header { return s.header }

func (s *slowReader) WriteHeader(status int) { s.status = status }

func (s *slowReader) Write(b []byte) (int, error) {
	if s.sent += len(b); s.looked == 0 || s.sent-s.looked > 4<<20 {
		s.looked = s.sent
		s.most = max(s.most, heapInUse())
	}
	return len(b), nil
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// dense has WS-2 measure ten times a second, so many times, and seals the first
// half.
func (w *world) dense(t *testing.T, begin time.Time, frames int) {
	t.Helper()
	var batch []reading.Arrival
	for i := range frames {
		batch = append(batch, w.arrival(w.ws2, begin.Add(time.Duration(i)*100*time.Millisecond), map[string]reading.Value{
			"airTemperature": reading.Number(float64(i%400) / 10), "rain": reading.Number(float64(i % 7)), "heating": reading.Boolean(i%50 == 0),
		}))
		if len(batch) == 10_000 || i == frames-1 {
			if err := w.readings.Append(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			batch = nil // it is the store's
		}
		if i == frames/2 {
			if err := w.readings.Seal(t.Context(), w.Clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A device that measures ten times a second makes no answer hold more than one
// that measures every minute, whatever is asked for.
func TestLongAnswersHoldLittle(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	begin := now.Add(-26 * time.Hour)
	w.dense(t, begin, 400_000) // eleven hours, half of them sealed
	const signs = "airTemperature,rain,heating"
	for _, path := range []string{
		over(seriesPath, "WS-2", signs, begin, now), over(rowsPath, "WS-2", signs, begin, now), over(columnsPath, "WS-2", signs, begin, now),
		over(exportPath, "WS-2", signs, begin, now), over(seriesPath, "WS-2", signs, begin, now) + "&points=5000",
		over(rowsPath, "WS-2", signs, begin, now) + "&points=5000", over(columnsPath, "WS-2", signs, begin, now) + "&points=5000", over(coveragePath, "WS-2", signs, begin, now),
	} {
		name, _, _ := strings.Cut(path[strings.LastIndex(path, "device/")+len("device/"):], "?")
		ask := func() *slowReader {
			to := &slowReader{header: http.Header{}}
			w.Handler.ServeHTTP(to, w.get(path).Request(t.Context(), "http://tilth.test"))
			return to
		}
		ask() // what is kept for the next answer is no answer's
		before := heapInUse()
		to := ask()
		held := int64(to.most) - int64(before)
		t.Logf("%-40s %9d bytes, %7d held", name, to.sent, held)
		if to.status != 0 && to.status != http.StatusOK || held > heldAtMost && !race.Enabled {
			t.Errorf("%s answers %d and holds %d bytes", name, to.status, held)
		}
	}
}

// heldAnswer is one that is read up to its first piece, and then no further
// until it is let go.
type heldAnswer struct {
	header http.Header
	begun  chan struct{}
	once   sync.Once
	let    <-chan struct{}
}

func (h *heldAnswer) Header() http.Header { return h.header }

func (h *heldAnswer) WriteHeader(int) {}

func (h *heldAnswer) Write(b []byte) (int, error) {
	h.once.Do(func() { close(h.begun) })
	<-h.let
	return len(b), nil
}

// One user, and one tenant, may have so many long answers on their way; what is
// thinned is none, and nobody else waits.
func TestLongAnswersAtATime(t *testing.T) {
	w := newServer(t)
	begin := w.Clock.Now().Add(-2 * time.Hour)
	w.dense(t, begin, 20_000)
	every := over(rowsPath, "WS-2", "airTemperature", begin, w.Clock.Now())
	let := make(chan struct{})
	var answers sync.WaitGroup
	hold := func(token string) {
		held := &heldAnswer{header: http.Header{}, begun: make(chan struct{}), let: let}
		call := testkit.Call{Path: every, Token: token}
		answers.Go(func() { w.Handler.ServeHTTP(held, call.Request(t.Context(), "http://tilth.test")) })
		<-held.begun
	}
	refused := func(what string, a *testkit.Answer) {
		t.Helper()
		if a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"code":429`) || a.Header.Get("Retry-After") != "2" || !strings.Contains(string(a.Body), "Try again in 2\u00a0s") {
			t.Errorf("%s: %d %v %s", what, a.Status, a.Header, a.Body)
		}
	}
	const user, all = 6, 24
	for range user {
		hold(w.ada)
	}
	for _, path := range []string{every, over(seriesPath, "WS-2", "rain", begin, w.Clock.Now()), over(columnsPath, "WS-2", "rain", begin, w.Clock.Now()), over(exportPath, "WS-2", "rain", begin, w.Clock.Now())} {
		refused(path, w.Do(t, w.get(path)))
	}
	if list := w.log(t, w.ada, "").List; slices.ContainsFunc(list, func(e wire.AuditEntry) bool { return e.Action == "export" }) {
		t.Error("an export that was refused is in the log")
	}
	if a := w.Do(t, w.get(every+"&points=500")); strings.Contains(string(a.Body), `"code":429`) {
		t.Errorf("a thinned answer waits: %s", a.Body)
	}
	// Others of the farm go on, up to the farm's own bound; a neighbour is not touched by that.
	for range user {
		hold(w.bora)
	}
	for n := 2 * user; n < all; n += user {
		token := w.Session(t, w.User(t, w.field.ID, fmt.Sprint("guest", n))).Access
		for range user {
			hold(token)
		}
	}
	refused("one more of the farm", w.Do(t, testkit.Call{Path: every, Token: w.Session(t, w.User(t, w.field.ID, "one-more")).Access}))
	if a := w.Do(t, testkit.Call{Path: over(rowsPath, marker+"-1", "airTemperature", begin, w.Clock.Now()), Token: w.enemy}); strings.Contains(string(a.Body), `"code":429`) {
		t.Errorf("a neighbour waits: %s", a.Body)
	}
	close(let)
	answers.Wait()
	if a := w.Do(t, w.get(every)); strings.Contains(string(a.Body), `"code":429`) {
		t.Errorf("after the others ended: %s", a.Body)
	}
}
