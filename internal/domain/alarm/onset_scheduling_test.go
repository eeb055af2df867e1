package alarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
)

// A thousand notices that begin at once are evaluated, written and notified while the onsetFinder
// cannot search. Once it can, it searches round robin over the tenants.
func TestOnsetSearchDoesNotDelayOtherTenants(t *testing.T) {
	const many = 1000
	fx := newFixture(t)
	// Another device, of another tenant.
	neighbour := fx.Tenant(t, "neighbour").ID
	shed := fx.Device(t, neighbour, fx.station, "SHED")
	var before, frost, thaw []reading.Arrival
	for i := range many / 100 { // a device has at most 200 rules
		d := fx.Device(t, fx.owner, fx.station, fmt.Sprint("BED-", i))
		for _, at := range []struct {
			list    *[]reading.Arrival
			after   int64
			degrees float64
		}{{&before, -20 * minute, 1}, {&frost, second, 1}, {&thaw, 3 * second, 5}} {
			f := fx.airTemp(at.after, at.degrees)
			f.Device = d.ID
			*at.list = append(*at.list, f)
		}
		for range 100 {
			fx.createRule(func(r *alarm.Rule) { r.Device = d.ID })
		}
	}
	fx.send(before...)
	id, err := fx.rules.Create(t.Context(), neighbour, &alarm.Rule{
		Name: "Frost", Device: shed.ID, Hits: 1, Window: time.Minute,
		Conditions: conditions("and", "airTemperature", comparator.Below, reading.Number(2)),
	})
	fx.must(err)
	fx.must(fx.engine.Change(t.Context(), neighbour, []alarm.RuleID{id}, alarm.Changed,
		func(ctx context.Context) error {
			return fx.rules.Publish(ctx, neighbour, id, "Ada")
		}))
	// A user of the tenant occupies all slots that the tenant may have.
	var held []interface{ Leave() }
	for user := range int64(fx.Turns.MaxRunningPerKey) {
		turn, _ := fx.Turns.Enter(t.Context(), fx.owner, user+1)
		held = append(held, turn)
	}
	stop := fx.runEngine()
	defer stop()
	fx.evaluate(frost...)
	theirs := fx.airTemp(2*second, 1)
	theirs.Tenant, theirs.Device = neighbour, shed.ID
	fx.evaluate(theirs)
	testkit.Eventually(t, "all to be written", func() bool { return fx.engine.Recorded() == fx.pos })
	if s := fx.engine.Stats(); s.Open != many+1 || s.Unevaluated != 0 {
		t.Fatalf("%+v", s)
	}
	unknown := func(owner tenant.ID) (n int) {
		fx.must(fx.DB.Read(t.Context()).
			NewRaw("SELECT COUNT(*) FROM notices WHERE holds_since IS NULL AND tenant_id = ?", owner).
			Scan(t.Context(), &n))
		return n
	}
	if n := unknown(fx.owner); n != many {
		t.Errorf("the onsets of %d notices were found", many-n)
	}
	fx.evaluate(thaw...) // and they end meanwhile
	testkit.Eventually(t, "the ends", func() bool { return fx.engine.Stats().Open == 1 })
	for _, turn := range held {
		turn.Leave()
	}
	testkit.Eventually(t, "the neighbour's", func() bool {
		var theirs, left int // at one instant, since the search goes on meanwhile
		fx.must(fx.DB.Read(t.Context()).
			NewRaw("SELECT COUNT(*) FILTER (WHERE tenant_id = ?), COUNT(*) FILTER (WHERE tenant_id = ?) "+
				"FROM notices WHERE holds_since IS NULL", neighbour, fx.owner).
			Scan(t.Context(), &theirs, &left))
		if theirs > 0 && left < many-2*50 {
			t.Fatalf("the neighbour waits although %d notices of the other tenant are done", many-left)
		}
		return theirs == 0
	})
	testkit.Eventually(t, "all", func() bool { return unknown(fx.owner) == 0 })
	if n := fx.newest(); seconds(n.HoldsSince) != "-1200" {
		t.Errorf("%+v", n)
	}
}

// The onsetFinder defers a tenant whose queue of work is full, and a notice that cannot be
// searched. Neither delays the others.
func TestOnsetSearchSkipsTenantWithFullQueue(t *testing.T) {
	fx := newFixture(t)
	neighbour := fx.Tenant(t, "neighbour").ID
	shed := fx.Device(t, neighbour, fx.station, "SHED")
	fx.send(fx.airTemp(-20*minute, 1))
	fx.createRule(nil)
	fx.createRule(nil)
	fx.evaluate(fx.airTemp(second, 1))
	theirs := fx.airTemp(2*second, 1)
	theirs.Tenant, theirs.Device = neighbour, shed.ID
	fx.send(theirs)
	was := fx.detail().RuleCopy
	rule, err := json.Marshal(was)
	fx.must(err)
	id := fx.Notice(t, testkit.Notice{Device: shed, Start: theirs.Time, CreateTime: theirs.Time,
		RuleJSON: string(rule)})

	ctx, cancel := context.WithCancel(t.Context())
	var waiting []chan struct{}
	var held []interface{ Leave() }
	for user := range int64(fx.Turns.MaxRunningPerKey) {
		turn, _ := fx.Turns.Enter(ctx, fx.owner, user+1)
		held = append(held, turn)
	}
	for i := range fx.Turns.MaxWaitingPerKey {
		done := make(chan struct{})
		waiting = append(waiting, done)
		go func() {
			defer close(done)
			// The check below takes a place in the queue for a moment. A task that is then refused is
			// submitted again.
			for full := limit.FullForKey; full == limit.FullForKey && ctx.Err() == nil; {
				var turn interface{ Leave() }
				if turn, full = fx.Turns.Enter(ctx, fx.owner, int64(100+i/10)); turn != nil {
					turn.Leave() // its turn came while ctx ended
				}
			}
		}()
	}
	full := func() bool { // one more task is refused at once
		ended, end := context.WithCancel(t.Context())
		end()
		_, full := fx.Turns.Enter(ended, fx.owner, 99)
		return full != 0
	}
	testkit.Eventually(t, "the line to be full", full)
	if err := fx.engine.FindSince(t.Context()); err == nil || !strings.Contains(err.Error(), "too much work") {
		t.Errorf("%v", err)
	}
	n, err := fx.Notices.Get(t.Context(), neighbour, id)
	fx.must(err)
	if n.HoldsSince != theirs.Time {
		t.Errorf("the neighbour's: %+v", n.Notice)
	}
	cancel()
	for _, turn := range held {
		turn.Leave()
	}
	for _, done := range waiting {
		testkit.Receive(t, "the line's end", done)
	}
	if got := fx.onsetSummary(); got != "-1200" {
		t.Errorf("since %s", got)
	}
}

// The search stops with the server, and resumes after the next start.
func TestOnsetSearchResumesAfterStop(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	var held []interface{ Leave() }
	for user := range int64(fx.Turns.MaxRunningPerKey) {
		turn, _ := fx.Turns.Enter(t.Context(), fx.owner, user+1)
		held = append(held, turn)
	}
	stop := fx.runEngine()
	fx.evaluate(fx.airTemp(second, 1))
	testkit.Eventually(t, "the notice", func() bool { return fx.engine.Recorded() == fx.pos })
	stop()
	for _, turn := range held {
		turn.Leave()
	}
	if fx.newest().HoldsSince != 0 || fx.Log.Text() != "" {
		t.Errorf("%+v\n%s", fx.newest(), fx.Log.Text())
	}
	fx.restart()
	if got := fx.onsetSummary(); got != "1" {
		t.Errorf("since %s", got)
	}
}
