package ingest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"tilth/internal/domain/device"
)

// A formula that is added to a product is computed for earlier readings, between new messages,
// which are neither held up nor counted twice.
func TestRecompute(t *testing.T) {
	e, store, _ := newDerivingEdge(t)
	e.registry.Replace(testDevices()) // while there is no formula
	const minutes = 90
	for n := range minutes {
		at := now - int64(minutes-n)*60_000
		e.submit("WS-1", Telemetry, fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":25,"humidity":%d}}`, at, 60+n%2))
	}
	if got := dewPoints(t, store, 1); len(got) > 0 {
		t.Fatalf("dew points %v", got)
	}
	addDewPoints(e)
	ws1 := e.find("WS-1").Ref
	var senders sync.WaitGroup
	for _, name := range []string{"WS-1", "WS-2"} {
		senders.Go(func() {
			for n := range 50 {
				payload := `{"ts":%d,"values":{"airTemperature":25,"humidity":62}}`
				e.submit(name, Telemetry, fmt.Sprintf(payload, now+int64(n)))
			}
		})
	}
	values, err := e.pipeline.Recompute(t.Context(), ws1, now-minutes*60_000)
	senders.Wait()
	if err != nil || values != minutes {
		t.Errorf("%d values recomputed: %v", values, err)
	}
	got := dewPoints(t, store, 1)
	if len(got) != minutes+50 || !slices.Equal(got[:2], []float64{16.7, 17}) || got[minutes] != 17.2 {
		t.Errorf("%d dew points, %v", len(got), got)
	}
	if values, err := e.pipeline.Recompute(t.Context(), ws1, now-minutes*60_000); err != nil || values > 0 {
		t.Errorf("%d values recomputed again, %v", values, err)
	}
	if s := e.pipeline.Stats(); s.Messages != minutes+100 || s.Waiting != 0 {
		t.Errorf("%d messages counted, %d waiting", s.Messages, s.Waiting)
	}
	// An unknown device, and one of another tenant.
	for _, ref := range []device.Ref{{Tenant: green, ID: 999}, {Tenant: blue, ID: 1}} {
		if values, err := e.pipeline.Recompute(t.Context(), ref, now); err != nil || values > 0 {
			t.Errorf("%+v: %d values recomputed, %v", ref, values, err)
		}
	}
}

// If a write fails, Recompute returns the error, and the next call repeats the work; a closed
// pipeline accepts no more.
func TestRecomputeRetriesAfterFailedWrite(t *testing.T) {
	e, store, log := newDerivingEdge(t)
	e.registry.Replace(testDevices())
	e.submit("WS-1", Telemetry, `{"airTemperature":25,"humidity":60}`)
	addDewPoints(e)
	ws1 := e.find("WS-1").Ref
	full := errors.New("disk full")
	log.err = full
	if values, err := e.pipeline.Recompute(t.Context(), ws1, now); !errors.Is(err, full) || values > 0 {
		t.Errorf("%d values recomputed despite the failure, %v", values, err)
	}
	log.err = nil
	if values, err := e.pipeline.Recompute(t.Context(), ws1, now); err != nil || values != 1 {
		t.Errorf("%d values recomputed, %v", values, err)
	}
	if got := dewPoints(t, store, 1); !slices.Equal(got, []float64{16.7}) {
		t.Errorf("dew points %v", got)
	}
	if err := e.pipeline.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.pipeline.Recompute(t.Context(), ws1, now); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}
