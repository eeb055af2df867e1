package alarm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/app"
	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/live"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/race"
)

const (
	second = int64(1000)
	minute = 60 * second
)

// fixture is an engine over real stores, with one tenant and one station. Batches go through the
// journal: after send they are durable, after evaluate they are evaluated.
type fixture struct {
	*testkit.Stores
	t              testing.TB
	owner          tenant.ID
	station        *device.Product
	mast           *device.Device
	rules          *alarm.RuleStore
	positions      *alarm.PositionStore
	readings       *reading.Store
	hub            *live.Hub
	engine         *alarm.Engine
	notifier       alarm.Notifier // in place of the outbox; nil: the outbox
	retentionClock func() time.Time
	retention      time.Duration // of readings
	maxPerHour     int           // notices that a rule may begin within an hour; 0: any number
	previousStop   time.Time     // until when the previous engine let devices in
	pos            uint64        // of the newest batch in the journal
}

// stride is the step from one case of a test to the next: one, or more with -short, as on
// PostgreSQL, or under the race detector.
func stride(short int) int {
	if testing.Short() || race.Enabled {
		return short
	}
	return 1
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	fx := &fixture{Stores: testkit.NewStores(t), t: t}
	fx.owner = fx.Tenant(t, "field").ID
	fx.station = fx.Station(t)
	fx.mast = fx.Device(t, fx.owner, fx.station, "MAST")
	fx.readings = fx.Readings
	fx.start()
	fx.engine.LetIn()
	return fx
}

// start is a start of the server, until devices are let in.
func (fx *fixture) start() {
	fx.t.Helper()
	fx.Restart(fx.t, func(d *app.Deps) {
		d.RetentionClock, d.Retention, d.PreviousStop = fx.retentionClock, fx.retention, fx.previousStop
		d.MaxNoticesPerHour, d.AlarmNotifier = fx.maxPerHour, fx.notifier
	})
	fx.engine, fx.rules, fx.positions, fx.hub = fx.Alarms, fx.Rules, fx.Positions, fx.Live
}

// restart kills the server and starts the next one: it has a new engine, which first evaluates what
// the journal holds after the recorded position.
func (fx *fixture) restart() {
	fx.t.Helper()
	fx.restartAfter(0)
}

// restartAfter is restart after the server was down for a time.
func (fx *fixture) restartAfter(down time.Duration) {
	fx.t.Helper()
	fx.previousStop = fx.Clock.Now()
	fx.Clock.Advance(down)
	if err := fx.Status.Flush(fx.t.Context(), true); err != nil {
		fx.t.Fatal(err)
	}
	fx.start()
	fx.must(fx.engine.Evaluate(fx.t.Context(), 0, nil)) // what waits
	fx.Presence.AcceptDevices()
	fx.engine.LetIn()
}

// createRule stores a rule for the mast and publishes it.
func (fx *fixture) createRule(with func(r *alarm.Rule)) alarm.RuleID {
	fx.t.Helper()
	r := alarm.Rule{
		Name:          "Frost",
		Device:        fx.mast.ID,
		Trigger:       alarm.AttributeChange,
		Hits:          1,
		Window:        time.Minute,
		ManualRelease: true,
		Conditions: []alarm.Condition{
			{Join: "and", Attribute: "airTemperature", Operator: comparator.Below, Value: reading.Number(2)},
		},
	}
	if with != nil {
		with(&r)
	}
	id, err := fx.rules.Create(fx.t.Context(), fx.owner, &r)
	if err != nil {
		fx.t.Fatal(err)
	}
	fx.publish(id)
	return id
}

func (fx *fixture) publish(id alarm.RuleID) {
	fx.t.Helper()
	fx.must(fx.engine.Change(fx.t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Changed,
		func(ctx context.Context) error {
			return fx.rules.Publish(ctx, fx.owner, id, "Ada")
		}))
}

func (fx *fixture) unpublish(id alarm.RuleID) {
	fx.t.Helper()
	fx.must(fx.engine.Change(fx.t.Context(), fx.owner, []alarm.RuleID{id}, alarm.Stopped,
		func(ctx context.Context) error {
			return fx.rules.Unpublish(ctx, fx.owner, id, "Ada")
		}))
}

// revision is a rule's revision.
func (fx *fixture) revision(id alarm.RuleID) int64 {
	fx.t.Helper()
	list, err := fx.rules.Rules(fx.t.Context(), fx.owner, []alarm.RuleID{id})
	fx.must(err)
	if len(list) != 1 {
		fx.t.Fatalf("%d rules", len(list))
	}
	return list[0].Revision
}

func (fx *fixture) must(err error) {
	fx.t.Helper()
	if err != nil {
		fx.t.Fatal(err)
	}
}

// frame is a frame of the mast, after milliseconds after the clock's start.
func (fx *fixture) frame(after int64, values map[string]reading.Value) reading.Arrival {
	a := reading.Arrival{
		At:    fx.Clock.Milli(),
		Frame: reading.Frame{Tenant: fx.owner, Device: fx.mast.ID, Time: testkit.Start.UnixMilli() + after},
	}
	for identifier, v := range values {
		a.Fields = append(a.Fields, reading.Field{Property: fx.station.Property(identifier).ID, Value: v})
	}
	slices.SortFunc(a.Fields, func(a, b reading.Field) int { return int(a.Property) - int(b.Property) })
	return a
}

func (fx *fixture) airTemp(after int64, degrees float64) reading.Arrival {
	return fx.frame(after, map[string]reading.Value{"airTemperature": reading.Number(degrees)})
}

// send writes a batch to the journal and does not evaluate it.
func (fx *fixture) send(batch ...reading.Arrival) {
	fx.t.Helper()
	fx.must(fx.readings.Append(fx.t.Context(), batch))
	fx.pos++
}

// evaluate sends a batch and evaluates it.
func (fx *fixture) evaluate(batch ...reading.Arrival) {
	fx.t.Helper()
	fx.send(batch...)
	fx.must(fx.engine.Evaluate(fx.t.Context(), fx.pos, batch))
}

func (fx *fixture) tick() time.Time {
	fx.t.Helper()
	next, err := fx.engine.Tick(fx.t.Context())
	fx.must(err)
	return next
}

// noticeSummary is the tenant's notices, oldest first, in short: begin and end in seconds after the
// clock's start, and why they ended.
func (fx *fixture) noticeSummary() string {
	fx.t.Helper()
	list, total, err := fx.Notices.Page(fx.t.Context(), fx.owner, alarm.NoticeQuery{Limit: 400})
	fx.must(err)
	if int(total) != len(list) {
		fx.t.Fatalf("%d notices, %d listed", total, len(list))
	}
	var lines []string
	for _, n := range slices.Backward(list) {
		d, err := fx.Notices.Get(fx.t.Context(), fx.owner, n.ID)
		fx.must(err)
		line := fmt.Sprintf("%s %s-", n.Title, seconds(n.Start))
		if n.Status != alarm.Pending {
			line += fmt.Sprintf("%s %s", seconds(n.End), d.Reason)
		}
		if n.Unsteady {
			line += " unsteady"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func seconds(at int64) string {
	return fmt.Sprintf("%g", float64(at-testkit.Start.UnixMilli())/1000)
}

// wantNotices fails the test unless noticeSummary is want.
func (fx *fixture) wantNotices(want string) {
	fx.t.Helper()
	if got := fx.noticeSummary(); got != want {
		fx.t.Errorf("notices %q, want %q", got, want)
	}
}

func (fx *fixture) newest() alarm.Notice {
	fx.t.Helper()
	list, _, err := fx.Notices.Page(fx.t.Context(), fx.owner, alarm.NoticeQuery{Limit: 1})
	fx.must(err)
	if len(list) == 0 {
		fx.t.Fatal("no notice")
	}
	return list[0]
}

// fail makes the database refuse a statement on a table, such as INSERT ON notices, until the
// returned function is called.
func (fx *fixture) fail(what string) (undo func()) {
	fx.t.Helper()
	return testkit.FailStatement(fx.t, fx.DB, what)
}

func (fx *fixture) sql(statement string) {
	fx.t.Helper()
	fx.must(fx.DB.Tx(context.WithoutCancel(fx.t.Context()), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	}))
}

// nextNotice is the next event of a notice that a screen receives.
func nextNotice(t testing.TB, screen *live.Screen) *live.Event {
	t.Helper()
	for {
		if e := testkit.Receive(t, "an event", screen.Events); e.Name == "notice" {
			return e
		}
	}
}

// noticesLeft takes the events that a screen has received, and counts those of notices.
func noticesLeft(screen *live.Screen) (n int) {
	for range len(screen.Events) {
		if e := <-screen.Events; e.Name == "notice" {
			n++
		}
	}
	return n
}
