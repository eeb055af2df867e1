package httpapi_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"tilth/internal/reading"
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

// A device that measures ten times a second makes no answer hold more than one
// that measures every minute, whatever is asked for.
func TestLongAnswersHoldLittle(t *testing.T) {
	w := newServer(t)
	const step = 100 * time.Millisecond
	now := w.Clock.Now()
	begin := now.Add(-26 * time.Hour)
	const frames = 400_000 // eleven hours, most of them sealed
	batch := make([]reading.Arrival, 0, 10_000)
	for i := range frames {
		batch = append(batch, w.arrival(w.ws2, begin.Add(time.Duration(i)*step), map[string]reading.Value{
			"airTemperature": reading.Number(float64(i%400) / 10), "rain": reading.Number(float64(i % 7)), "heating": reading.Boolean(i%50 == 0),
		}))
		if len(batch) == cap(batch) {
			if err := w.readings.Append(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			batch = make([]reading.Arrival, 0, 10_000)
		}
		if i == frames/2 {
			if err := w.readings.Seal(t.Context(), now); err != nil {
				t.Fatal(err)
			}
		}
	}
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
		if to.status != 0 && to.status != http.StatusOK || held > heldAtMost {
			t.Errorf("%s answers %d and holds %d bytes", name, to.status, held)
		}
	}
}
