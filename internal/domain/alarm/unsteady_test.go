package alarm_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// setMaxPerHour limits how many notices a rule may begin within an hour.
func (fx *fixture) setMaxPerHour(maxPerHour int) {
	fx.maxPerHour = maxPerHour
	fx.Restart(fx.t)
	fx.start()
	fx.Presence.AcceptDevices()
	fx.engine.LetIn()
}

// A value that swings every minute begins as many notices as allowed, then one that stays until the
// value has been calm for ten minutes; wherever the server is killed, and in the rehearsal too.
func TestUnsteady(t *testing.T) {
	// Frost at every second minute of an hour, except for a calm of eight minutes; then calm.
	story := func(fx *fixture, killedAfter int) {
		fx.setMaxPerHour(3)
		fx.createRule(nil)
		for i := range int64(90) {
			degrees := []float64{5, 1}[i%2]
			if i >= 40 && i < 48 || i > 60 {
				degrees = 5
			}
			fx.evaluateAt(i*minute, degrees)
			if int(i) == killedAfter {
				fx.restart()
			}
		}
	}
	const want = "Frost 60-120 recovered; Frost 180-240 recovered; Frost 300-360 recovered; Frost 420-4200 recovered unsteady"
	fx := newFixture(t)
	story(fx, -1)
	fx.wantNotices(want)
	if n := fx.newest(); n.Changes != 45 {
		t.Errorf("%d changes", n.Changes)
	}
	rule, err := fx.rules.Rules(t.Context(), fx.owner, []alarm.RuleID{1})
	fx.must(err)
	from := testkit.Start.UnixMilli()
	h, err := alarm.Rehearse(t.Context(), fx.readings, rule[0], fx.station, 3, from, from+90*minute, time.UTC, nil)
	fx.must(err)
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
		fx := newFixture(t)
		if story(fx, killed); fx.noticeSummary() != want {
			t.Fatalf("killed after %d minutes: %s", killed, fx.noticeSummary())
		}
	}
}

// The begins of the hour before count, including those of an unsteady notice. A published rule
// starts to count anew.
func TestOpeningsPerHour(t *testing.T) {
	fx := newFixture(t)
	fx.setMaxPerHour(2)
	id := fx.createRule(nil)
	swing := func(at int64) {
		fx.evaluateAt(at*minute, 1)
		fx.evaluateAt((at+1)*minute, 5)
	}
	swing(0)
	swing(30)
	swing(60) // the first is an hour ago
	fx.wantNotices("Frost 0-60 recovered; Frost 1800-1860 recovered; Frost 3600-3660 recovered")
	swing(70)
	fx.evaluateAt(82*minute, 5)
	swing(95) // 60 and 70 are less than an hour ago
	if n := fx.newest(); !n.Unsteady || n.Status != alarm.Pending {
		t.Errorf("%+v", n)
	}
	fx.unpublish(id)
	fx.publish(id)
	swing(100)
	fx.wantNotices(
		"Frost 0-60 recovered; Frost 1800-1860 recovered; Frost 3600-3660 recovered; Frost 4200-4920 recovered unsteady; " +
			"Frost 5700-5760 stopped unsteady; Frost 6000-6060 recovered",
	)
}

// A manual resolution ends an unsteady notice, too.
func TestUnsteadyResolveManually(t *testing.T) {
	fx := newFixture(t)
	fx.setMaxPerHour(1)
	fx.createRule(nil)
	fx.evaluateAt(0, 1)
	fx.evaluateAt(1*minute, 5)
	fx.evaluateAt(2*minute, 1)
	fx.evaluateAt(3*minute, 5)
	fx.must(fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""))
	fx.evaluateAt(4*minute, 5)
	fx.wantNotices("Frost 0-60 recovered; Frost 120-180 byHand unsteady")
	if n := fx.newest(); n.Changes != 1 {
		t.Errorf("%d changes", n.Changes)
	}
	fx.evaluateAt(50*minute, 1)
	fx.restart()
	fx.wantNotices("Frost 0-60 recovered; Frost 120-180 byHand unsteady; Frost 3000- unsteady")
}

// A message of thousands of swings begins the allowed number of notices, for each of its rules.
func TestOneMessageCannotExceedNoticeLimit(t *testing.T) {
	fx := newFixture(t)
	fx.setMaxPerHour(alarm.MaxNoticesPerHour)
	for i := range 10 {
		fx.createRule(func(r *alarm.Rule) { r.Name = fmt.Sprint("rule ", i) })
	}
	var batch []reading.Arrival
	for i := range int64(5200) {
		batch = append(batch, fx.airTemp(i*100, float64(i%2)*5))
	}
	fx.evaluate(batch...)
	_, total, err := fx.Notices.Page(t.Context(), fx.owner, alarm.NoticeQuery{Limit: 1})
	fx.must(err)
	if total != 10*(alarm.MaxNoticesPerHour+1) {
		t.Errorf("%d notices", total)
	}
	if n := fx.newest(); !n.Unsteady || n.Changes < 2500 {
		t.Errorf("%+v", n)
	}
}

// A device that repeatedly goes offline begins an unsteady notice, which ends when the device has
// been online for ten minutes.
func TestUnsteadyOffline(t *testing.T) {
	fx := newFixture(t)
	fx.setMaxPerHour(2)
	fx.createOfflineRule()
	away := func(long time.Duration) {
		fx.Presence.Gone(testkit.Ref(fx.mast))
		fx.Clock.Advance(long)
		fx.tick()
		fx.Presence.Seen(testkit.Ref(fx.mast))
		fx.tick()
	}
	fx.Presence.Seen(testkit.Ref(fx.mast))
	for range 3 {
		away(7 * time.Minute)
		fx.Clock.Advance(time.Minute)
	}
	fx.wantNotices("Silent 300-420 online; Silent 780-900 online; Silent 1260- unsteady")
	fx.Clock.Advance(7 * time.Minute)
	fx.tick()
	away(time.Minute) // not for ten minutes yet
	fx.Clock.Advance(9 * time.Minute)
	fx.restart()
	fx.Presence.Seen(testkit.Ref(fx.mast))
	fx.tick()
	fx.wantNotices("Silent 300-420 online; Silent 780-900 online; Silent 1260- unsteady")
	fx.Clock.Advance(2 * time.Minute)
	fx.tick()
	fx.wantNotices("Silent 300-420 online; Silent 780-900 online; Silent 1260-2520 online unsteady")
}

// The advice for an unsteady notice is a recovery value that the readings did not reach.
func TestAdvise(t *testing.T) {
	fx := newFixture(t)
	fx.setMaxPerHour(5)
	fx.createRule(nil)
	for i := range int64(30) {
		fx.evaluateAt(i*minute, []float64{1, 3, 1, 2.5}[i%4])
	}
	d, err := fx.Notices.Get(t.Context(), fx.owner, fx.newest().ID)
	fx.must(err)
	a, err := alarm.Advise(t.Context(), fx.readings, fx.owner, d, fx.station)
	fx.must(err)
	if !d.Unsteady || a == nil || a.Attribute != "airTemperature" || a.Recovery != 2.8 || a.Notices >= a.Without ||
		a.Without != 6 {
		t.Errorf("unsteady %t, %+v", d.Unsteady, a)
	}
	steady := *d
	steady.RuleCopy.Conditions = []alarm.Condition{{Join: "and", Attribute: "heating", Operator: comparator.Equal,
		Value: reading.Boolean(true)}}
	if a, err := alarm.Advise(t.Context(), fx.readings, fx.owner, &steady, fx.station); err != nil || a != nil {
		t.Errorf("of a switch %+v, %v", a, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := alarm.Advise(gone, fx.readings, fx.owner, d, fx.station); err == nil {
		t.Error("no error though the caller's context ended")
	}
	if a, err := alarm.Advise(t.Context(), fx.readings, fx.Tenant(t, "enemy").ID, d, fx.station); err != nil ||
		a != nil {
		t.Errorf("of another tenant %+v, %v", a, err)
	}
}

// A notification says that a notice is unsteady, and after how many notices.
func TestNotifierReceivesUnsteady(t *testing.T) {
	fx := newFixture(t)
	rec := &recorder{}
	fx.notifier = rec
	fx.setMaxPerHour(2)
	fx.createRule(nil)
	for i := range int64(6) {
		fx.evaluateAt(i*minute, float64(i%2)*5)
	}
	var unsteady []int
	for _, a := range rec.opened {
		unsteady = append(unsteady, a.Unsteady)
	}
	if fmt.Sprint(unsteady) != "[0 0 2]" {
		t.Errorf("%v", unsteady)
	}
	fx.evaluateAt(16*minute, 5)
	if last := rec.closed[len(rec.closed)-1]; last.Unsteady != 2 || last.Changes != 1 {
		t.Errorf("%+v", last)
	}
}
