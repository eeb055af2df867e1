package ingest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// now is the time of the frozen clock, epoch milliseconds.
const now = int64(1_700_000_000_000)

const (
	green tenant.ID = 1
	blue  tenant.ID = 2
)

// The properties of the test's product.
const (
	airTemperature device.PropertyID = iota + 11
	humidity
	heating
	note
)

func bound(f float64) *float64 { return &f }

func station() *device.Product {
	return &device.Product{
		ID:           1,
		Name:         "weather-station",
		OfflineAfter: 10 * time.Minute,
		Properties: []device.Property{
			{ID: humidity, Identifier: "humidity", DataType: device.Number, Min: bound(0), Max: bound(100)},
			{
				ID:         airTemperature,
				Identifier: "airTemperature",
				DataType:   device.Number,
				Min:        bound(-50),
				Max:        bound(70),
			},
			{ID: heating, Identifier: "heating", DataType: device.Boolean},
			{ID: note, Identifier: "note", DataType: device.Text},
		},
	}
}

var hashKey = []byte("key of this test")

// secretOf is the secret of a device of the fixture.
func secretOf(name string) string { return "secret-" + name + "-0123456789" }

func entry(t tenant.ID, id device.ID, name string, gateway, disabled bool) *device.Entry {
	return device.NewEntry(device.Ref{Tenant: t, ID: id}, name, station(), gateway, disabled,
		device.HashSecret(hashKey, secretOf(name)))
}

// testDevices are the devices in the fixture's registry.
func testDevices() []*device.Entry {
	return []*device.Entry{
		entry(green, 1, "WS-1", false, false),
		entry(green, 2, "WS-2", false, false),
		entry(green, 3, "GW-1", true, false),
		entry(green, 4, "WS-OFF", false, true),
		entry(blue, 5, "BLUE-1", false, false),
		entry(blue, 6, "BLUE-GW", true, false),
	}
}

// edge is a devices' edge under test.
type edge struct {
	t           testing.TB
	registry    *device.Registry
	presence    *device.Presence
	diagnostics *device.Diagnostics
	journal     *memoryJournal
	pipeline    *Pipeline
	mqtt        *MQTT
	address     string       // of the MQTT listener, after serve
	passed      atomic.Int64 // ms by which the test moved the clock
	fault       atomic.Bool  // makes the handling of a message panic
}

// arrival is the clock of arriving messages.
func (e *edge) arrival() time.Time {
	if e.fault.Load() {
		panic("a fault for the test")
	}
	return e.now()
}

// now is the edge's clock, which stands still unless a test moves it.
func (e *edge) now() time.Time { return time.UnixMilli(now + e.passed.Load()) }

// runningClock is a clock that runs, for limits that make clients wait.
func runningClock() func() time.Time {
	begin := time.Now()
	return func() time.Time { return time.UnixMilli(now).Add(time.Since(begin)) }
}

// newEdge makes an edge with a journal in memory; change may set options.
func newEdge(t testing.TB, change ...func(*Options)) *edge {
	t.Helper()
	e := &edge{
		t:           t,
		journal:     newMemoryJournal(),
		registry:    device.NewRegistry(hashKey),
		diagnostics: device.NewDiagnostics(),
	}
	e.registry.Replace(testDevices())
	o := Options{
		Registry:    e.registry,
		Diagnostics: e.diagnostics,
		Journal:     e.journal,
		Now:         e.arrival,
		Rate:        1e6,
		Burst:       1e6,
	}
	for _, f := range change {
		f(&o)
	}
	e.presence = device.NewPresence(e.registry, e.now, nil, slog.New(slog.DiscardHandler))
	o.Presence = e.presence
	o.Hints = device.NewHints(e.registry, time.Now)
	o.Traces = device.NewTraceStore(nil, e.registry, e.presence, slog.New(slog.DiscardHandler))
	e.pipeline = NewPipeline(o)
	e.mqtt = NewMQTT(e.pipeline)
	e.registry.StructureChanged.Then(func(struct{}) {
		e.pipeline.StructureChanged()
		e.mqtt.StructureChanged()
	})
	t.Cleanup(func() {
		e.journal.release()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(e.mqtt.Shutdown(ctx), e.pipeline.Close(ctx)); err != nil {
			t.Errorf("closing the edge: %v", err)
		}
		if s := e.pipeline.Stats(); s.Panics > 0 {
			t.Errorf("%d connections ended in a panic", s.Panics)
		}
	})
	return e
}

// serve opens an MQTT listener; over may wrap it.
func (e *edge) serve(over ...func(net.Listener) net.Listener) *edge {
	e.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.t.Fatal(err)
	}
	e.address = ln.Addr().String()
	for _, f := range over {
		ln = f(ln)
	}
	served := make(chan error, 1)
	go func() { served <- e.mqtt.Serve(context.Background(), ln) }()
	e.t.Cleanup(func() {
		if err := e.mqtt.Shutdown(context.Background()); err != nil {
			e.t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			e.t.Errorf("serve: %v", err)
		}
	})
	return e
}

func (e *edge) find(name string) *device.Entry {
	for _, x := range testDevices() {
		if x.Name == name {
			return e.registry.Get(x.ID)
		}
	}
	e.t.Fatalf("no device %s", name)
	return nil
}

// submit submits a message and waits for its outcome.
func (e *edge) submit(name string, kind Kind, payload string) Outcome {
	e.t.Helper()
	done := make(chan Outcome, 1)
	m := Message{Entry: e.find(name), Kind: kind, Payload: []byte(payload), At: now}
	if err := e.pipeline.Submit(context.Background(), m, func(o Outcome) { done <- o }); err != nil {
		e.t.Fatalf("submit: %v", err)
	}
	return receive(e.t, done)
}

// patience is how long the tests wait for what comes soon: less than the 10 s after which the server
// ends a connection without a CONNECT, whatever else is wrong with it.
const patience = 8 * time.Second

// eventually polls until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("timeout while waiting for: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// eventuallyWhile polls until the condition holds, however long that takes on this machine, as long as
// a number grows that shows that the work goes on.
func eventuallyWhile(t testing.TB, what string, grows func() uint64, holds func() bool) {
	t.Helper()
	for !holds() {
		had := grows()
		eventually(t, what, func() bool { return grows() > had || holds() })
	}
}

// receive waits for a value.
func receive[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("timeout while waiting for a value")
		panic("unreachable")
	}
}

// memoryJournal is an appender whose commits a test can hold and fail.
type memoryJournal struct {
	entered chan int // the number of frames of each Append that begins

	mu      sync.Mutex
	batches [][]reading.Arrival
	gate    chan struct{} // nil: open
	err     error
}

func newMemoryJournal() *memoryJournal { return &memoryJournal{entered: make(chan int, 1<<16)} }

func (l *memoryJournal) Append(ctx context.Context, batch []reading.Arrival) error {
	l.entered <- len(batch)
	l.mu.Lock()
	gate := l.gate
	l.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	l.batches = append(l.batches, batch)
	return nil
}

// hold makes commits wait until release.
func (l *memoryJournal) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gate = make(chan struct{})
}

func (l *memoryJournal) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate != nil {
		close(l.gate)
		l.gate = nil
	}
}

// fail makes commits fail; nil: they succeed again.
func (l *memoryJournal) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// frames returns all committed frames in order.
func (l *memoryJournal) frames() []reading.Frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []reading.Frame
	for _, batch := range l.batches {
		for _, a := range batch {
			all = append(all, a.Frame)
		}
	}
	return all
}

func (l *memoryJournal) commits() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.batches)
}

// temperatures returns the committed air temperatures of a device in order.
func (l *memoryJournal) temperatures(id device.ID) []float64 {
	var all []float64
	for _, f := range l.frames() {
		for _, field := range f.Fields {
			if f.Device == id && field.Property == airTemperature {
				all = append(all, field.Value.Float())
			}
		}
	}
	return all
}

// describe formats frames for comparison: device@time property=value …, with the time relative to
// the frozen clock.
func describe(frames []reading.Frame) string {
	names := map[device.PropertyID]string{airTemperature: "air", humidity: "hum", heating: "heat", note: "note"}
	var lines []string
	for _, f := range frames {
		line := strings.Builder{}
		line.WriteString(
			reading.Number(float64(f.Device)).String() + "@" + reading.Number(float64(f.Time-now)).String(),
		)
		for _, field := range f.Fields {
			line.WriteString(" " + names[field.Property] + "=" + field.Value.String())
		}
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "; ")
}

// needed fails the test in CI, and skips it elsewhere, if a program that it needs is missing.
func needed(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is needed: %v", what, err)
	}
	t.Skipf("%s is needed: %v", what, err)
}

var _ http.Handler = NewHTTP(&Pipeline{})

// forget drops the committed frames.
func (l *memoryJournal) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.batches = nil
	for len(l.entered) > 0 {
		<-l.entered
	}
}
