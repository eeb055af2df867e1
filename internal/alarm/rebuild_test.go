package alarm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/alarm"
	"tilth/internal/reading"
	"tilth/internal/testkit"
)

// Whatever the database refuses, nothing is judged twice and nothing is lost:
// neither when it works again, nor when the server is killed meanwhile.
func TestEngineWhileTheDatabaseRefuses(t *testing.T) {
	for _, refused := range []string{"INSERT ON notices", "UPDATE ON notices", "INSERT ON alarm_states", "UPDATE ON alarm_states", "INSERT ON judged_positions", "UPDATE ON judged_positions"} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed %v", refused, killed), func(t *testing.T) {
				y := newYard(t)
				y.rule(func(r *alarm.Rule) { r.Hits = 2 })
				y.judge(y.air(1*second, 1), y.air(2*second, 1), y.air(3*second, 3)) // a notice, and a recorded position
				y.judge(y.air(4*second, 1))
				mend := y.fail(refused)
				failed := 0
				for _, batch := range [][]reading.Arrival{
					{y.air(5*second, 1)}, {y.air(6*second, 3)}, {y.air(7*second, 1), y.air(8*second, 1), y.air(9*second, 3), y.air(10*second, 1), y.air(11*second, 1)},
				} {
					y.send(batch...)
					for try := 0; ; try++ {
						err := y.engine.Judge(t.Context(), y.pos, batch)
						if err == nil {
							break
						}
						if failed++; try == 2 {
							mend()
							if killed {
								y.restart()
							}
						}
					}
				}
				if failed == 0 {
					t.Error("nothing was refused")
					mend()
				}
				y.wants("Frost 2-3 recovered; Frost 5-6 recovered; Frost 8-9 recovered; Frost 11-")
			})
		}
	}
}

// People's changes wait for what the readings have led to, or are refused with
// it; they are kept as a whole or not at all.
func TestEngineChangeWhileTheDatabaseRefuses(t *testing.T) {
	y := newYard(t)
	id := y.rule(nil)
	mend := y.fail("INSERT ON notices")
	batch := []reading.Arrival{y.air(1*second, 1)}
	y.send(batch...)
	if err := y.engine.Judge(t.Context(), y.pos, batch); err == nil {
		t.Fatal("no error")
	}
	change := func() error {
		return y.engine.Change(t.Context(), y.owner, []alarm.RuleID{id}, alarm.Deleted, func(ctx context.Context) error { return y.rules.Delete(ctx, y.owner, id) })
	}
	if err := change(); err == nil {
		t.Error("a rule was deleted before its notice was recorded")
	}
	mend()
	mend = y.fail("UPDATE ON notices")
	if err := change(); err == nil {
		t.Error("a rule was deleted and its notice stays open")
	}
	y.wants("Frost 1-")
	if err := y.engine.ResolveByHand(t.Context(), y.owner, y.newest().ID, "Ada", ""); err == nil {
		t.Error("resolved, and not recorded")
	}
	mend()
	y.must(y.engine.Judge(t.Context(), y.pos, batch)) // comes again; the engine has it already
	y.judge(y.air(2*second, 3))
	y.wants("Frost 1-2 recovered")
	y.must(change())
	y.judge(y.air(3*second, 1))
	y.wants("Frost 1-2 recovered")
}

// A start leaves out of the windows what the journal has yet to bring: it is
// judged then, once, in its order.
func TestStartLeavesTheBacklogToTheJournal(t *testing.T) {
	y := newYard(t)
	y.rule(func(r *alarm.Rule) { r.Hits = 2 })
	y.judge(y.air(1*second, 1))
	y.must(y.positions.Save(t.Context(), y.pos))
	y.send(y.air(2*second, 3))
	y.send(y.air(3*second, 1), y.air(4*second, 1), y.air(5*second, 5))
	y.send(y.air(6*second, 1))
	y.restart()
	y.wants("Frost 3-5 recovered")
	y.restart()
	y.judge(y.air(7*second, 1))
	y.wants("Frost 3-5 recovered; Frost 7-")
}

// TestKillsChangeNothing lets the same readings and the same people's doings
// happen to two servers, one of which is killed again and again: before a batch
// is judged, while its notices are written, and in between.
func TestKillsChangeNothing(t *testing.T) {
	for seed := uint64(0); seed < 5; seed += uint64(stride(4)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			steady, shaken := newYard(t), newYard(t)
			script, kills := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))
			both := []*yard{steady, shaken}
			for _, y := range both {
				y.rule(func(r *alarm.Rule) { r.Name, r.Hits = "two", 2 })
				y.rule(func(r *alarm.Rule) {
					r.Name, r.Hits, r.Window = "wet", 3, 5*time.Minute
					r.Conditions[0].Recovery = new(3.0)
					r.Conditions = append(r.Conditions, alarm.Condition{Join: "and", Attribute: "relativeHumidity", Operator: alarm.AtLeast, Value: reading.Number(50)})
				})
				y.rule(func(r *alarm.Rule) { r.Name = "one" })
			}
			at := int64(0)
			for range 150 {
				at += int64(script.IntN(20_000))
				batch := someFrames(script, at)
				by := script.IntN(12)
				for _, y := range both {
					y.Clock.Set(testkit.Start.Add(time.Duration(at) * time.Millisecond))
					y.doings(by)
					arrivals := make([]reading.Arrival, len(batch))
					for i, f := range batch {
						arrivals[i] = y.frame(f.at, f.values)
					}
					if y == shaken && kills.IntN(3) == 0 {
						y.killed(kills, arrivals)
					} else {
						y.judge(arrivals...)
					}
				}
				if kills.IntN(4) == 0 { // as the judge does every second
					shaken.must(shaken.positions.Save(t.Context(), shaken.pos))
				}
			}
			if want, got := steady.told(), shaken.told(); want != got {
				t.Errorf("killed server:\n%s\nwant\n%s", strings.ReplaceAll(got, ";", "\n"), strings.ReplaceAll(want, ";", "\n"))
			}
			if n := strings.Count(steady.told(), ";"); n < 20 {
				t.Errorf("only %d notices: that proves little", n)
			}
			atMostOneOpen(t, shaken)
		})
	}
}

type someFrame struct {
	at     int64
	values map[string]reading.Value
}

// someFrames are of one message at that time: some late, some stamped ahead, some
// partial.
func someFrames(r *rand.Rand, at int64) []someFrame {
	var list []someFrame
	for range 1 + r.IntN(3) {
		// Times are odd for the one property and even for the other, so that no
		// two messages are of the same time with another value.
		f := someFrame{at: at + int64(r.IntN(3000))*10, values: map[string]reading.Value{}}
		if r.IntN(4) == 0 {
			f.at -= int64(r.IntN(90)) * 1000
		} else if r.IntN(8) == 0 {
			f.at += int64(60+r.IntN(500)) * 1000 // its clock is ahead
		}
		if r.IntN(3) > 0 {
			f.values["airTemperature"] = reading.Number(float64(f.at/10*2654435761%60) / 10)
		}
		if r.IntN(3) > 0 || len(f.values) == 0 {
			f.values["relativeHumidity"] = reading.Number(float64(f.at / 10 * 40503 % 100))
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b someFrame) int { return int(a.at - b.at) })
	return list
}

// doings are what people do: mostly nothing.
func (y *yard) doings(which int) {
	y.t.Helper()
	ids := []alarm.RuleID{1}
	switch which {
	case 0:
		list, _, err := y.Notices.Page(y.t.Context(), y.owner, alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 1})
		y.must(err)
		if len(list) > 0 {
			y.must(y.engine.ResolveByHand(y.t.Context(), y.owner, list[0].ID, "Ada", ""))
		}
	case 1:
		y.must(y.engine.Change(y.t.Context(), y.owner, ids, alarm.Stopped, func(ctx context.Context) error { return y.rules.Unpublish(ctx, y.owner, 1, "Ada") }))
	case 2:
		y.must(y.engine.Change(y.t.Context(), y.owner, ids, alarm.Changed, func(ctx context.Context) error { return y.rules.Publish(ctx, y.owner, 1, "Ada") }))
	}
}

// killed lets a batch meet a kill and a start in one of the ways it can.
func (y *yard) killed(r *rand.Rand, batch []reading.Arrival) {
	y.t.Helper()
	y.send(batch...)
	switch r.IntN(3) {
	case 0: // durable, and not judged
	case 1: // judged, and not recorded
		mend := y.fail([]string{"INSERT ON notices", "UPDATE ON notices", "UPDATE ON judged_positions"}[r.IntN(3)])
		_ = y.engine.Judge(y.t.Context(), y.pos, batch) // the kill comes either way
		mend()
	case 2: // recorded
		y.must(y.engine.Judge(y.t.Context(), y.pos, batch))
	}
	y.restart()
}

func atMostOneOpen(t *testing.T, y *yard) {
	t.Helper()
	list, _, err := y.Notices.Page(t.Context(), y.owner, alarm.NoticeQuery{Status: new(alarm.Pending), Limit: 400})
	y.must(err)
	of := map[alarm.RuleID]bool{}
	for _, n := range list {
		if of[n.Rule] {
			t.Errorf("rule %d has two open notices", n.Rule)
		}
		of[n.Rule] = true
	}
}
