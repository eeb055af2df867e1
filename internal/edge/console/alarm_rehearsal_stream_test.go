package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
)

// oneTaskScheduler returns a scheduler that runs one task at a time and lets two more of a user
// wait.
func oneTaskScheduler() *reading.WorkScheduler {
	return limit.NewScheduler[tenant.ID, int64](
		limit.Options{Name: "work", Meter: new(limit.Meter)},
		limit.SchedulerOptions{
			MaxRunning:             1,
			MaxRunningPerKey:       1,
			MaxRunningPerSubmitter: 1,
			MaxWaitingPerKey:       9,
			MaxWaitingPerSubmitter: 2,
			TimeSlice:              time.Hour,
		},
	)
}

// stalledServer is a server that cannot go on after it has sent a line, until the test lets it.
type stalledServer struct {
	scheduler  *reading.WorkScheduler
	sent       chan limit.Task // the running task; the test lets the server go on by receiving it
	clientLeft chan struct{}   // closed when the client has left
	ended      chan struct{}   // closed when the server has ended the answer
	once       sync.Once

	mu      sync.Mutex
	written strings.Builder // everything that the server has written
}

func newStalledServer(scheduler *reading.WorkScheduler) *stalledServer {
	return &stalledServer{
		scheduler:  scheduler,
		sent:       make(chan limit.Task, 1),
		clientLeft: make(chan struct{}),
		ended:      make(chan struct{}),
	}
}

// serve serves a single call.
func (h *stalledServer) serve(t *testing.T, next http.Handler) (base string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(h.ended)
		context.AfterFunc(r.Context(), func() { close(h.clientLeft) })
		next.ServeHTTP(&stalledWriter{w, r.Context(), h}, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func (h *stalledServer) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.written.String()
}

type stalledWriter struct {
	http.ResponseWriter
	ctx    context.Context
	server *stalledServer
}

func (w *stalledWriter) Write(b []byte) (int, error) {
	w.server.mu.Lock()
	w.server.written.Write(b)
	w.server.mu.Unlock()
	return w.ResponseWriter.Write(b)
}

// FlushError sends what is written; the server has given up its slot meanwhile.
func (w *stalledWriter) FlushError() error {
	err := http.NewResponseController(w.ResponseWriter).Flush()
	if w.server.text() != "" {
		w.server.once.Do(func() {
			task, _ := w.server.scheduler.Enter(context.WithoutCancel(w.ctx), -1, -1)
			w.server.sent <- task
		})
	}
	return err
}

func (w *stalledWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// rehearsed is a line of a rehearsal on several devices.
type rehearsed struct {
	DeviceName         string
	Of, Samples, Total int
	Devices            *int // only in the last line
}

// sceneWithFrosts makes a scene of WS-1, WS-2 and Aft, of which the last two have frosts. It
// returns the form of a rule for the scene that names WS-2 first.
func (w *fixture) sceneWithFrosts(t *testing.T) body {
	t.Helper()
	aft := w.Device(t, w.field.ID, w.station, "WS-3", func(d *device.Device) { d.NoteName, d.SceneID = "Aft", w.north })
	camera := &device.Product{Name: "eye", Properties: []device.Property{{Identifier: "live", DataType: device.Text}}}
	if err := w.Catalog.PutProduct(t.Context(), camera); err != nil {
		t.Fatal(err)
	}
	w.Stores.Reload(t)
	w.Device(t, w.field.ID, camera, "EYE-1", func(d *device.Device) { d.SceneID = w.north })
	w.measureSwinging(t)
	begin := w.Clock.Now().Add(-24 * time.Hour)
	w.appendFrames(t, 4, func(i int) reading.Arrival {
		return w.arrival(aft, begin.Add(time.Duration(i)*time.Minute), air([]float64{1, 9}[i%2]))
	})
	return frostForm(
		"",
		body{"executionId": nil, "targets": body{"devices": []string{"WS-2"}, "groups": []int64{w.north}}},
	)
}

// readRehearsalLine reads the next line that is not empty, and checks it against the contract.
func (w *fixture) readRehearsalLine(t *testing.T, lines *bufio.Reader) (r rehearsed) {
	t.Helper()
	for {
		text, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if text == "\n" {
			continue
		}
		schema := "RehearsedDevice"
		if !strings.Contains(text, "deviceName") {
			schema = "RehearsedAll"
		}
		if err := w.Schema(schema, []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return r
	}
}

// requestRehearsal requests a rehearsal on several devices.
func (w *fixture) requestRehearsal(t *testing.T, ctx context.Context, base string, rule body) *bufio.Reader {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(w.rehearseAll(rule).Request(ctx, base))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() }) // the test has read what it needs
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != "application/x-ndjson" {
		t.Fatalf("%s %s", res.Status, got)
	}
	return bufio.NewReader(res.Body)
}

// Each device has one line, which is sent before the next device is rehearsed: first the named
// devices, then the others by title. A device that cannot have the rule has no line. The last line
// is the summary.
func TestRehearseSeveralDevices(t *testing.T) {
	scheduler := oneTaskScheduler()
	w := newServer(t, func(o *console.Options) { o.Turns = scheduler })
	rule, h := w.sceneWithFrosts(t), newStalledServer(scheduler)
	lines := w.requestRehearsal(t, t.Context(), h.serve(t, w.Handler), rule)
	got := []rehearsed{w.readRehearsalLine(t, lines)}
	task := testkit.Receive(t, "the first line's end", h.sent)
	if said := h.text(); strings.Count(said, "\n") != 1 {
		t.Errorf("the server went on after the first line: %s", said)
	}
	task.Leave()
	for got[len(got)-1].Devices == nil {
		got = append(got, w.readRehearsalLine(t, lines))
	}
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("after the last line: %q %v", rest, err)
	}
	three := 3
	want := []rehearsed{
		{
			DeviceName: "WS-2",
			Of:         3,
			Samples:    4320,
			Total:      39,
		},
		{DeviceName: "WS-3", Of: 3, Samples: 4, Total: 2},
		{DeviceName: "WS-1", Of: 3, Samples: 1},
		{Total: 41, Devices: &three},
	}
	if !slices.EqualFunc(got, want, func(a, b rehearsed) bool {
		same := (a.Devices == nil) == (b.Devices == nil) && (a.Devices == nil || *a.Devices == *b.Devices)
		a.Devices, b.Devices = nil, nil
		return same && a == b
	}) {
		t.Errorf("%+v, want %+v", got, want)
	}
	testkit.Receive(t, "the answer's end", h.ended)
}

// If the client leaves after the first of several devices, the server does not rehearse the others,
// and gives back the slots that the rehearsal had.
func TestClientLeavesBetweenDevices(t *testing.T) {
	scheduler, streams := oneTaskScheduler(), reading.NewHistoryStreams(nil)
	w := newServer(t, func(o *console.Options) { o.Turns, o.HistoryStreams = scheduler, streams })
	rule, h := w.sceneWithFrosts(t), newStalledServer(scheduler)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	lines := w.requestRehearsal(t, ctx, h.serve(t, w.Handler), rule)
	w.readRehearsalLine(t, lines)
	task := testkit.Receive(t, "the first line's end", h.sent)
	leave()
	testkit.Receive(t, "the client to be gone", h.clientLeft)
	task.Leave()
	testkit.Receive(t, "the answer's end", h.ended)
	if said := h.text(); strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, `{"deviceName":"WS-2"`) {
		t.Errorf("the rehearsal went on: %s", said)
	}
	for n := range reading.HistoryStreamsPerUser {
		free := streams.Acquire(t.Context(), w.field.ID, w.field.Ada.ID)
		if free == nil {
			t.Fatalf("only %d slots are free", n)
		}
		defer free()
	}
	if next, why := scheduler.Enter(t.Context(), w.field.ID, w.field.Ada.ID); next == nil {
		t.Errorf("the scheduler has no free slot: %v", why)
	} else {
		next.Leave()
	}
	if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("%s", log)
	}
}

// Some rehearsals of one user wait for a slot, and more than that are refused. Those that waited
// are complete.
func TestRehearsalsAreScheduled(t *testing.T) {
	scheduler := oneTaskScheduler()
	w := newServer(t, func(o *console.Options) { o.Turns = scheduler })
	call := w.rehearseAll(w.sceneWithFrosts(t))
	task, _ := scheduler.Enter(t.Context(), w.field.ID, w.field.Ada.ID)
	const asked, wait = 5, 2
	answers := make(chan *testkit.Answer, asked)
	for range asked {
		go func() { answers <- w.Do(t, call) }()
	}
	for range asked - wait {
		if a := testkit.Receive(t, "a refusal", answers); a.Code != 429 || a.Header.Get("Retry-After") != "2" ||
			a.Msg == "" {
			t.Errorf("%v %s", a.Header, a.Body)
		}
	}
	task.Leave()
	for range wait {
		if a := testkit.Receive(t, "an answer", answers); strings.Count(string(a.Body), `"deviceName"`) != 3 ||
			!strings.Contains(string(a.Body), `{"devices":3,"total":41`) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
}
