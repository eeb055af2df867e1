package alarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// People publish, stop, change and delete rules and resolve notices while readings are evaluated,
// devices come and go, and the provider changes products. A rule never has more than one open
// notice, a rule that does not run has none, and each screen receives each notice's begin and end
// once.
func TestEngineUnderConcurrency(t *testing.T) {
	for name, background := range map[string]bool{"evaluation writes": false, "Run writes": true} {
		t.Run(name, func(t *testing.T) {
			fx := newFixture(t)
			stop := func() {}
			if background {
				stop = fx.runEngine()
			}
			underConcurrency(t, fx, stop)
		})
	}
}

// underConcurrency runs all of that at the same time. It calls written when no more readings come;
// all that they led to must be on disk then.
func underConcurrency(t *testing.T, fx *fixture, written func()) {
	const rules, rounds = 4, 30
	screen, _, _, _ := fx.hub.Subscribe(fx.owner, "", "")
	var ids []alarm.RuleID
	for i := range rules {
		ids = append(ids, fx.createRule(func(r *alarm.Rule) { r.Name = fmt.Sprint("rule ", i) }))
	}
	silent := fx.createOfflineRule()
	var people, evaluation sync.WaitGroup
	stop := make(chan struct{})
	evaluation.Go(func() {
		for n := int64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			fx.evaluate(fx.airTemp(n*10, float64(n%3)), fx.airTemp(n*10+5, float64((n+1)%3)))
		}
	})
	evaluation.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if n%2 == 0 {
				fx.Presence.Seen(testkit.Ref(fx.mast))
			} else {
				fx.Presence.Gone(testkit.Ref(fx.mast))
				fx.Clock.Advance(6 * time.Minute)
			}
			if _, err := fx.engine.Tick(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	testkit.Eventually(t, "notices that come and go", func() bool { return fx.engine.Stats().Opened >= rounds })
	for i, id := range ids {
		people.Go(func() {
			for range rounds {
				for why, how := range map[alarm.Reason]func(ctx context.Context) error{
					alarm.Stopped: func(ctx context.Context) error {
						return fx.rules.Unpublish(ctx, fx.owner, id, "Ada")
					},
					alarm.Changed: func(ctx context.Context) error {
						return fx.rules.Publish(ctx, fx.owner, id, "Ada")
					},
				} {
					if err := fx.engine.Change(t.Context(), fx.owner, []alarm.RuleID{id}, why, how); err != nil {
						t.Error(err)
					}
				}
				if i == 0 {
					if err := fx.engine.Reload(t.Context()); err != nil {
						t.Error(err)
					}
				}
				list, _, err := fx.Notices.Page(t.Context(), fx.owner,
					alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 400})
				if err != nil {
					t.Error(err)
				}
				for _, n := range list {
					if err := fx.engine.ResolveManually(t.Context(), fx.owner, n.ID, "Ada", ""); err != nil &&
						!errs.Is(err, errs.Refused) {
						t.Error(err)
					}
				}
			}
		})
	}
	people.Wait()
	close(stop)
	evaluation.Wait()
	written()
	if recorded := fx.engine.Recorded(); recorded != fx.pos {
		t.Errorf("recorded up to %d of %d", recorded, fx.pos)
	}
	atMostOneOpen(t, fx)
	for _, id := range append(ids, silent) {
		fx.unpublish(id)
	}
	s := fx.engine.Stats()
	if s.Open != 0 || s.Rules != 0 || s.Opened != s.Resolved || s.Opened < rounds {
		t.Errorf("%+v", s)
	}
	list, total, err := fx.Notices.Page(t.Context(), fx.owner,
		alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 400})
	if err != nil || total != 0 {
		t.Errorf("open still: %v (%v)", list, err)
	}
	select {
	case <-screen.Ended: // the server cut the slow screen off; a real one would fetch what it missed
	default:
		// A notice is published once more with the time since when it holds.
		type event struct{ ID, ResolveStatus int64 }
		of := map[event]int{}
		for range len(screen.Events) {
			var what event
			var since struct{ HoldsSince int64 }
			e := <-screen.Events
			if e.Name != "notice" {
				continue
			}
			data := e.Data
			fx.must(errors.Join(json.Unmarshal(data, &what), json.Unmarshal(data, &since)))
			if of[what]++; of[what] > 1 && since.HoldsSince == 0 || of[what] > 2 {
				t.Errorf("published %d times: %s", of[what], data)
			}
		}
		if uint64(len(of)) != s.Opened+s.Resolved {
			t.Errorf("published %d of %d begins and %d ends", len(of), s.Opened, s.Resolved)
		}
	}
}

// While Run writes in the background, Evaluate returns before a batch is recorded. When the
// database refuses, the evaluation waits for it, and a kill loses nothing.
func TestEngineWritesInBackground(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	stop := fx.runEngine()
	recorded := func() bool { return fx.engine.Recorded() == fx.pos }
	fx.evaluate(fx.airTemp(1*second, 1))
	testkit.Eventually(t, "the first notice", recorded)
	fx.wantNotices("Frost 1-")
	undo := fx.fail("UPDATE ON notices")
	first := fx.pos
	fx.evaluate(fx.airTemp(2*second, 3)) // evaluated; not on disk
	fx.evaluate(fx.airTemp(3*second, 1))
	if got := fx.engine.Recorded(); got != first {
		t.Errorf("recorded up to %d, want %d", got, first)
	}
	if of, err := fx.positions.LoadTenants(t.Context()); err != nil || of[fx.owner] != (alarm.Position{Entry: first}) {
		t.Errorf("on disk up to %v (%v), want %d", of, err, first)
	}
	undo()
	stop()
	fx.restart()
	fx.wantNotices("Frost 1-2 recovered; Frost 3-")
	if !recorded() {
		t.Errorf("recorded up to %d of %d", fx.engine.Recorded(), fx.pos)
	}
}

// The same batch handed in twice, and an older one, lead to nothing.
func TestEngineIgnoresRepeatedBatches(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(nil)
	batches := [][]reading.Arrival{{fx.airTemp(1*second, 1)}, {fx.airTemp(2*second, 3)}, {fx.airTemp(3*second, 1)}}
	for _, b := range batches {
		fx.evaluate(b...)
	}
	for i, b := range batches {
		fx.must(fx.engine.Evaluate(t.Context(), uint64(i+1), b))
	}
	fx.wantNotices("Frost 1-2 recovered; Frost 3-")
	if s := fx.engine.Stats(); s.Evaluated != 3 {
		t.Errorf("%+v", s)
	}
}
