package console_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/race"
)

// maxHeldBytes is how much memory an answer may hold at any moment, in bytes.
const maxHeldBytes = 1 << 20

// measureDense gives WS-2 ten frames a second, as many as frames, and seals the first half.
func (w *fixture) measureDense(t *testing.T, begin time.Time, frames int) {
	t.Helper()
	w.appendFrames(t, frames, func(i int) reading.Arrival {
		return w.arrival(w.ws2, begin.Add(time.Duration(i)*100*time.Millisecond), map[string]reading.Value{
			"airTemperature": reading.Number(float64(i%400) / 10),
			"rain":           reading.Number(float64(i % 7)),
			"heating":        reading.Boolean(i%50 == 0),
		})
	})
}

// appendFrames appends frames, and seals when half of them are there.
func (w *fixture) appendFrames(t *testing.T, frames int, frame func(i int) reading.Arrival) {
	t.Helper()
	var batch []reading.Arrival
	for i := range frames {
		batch = append(batch, frame(i))
		if len(batch) == 5_000 || i == frames-1 {
			if err := w.readings.Append(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			batch = nil // the store owns it now
		}
		if i == frames/2 {
			if err := w.readings.Seal(t.Context(), w.Clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// createWideDevice makes a device of 64 properties with a frame of all of them each second, and
// returns their names. Most are numbers, some are long texts.
func (w *fixture) createWideDevice(t *testing.T, begin time.Time, frames int) (signs string) {
	t.Helper()
	p := &device.Product{Name: "wide", OfflineAfter: time.Minute}
	var names []string
	for i := range 64 {
		names = append(names, fmt.Sprintf("layer%02d", i))
		kind := device.Number
		switch i % 32 {
		case 30:
			kind = device.Boolean
		case 31:
			kind = device.Text
		}
		p.Properties = append(p.Properties, device.Property{Identifier: names[i], DataType: kind, AccessMode: "r"})
	}
	if err := w.Catalog.PutProduct(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	d := w.Device(t, w.field.ID, p, "WIDE")
	w.appendFrames(t, frames, func(i int) reading.Arrival {
		f := reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: begin.Add(time.Duration(i) * time.Second).UnixMilli()}
		for n := range p.Properties {
			v := reading.Number(float64((i*(n+7))%997) / 10)
			switch p.Properties[n].DataType {
			case device.Boolean:
				v = reading.Boolean(i/3%2 == 0)
			case device.Text:
				v = reading.Text(fmt.Sprint(strings.Repeat("long ", 20), i/2))
			}
			f.Fields = append(f.Fields, reading.Field{Property: p.Properties[n].ID, Value: v})
		}
		return reading.Arrival{Frame: f, At: w.Clock.Milli()}
	})
	return strings.Join(names, ",")
}

// An answer holds no more memory for a device that measures ten times a second than for one that
// measures every minute, nor for one of 64 properties, whatever the call is.
func TestStreamedAnswersHoldLittleMemory(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	frames := denseFrames(t)
	begin := now.Add(-max(26*time.Hour, time.Duration(frames)*100*time.Millisecond+2*time.Hour))
	w.measureDense(t, begin, frames) // half of it is sealed
	calls := map[string]testkit.Call{}
	packed := map[string]string{"Accept-Encoding": "gzip"}
	of := func(device, signs string, begin time.Time) {
		for name, path := range map[string]string{
			"by property": rangePath(seriesPath, device, signs, begin, now), "by property, downsampled": rangePath(seriesPath, device, signs, begin, now) + "&points=5000",
			"by time": rangePath(rowsPath, device, signs, begin, now), "by time, downsampled": rangePath(rowsPath, device, signs, begin, now) + "&points=5000",
			"by columns": rangePath(columnsPath, device, signs, begin, now), "by columns, downsampled": rangePath(columnsPath, device, signs, begin, now) + "&points=5000",
			"sign-data": rangePath(signPath, device, signs, begin, now), "spreadsheet": rangePath(exportPath, device, signs, begin, now),
			"coverage": rangePath(coveragePath, device, signs, begin, now),
		} {
			call := w.get(path)
			call.Header = packed
			calls[device+" "+name] = call
		}
	}
	of("WS-2", "airTemperature,rain,heating", begin)
	wideFrom := now.Add(-25 * time.Hour)
	of("WIDE", w.createWideDevice(t, wideFrom, race.Cases(10_000)), wideFrom)
	calls["WS-2 rehearsal"] = w.rehearse(frostForm("WS-2", body{"hitCounts": 3, "durations": 300_000}))
	calls["WS-2 rehearsal of all"] = w.rehearseAll(frostForm("WS-2", body{"hitCounts": 3, "durations": 300_000}))
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		call := calls[name]
		call.From = remoteAddr
		held := testkit.MeasureResponseMemory(
			t,
			w.Handler,
			func(ctx context.Context) *http.Request { return call.Request(ctx, "http://tilth.test") },
		)
		t.Logf("%-25s %9d bytes, %8d held", name, held.Sent, held.Peak)
		if held.Status != http.StatusOK || held.Peak > maxHeldBytes && !race.Enabled {
			t.Errorf("%s: %+v", name, held)
		}
	}
}

// denseFrames returns how many frames the device of TestStreamedAnswersHoldLittleMemory has; five
// million take some minutes.
func denseFrames(t *testing.T) int {
	t.Helper()
	given := os.Getenv("TILTH_DENSE_FRAMES")
	if given == "" {
		return race.Cases(100_000)
	}
	n, err := strconv.Atoi(given)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// blockingWriter takes the first chunk, and then blocks until the test lets it go on.
type blockingWriter struct {
	header  http.Header
	started chan struct{}
	once    sync.Once
	release <-chan struct{}
}

func (h *blockingWriter) Header() http.Header { return h.header }

func (h *blockingWriter) WriteHeader(int) {}

func (h *blockingWriter) Write(b []byte) (int, error) {
	h.once.Do(func() { close(h.started) })
	<-h.release
	return len(b), nil
}

// The number of long answers at once is limited for a user and for a tenant. Downsampled answers do
// not count, and nobody else waits.
func TestConcurrentStreamedAnswerLimits(t *testing.T) {
	w := newServer(t)
	begin := w.Clock.Now().Add(-2 * time.Hour)
	w.measureDense(t, begin, 20_000)
	every := rangePath(rowsPath, "WS-2", "airTemperature", begin, w.Clock.Now())
	let := make(chan struct{})
	var answers sync.WaitGroup
	hold := func(token string) {
		held := &blockingWriter{header: http.Header{}, started: make(chan struct{}), release: let}
		call := testkit.Call{Path: every, Token: token}
		answers.Go(func() { w.Handler.ServeHTTP(held, call.Request(t.Context(), "http://tilth.test")) })
		<-held.started
	}
	refused := func(what string, a *testkit.Answer) {
		t.Helper()
		if a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"code":429`) ||
			a.Header.Get("Retry-After") != "2" ||
			!strings.Contains(string(a.Body), "Try again in 2\u00a0s") {
			t.Errorf("%s: %d %v %s", what, a.Status, a.Header, a.Body)
		}
	}
	const user, all = 6, 24
	for range user {
		hold(w.ada)
	}
	for _, path := range []string{every, rangePath(seriesPath, "WS-2", "rain", begin, w.Clock.Now()), rangePath(columnsPath, "WS-2", "rain", begin, w.Clock.Now()), rangePath(exportPath, "WS-2", "rain", begin, w.Clock.Now())} {
		refused(path, w.Do(t, w.get(path)))
	}
	list := w.auditLog(t, w.ada, "").List
	if slices.ContainsFunc(list, func(e wire.AuditEntry) bool { return e.Action == "export" }) {
		t.Error("a refused export is in the audit log")
	}
	if a := w.Do(t, w.get(every+"&points=500")); strings.Contains(string(a.Body), `"code":429`) {
		t.Errorf("a downsampled answer waits: %s", a.Body)
	}
	// Other users of the tenant go on, up to the tenant's own limit, which does not affect another
	// tenant.
	for range user {
		hold(w.bora)
	}
	for n := 2 * user; n < all; n += user {
		token := w.Session(t, w.User(t, w.field.ID, fmt.Sprint("guest", n))).Access
		for range user {
			hold(token)
		}
	}
	refused(
		"one more of the tenant",
		w.Do(t, testkit.Call{Path: every, Token: w.Session(t, w.User(t, w.field.ID, "one-more")).Access}),
	)
	other := w.Do(t, testkit.Call{
		Path:  rangePath(rowsPath, marker+"-1", "airTemperature", begin, w.Clock.Now()),
		Token: w.rivalToken,
	})
	if strings.Contains(string(other.Body), `"code":429`) {
		t.Errorf("another tenant waits: %s", other.Body)
	}
	close(let)
	answers.Wait()
	if a := w.Do(t, w.get(every)); strings.Contains(string(a.Body), `"code":429`) {
		t.Errorf("after the others ended: %s", a.Body)
	}
}
