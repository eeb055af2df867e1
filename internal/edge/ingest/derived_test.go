package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

const dewPoint device.PropertyID = 99

// newDerivingEdge makes an edge over a real store, whose stations have a derived dew point.
func newDerivingEdge(t testing.TB) (*edge, *reading.Store, *failingJournal) {
	t.Helper()
	store, err := reading.Open(
		t.Context(),
		reading.Options{Dir: t.TempDir(), Now: func() time.Time { return time.UnixMilli(now) }},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	log := &failingJournal{store: store}
	e := newEdge(t, func(o *Options) {
		o.Journal = log
		o.Derivation = derivation.New(
			derivation.Options{Readings: store, Site: func(context.Context, device.Ref) (device.Site, error) {
				return device.Site{Zone: time.UTC}, nil
			}},
		)
	})
	addDewPoints(e)
	return e, store, log
}

// addDewPoints adds a derived dew point to the stations' product.
func addDewPoints(e *edge) {
	p := station()
	p.Properties[0].ElementUnit, p.Properties[1].ElementUnit = "%", "°C"
	p.Properties = append(p.Properties, device.Property{
		ID:         dewPoint,
		Identifier: "dewPoint",
		DataType:   device.Number,
		Formula:    "dewPoint",
		Inputs:     []string{"airTemperature", "humidity"},
	})
	var entries []*device.Entry
	for _, x := range testDevices() {
		entries = append(
			entries,
			device.NewEntry(x.Ref, x.Name, p, x.Gateway, x.Disabled, device.HashSecret(hashKey, secretOf(x.Name))),
		)
	}
	e.registry.Replace(entries)
}

// failingJournal is a store that a test can make fail.
type failingJournal struct {
	store *reading.Store
	err   error
}

func (l *failingJournal) Append(ctx context.Context, batch []reading.Arrival) error {
	if l.err != nil {
		return l.err
	}
	return l.store.Append(ctx, batch)
}

func dewPoints(t testing.TB, s *reading.Store, id device.ID) (values []float64) {
	t.Helper()
	err := s.Range(
		t.Context(),
		green,
		id,
		0,
		2*now,
		[]device.PropertyID{dewPoint},
		func(_ int64, fields []reading.Field) error {
			values = append(values, fields[0].Value.Float())
			return nil
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// The derived values of an answered message are in the same frame, in the journal, too.
func TestDerivedValuesAreInTheFrame(t *testing.T) {
	e, store, _ := newDerivingEdge(t)
	if o := e.submit("WS-1", Telemetry, `{"airTemperature":25,"humidity":60}`); o.Values != 2 || o.Refused != 0 {
		t.Errorf("outcome %+v", o)
	}
	if got := dewPoints(t, store, 1); len(got) != 1 || got[0] != 16.7 {
		t.Errorf("dew points %v", got)
	}
	// The children of a gateway get their own values.
	e.submit("GW-1", GatewayTelemetry, `{"WS-1":[{"airTemperature":30,"humidity":60}],"WS-2":[{"airTemperature":20}]}`)
	if a, b := dewPoints(t, store, 1), dewPoints(t, store, 2); len(a) != 2 || len(b) != 0 {
		t.Errorf("dew points %v and %v", a, b)
	}
	consumed := make(chan []reading.Arrival, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// It ends with the test's context.
		_ = store.Consume(
			ctx,
			0,
			func(_ context.Context, _ uint64, batch []reading.Arrival) error { consumed <- batch; return nil },
		)
	}()
	if batch := receive(t, consumed); len(batch) != 1 || len(batch[0].Fields) != 3 {
		t.Errorf("consumed %+v", batch)
	}
}

// A device may not send values that the server derives.
func TestDerivedValuesAreNotSent(t *testing.T) {
	e, store, _ := newDerivingEdge(t)
	o := e.submit("WS-1", Telemetry, `{"airTemperature":25,"humidity":60,"dewPoint":3}`)
	if o.Values != 2 || o.Refused != 1 || o.FirstRefusal.Reason != device.ReasonDerived ||
		o.FirstRefusal.Identifier != "dewPoint" {
		t.Errorf("outcome %+v", o)
	}
	if got := dewPoints(t, store, 1); len(got) != 1 || got[0] != 16.7 {
		t.Errorf("dew points %v", got)
	}
	if in := e.diagnostics.Get(green, 1); in.Refused != 1 || in.LastRefusal.Reason != device.ReasonDerived {
		t.Errorf("intake %+v", in)
	}
	if n := e.pipeline.Stats().Refused[device.ReasonDerived]; n != 1 {
		t.Errorf("%d refusals counted", n)
	}
}

// Values that were not written are not remembered, so nothing is derived from them.
func TestFailedWriteLeavesNoDerivedState(t *testing.T) {
	e, store, log := newDerivingEdge(t)
	log.err = errors.New("disk full")
	if o := e.submit("WS-1", Telemetry, `{"airTemperature":25}`); o.Err == nil {
		t.Fatal("the failed message was answered")
	}
	log.err = nil
	e.submit("WS-1", Telemetry, `{"humidity":60}`)
	if got := dewPoints(t, store, 1); len(got) != 0 {
		t.Errorf("dew points %v from a temperature that was not stored", got)
	}
}

// corruptStore makes the only segment of a store unreadable.
func corruptStore(t *testing.T, dir string) {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{
		FormatMajorVersion: pebble.FormatTableFormatV6,
		Merger:             &pebble.Merger{Name: "tilth.frame.1", Merge: pebble.DefaultMerger.Merge},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte("c"), UpperBound: []byte("d")})
	if err != nil {
		t.Fatal(err)
	}
	parts := 0
	for ok := it.First(); ok; ok = it.Next() {
		parts++
		if err := db.Set(bytes.Clone(it.Key()), []byte{9}, pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	if err := it.Close(); err != nil || parts != 1 {
		t.Fatalf("%d segments, %v", parts, err)
	}
}

// A device whose stored data cannot be read blocks nobody, not even itself: what it measured is
// stored without derived values, and the error is logged once.
func TestCorruptDeviceDataDoesNotBlockOthers(t *testing.T) {
	const day = 86_400_000
	dir := t.TempDir()
	open := func() *reading.Store {
		t.Helper()
		store, err := reading.Open(
			t.Context(),
			reading.Options{Dir: dir, Now: func() time.Time { return time.UnixMilli(now) }},
		)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	store := open()
	err := store.Append(
		t.Context(),
		[]reading.Arrival{
			{At: now, Frame: reading.Frame{Tenant: green, Device: 1, Time: now - 3*day, Fields: []reading.Field{
				{Property: airTemperature, Value: reading.Number(1)}, {Property: humidity, Value: reading.Number(50)},
			}}},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Seal(t.Context(), time.UnixMilli(now)), store.Close()); err != nil {
		t.Fatal(err)
	}
	corruptStore(t, dir)
	store = open()
	t.Cleanup(func() { store.Close() })
	var log bytes.Buffer
	e := newEdge(t, func(o *Options) {
		o.Journal = store
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		o.Derivation = derivation.New(
			derivation.Options{Readings: store, Site: func(context.Context, device.Ref) (device.Site, error) {
				return device.Site{Zone: time.UTC}, nil
			}},
		)
	})
	addDewPoints(e)
	e.submit("WS-1", Telemetry, `{"airTemperature":25,"humidity":60}`)
	outcomes := make(chan Outcome, 40)
	for range 20 { // of a day that is intact, and of the corrupt one
		late := fmt.Sprintf(
			`[{"ts":%d,"values":{"airTemperature":25,"humidity":60}},{"ts":%d,"values":{"airTemperature":2}}]`,
			now-5*day,
			now-3*day+1000,
		)
		for name, payload := range map[string]string{"WS-1": late, "BLUE-1": `{"airTemperature":25,"humidity":60}`} {
			m := Message{Entry: e.find(name), Kind: Telemetry, Payload: []byte(payload), At: now}
			if err := e.pipeline.Submit(t.Context(), m, func(o Outcome) { outcomes <- o }); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range cap(outcomes) {
		if o := receive(t, outcomes); o.Err != nil || o.Values == 0 {
			t.Errorf("outcome %+v", o)
		}
	}
	if got := valuesBefore(t, store, device.Ref{Tenant: green, ID: 1}, now-4*day, airTemperature); len(got) != 1 {
		t.Errorf("green's temperatures before the corrupt day: %v", got)
	}
	if got := valuesBefore(t, store, device.Ref{Tenant: green, ID: 1}, now-4*day, dewPoint); len(got) != 0 {
		t.Errorf("some derived values were kept: %v", got)
	}
	got := valuesBefore(t, store, device.Ref{Tenant: blue, ID: 5}, now+1, dewPoint)
	if len(got) != 1 || got[0] != 16.7 {
		t.Errorf("blue's dew points: %v", got)
	}
	// Values whose computation does not need the corrupt day continue.
	e.submit("WS-1", Telemetry, fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":30,"humidity":60}}`, now+1))
	last := store.Latest(t.Context(), green, 1)
	if len(last) != 3 || last[2].Property != dewPoint || last[2].Time != now+1 {
		t.Errorf("newest %+v", last)
	}
	if err := e.pipeline.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := strings.Count(log.String(), "nothing can be derived")
	if n != 1 || !strings.Contains(log.String(), "device=1") {
		t.Errorf("the error was logged %d times: %s", n, log.String())
	}
}

// valuesBefore are a property's values before a time.
func valuesBefore(
	t *testing.T,
	s *reading.Store,
	ref device.Ref,
	before int64,
	property device.PropertyID,
) (values []float64) {
	t.Helper()
	err := s.Range(
		t.Context(),
		ref.Tenant,
		ref.ID,
		0,
		before-1,
		[]device.PropertyID{property},
		func(_ int64, fields []reading.Field) error {
			values = append(values, fields[0].Value.Float())
			return nil
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	return values
}
