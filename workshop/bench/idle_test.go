package bench

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMeasureIdle(t *testing.T) {
	f := newFakeServer(t, 3, 2)
	target := f.target()
	target.PID, target.MetricsURL = os.Getpid(), target.Console+"/metrics"
	i, err := MeasureIdle(t.Context(), Options{Connections: 5, Duration: time.Second, Protocol: 4}, target)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Err(); err != nil || i.Connections != 5 || i.Open != 5 || i.MemoryBefore <= 0 || i.MemoryOpen <= 0 {
		t.Errorf("%+v, %v", i, err)
	}
	if f.taken != 0 {
		t.Errorf("%d messages were sent", f.taken)
	}
	if i.Open = 4; i.Err() == nil {
		t.Error("Err accepts a connection that the server lost")
	}
}

func TestMeasureIdleFails(t *testing.T) {
	o := Options{Connections: 2, Duration: time.Second, Protocol: 4}
	target := newFakeServer(t, 2, 1).target()
	if _, err := MeasureIdle(t.Context(), o, target); err == nil {
		t.Error("MeasureIdle accepts a target without a process")
	}
	target.PID = os.Getpid()
	target.Tenant.Devices = slices.Clone(target.Tenant.Devices)
	target.Tenant.Devices[1].Secret = "wrong"
	_, err := MeasureIdle(t.Context(), o, target)
	if err == nil || !strings.Contains(err.Error(), "connection 2 of 2") {
		t.Errorf("a refused connection: %v", err)
	}
	if _, err := MeasureIdle(t.Context(), Options{}, target); err == nil {
		t.Error("MeasureIdle accepts no connections")
	}
}

func TestIdlePrints(t *testing.T) {
	var out strings.Builder
	i := Idle{
		Target:       "tilth",
		Connections:  10_000,
		Connecting:   1234 * time.Millisecond,
		MemoryBefore: 40 << 20,
		MemoryOpen:   140 << 20,
	}
	if err := i.Print(&out); err != nil {
		t.Fatal(err)
	}
	want := "\ntilth: 10,000 idle connections, opened in 1.234s: memory 40 MiB before, 140 MiB with them, 10.2 KiB each\n"
	if out.String() != want {
		t.Errorf("%q\nwant %q", out.String(), want)
	}
}
