package alarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/reading"
	"tilth/internal/tenant"
	"tilth/internal/testkit"
)

// A thousand notices that begin at once are judged, written and told while nobody can
// look since when they hold; once somebody can, the tenants have their turn one after
// the other.
func TestHoldsSinceKeepsNobodyWaiting(t *testing.T) {
	const many = 1000
	y := newYard(t)
	y.turns = reading.NewTurns(nil)
	y.start()
	y.engine.LetIn()
	// Another device, of another tenant.
	neighbour := y.Tenant(t, "neighbour").ID
	shed := y.Device(t, neighbour, y.station, "SHED")
	var before, frost, thaw []reading.Arrival
	for i := range many / 100 { // a device has 200 rules at most
		d := y.Device(t, y.owner, y.station, fmt.Sprint("BED-", i))
		for _, at := range []struct {
			list    *[]reading.Arrival
			after   int64
			degrees float64
		}{{&before, -20 * minute, 1}, {&frost, second, 1}, {&thaw, 3 * second, 5}} {
			f := y.air(at.after, at.degrees)
			f.Device = d.ID
			*at.list = append(*at.list, f)
		}
		for range 100 {
			y.rule(func(r *alarm.Rule) { r.Device = d.ID })
		}
	}
	y.send(before...)
	id, err := y.rules.Create(t.Context(), neighbour, &alarm.Rule{
		Name: "Frost", Device: shed.ID, Hits: 1, Window: time.Minute,
		Conditions: conditions("and", "airTemperature", alarm.Below, reading.Number(2)),
	})
	y.must(err)
	y.must(y.engine.Change(t.Context(), neighbour, []alarm.RuleID{id}, alarm.Changed, func(ctx context.Context) error {
		return y.rules.Publish(ctx, neighbour, id, "Ada")
	}))
	// Somebody of the tenant has all the turns that it may have.
	var held []interface{ Leave() }
	for user := range int64(y.turns.EachKey) {
		turn, _ := y.turns.Enter(t.Context(), y.owner, user+1)
		held = append(held, turn)
	}
	stop := y.working()
	defer stop()
	y.judge(frost...)
	theirs := y.air(2*second, 1)
	theirs.Tenant, theirs.Device = neighbour, shed.ID
	y.judge(theirs)
	testkit.Eventually(t, "all to be written", func() bool { return y.engine.Recorded() == y.pos })
	if s := y.engine.Stats(); s.Open != many+1 || s.Unjudged != 0 {
		t.Fatalf("%+v", s)
	}
	unknown := func(owner tenant.ID) (n int) {
		y.must(y.DB.Read(t.Context()).NewRaw("SELECT COUNT(*) FROM notices WHERE holds_since IS NULL AND tenant_id = ?", owner).Scan(t.Context(), &n))
		return n
	}
	if n := unknown(y.owner); n != many {
		t.Errorf("of %d notices somebody found since when they hold", many-n)
	}
	y.judge(thaw...) // and they end meanwhile
	testkit.Eventually(t, "the ends", func() bool { return y.engine.Stats().Open == 1 })
	for _, turn := range held {
		turn.Leave()
	}
	testkit.Eventually(t, "the neighbour's", func() bool { return unknown(neighbour) == 0 })
	if left := unknown(y.owner); left < many-2*50 {
		t.Errorf("the neighbour waited for %d of the others", many-left)
	}
	testkit.Eventually(t, "all", func() bool { return unknown(y.owner) == 0 })
	if n := y.newest(); seconds(n.HoldsSince) != "-1200" {
		t.Errorf("%+v", n)
	}
}

// A tenant of which too much work waits is looked at later, and keeps no other from it;
// so is a notice that cannot be looked at.
func TestHoldsSinceOfACrowdedTenant(t *testing.T) {
	y := newYard(t)
	y.turns = reading.NewTurns(nil)
	y.start()
	y.engine.LetIn()
	neighbour := y.Tenant(t, "neighbour").ID
	shed := y.Device(t, neighbour, y.station, "SHED")
	y.send(y.air(-20*minute, 1))
	y.rule(nil)
	y.rule(nil)
	y.judge(y.air(second, 1))
	theirs := y.air(2*second, 1)
	theirs.Tenant, theirs.Device = neighbour, shed.ID
	y.send(theirs)
	was := y.detail().Was
	rule, err := json.Marshal(was)
	y.must(err)
	id := y.Notice(t, testkit.Notice{Device: shed, Started: theirs.Time, Created: theirs.Time, Was: string(rule)})

	ctx, cancel := context.WithCancel(t.Context())
	var waiting []chan struct{}
	var held []interface{ Leave() }
	for user := range int64(y.turns.EachKey) {
		turn, _ := y.turns.Enter(ctx, y.owner, user+1)
		held = append(held, turn)
	}
	for i := range y.turns.KeyWaits {
		done := make(chan struct{})
		waiting = append(waiting, done)
		go func() {
			defer close(done)
			y.turns.Enter(ctx, y.owner, int64(100+i/10))
		}()
	}
	full := func() bool { // one more is refused, which waits for nobody
		ended, end := context.WithCancel(t.Context())
		end()
		_, full := y.turns.Enter(ended, y.owner, 99)
		return full != 0
	}
	testkit.Eventually(t, "the line to be full", full)
	if err := y.engine.FindSince(t.Context()); err == nil || !strings.Contains(err.Error(), "too much work") {
		t.Errorf("%v", err)
	}
	n, err := y.Notices.Get(t.Context(), neighbour, id)
	y.must(err)
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
	if got := y.found(); got != "-1200" {
		t.Errorf("since %s", got)
	}
}

// The work of finding stops with the server, and goes on with the next start.
func TestHoldsSinceStops(t *testing.T) {
	y := newYard(t)
	y.turns = reading.NewTurns(nil)
	y.start()
	y.engine.LetIn()
	y.rule(nil)
	var held []interface{ Leave() }
	for user := range int64(y.turns.EachKey) {
		turn, _ := y.turns.Enter(t.Context(), y.owner, user+1)
		held = append(held, turn)
	}
	stop := y.working()
	y.judge(y.air(second, 1))
	testkit.Eventually(t, "the notice", func() bool { return y.engine.Recorded() == y.pos })
	stop()
	for _, turn := range held {
		turn.Leave()
	}
	if y.newest().HoldsSince != 0 || y.Log.Text() != "" {
		t.Errorf("%+v\n%s", y.newest(), y.Log.Text())
	}
	y.restart()
	if got := y.found(); got != "1" {
		t.Errorf("since %s", got)
	}
}
