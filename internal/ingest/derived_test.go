package ingest

import (
	"context"
	"errors"
	"testing"
	"time"

	"tilth/internal/derivation"
	"tilth/internal/device"
	"tilth/internal/reading"
)

const dewPoint device.PropertyID = 99

// deriving makes an edge over a real store, whose stations have a dew point.
func deriving(t testing.TB) (*edge, *reading.Store, *faultyLog) {
	t.Helper()
	store, err := reading.Open(t.Context(), reading.Options{Dir: t.TempDir(), Now: func() time.Time { return time.UnixMilli(now) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	log := &faultyLog{store: store}
	e := newEdge(t, func(o *Options) {
		o.Log = log
		o.Derivation = derivation.New(derivation.Options{Readings: store, Site: func(context.Context, device.Ref) (derivation.Site, error) {
			return derivation.Site{Zone: time.UTC}, nil
		}})
	})
	p := station()
	p.Properties[0].ElementUnit, p.Properties[1].ElementUnit = "%", "°C"
	p.Properties = append(p.Properties, device.Property{
		ID: dewPoint, Identifier: "dewPoint", DataType: device.Number, Formula: "dewPoint", Inputs: []string{"airTemperature", "humidity"},
	})
	var entries []*device.Entry
	for _, x := range population() {
		entries = append(entries, device.NewEntry(x.Ref, x.Name, p, x.Gateway, x.Disabled, device.HashSecret(hashKey, secretOf(x.Name))))
	}
	e.registry.Replace(entries)
	return e, store, log
}

// faultyLog is a store that a test can make fail.
type faultyLog struct {
	store *reading.Store
	err   error
}

func (l *faultyLog) Append(ctx context.Context, batch []reading.Arrival) error {
	if l.err != nil {
		return l.err
	}
	return l.store.Append(ctx, batch)
}

func dewOf(t testing.TB, s *reading.Store, id device.ID) (values []float64) {
	t.Helper()
	err := s.Range(t.Context(), green, id, 0, 2*now, []device.PropertyID{dewPoint}, func(_ int64, fields []reading.Field) error {
		values = append(values, fields[0].Value.Float())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// A message that is answered has its derived values in the same frame, which is
// what the judge gets too.
func TestDerivedValuesAreInTheFrame(t *testing.T) {
	e, store, _ := deriving(t)
	if o := e.submit("WS-1", Telemetry, `{"airTemperature":25,"humidity":60}`); o.Values != 2 || o.Refused != 0 {
		t.Errorf("%+v", o)
	}
	if got := dewOf(t, store, 1); len(got) != 1 || got[0] != 16.7 {
		t.Errorf("dew points %v", got)
	}
	// Of a gateway's children too, each its own.
	e.submit("GW-1", GatewayTelemetry, `{"WS-1":[{"airTemperature":30,"humidity":60}],"WS-2":[{"airTemperature":20}]}`)
	if a, b := dewOf(t, store, 1), dewOf(t, store, 2); len(a) != 2 || len(b) != 0 {
		t.Errorf("dew points %v and %v", a, b)
	}
	told := make(chan []reading.Arrival, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// It ends with the test's context.
		_ = store.Consume(ctx, 0, func(_ context.Context, _ uint64, batch []reading.Arrival) error { told <- batch; return nil })
	}()
	if batch := receive(t, told); len(batch) != 1 || len(batch[0].Fields) != 3 {
		t.Errorf("judged %+v", batch)
	}
}

// A device does not say itself what is computed here.
func TestDerivedValuesAreNotSent(t *testing.T) {
	e, store, _ := deriving(t)
	o := e.submit("WS-1", Telemetry, `{"airTemperature":25,"humidity":60,"dewPoint":3}`)
	if o.Values != 2 || o.Refused != 1 || o.First.Reason != device.ReasonDerived || o.First.Identifier != "dewPoint" {
		t.Errorf("%+v", o)
	}
	if got := dewOf(t, store, 1); len(got) != 1 || got[0] != 16.7 {
		t.Errorf("dew points %v", got)
	}
	if in := e.diagnostics.Get(green, 1); in.Refused != 1 || in.LastRefusal.Reason != device.ReasonDerived {
		t.Errorf("intake %+v", in)
	}
	if n := e.pipeline.Stats().Refused[device.ReasonDerived]; n != 1 {
		t.Errorf("%d counted", n)
	}
}

// What was not written is not remembered: nothing follows from it.
func TestNothingFollowsFromWhatWasNotWritten(t *testing.T) {
	e, store, log := deriving(t)
	log.err = errors.New("disk full")
	if o := e.submit("WS-1", Telemetry, `{"airTemperature":25}`); o.Err == nil {
		t.Fatal("answered")
	}
	log.err = nil
	e.submit("WS-1", Telemetry, `{"humidity":60}`)
	if got := dewOf(t, store, 1); len(got) != 0 {
		t.Errorf("dew points %v of a temperature that nobody has", got)
	}
}
