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
	"tilth/internal/domain/reading"
	"tilth/internal/platform/comparator"
	"tilth/internal/tools/testkit"
)

// Whatever the database refuses, nothing is evaluated twice and nothing is lost: neither when it
// works again, nor when the server is killed meanwhile.
func TestEngineWhileTheDatabaseRefuses(t *testing.T) {
	for _, refused := range []string{"INSERT ON notices", "UPDATE ON notices", "INSERT ON alarm_states", "UPDATE ON alarm_states", "INSERT ON judged_positions", "UPDATE ON judged_positions"} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed %v", refused, killed), func(t *testing.T) {
				fx := newFixture(t)
				fx.createRule(func(r *alarm.Rule) { r.Hits = 2 })
				fx.evaluate(
					fx.airTemp(1*second, 1),
					fx.airTemp(2*second, 1),
					fx.airTemp(3*second, 3),
				) // a notice, and a recorded position
				fx.evaluate(fx.airTemp(4*second, 1))
				undo := fx.fail(refused)
				failed := 0
				for _, batch := range [][]reading.Arrival{
					{fx.airTemp(5*second, 1)}, {fx.airTemp(6*second, 3)},
					{fx.airTemp(7*second, 1), fx.airTemp(8*second, 1), fx.airTemp(9*second, 3),
						fx.airTemp(10*second, 1), fx.airTemp(11*second, 1)},
				} {
					fx.send(batch...)
					for try := 0; ; try++ {
						err := fx.engine.Evaluate(t.Context(), fx.pos, batch)
						if err == nil {
							break
						}
						if failed++; try == 2 {
							undo()
							if killed {
								fx.restart()
							}
						}
					}
				}
				if failed == 0 {
					t.Error("nothing was refused")
					undo()
				}
				fx.wantNotices("Frost 2-3 recovered; Frost 5-6 recovered; Frost 8-9 recovered; Frost 11-")
			})
		}
	}
}

// People's changes wait for the events of the readings, or fail with them. They are written as a
// whole or not at all.
func TestEngineChangeWhileTheDatabaseRefuses(t *testing.T) {
	fx := newFixture(t)
	id := fx.createRule(nil)
	undo := fx.fail("INSERT ON notices")
	batch := []reading.Arrival{fx.airTemp(1*second, 1)}
	fx.send(batch...)
	if err := fx.engine.Evaluate(t.Context(), fx.pos, batch); err == nil {
		t.Fatal("no error")
	}
	change := func() error {
		return fx.engine.Change(t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Deleted,
			func(ctx context.Context) error { return fx.rules.Delete(ctx, fx.owner, id) })
	}
	if err := change(); err == nil {
		t.Error("a rule was deleted before its notice was recorded")
	}
	undo()
	undo = fx.fail("UPDATE ON notices")
	if err := change(); err == nil {
		t.Error("a rule was deleted and its notice stays open")
	}
	fx.wantNotices("Frost 1-")
	if err := fx.engine.ResolveManually(t.Context(), fx.owner, fx.newest().ID, "Ada", ""); err == nil {
		t.Error("resolved, and not recorded")
	}
	undo()
	fx.must(fx.engine.Evaluate(t.Context(), fx.pos, batch)) // handed in again; the engine has it already
	fx.evaluate(fx.airTemp(2*second, 3))
	fx.wantNotices("Frost 1-2 recovered")
	fx.must(change())
	fx.evaluate(fx.airTemp(3*second, 1))
	fx.wantNotices("Frost 1-2 recovered")
}

// A start leaves out of the windows the readings that the journal still holds for evaluation. They
// are evaluated then, once, in their order.
func TestStartEvaluatesJournalBacklogOnce(t *testing.T) {
	fx := newFixture(t)
	fx.createRule(func(r *alarm.Rule) { r.Hits = 2 })
	fx.evaluate(fx.airTemp(1*second, 1))
	fx.must(fx.positions.Save(t.Context(), fx.pos))
	fx.send(fx.airTemp(2*second, 3))
	fx.send(fx.airTemp(3*second, 1), fx.airTemp(4*second, 1), fx.airTemp(5*second, 5))
	fx.send(fx.airTemp(6*second, 1))
	fx.restart()
	fx.wantNotices("Frost 3-5 recovered")
	fx.restart()
	fx.evaluate(fx.airTemp(7*second, 1))
	fx.wantNotices("Frost 3-5 recovered; Frost 7-")
}

// TestKillsChangeNothing applies the same readings and the same actions of people to two servers,
// one of which is killed again and again: before a batch is evaluated, while its notices are
// written, and in between.
func TestKillsChangeNothing(t *testing.T) {
	for seed := uint64(0); seed < 5; seed += uint64(stride(4)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			steady, shaken := newFixture(t), newFixture(t)
			script, kills := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
			both := []*fixture{steady, shaken}
			for _, fx := range both {
				fx.createRule(func(r *alarm.Rule) { r.Name, r.Hits = "two", 2 })
				fx.createRule(func(r *alarm.Rule) {
					r.Name, r.Hits, r.Window = "wet", 3, 5*time.Minute
					r.Conditions[0].Recovery = new(3.0)
					r.Conditions = append(r.Conditions, alarm.Condition{Join: "and", Attribute: "relativeHumidity",
						Operator: comparator.AtLeast, Value: reading.Number(50)})
				})
				fx.createRule(func(r *alarm.Rule) { r.Name = "one" })
			}
			at := int64(0)
			for range 150 {
				at += int64(script.IntN(20_000))
				batch := randomFrames(script, at)
				by := script.IntN(12)
				for _, fx := range both {
					fx.Clock.Set(testkit.Start.Add(time.Duration(at) * time.Millisecond))
					fx.userAction(by)
					arrivals := make([]reading.Arrival, len(batch))
					for i, f := range batch {
						arrivals[i] = fx.frame(f.at, f.values)
					}
					if fx == shaken && kills.IntN(3) == 0 {
						fx.killDuring(kills, arrivals)
					} else {
						fx.evaluate(arrivals...)
					}
				}
				if kills.IntN(4) == 0 { // as the consumer does every second
					shaken.must(shaken.positions.Save(t.Context(), shaken.pos))
				}
			}
			if want, got := steady.noticeSummary(), shaken.noticeSummary(); want != got {
				t.Errorf("killed server:\n%s\nwant\n%s", strings.ReplaceAll(got, ";", "\n"),
					strings.ReplaceAll(want, ";", "\n"))
			}
			if n := strings.Count(steady.noticeSummary(), ";"); n < 20 {
				t.Errorf("only %d notices: too few to prove anything", n)
			}
			atMostOneOpen(t, shaken)
		})
	}
}

type randomFrame struct {
	at     int64
	values map[string]reading.Value
}

// randomFrames are the frames of one message at that time: some late, some stamped ahead, some
// partial.
func randomFrames(r *rand.Rand, at int64) []randomFrame {
	var list []randomFrame
	for range 1 + r.IntN(3) {
		// Times are odd for one property and even for the other, so that no two messages have
		// another value for the same time.
		f := randomFrame{at: at + int64(r.IntN(3000))*10, values: map[string]reading.Value{}}
		if r.IntN(4) == 0 {
			f.at -= int64(r.IntN(90)) * 1000
		} else if r.IntN(8) == 0 {
			f.at += int64(1+r.IntN(560)) * 1000 // the device's clock is ahead
		}
		if r.IntN(3) > 0 {
			f.values["airTemperature"] = reading.Number(float64(f.at/10*2654435761%60) / 10)
		}
		if r.IntN(3) > 0 || len(f.values) == 0 {
			f.values["relativeHumidity"] = reading.Number(float64(f.at / 10 * 40503 % 100))
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b randomFrame) int { return int(a.at - b.at) })
	return list
}

// userAction is a random action of people: mostly none.
func (fx *fixture) userAction(which int) {
	fx.t.Helper()
	ids := []alarm.RuleID{1}
	switch which {
	case 0:
		list, _, err := fx.Notices.Page(fx.t.Context(), fx.owner,
			alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 1})
		fx.must(err)
		if len(list) > 0 {
			fx.must(fx.engine.ResolveManually(fx.t.Context(), fx.owner, list[0].ID, "Ada", ""))
		}
	case 1:
		fx.must(fx.engine.Change(fx.t.Context(), fx.owner, ids, alarm.Stopped,
			func(ctx context.Context) error { return fx.rules.Unpublish(ctx, fx.owner, 1, "Ada") }))
	case 2:
		fx.must(fx.engine.Change(fx.t.Context(), fx.owner, ids, alarm.Changed,
			func(ctx context.Context) error { return fx.rules.Publish(ctx, fx.owner, 1, "Ada") }))
	}
}

// killDuring combines a batch with a kill and a start in one of the possible ways.
func (fx *fixture) killDuring(r *rand.Rand, batch []reading.Arrival) {
	fx.t.Helper()
	fx.send(batch...)
	switch r.IntN(3) {
	case 0: // durable, and not evaluated
	case 1: // evaluated, and not recorded
		undo := fx.fail([]string{"INSERT ON notices", "UPDATE ON notices", "UPDATE ON judged_positions"}[r.IntN(3)])
		_ = fx.engine.Evaluate(fx.t.Context(), fx.pos, batch) // the kill comes with or without an error
		undo()
	case 2: // recorded
		fx.must(fx.engine.Evaluate(fx.t.Context(), fx.pos, batch))
	}
	fx.restart()
}

func atMostOneOpen(t *testing.T, fx *fixture) {
	t.Helper()
	list, _, err := fx.Notices.Page(t.Context(), fx.owner, alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 400})
	fx.must(err)
	of := map[alarm.RuleID]bool{}
	for _, n := range list {
		if of[n.Rule] {
			t.Errorf("rule %d has two open notices", n.Rule)
		}
		of[n.Rule] = true
	}
}

// After a start, a reading waits for the windows of its own device's rules only. The others are rebuilt when no
// reading waits.
func TestReadingWaitsForItsOwnWindowsOnly(t *testing.T) {
	o := newSceneFixture(t)
	id := o.createSceneRule(func(r *alarm.Rule) { r.Hits = 2 })
	for mast := range 2 {
		o.evaluateAirTemp(mast, 1)
	}
	o.must(o.positions.Save(t.Context(), o.pos))
	o.Restart(t)
	o.start() // and nothing is evaluated yet
	o.engine.SetSingleStep(1)
	known := func(mast int) bool {
		_, known := o.engine.Progress(o.owner, alarm.Pair{Rule: id, Device: o.masts[mast].ID})
		return known
	}
	o.Clock.Advance(time.Second)
	cold := o.airTemp(o.Clock.Milli()-startMilli(), 1)
	cold.Device = o.masts[1].ID // B; A's windows are first in order
	o.send(cold)
	o.engine.Take(o.pos, []reading.Arrival{cold})
	for range 2 { // B's window, its reading
		if more, err := o.engine.RunSlice(t.Context()); err != nil || !more {
			t.Fatal(more, err)
		}
	}
	o.must(o.engine.FlushBatch(t.Context()))
	if known(0) {
		t.Error("A's window was rebuilt first")
	}
	if got := o.noticeSummary(); !strings.HasSuffix(got, "Frost 1-") {
		t.Errorf("notices %q", got)
	}
	for more := true; more; {
		var err error
		if more, err = o.engine.RunSlice(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !known(0) {
		t.Error("A's window is not rebuilt")
	}
}
