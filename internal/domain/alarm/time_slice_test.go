package alarm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// tenantsFixture is a fixture with several tenants, each with a mast and rules of its own.
type tenantsFixture struct {
	*fixture
	owners []tenant.ID
	masts  []*device.Device
}

// maxPerHour notices may begin within an hour.
func newTenantsFixture(t *testing.T, maxPerHour int) *tenantsFixture {
	f := &tenantsFixture{fixture: newFixture(t)}
	f.setMaxPerHour(maxPerHour)
	f.owners, f.masts = []tenant.ID{f.owner}, []*device.Device{f.mast}
	for _, name := range []string{"orchard", "park"} {
		owner := f.Tenant(t, name).ID
		f.owners, f.masts = append(f.owners, owner), append(f.masts, f.Device(t, owner, f.station, name))
	}
	for i, mast := range f.masts {
		f.owner, f.mast = f.owners[i], mast
		f.createRule(nil)
		f.createRule(func(r *alarm.Rule) { r.Name, r.Hits, r.Window = "Cold", 3, 2*time.Minute })
	}
	return f
}

// randomBatches are batches of readings of all masts, some late, some repeated, over so long that
// unsteady notices end.
func (f *tenantsFixture) randomBatches(r *rand.Rand) (batches [][]reading.Arrival) {
	property := f.station.Property("airTemperature").ID
	at := make([]int64, len(f.masts))
	for range 40 {
		var batch []reading.Arrival
		for range 1 + r.IntN(6) {
			i := r.IntN(len(f.masts))
			at[i] += int64(r.IntN(120)) * second
			when := at[i]
			if r.IntN(5) == 0 {
				when -= int64(r.IntN(90)) * second
			}
			// Each time has one value, so that a repeated reading is the same.
			degrees := float64((when/second*7 + int64(i)) % 5)
			if when/second%2400 > 1500 {
				degrees = 9 // calm
			}
			batch = append(batch, reading.Arrival{At: f.Clock.Milli(), Frame: reading.Frame{
				Tenant: f.owners[i], Device: f.masts[i].ID, Time: testkit.Start.UnixMilli() + when,
				Fields: []reading.Field{{Property: property, Value: reading.Number(degrees)}},
			}})
		}
		batches = append(batches, batch)
	}
	return batches
}

// allNotices are those of every tenant, oldest first.
func (f *tenantsFixture) allNotices() (all string) {
	for i, owner := range f.owners {
		f.owner = owner
		all += fmt.Sprintf("%d: %s\n", i, f.noticeSummary())
	}
	return all
}

// kill ends the server's process and starts the next one, which has evaluated nothing yet.
func (f *tenantsFixture) kill(bytes int) {
	f.t.Helper()
	f.Restart(f.t)
	f.start()
	f.engine.SetSingleStep(bytes)
	f.Presence.AcceptDevices()
	f.engine.LetIn()
}

// Tenants are evaluated round robin, a reading at a time, and the server is killed between any two.
// The notices equal those of an evaluation in one order.
func TestTimeSlicesAndKills(t *testing.T) {
	for seed := uint64(0); seed < 12; seed += uint64(stride(5)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			maxPerHour := []int{0, 1, 3}[seed%3]
			reference := newTenantsFixture(t, maxPerHour)
			batches := reference.randomBatches(rand.New(rand.NewPCG(seed, 1)))
			for _, b := range batches {
				reference.evaluate(b...)
			}
			f := newTenantsFixture(t, maxPerHour)
			r := rand.New(rand.NewPCG(seed, 2))
			bytes := []int{1, 400, 1 << 20}[r.IntN(3)]
			f.engine.SetSingleStep(bytes)
			batches = f.randomBatches(rand.New(rand.NewPCG(seed, 1)))
			for len(batches) > 0 {
				switch r.IntN(8) {
				case 0, 1:
					f.send(batches[0]...)
					f.engine.Take(f.pos, batches[0])
					batches = batches[1:]
				case 2:
					f.must(f.engine.FlushBatch(t.Context()))
				case 3:
					f.must(f.positions.Save(t.Context(), f.engine.Recorded()))
				case 4:
					if r.IntN(4) == 0 {
						f.kill(bytes)
					}
				default:
					_, err := f.engine.RunSlice(t.Context())
					f.must(err)
				}
			}
			f.must(f.engine.Evaluate(t.Context(), 0, nil))
			if got, want := f.allNotices(), reference.allNotices(); got != want {
				t.Errorf("with memory for %d bytes:\n%s\nwant\n%s", bytes, got, want)
			}
			if got := f.engine.Recorded(); got != f.pos {
				t.Errorf("recorded up to %d of %d", got, f.pos)
			}
			f.kill(bytes)
			f.must(f.engine.Evaluate(t.Context(), 0, nil))
			if got, want := f.allNotices(), reference.allNotices(); got != want {
				t.Errorf("after a last start:\n%s\nwant\n%s", got, want)
			}
			if some := strings.Contains(f.allNotices(), "recovered unsteady"); some != (maxPerHour > 0) {
				t.Errorf("with %d an hour: %t", maxPerHour, some)
			}
		})
	}
}

// A tenant with many readings delays no other: a tenant's reading is evaluated after one slice of
// each of the others.
func TestTurnsAreFair(t *testing.T) {
	f := newTenantsFixture(t, 0)
	f.engine.SetSingleStep(1 << 20)
	var much []reading.Arrival
	for i := range int64(500) {
		much = append(much, f.airTempOf(0, i*second, 5))
	}
	f.send(much...)
	f.engine.Take(f.pos, much)
	few := []reading.Arrival{f.airTempOf(1, 0, 1)}
	f.send(few...)
	f.engine.Take(f.pos, few)
	for range 2 {
		_, err := f.engine.RunSlice(t.Context())
		f.must(err)
	}
	f.must(f.engine.FlushBatch(t.Context()))
	f.owner = f.owners[1]
	f.wantNotices("Frost 0-")
	if got := f.engine.Recorded(); got >= f.pos {
		t.Errorf("all is recorded, up to %d", got)
	}
	of, err := f.positions.LoadTenants(t.Context())
	f.must(err)
	if want := (alarm.Position{Entry: f.pos}); of[f.owner] != want {
		t.Errorf("the tenant is evaluated up to %v, want %v", of[f.owner], want)
	}
}

// airTempOf is a frame of one of the masts.
func (f *tenantsFixture) airTempOf(i int, after int64, degrees float64) reading.Arrival {
	f.owner, f.mast = f.owners[i], f.masts[i]
	return f.airTemp(after, degrees)
}

// A tenant whose evaluation is far behind has its own devices wait, no others, until it has caught
// up.
func TestAdmit(t *testing.T) {
	f := newTenantsFixture(t, 0)
	f.engine.SetSingleStep(1 << 20)
	batch := []reading.Arrival{f.airTempOf(0, 0, 1), f.airTempOf(0, second, 1)}
	f.send(batch...)
	f.engine.Take(f.pos, batch)
	gone, stop := context.WithCancel(t.Context())
	stop()
	admitted := func(i int) bool { return f.engine.Admit(gone, f.owners[i]) == nil }
	f.Clock.Advance(9 * time.Minute)
	_, err := f.engine.RunSlice(t.Context())
	f.must(err)
	if !admitted(0) || f.engine.Behind() != f.engine.TenantBehind(f.owners[0]) || f.engine.Behind().Readings != 1 {
		t.Errorf("after nine minutes: admitted %v, behind %+v", admitted(0), f.engine.Behind())
	}
	late := []reading.Arrival{f.airTempOf(0, 2*second, 1)}
	f.send(late...)
	f.engine.Take(f.pos, late)
	f.Clock.Advance(2 * time.Minute)
	_, err = f.engine.RunSlice(t.Context())
	f.must(err)
	if !admitted(0) {
		t.Error("its devices wait, though its readings are two minutes old")
	}
	f.send(late...)
	f.engine.Take(f.pos, late)
	f.Clock.Advance(11 * time.Minute)
	f.engine.UpdateThrottle(f.owners[0])
	if admitted(0) || !admitted(1) ||
		!slices.Equal([]int{f.engine.Behind().Tenants, f.engine.TenantBehind(f.owners[1]).Tenants}, []int{1, 0}) {
		t.Errorf("after eleven minutes: admitted %v and %v, behind %+v", admitted(0), admitted(1), f.engine.Behind())
	}
	waiting := make(chan error, 1)
	go func() { waiting <- f.engine.Admit(t.Context(), f.owners[0]) }()
	f.must(f.engine.Evaluate(t.Context(), 0, nil))
	if err := <-waiting; err != nil || f.engine.Behind() != (alarm.Behind{}) {
		t.Errorf("caught up: %v, behind %+v", err, f.engine.Behind())
	}
}

// While the database refuses, a tenant with many pending events is not evaluated further, others
// are. None of its events are lost.
func TestEvaluationPausesWhileDatabaseRefuses(t *testing.T) {
	f := newTenantsFixture(t, 0)
	judgeAll := func() {
		t.Helper()
		for {
			some, err := f.engine.RunSlice(t.Context())
			f.must(err)
			if !some {
				return
			}
		}
	}
	undo := f.fail("INSERT ON notices")
	var flaps []reading.Arrival
	for i := range int64(3000) {
		flaps = append(flaps, f.airTempOf(0, i*second, float64(i%2)*5))
	}
	f.send(flaps...)
	f.engine.Take(f.pos, flaps)
	judgeAll()
	held := f.engine.Stats().Evaluated
	if held == 0 || held > 2*2000 {
		t.Errorf("%d evaluations, and nothing is written", held)
	}
	for range 2 { // a second failure changes nothing
		if err := f.engine.FlushBatch(t.Context()); err == nil {
			t.Error("written, though the database refuses")
		}
		judgeAll()
	}
	if got := f.engine.Stats().Evaluated; got != held {
		t.Errorf("%d evaluations after a failed write, %d before", got, held)
	}
	frost := f.airTempOf(1, 0, 1)
	f.send(frost)
	f.engine.Take(f.pos, []reading.Arrival{frost})
	judgeAll()
	if got := f.engine.Stats().Evaluated; got != held+2 {
		t.Errorf("%d evaluations with a reading of another tenant, %d before", got, held)
	}
	undo()
	for n := 0; n < 1000 && f.engine.Recorded() < f.pos; n++ {
		f.must(f.engine.FlushBatch(t.Context()))
		judgeAll()
	}
	if got := f.engine.Recorded(); got != f.pos {
		t.Errorf("recorded up to %d of %d", got, f.pos)
	}
	for i, want := range []int64{1500 + 500, 1} { // a frost at every second reading, cold at every sixth
		_, total, err := f.Notices.Page(t.Context(), f.owners[i], alarm.NoticeQuery{Limit: 1})
		if err != nil || total != want {
			t.Errorf("tenant %d has %d notices (%v), want %d", i, total, err, want)
		}
	}
}
