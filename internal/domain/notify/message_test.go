package notify_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// messageFixture has two tenants, each with a device for notices.
type messageFixture struct {
	*testkit.Stores
	field, rival *testkit.Tenant
	mast, theirs *device.Device
}

func newMessageFixture(t *testing.T) *messageFixture {
	t.Helper()
	o := &messageFixture{Stores: testkit.NewStores(t)}
	o.field, o.rival = o.Tenant(t, "field"), o.Tenant(t, "rival")
	station := o.Station(t)
	o.mast = o.Device(t, o.field.ID, station, "WS-1", func(*device.Device) {})
	o.theirs = o.Device(t, o.rival.ID, station, "WS-2", func(*device.Device) {})
	return o
}

// alarm stores a notice of a device that begins now, and gives its alarm.
func (o *messageFixture) alarm(t *testing.T, d *device.Device, title string) *alertmsg.Alarm {
	t.Helper()
	o.Clock.Advance(time.Second)
	now := o.Clock.Milli()
	id := o.Notice(t, testkit.Notice{Device: d, Title: title, Start: now, CreateTime: now})
	return &alertmsg.Alarm{
		Event:      alertmsg.Triggered,
		Notice:     id,
		Rule:       7,
		Title:      title,
		Level:      2,
		DeviceID:   int64(d.ID),
		DeviceName: d.Name,
		Start:      now,
		Values:     map[string]any{"airTemperature": -2.5},
	}
}

// addMessage adds the message of a notice that begins now.
func (o *messageFixture) addMessage(t *testing.T, d *device.Device, title string) int64 {
	t.Helper()
	id, err := o.Messages.Add(t.Context(), d.Tenant, o.alarm(t, d, title), o.Clock.Milli())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (o *messageFixture) countUnread(t *testing.T, owner tenant.ID, user int64) int64 {
	t.Helper()
	n, err := o.Messages.CountUnread(t.Context(), owner, user)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// page describes a user's page: titles, unread ones with a star, and the total.
func (o *messageFixture) page(t *testing.T, owner tenant.ID, user int64, q notify.MessageQuery) string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	list, total, err := o.Messages.Page(t.Context(), owner, user, q)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range list {
		b.WriteString(m.Alarm.Title)
		if !m.Read {
			b.WriteByte('*')
		}
		b.WriteByte(' ')
	}
	return fmt.Sprint(b.String(), total)
}

// wantPages checks a user's pages of all, unread and read messages, and the unread count.
func (o *messageFixture) wantPages(t *testing.T, who string, owner tenant.ID, user int64, all, unread, read string) {
	t.Helper()
	for _, c := range []struct {
		read *bool
		want string
	}{{nil, all}, {new(false), unread}, {new(true), read}} {
		if got := o.page(t, owner, user, notify.MessageQuery{Read: c.read}); got != c.want {
			t.Errorf("%s: %q, want %q", who, got, c.want)
		}
	}
	if n := o.countUnread(t, owner, user); !strings.HasSuffix(unread, fmt.Sprint(n)) {
		t.Errorf("%s: %d unread, want %q", who, n, unread)
	}
}

// A message has the facts and the event that it was added with.
func TestMessageAdd(t *testing.T) {
	o := newMessageFixture(t)
	began := o.alarm(t, o.mast, "Frost")
	began.Conditions = []alertmsg.Condition{
		{Join: "and", Property: "airTemperature", Operator: "<", Value: 2.0, Recovery: new(3.5)},
	}
	ended := *began
	ended.Event, ended.End = alertmsg.Resolved, began.Start+60_000
	ended.Manual, ended.User, ended.Remark = true, "Ada", "drained\nit"
	first, err := o.Messages.Add(t.Context(), o.field.ID, began, o.Clock.Milli())
	if err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(time.Minute)
	second, err := o.Messages.Add(t.Context(), o.field.ID, &ended, o.Clock.Milli())
	if err != nil || second <= first {
		t.Fatalf("%d after %d (%v)", second, first, err)
	}
	list, total, err := o.Messages.Page(t.Context(), o.field.ID, o.field.Ada.ID, notify.MessageQuery{Limit: 10})
	want := []notify.Message{
		{ID: second, Notice: began.Notice, Alarm: ended, CreateTime: o.Clock.Milli()},
		{ID: first, Notice: began.Notice, Alarm: *began, CreateTime: o.Clock.Milli() - 60_000},
	}
	if err != nil || total != 2 || !reflect.DeepEqual(list, want) {
		t.Errorf("%+v, %d (%v), want %+v", list, total, err, want)
	}
}

// The alarm engine may add a message again if it does not know the outcome of its transaction: the
// message is not duplicated, and keeps its read marks.
func TestMessageAddIsIdempotent(t *testing.T) {
	o := newMessageFixture(t)
	a := o.alarm(t, o.mast, "Frost")
	first, err := o.Messages.Add(t.Context(), o.field.ID, a, o.Clock.Milli())
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Messages.MarkRead(t.Context(), o.field.ID, o.field.Ada.ID, []int64{first},
		o.Clock.Milli()); err != nil {
		t.Fatal(err)
	}
	other := *a
	other.Title = "Changed"
	if again, err := o.Messages.Add(t.Context(), o.field.ID, &other, o.Clock.Milli()+5); err != nil || again != first {
		t.Errorf("%d, want %d (%v)", again, first, err)
	}
	o.wantPages(t, "ada", o.field.ID, o.field.Ada.ID, "Frost 1", "0", "Frost 1")
}

// Add uses the caller's transaction and rolls back with it.
func TestMessageAddRollsBack(t *testing.T) {
	o := newMessageFixture(t)
	a := o.alarm(t, o.mast, "Frost")
	failed := fmt.Errorf("the disk is full")
	err := o.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		if _, err := o.Messages.Add(ctx, o.field.ID, a, o.Clock.Milli()); err != nil {
			t.Error(err)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	o.wantPages(t, "ada", o.field.ID, o.field.Ada.ID, "0", "0", "0")
}

// Read marks are per user, and messages per tenant.
func TestMessagesReadPerUser(t *testing.T) {
	o := newMessageFixture(t)
	a, b, c := o.addMessage(t, o.mast, "A"), o.addMessage(t, o.mast, "B"), o.addMessage(t, o.mast, "C")
	theirs := o.addMessage(t, o.theirs, "Z")
	ada, bora, enemy := o.field.Ada.ID, o.field.Bora.ID, o.rival.Ada.ID
	// MarkRead ignores another tenant's message, an unknown id and a duplicate.
	if err := o.Messages.MarkRead(t.Context(), o.field.ID, ada, []int64{b, theirs, 9999, b},
		o.Clock.Milli()); err != nil {
		t.Fatal(err)
	}
	o.wantPages(t, "ada", o.field.ID, ada, "C* B A* 3", "C* A* 2", "B 1")
	o.wantPages(t, "bora", o.field.ID, bora, "C* B* A* 3", "C* B* A* 3", "0")
	o.wantPages(t, "the other ada", o.rival.ID, enemy, "Z* 1", "Z* 1", "0")

	if err := o.Messages.MarkAllRead(t.Context(), o.field.ID, ada); err != nil {
		t.Fatal(err)
	}
	o.wantPages(t, "ada", o.field.ID, ada, "C B A 3", "0", "C B A 3")
	o.wantPages(t, "bora", o.field.ID, bora, "C* B* A* 3", "C* B* A* 3", "0")
	o.wantPages(t, "the other ada", o.rival.ID, enemy, "Z* 1", "Z* 1", "0")

	// Later messages are unread, and read ones stay read.
	o.addMessage(t, o.mast, "D")
	if err := o.Messages.MarkRead(t.Context(), o.field.ID, ada, []int64{a, c}, o.Clock.Milli()); err != nil {
		t.Fatal(err)
	}
	o.wantPages(t, "ada", o.field.ID, ada, "D* C B A 4", "D* 1", "C B A 3")
	for range 2 {
		if err := o.Messages.MarkAllRead(t.Context(), o.field.ID, ada); err != nil {
			t.Fatal(err)
		}
	}
	o.wantPages(t, "ada", o.field.ID, ada, "D C B A 4", "0", "D C B A 4")
	o.wantPages(t, "bora", o.field.ID, bora, "D* C* B* A* 4", "D* C* B* A* 4", "0")
}

// A mark of one tenant's user does not affect another tenant's messages with ids in between.
func TestMessagesOfInterleavedTenants(t *testing.T) {
	o := newMessageFixture(t)
	o.addMessage(t, o.mast, "A")
	o.addMessage(t, o.theirs, "Y")
	o.addMessage(t, o.mast, "B")
	if err := o.Messages.MarkAllRead(t.Context(), o.rival.ID, o.rival.Ada.ID); err != nil {
		t.Fatal(err)
	}
	o.addMessage(t, o.theirs, "Z")
	o.wantPages(t, "ada", o.field.ID, o.field.Ada.ID, "B* A* 2", "B* A* 2", "0")
	o.wantPages(t, "the other ada", o.rival.ID, o.rival.Ada.ID, "Z* Y 2", "Z* 1", "Y 1")
	if n := o.countUnread(t, 99, o.field.Ada.ID); n != 0 {
		t.Errorf("no such tenant: %d unread", n)
	}
}

// A new user sees only messages made since the user was created.
func TestMessagesSinceUserCreated(t *testing.T) {
	o := newMessageFixture(t)
	old := o.addMessage(t, o.mast, "Old")
	o.Clock.Advance(time.Minute)
	cem := o.User(t, o.field.ID, "cem").ID
	o.wantPages(t, "cem", o.field.ID, cem, "0", "0", "0")
	if err := o.Messages.MarkRead(t.Context(), o.field.ID, cem, []int64{old}, o.Clock.Milli()); err != nil {
		t.Fatal(err)
	}
	o.addMessage(t, o.mast, "New")
	o.wantPages(t, "cem", o.field.ID, cem, "New* 1", "New* 1", "0")
	o.wantPages(t, "ada", o.field.ID, o.field.Ada.ID, "New* Old* 2", "New* Old* 2", "0")
	if err := o.Messages.MarkAllRead(t.Context(), o.field.ID, cem); err != nil {
		t.Fatal(err)
	}
	o.wantPages(t, "cem", o.field.ID, cem, "New 1", "0", "New 1")
}

// Pages neither lose nor repeat messages; the newest message is first even if the clock was set
// back.
func TestMessagePages(t *testing.T) {
	o := newMessageFixture(t)
	o.Clock.Advance(time.Hour)
	for i := range 7 {
		a := o.alarm(t, o.mast, fmt.Sprint(i))
		if _, err := o.Messages.Add(t.Context(), o.field.ID, a, o.Clock.Milli()-int64(i)*2000); err != nil {
			t.Fatal(err)
		}
	}
	ada := o.field.Ada.ID
	for want, q := range map[string]notify.MessageQuery{
		"6* 5* 4* 7": {Limit: 3},
		"3* 2* 1* 7": {Limit: 3, Offset: 3},
		"0* 7":       {Limit: 3, Offset: 6},
		"7":          {Limit: 3, Offset: 7},
	} {
		if got := o.page(t, o.field.ID, ada, q); got != want {
			t.Errorf("%+v: %q, want %q", q, got, want)
		}
	}
}

// Messages are removed after a year, with their read marks; a message outlives the removal of its
// notice.
func TestMessageSweep(t *testing.T) {
	o := newMessageFixture(t)
	ada := o.field.Ada.ID
	first := o.addMessage(t, o.mast, "Old")
	if err := o.Messages.MarkRead(t.Context(), o.field.ID, ada, []int64{first}, o.Clock.Milli()); err != nil {
		t.Fatal(err)
	}
	o.addMessage(t, o.theirs, "Old too")
	o.Clock.Advance(24 * time.Hour)
	kept := o.alarm(t, o.mast, "Kept")
	if _, err := o.Messages.Add(t.Context(), o.field.ID, kept, o.Clock.Milli()); err != nil {
		t.Fatal(err)
	}
	if err := o.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw("DELETE FROM notices WHERE id = ?", kept.Notice).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	sweep := func(now time.Time) {
		t.Helper()
		if err := o.Messages.Sweep(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	sweep(o.Clock.Now().AddDate(1, 0, -2))
	o.wantPages(t, "ada", o.field.ID, ada, "Kept* Old 2", "Kept* 1", "Old 1")
	sweep(o.Clock.Now().AddDate(1, 0, 0))
	o.wantPages(t, "ada", o.field.ID, ada, "Kept* 1", "Kept* 1", "0")
	o.wantPages(t, "the other ada", o.rival.ID, o.rival.Ada.ID, "0", "0", "0")
	list, _, err := o.Messages.Page(t.Context(), o.field.ID, ada, notify.MessageQuery{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Notice != 0 || list[0].Alarm.Notice != kept.Notice {
		t.Errorf("%+v (%v)", list, err)
	}
	var marks int
	if err := o.DB.Read(t.Context()).NewRaw("SELECT COUNT(*) FROM message_reads").
		Scan(t.Context(), &marks); err != nil || marks != 0 {
		t.Errorf("%d marks are left (%v)", marks, err)
	}
}

// Sweep removes more messages than one batch.
func TestMessageSweepOfMany(t *testing.T) {
	o := newMessageFixture(t)
	o.insertMessages(t, 2500)
	if err := o.Messages.Sweep(t.Context(), o.Clock.Now().AddDate(1, 0, 1)); err != nil {
		t.Fatal(err)
	}
	o.wantPages(t, "ada", o.field.ID, o.field.Ada.ID, "0", "0", "0")
}

// While Sweep removes messages, which may take minutes, those that still exist are neither shown
// nor counted.
func TestMessagesHiddenDuringSweep(t *testing.T) {
	o := newMessageFixture(t)
	old := o.addMessage(t, o.mast, "Old")
	o.Clock.Advance(24 * time.Hour)
	o.addMessage(t, o.mast, "Kept")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := o.Messages.Sweep(ctx, o.Clock.Now().AddDate(1, 0, 0)); err == nil {
		t.Fatal("Sweep did not fail with a cancelled context")
	}
	ada := o.field.Ada.ID
	o.wantPages(t, "ada", o.field.ID, ada, "Kept* 1", "Kept* 1", "0")
	if err := o.Messages.MarkRead(t.Context(), o.field.ID, ada, []int64{old}, o.Clock.Milli()); err != nil {
		t.Fatal(err)
	}
	var marks int
	if err := o.DB.Read(t.Context()).NewRaw("SELECT COUNT(*) FROM message_reads").
		Scan(t.Context(), &marks); err != nil || marks != 0 {
		t.Errorf("%d marks (%v)", marks, err)
	}
	if err := o.Messages.Sweep(t.Context(), o.Clock.Now().AddDate(1, 0, 0)); err != nil || o.Messages.Removed() != 1 {
		t.Errorf("%d were removed: %v", o.Messages.Removed(), err)
	}
}

// insertMessages inserts n messages of the tenant field.
func (o *messageFixture) insertMessages(t testing.TB, n int) {
	t.Helper()
	if err := o.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`INSERT INTO messages (tenant_id, event, facts, create_time)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT ?, 'triggered', '{}', ? FROM n`,
			n, o.field.ID, o.Clock.Milli()).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
