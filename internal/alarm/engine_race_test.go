package alarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/errs"
	"tilth/internal/reading"
	"tilth/internal/testkit"
)

// People run, stop, change, delete and resolve while readings are judged,
// devices come and go, and the provider changes products: there is never more
// than one open notice a rule, none stays open of a rule that does not run, and
// whoever looks on is told of each notice's begin and end once.
func TestEngineUnderConcurrency(t *testing.T) {
	for name, beside := range map[string]bool{"written while judging waits": false, "written beside judging": true} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t)
			stop := func() {}
			if beside {
				stop = y.working()
			}
			underConcurrency(t, y, stop)
		})
	}
}

// underConcurrency lets everything happen at once; written is called when
// readings come no more, and all that they led to must be on disk then.
func underConcurrency(t *testing.T, y *yard, written func()) {
	const rules, rounds = 4, 30
	screen, _, _, _ := y.hub.Subscribe(y.owner, "", "")
	var ids []alarm.RuleID
	for i := range rules {
		ids = append(ids, y.rule(func(r *alarm.Rule) { r.Name = fmt.Sprint("rule ", i) }))
	}
	silent := y.offlineRule()
	var people, judging sync.WaitGroup
	stop := make(chan struct{})
	judging.Go(func() {
		for n := int64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			y.judge(y.air(n*10, float64(n%3)), y.air(n*10+5, float64((n+1)%3)))
		}
	})
	judging.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if n%2 == 0 {
				y.Presence.Seen(testkit.Ref(y.mast))
			} else {
				y.Presence.Gone(testkit.Ref(y.mast))
				y.Clock.Advance(6 * time.Minute)
			}
			if _, err := y.engine.Tick(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	testkit.Eventually(t, "notices that come and go", func() bool { return y.engine.Stats().Opened >= rounds })
	for i, id := range ids {
		people.Go(func() {
			for range rounds {
				for why, how := range map[alarm.Reason]func(ctx context.Context) error{
					alarm.Stopped: func(ctx context.Context) error { return y.rules.Unpublish(ctx, y.owner, id, "Ada") },
					alarm.Changed: func(ctx context.Context) error { return y.rules.Publish(ctx, y.owner, id, "Ada") },
				} {
					if err := y.engine.Change(t.Context(), y.owner, []alarm.RuleID{id}, why, how); err != nil {
						t.Error(err)
					}
				}
				if i == 0 {
					if err := y.engine.Reload(t.Context()); err != nil {
						t.Error(err)
					}
				}
				list, _, err := y.Notices.Page(t.Context(), y.owner, alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 400})
				if err != nil {
					t.Error(err)
				}
				for _, n := range list {
					if err := y.engine.ResolveByHand(t.Context(), y.owner, n.ID, "Ada", ""); err != nil && !errs.Is(err, errs.Refused) {
						t.Error(err)
					}
				}
			}
		})
	}
	people.Wait()
	close(stop)
	judging.Wait()
	written()
	if recorded := y.engine.Recorded(); recorded != y.pos {
		t.Errorf("recorded up to %d of %d", recorded, y.pos)
	}
	atMostOneOpen(t, y)
	for _, id := range append(ids, silent) {
		y.unpublish(id)
	}
	s := y.engine.Stats()
	if s.Open != 0 || s.Rules != 0 || s.Opened != s.Resolved || s.Opened < rounds {
		t.Errorf("%+v", s)
	}
	list, total, err := y.Notices.Page(t.Context(), y.owner, alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 400})
	if err != nil || total != 0 {
		t.Errorf("open still: %v (%v)", list, err)
	}
	select {
	case <-screen.Ended: // slow, so it was cut off: what it missed it would fetch
	default:
		// Of one that begins or is over it is told once more since when it holds.
		type told struct{ ID, ResolveStatus int64 }
		of := map[told]int{}
		for range len(screen.Events) {
			var what told
			var since struct{ HoldsSince int64 }
			data := (<-screen.Events).Data
			y.must(errors.Join(json.Unmarshal(data, &what), json.Unmarshal(data, &since)))
			if of[what]++; of[what] > 1 && since.HoldsSince == 0 || of[what] > 2 {
				t.Errorf("told %d times: %s", of[what], data)
			}
		}
		if uint64(len(of)) != s.Opened+s.Resolved {
			t.Errorf("told of %d of %d begins and %d ends", len(of), s.Opened, s.Resolved)
		}
	}
}

// While Run writes beside judging, a batch is taken at once and recorded soon;
// when the database refuses, judging waits for it, and a kill loses nothing.
func TestEngineWritesBeside(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	stop := y.working()
	recorded := func() bool { return y.engine.Recorded() == y.pos }
	y.judge(y.air(1*second, 1))
	testkit.Eventually(t, "the first notice", recorded)
	y.wants("Frost 1-")
	mend := y.fail("UPDATE ON notices")
	first := y.pos
	y.judge(y.air(2*second, 3)) // taken; not on disk
	y.judge(y.air(3*second, 1))
	if got := y.engine.Recorded(); got != first {
		t.Errorf("recorded up to %d, want %d", got, first)
	}
	if of, err := y.positions.OfTenants(t.Context()); err != nil || of[y.owner] != (alarm.Position{Entry: first}) {
		t.Errorf("on disk up to %v (%v), want %d", of, err, first)
	}
	mend()
	stop()
	y.restart()
	y.wants("Frost 1-2 recovered; Frost 3-")
	if !recorded() {
		t.Errorf("recorded up to %d of %d", y.engine.Recorded(), y.pos)
	}
}

// The same batch given twice, and an older one, lead to nothing.
func TestEngineTakesABatchOnce(t *testing.T) {
	y := newYard(t)
	y.rule(nil)
	batches := [][]reading.Arrival{{y.air(1*second, 1)}, {y.air(2*second, 3)}, {y.air(3*second, 1)}}
	for _, b := range batches {
		y.judge(b...)
	}
	for i, b := range batches {
		y.must(y.engine.Judge(t.Context(), uint64(i+1), b))
	}
	y.wants("Frost 1-2 recovered; Frost 3-")
	if s := y.engine.Stats(); s.Judged != 3 {
		t.Errorf("%+v", s)
	}
}
