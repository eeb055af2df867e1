package device

import (
	"sync"
	"testing"
	"time"
)

func TestDiagnostics(t *testing.T) {
	d := NewDiagnostics()
	mine, theirs := Ref{Tenant: 1, ID: 1}, Ref{Tenant: 2, ID: 2}
	first := Refusal{Time: 10, Identifier: "air", Reason: ReasonOutOfRange}
	last := Refusal{Time: 11, Identifier: "wind", Reason: ReasonUnknown}
	d.Count(mine, 10, 3, []Refusal{first, last}, 2*time.Minute)
	d.Count(theirs, 10, 1, nil, 0)
	if got, want := d.Get(1, 1), (Intake{Messages: 1, Values: 3, Refused: 2, LastRefusal: last,
		ClockAhead: 2 * time.Minute}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// The last refusal stays; the clock's lead is that of the newest message.
	d.Count(mine, 10, 5, nil, 0)
	if got, want := d.Get(1, 1), (Intake{Messages: 2, Values: 8, Refused: 2, LastRefusal: last}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := d.Get(2, 1); got != (Intake{}) {
		t.Errorf("another tenant reads %+v", got)
	}
	if got := d.Get(1, 9); got != (Intake{}) {
		t.Errorf("a device without messages: %+v", got)
	}
	if dirty := d.takeDirty(); len(dirty.unplaced) != 2 {
		t.Errorf("dirty devices: %v", dirty)
	}
	d.Count(mine, 10, 1, nil, 0)
	d.Forget(mine)
	if got := d.Get(1, 1); got != (Intake{}) || len(d.takeDirty().unplaced) != 0 {
		t.Errorf("a forgotten device: %+v", got)
	}
	if got := d.Get(2, 2); got.Messages != 1 {
		t.Errorf("another device was forgotten too: %+v", got)
	}
}

// What is no refusal is not counted, and does not hide one of the last day.
func TestDiagnosticsOfNoRefusals(t *testing.T) {
	const day = 86_400_000
	unused, clock := Refusal{Reason: ReasonUnused}, Refusal{Reason: ReasonNetworkClock}
	refused := Refusal{Reason: ReasonOutOfRange}
	d, ref := NewDiagnostics(), Ref{Tenant: 1, ID: 1}
	for i, step := range []struct {
		at      int64
		message []Refusal
		shown   Reason
		counted int64
	}{
		{1, []Refusal{unused}, ReasonUnused, 0},
		{2, []Refusal{clock, unused}, ReasonNetworkClock, 0},
		{3, []Refusal{clock}, ReasonNetworkClock, 0},
		{4, []Refusal{clock, refused, unused}, ReasonOutOfRange, 1},
		{4 + day, []Refusal{clock}, ReasonOutOfRange, 1},
		{5 + day, []Refusal{unused}, ReasonOutOfRange, 1},
		{5 + day, []Refusal{clock}, ReasonNetworkClock, 1},
		{6 + day, []Refusal{refused}, ReasonOutOfRange, 2},
	} {
		for n := range step.message {
			step.message[n].Time = step.at
		}
		d.Count(ref, step.at, 0, step.message, 0)
		if got := d.Get(1, 1); got.LastRefusal.Reason != step.shown || got.Refused != step.counted {
			t.Errorf("message %d: %+v", i, got)
		}
	}
}

func TestDiagnosticsConcurrency(t *testing.T) {
	d := NewDiagnostics()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 250 {
				d.Count(Ref{Tenant: 1, ID: 1}, 10, 2, []Refusal{{Reason: ReasonTooOld}}, 0)
				d.takeDirty()
			}
		})
	}
	wg.Wait()
	if got := d.Get(1, 1); got.Messages != 1000 || got.Values != 2000 || got.Refused != 1000 {
		t.Errorf("%+v", got)
	}
}

// Fields that nobody uses are no refusals to count, and do not hide one.
func TestDiagnosticsOfUnusedFields(t *testing.T) {
	d, ref := NewDiagnostics(), Ref{Tenant: 1, ID: 1}
	unused := Refusal{Time: 10, Identifier: "vpd", Reason: ReasonUnused}
	refused := Refusal{Time: 10, Identifier: "tempf", Reason: ReasonWrongType}
	for i, step := range []struct {
		refusals []Refusal
		want     Intake
	}{
		{[]Refusal{unused, unused}, Intake{Messages: 1, LastRefusal: unused}},
		{[]Refusal{refused, unused}, Intake{Messages: 2, Refused: 1, LastRefusal: refused}},
		{[]Refusal{unused}, Intake{Messages: 3, Refused: 1, LastRefusal: refused}},
	} {
		d.Count(ref, 10, 0, step.refusals, 0)
		if got := d.Get(1, 1); got != step.want {
			t.Errorf("message %d: %+v, want %+v", i+1, got, step.want)
		}
	}
	if days := d.days(1, 1); len(days) != 1 || days[0].Refused != 1 {
		t.Errorf("days %+v", days)
	}
}
