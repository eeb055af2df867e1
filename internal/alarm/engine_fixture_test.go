package alarm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/alarm"
	"tilth/internal/device"
	"tilth/internal/live"
	"tilth/internal/news"
	"tilth/internal/reading"
	"tilth/internal/tenant"
	"tilth/internal/testkit"
)

const (
	second = int64(1000)
	minute = 60 * second
)

// teller is whom the engine hands news to.
type teller interface {
	Began(ctx context.Context, t tenant.ID, a *news.Alarm, w *news.Wishes) error
	Ended(ctx context.Context, t tenant.ID, a *news.Alarm, told bool) error
	Acknowledged(ctx context.Context, t tenant.ID, a *news.Alarm) error
}

// yard is an engine over real stores, with one tenant and one station. Batches
// go through the journal: what is sent is durable, what is judged is judged.
type yard struct {
	*testkit.Stores
	t         testing.TB
	owner     tenant.ID
	station   *device.Product
	mast      *device.Device
	rules     *alarm.RuleStore
	positions *alarm.PositionStore
	readings  *reading.Store
	hub       *live.Hub
	engine    *alarm.Engine
	teller    teller // the desk, unless a test says otherwise
	until     func() time.Time
	turns     *reading.Turns // of work over readings; nil: it waits for nobody
	anHour    int            // notices that a rule may begin within an hour; 0: any number
	stopped   time.Time      // until when the engine before let devices in
	pos       uint64         // of the newest batch in the journal
}

// stride is by how much a test goes on from one story to the next: by one, or
// by more with -short, as on PostgreSQL.
func stride(short int) int {
	if testing.Short() {
		return short
	}
	return 1
}

func newYard(t testing.TB) *yard {
	t.Helper()
	y := &yard{Stores: testkit.NewStores(t), t: t, hub: live.NewHub("e")}
	y.teller = y.Desk
	y.owner = y.Tenant(t, "field").ID
	y.station = y.Station(t)
	y.mast = y.Device(t, y.owner, y.station, "MAST")
	y.rules, y.positions = alarm.NewRuleStore(y.DB, y.Catalog, y.Clock.Now), alarm.NewPositionStore(y.DB)
	readings, err := reading.Open(t.Context(), reading.Options{Dir: t.TempDir(), Now: y.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := readings.Close(); err != nil {
			t.Error(err)
		}
	})
	y.readings = readings
	y.Devices.OnChange(func(t tenant.ID, _ device.ID) { y.engine.Regroup(t) })
	y.start()
	y.engine.LetIn()
	return y
}

// start makes an engine as a start of the server does, up to where devices are
// let in.
func (y *yard) start() {
	y.t.Helper()
	y.engine = alarm.NewEngine(alarm.EngineOptions{
		DB: y.DB, Catalog: y.Catalog, Rules: y.rules, Positions: y.positions, Devices: y.Devices, Registry: y.Registry, Presence: y.Presence,
		Readings: y.readings, Screens: y.hub, Teller: y.teller, Now: y.Clock.Now, Ran: y.Clock.Ran, Until: y.until, Stopped: y.stopped,
		Written: func(ctx context.Context) error { return y.Status.Flush(ctx, false) }, Log: y.Log.Logger, NoticesAnHour: y.anHour,
		Turns: y.turns,
	})
	y.Registry.OnChange(y.engine.Regroup)
	if err := y.engine.Start(y.t.Context()); err != nil {
		y.t.Fatal(err)
	}
}

// restart is a kill of the server and its next start: the engine is another
// one, and judges first what the journal holds behind the recorded position.
func (y *yard) restart() {
	y.t.Helper()
	y.restartAfter(0)
}

// restartAfter is restart after the server was down for so long.
func (y *yard) restartAfter(down time.Duration) {
	y.t.Helper()
	y.stopped = y.Clock.Now()
	y.Clock.Advance(down)
	if err := y.Status.Flush(y.t.Context(), true); err != nil {
		y.t.Fatal(err)
	}
	y.Restart(y.t)
	y.start()
	y.must(y.engine.Judge(y.t.Context(), 0, nil)) // what waits
	y.Presence.LetIn()
	y.engine.LetIn()
}

// rule keeps a rule of the mast and runs it.
func (y *yard) rule(with func(r *alarm.Rule)) alarm.RuleID {
	y.t.Helper()
	r := alarm.Rule{
		Name: "Frost", Device: y.mast.ID, Trigger: alarm.AttributeChange, Hits: 1, Window: time.Minute, ByHand: true,
		Conditions: []alarm.Condition{{Join: "and", Attribute: "airTemperature", Operator: alarm.Below, Value: reading.Number(2)}},
	}
	if with != nil {
		with(&r)
	}
	id, err := y.rules.Create(y.t.Context(), y.owner, &r)
	if err != nil {
		y.t.Fatal(err)
	}
	y.publish(id)
	return id
}

func (y *yard) publish(id alarm.RuleID) {
	y.t.Helper()
	y.must(y.engine.Change(y.t.Context(), y.owner, []alarm.RuleID{id}, alarm.Changed, func(ctx context.Context) error {
		return y.rules.Publish(ctx, y.owner, id, "Ada")
	}))
}

func (y *yard) unpublish(id alarm.RuleID) {
	y.t.Helper()
	y.must(y.engine.Change(y.t.Context(), y.owner, []alarm.RuleID{id}, alarm.Stopped, func(ctx context.Context) error {
		return y.rules.Unpublish(ctx, y.owner, id, "Ada")
	}))
}

// revision is a rule's.
func (y *yard) revision(id alarm.RuleID) int64 {
	y.t.Helper()
	list, err := y.rules.Rules(y.t.Context(), y.owner, []alarm.RuleID{id})
	y.must(err)
	if len(list) != 1 {
		y.t.Fatalf("%d rules", len(list))
	}
	return list[0].Revision
}

func (y *yard) must(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

// frame is one of the mast, so many milliseconds after the clock's start.
func (y *yard) frame(after int64, values map[string]reading.Value) reading.Arrival {
	a := reading.Arrival{At: y.Clock.Milli(), Frame: reading.Frame{Tenant: y.owner, Device: y.mast.ID, Time: testkit.Start.UnixMilli() + after}}
	for identifier, v := range values {
		a.Fields = append(a.Fields, reading.Field{Property: y.station.Property(identifier).ID, Value: v})
	}
	slices.SortFunc(a.Fields, func(a, b reading.Field) int { return int(a.Property) - int(b.Property) })
	return a
}

func (y *yard) air(after int64, degrees float64) reading.Arrival {
	return y.frame(after, map[string]reading.Value{"airTemperature": reading.Number(degrees)})
}

// send makes a batch durable and does not judge it.
func (y *yard) send(batch ...reading.Arrival) {
	y.t.Helper()
	y.must(y.readings.Append(y.t.Context(), batch))
	y.pos++
}

// judge sends a batch and judges it.
func (y *yard) judge(batch ...reading.Arrival) {
	y.t.Helper()
	y.send(batch...)
	y.must(y.engine.Judge(y.t.Context(), y.pos, batch))
}

func (y *yard) tick() time.Time {
	y.t.Helper()
	next, err := y.engine.Tick(y.t.Context())
	y.must(err)
	return next
}

// told is the tenant's notices, oldest first, in short: from when to when in
// seconds after the clock's start, and why they ended.
func (y *yard) told() string {
	y.t.Helper()
	list, total, err := y.Notices.Page(y.t.Context(), y.owner, alarm.NoticeQuery{Limit: 400})
	y.must(err)
	if int(total) != len(list) {
		y.t.Fatalf("%d notices, %d listed", total, len(list))
	}
	var lines []string
	for _, n := range slices.Backward(list) {
		d, err := y.Notices.Get(y.t.Context(), y.owner, n.ID)
		y.must(err)
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

// wants fails the test unless the notices are those.
func (y *yard) wants(want string) {
	y.t.Helper()
	if got := y.told(); got != want {
		y.t.Errorf("notices %q, want %q", got, want)
	}
}

func (y *yard) newest() alarm.Notice {
	y.t.Helper()
	list, _, err := y.Notices.Page(y.t.Context(), y.owner, alarm.NoticeQuery{Limit: 1})
	y.must(err)
	if len(list) == 0 {
		y.t.Fatal("no notice")
	}
	return list[0]
}

// fail makes the database refuse a statement on a table, such as INSERT ON
// notices, until the returned function is called.
func (y *yard) fail(what string) (mend func()) {
	y.t.Helper()
	return testkit.Refuse(y.t, y.DB, what)
}

func (y *yard) sql(statement string) {
	y.t.Helper()
	y.must(y.DB.Tx(context.WithoutCancel(y.t.Context()), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	}))
}
