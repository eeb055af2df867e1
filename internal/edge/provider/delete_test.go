package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

func (p *fixture) mustDelete(t *testing.T, kind Kind, owner, name string) {
	t.Helper()
	out, err := p.service.Delete(t.Context(), kind, owner, name)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Removed) != 1 || out.Removed[0].Kind != kind || out.Removed[0].Name != name ||
		out.Removed[0].Tenant != owner {
		t.Errorf("removed %+v", out.Removed)
	}
}

// measure writes a reading of a device and reports it to presence and diagnostics.
func (p *fixture) measure(t *testing.T, d *device.Device) {
	t.Helper()
	property := p.Catalog.Product(d.ProductID).Properties[0].ID
	at := p.Clock.Milli()
	if err := p.readings.Append(t.Context(), []reading.Arrival{{At: at, Frame: reading.Frame{
		Tenant: d.Tenant,
		Device: d.ID,
		Time:   at,
		Fields: []reading.Field{{Property: property, Value: reading.Number(3.4)}},
	}}}); err != nil {
		t.Fatal(err)
	}
	p.Presence.Seen(testkit.Ref(d))
	p.Diagnostics.Count(testkit.Ref(d), p.Clock.Milli(), 1, nil, 0)
}

// A deleted device is gone with all its data; a new device of the same name starts empty.
func TestDeleteDevice(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	n1, n2 := p.device(t, "north", "N-1"), p.device(t, "north", "N-2")
	p.measure(t, n1)
	p.measure(t, n2)
	_, hash, _ := p.Registry.Authenticate("N-1", "secret-of-the-device-n-1")

	p.mustDelete(t, KindDevice, "north", "N-1")
	if p.Registry.StillValid(n1.ID, hash) || p.Registry.Get(n1.ID) != nil {
		t.Error("the connection stays open")
	}
	if left := p.readings.Latest(t.Context(), n1.Tenant, n1.ID); len(left) != 0 {
		t.Errorf("readings left: %v", left)
	}
	if st := p.Presence.Status(n1.Tenant, n1.ID); st.LastContact != 0 || p.Presence.OnlineCount(n1.Tenant) != 1 {
		t.Errorf("presence left: %+v, %d online", st, p.Presence.OnlineCount(n1.Tenant))
	}
	if in := p.Diagnostics.Get(n1.Tenant, n1.ID); in.Messages != 0 {
		t.Errorf("diagnostics left: %+v", in)
	}
	if other := p.readings.Latest(t.Context(), n2.Tenant, n2.ID); len(other) != 1 {
		t.Errorf("the other device has %d readings", len(other))
	}
	p.apply(t, readTestFile(t, "testdata/base.yaml"), false)
	again := p.device(t, "north", "N-1")
	if again.ID == n1.ID || len(p.readings.Latest(t.Context(), again.Tenant, again.ID)) != 0 {
		t.Errorf("the new device is %+v", again)
	}
}

// lateWriter writes a reading after the erasure, as the edge does with a message that it accepted
// before the device was disabled.
type lateWriter struct {
	p      *fixture
	t      *testing.T
	device *device.Device
}

func (l *lateWriter) Erase(ctx context.Context, o tenant.ID, d device.ID) error {
	err := l.p.readings.Erase(ctx, o, d)
	if l.p.Registry.Get(d) != nil { // otherwise the edge drops it
		l.p.measure(l.t, l.device)
	}
	return err
}

// A message that is in transit while its device is deleted leaves no reading.
func TestDeleteDeviceWithLateReadings(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	n1 := p.device(t, "north", "N-1")
	p.service = p.serviceWith(&lateWriter{p, t, n1})
	p.measure(t, n1)
	p.mustDelete(t, KindDevice, "north", "N-1")
	if left := p.readings.Latest(t.Context(), n1.Tenant, n1.ID); len(left) != 0 {
		t.Errorf("newest values left: %v", left)
	}
	days, err := p.readings.Coverage(t.Context(), n1.Tenant, n1.ID, 0, math.MaxInt64, time.UTC)
	if err != nil || len(days) != 0 {
		t.Errorf("readings left on %v (%v)", days, err)
	}
	if st := p.Presence.Status(n1.Tenant, n1.ID); st.LastContact != 0 {
		t.Errorf("presence left: %+v", st)
	}
}

// A batch that was checked before the device was removed, and is written after that, leaves no
// reading either: the last erasure waits for it.
func TestDeleteDeviceWaitsForBatch(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	n1 := p.device(t, "north", "N-1")
	waits := 0
	p.service.Remover.Intake = &stubIntake{onWait: func() {
		waits++
		if p.Registry.Get(n1.ID) != nil {
			t.Error("waited while the device is still in the registry and may send more")
		}
		p.measure(t, n1)
	}}
	p.mustDelete(t, KindDevice, "north", "N-1")
	if waits == 0 {
		t.Error("the erasure does not wait for the batch that is being written")
	}
	if left := p.readings.Latest(t.Context(), n1.Tenant, n1.ID); len(left) != 0 {
		t.Errorf("newest values left: %v", left)
	}
}

type failingEraser struct {
	err error
	p   *fixture
	t   *testing.T
}

func (b *failingEraser) Erase(ctx context.Context, o tenant.ID, d device.ID) error {
	if e := b.p.Registry.Get(d); e != nil && !e.Disabled {
		b.t.Error("readings are erased while the device may still send more")
	}
	if b.err != nil {
		return b.err
	}
	return b.p.readings.Erase(ctx, o, d)
}

// If the readings cannot be erased, the device stays disabled, so that the deletion can be
// repeated.
func TestDeleteDeviceRetriesAfterEraseFailure(t *testing.T) {
	p := newFixture(t)
	disk := &failingEraser{err: errors.New("disk full"), p: p, t: t}
	p.service = p.serviceWith(disk)
	p.applyBase(t)
	n1 := p.device(t, "north", "N-1")
	p.measure(t, n1)
	if _, err := p.service.Delete(t.Context(), KindDevice, "north", "N-1"); !errors.Is(err, disk.err) {
		t.Fatalf("answered %v", err)
	}
	if d := p.device(t, "north", "N-1"); !d.Disabled {
		t.Error("the device is not disabled")
	}
	disk.err = nil
	p.mustDelete(t, KindDevice, "north", "N-1")
	if left := p.readings.Latest(t.Context(), n1.Tenant, n1.ID); len(left) != 0 {
		t.Errorf("readings left: %v", left)
	}
}

func TestDeleteUserAndScene(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	session := p.Session(t, p.user(t, "north", "ada"))
	var ended []int64
	p.Sessions.Ended.Then(func(id int64) { ended = append(ended, id) })
	p.mustDelete(t, KindUser, "north", "ada")
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err == nil || len(ended) != 1 {
		t.Errorf("the session is still active; %d sessions were reported as ended", len(ended))
	}
	p.mustDelete(t, KindScene, "north", "Field")
	if d := p.device(t, "north", "N-1"); d.SceneID != device.DefaultScene {
		t.Errorf("the scene's device is in scene %d", d.SceneID)
	}
}

// recordCounts returns how many notices, messages, channels and webhooks a tenant has.
func (p *fixture) recordCounts(t *testing.T, owner tenant.ID) string {
	t.Helper()
	counts := make([]int, 4)
	for i, table := range []string{"notices", "messages", "channels", "webhooks"} {
		err := p.DB.Read(t.Context()).NewSelect().Table(table).ColumnExpr("count(*)").Where(
			"tenant_id = ?",
			owner,
		).Scan(t.Context(), &counts[i])
		if err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprint(counts)
}

// A tenant can be deleted only if it has no devices, users or scenes; the refusal counts what it
// has.
func TestDeleteTenant(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	refused := func(want string) {
		t.Helper()
		_, err := p.service.Delete(t.Context(), KindTenant, "", "north")
		var r *Refusal
		if !errors.As(err, &r) || r.Missing || r.Detail != want {
			t.Errorf("answered %v, want %s", err, want)
		}
	}
	refused(`tenant "north" still has 2 devices, 2 users and 2 scenes`)
	n1 := p.device(t, "north", "N-1")
	p.mustDelete(t, KindDevice, "north", "N-1")
	p.mustDelete(t, KindDevice, "north", "N-2")
	p.mustDelete(t, KindUser, "north", "ada")
	p.mustDelete(t, KindScene, "north", "Field")
	refused(`tenant "north" still has 1 user and 1 scene`)
	p.mustDelete(t, KindUser, "north", "bora")
	p.mustDelete(t, KindScene, "north", "Shut")
	// Its records are removed with it, and those of no other tenant.
	north, south := n1.Tenant, p.tenant(t, "south").ID
	p.apply(
		t,
		`tenants: [{name: south, devices: [{deviceName: S-1, product: station, secret: secret-of-the-device-s-1}]}]`,
		false,
	)
	s1 := p.device(t, "south", "S-1")
	for _, d := range []*device.Device{n1, s1} {
		p.Notice(t, testkit.Notice{Device: d, Start: p.Clock.Milli(), CreateTime: p.Clock.Milli()})
		p.Message(t, d.Tenant)
		p.Channel(t, d.Tenant, "Crew")
	}
	webhook := &notify.Webhook{Name: "Planner", URL: "https://planner.example/", Opened: true, Level: 1, Enabled: true}
	if _, _, err := p.Webhooks.Create(t.Context(), north, webhook); err != nil {
		t.Fatal(err)
	}
	others := p.recordCounts(t, south)
	p.mustDelete(t, KindTenant, "", "north")
	if left := p.recordCounts(t, north); left != "[0 0 0 0]" {
		t.Errorf("left of the tenant: %s", left)
	}
	if got := p.recordCounts(t, south); got != others || got != "[1 1 1 0]" {
		t.Errorf("of the other tenant: %s, before %s", got, others)
	}
	if _, err := p.Tenants.ByName(t.Context(), "north"); !errs.Is(err, errs.NotFound) {
		t.Errorf("the tenant: %v", err)
	}

	p.mustDelete(t, KindDevice, "south", "S-1")
	p.mustDelete(t, KindTenant, "", "south")
	if _, err := p.Tenants.ByHost(t.Context(), "south.example"); err == nil {
		t.Error("the host still leads to the tenant")
	}
}

func TestDeleteMissing(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	before := p.dump(t)
	for _, c := range []struct {
		kind        Kind
		owner, name string
	}{
		{KindDevice, "north", "N-9"}, {KindDevice, "south", "N-1"}, {KindUser, "south", "ada"},
		{KindScene, "south", "Field"}, {KindTenant, "", "west"}, {KindUser, "west", "ada"},
		{KindUser, "north", ""}, {KindUser, "", "ada"}, {KindUser, "north", "a\x00da"}, {KindTenant, "", "\x00"},
	} {
		_, err := p.service.Delete(t.Context(), c.kind, c.owner, c.name)
		var r *Refusal
		if !errors.As(err, &r) || !r.Missing {
			t.Errorf("%v answered %v", c, err)
		}
	}
	if _, err := p.service.Delete(t.Context(), KindProduct, "north", "station"); err == nil {
		t.Error("a product was deleted")
	}
	if after := p.dump(t); after != before {
		t.Errorf("something went:\n%s", after)
	}
}

func TestResetUser(t *testing.T) {
	p := newFixture(t)
	p.applyBase(t)
	ada := p.user(t, "north", "ada")
	p.SecondFactorBy(t, ada, "correct horse")
	session := p.Session(t, ada)
	password, err := p.service.ResetUser(t.Context(), "north", " Ada ")
	if err != nil || len(password) < 16 || !p.passwordMatches(t, ada, password) ||
		p.passwordMatches(t, ada, "correct horse") {
		t.Errorf("reset to %d characters, %v", len(password), err)
	}
	if _, err := p.Sessions.Caller(t.Context(), session.Access); err == nil {
		t.Error("the session is still active")
	}
	if p.user(t, "north", "ada").SecondFactor {
		t.Error("the second factor is still on")
	}
	for _, c := range [][2]string{{"south", "ada"}, {"west", "ada"}, {"north", "cem"}, {"north", "a\x00"}, {"\x00", "ada"}} {
		var r *Refusal
		if _, err := p.service.ResetUser(t.Context(), c[0], c[1]); !errors.As(err, &r) || !r.Missing {
			t.Errorf("%v answered %v", c, err)
		}
	}
}

// A waiting call can be cancelled; the running one goes on.
func TestWaitingCallCanBeCanceled(t *testing.T) {
	p := newFixture(t)
	release, err := p.service.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := p.service.Delete(ctx, KindTenant, "", "north"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("answered %v", err)
	}
	if _, err := p.service.ResetUser(ctx, "north", "ada"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("answered %v", err)
	}
	release()
	p.apply(t, `tenants: [{name: north, timeZone: UTC}]`, false)
}
