package alarm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/reading"
	"tilth/internal/testkit"
)

// allow has a rule begin so many notices within an hour.
func (y *yard) allow(anHour int) {
	y.anHour = anHour
	y.Restart(y.t)
	y.start()
	y.Presence.LetIn()
	y.engine.LetIn()
}

// A value that swings every minute begins as many notices as it may, then one that
// stays until all has been calm for ten minutes; wherever the server is killed, and in
// the rehearsal too.
func TestUnsteady(t *testing.T) {
	// Frost at every second minute of an hour, but for a calm of eight minutes; then calm.
	story := func(y *yard, killedAfter int) {
		y.allow(3)
		y.rule(nil)
		for i := range int64(90) {
			degrees := []float64{5, 1}[i%2]
			if i >= 40 && i < 48 || i > 60 {
				degrees = 5
			}
			y.at(i*minute, degrees)
			if int(i) == killedAfter {
				y.restart()
			}
		}
	}
	const want = "Frost 60-120 recovered; Frost 180-240 recovered; Frost 300-360 recovered; Frost 420-4200 recovered unsteady"
	y := newYard(t)
	story(y, -1)
	y.wants(want)
	if n := y.newest(); n.Changes != 45 {
		t.Errorf("%d changes", n.Changes)
	}
	rule, err := y.rules.Rules(t.Context(), y.owner, []alarm.RuleID{1})
	y.must(err)
	from := testkit.Start.UnixMilli()
	h, err := alarm.Rehearse(t.Context(), y.readings, rule[0], y.station, 3, from, from+90*minute, time.UTC, nil)
	y.must(err)
	var rehearsed []string
	for _, n := range h.Notices {
		line := fmt.Sprintf("Frost %s-%s recovered", seconds(n.Start), seconds(n.End))
		if n.Unsteady {
			line += " unsteady"
		}
		rehearsed = append(rehearsed, line)
	}
	if got := strings.Join(rehearsed, "; "); got != want {
		t.Errorf("rehearsed %s, want %s", got, want)
	}
	for killed := 0; killed < 90; killed += stride(29) * (1 + killed%3) { // at swings, in calms, and in between
		y := newYard(t)
		if story(y, killed); y.told() != want {
			t.Fatalf("killed after %d minutes: %s", killed, y.told())
		}
	}
}

// What counts are the beginnings of the hour before, those of an unsteady notice too; a
// published rule begins anew.
func TestOpeningsOfAnHour(t *testing.T) {
	y := newYard(t)
	y.allow(2)
	id := y.rule(nil)
	swing := func(at int64) {
		y.at(at*minute, 1)
		y.at((at+1)*minute, 5)
	}
	swing(0)
	swing(30)
	swing(60) // the first is an hour ago
	y.wants("Frost 0-60 recovered; Frost 1800-1860 recovered; Frost 3600-3660 recovered")
	swing(70)
	y.at(82*minute, 5)
	swing(95) // 60 and 70 are less than an hour ago
	if n := y.newest(); !n.Unsteady || n.Status != alarm.Pending {
		t.Errorf("%+v", n)
	}
	y.unpublish(id)
	y.publish(id)
	swing(100)
	y.wants("Frost 0-60 recovered; Frost 1800-1860 recovered; Frost 3600-3660 recovered; Frost 4200-4920 recovered unsteady; " +
		"Frost 5700-5760 stopped unsteady; Frost 6000-6060 recovered")
}

// One by hand ends an unsteady notice, too.
func TestUnsteadyByHand(t *testing.T) {
	y := newYard(t)
	y.allow(1)
	y.rule(nil)
	y.at(0, 1)
	y.at(1*minute, 5)
	y.at(2*minute, 1)
	y.at(3*minute, 5)
	y.must(y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""))
	y.at(4*minute, 5)
	y.wants("Frost 0-60 recovered; Frost 120-180 byHand unsteady")
	if n := y.newest(); n.Changes != 1 {
		t.Errorf("%d changes", n.Changes)
	}
	y.at(50*minute, 1)
	y.restart()
	y.wants("Frost 0-60 recovered; Frost 120-180 byHand unsteady; Frost 3000- unsteady")
}

// A message of thousands of swings makes as many notices as may begin, of each rule
// that it concerns.
func TestStormOfOneMessage(t *testing.T) {
	y := newYard(t)
	y.allow(alarm.NoticesAnHour)
	for i := range 10 {
		y.rule(func(r *alarm.Rule) { r.Name = fmt.Sprint("rule ", i) })
	}
	var batch []reading.Arrival
	for i := range int64(5200) {
		batch = append(batch, y.air(i*100, float64(i%2)*5))
	}
	y.judge(batch...)
	_, total, err := y.Notices.Page(t.Context(), y.owner, alarm.NoticeQuery{Limit: 1})
	y.must(err)
	if total != 10*(alarm.NoticesAnHour+1) {
		t.Errorf("%d notices", total)
	}
	if n := y.newest(); !n.Unsteady || n.Changes < 2500 {
		t.Errorf("%+v", n)
	}
}

// A device that keeps going begins an unsteady notice, which ends when it has been there for
// ten minutes.
func TestUnsteadyOffline(t *testing.T) {
	y := newYard(t)
	y.allow(2)
	y.offlineRule()
	away := func(long time.Duration) {
		y.Presence.Gone(testkit.Ref(y.mast))
		y.Clock.Advance(long)
		y.tick()
		y.Presence.Seen(testkit.Ref(y.mast))
		y.tick()
	}
	y.Presence.Seen(testkit.Ref(y.mast))
	for range 3 {
		away(7 * time.Minute)
		y.Clock.Advance(time.Minute)
	}
	y.wants("Silent 300-420 online; Silent 780-900 online; Silent 1260- unsteady")
	y.Clock.Advance(7 * time.Minute)
	y.tick()
	away(time.Minute) // not for ten minutes yet
	y.Clock.Advance(9 * time.Minute)
	y.restart()
	y.Presence.Seen(testkit.Ref(y.mast))
	y.tick()
	y.wants("Silent 300-420 online; Silent 780-900 online; Silent 1260- unsteady")
	y.Clock.Advance(2 * time.Minute)
	y.tick()
	y.wants("Silent 300-420 online; Silent 780-900 online; Silent 1260-2520 online unsteady")
}

// An unsteady notice is advised a recovery value that the readings did not reach.
func TestAdvise(t *testing.T) {
	y := newYard(t)
	y.allow(5)
	y.rule(nil)
	for i := range int64(30) {
		y.at(i*minute, []float64{1, 3, 1, 2.5}[i%4])
	}
	d, err := y.Notices.Get(t.Context(), y.owner, y.newest().ID)
	y.must(err)
	a, err := alarm.Advise(t.Context(), y.readings, y.owner, d, y.station)
	y.must(err)
	if !d.Unsteady || a == nil || a.Attribute != "airTemperature" || a.Recovery != 2.8 || a.Notices >= a.Without || a.Without != 6 {
		t.Errorf("unsteady %t, %+v", d.Unsteady, a)
	}
	steady := *d
	steady.Was.Conditions = []alarm.Condition{{Join: "and", Attribute: "heating", Operator: alarm.Equal, Value: reading.Boolean(true)}}
	if a, err := alarm.Advise(t.Context(), y.readings, y.owner, &steady, y.station); err != nil || a != nil {
		t.Errorf("of a switch %+v, %v", a, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := alarm.Advise(gone, y.readings, y.owner, d, y.station); err == nil {
		t.Error("no error of a caller who has left")
	}
	if a, err := alarm.Advise(t.Context(), y.readings, y.Tenant(t, "enemy").ID, d, y.station); err != nil || a != nil {
		t.Errorf("of another tenant %+v, %v", a, err)
	}
}

// People are told that a notice is unsteady, and after how many.
func TestUnsteadyIsTold(t *testing.T) {
	y := newYard(t)
	heard := &recorder{}
	y.teller = heard
	y.allow(2)
	y.rule(nil)
	for i := range int64(6) {
		y.at(i*minute, float64(i%2)*5)
	}
	var unsteady []int
	for _, a := range heard.began {
		unsteady = append(unsteady, a.Unsteady)
	}
	if fmt.Sprint(unsteady) != "[0 0 2]" {
		t.Errorf("%v", unsteady)
	}
	y.at(16*minute, 5)
	if last := heard.ended[len(heard.ended)-1]; last.Unsteady != 2 || last.Changes != 1 {
		t.Errorf("%+v", last)
	}
}
