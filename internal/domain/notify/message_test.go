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

// messageFixture is two tenants, each with a device that notices are about.
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

// alarm is a notice that began now, of a device.
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

// addMessage is the message of a notice that began now.
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

// page is what a user sees: titles, a star at those that are not read, and the
// total.
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

// wantPages holds what a user sees, all and by reading, and the count against each
// other.
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

// What a message tells is what it was given, with the event beside it.
func TestMessageAdd(t *testing.T) {
	o := newMessageFixture(t)
	began := o.alarm(t, o.mast, "Frost")
	began.Conditions = []alertmsg.Condition{{Join: "and", Property: "airTemperature", Operator: "<", Value: 2.0,
		Recovery: new(3.5)}}
	ended := *began
	ended.Event, ended.End, ended.Manual, ended.User, ended.Remark = alertmsg.Resolved, began.Start+60_000, true, "Ada", "drained\nit"
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

// The engine may write what it has written before, when it does not know how
// its transaction ended: nobody is told twice, and who has read it has.
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

// A message is of the transaction that its notice is of.
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

// Each user reads alone, and a tenant's messages are no others'.
func TestMessagesReadPerUser(t *testing.T) {
	o := newMessageFixture(t)
	a, b, c := o.addMessage(t, o.mast, "A"), o.addMessage(t, o.mast, "B"), o.addMessage(t, o.mast, "C")
	theirs := o.addMessage(t, o.theirs, "Z")
	ada, bora, enemy := o.field.Ada.ID, o.field.Bora.ID, o.rival.Ada.ID
	// Another tenant's, none at all, and one twice: all passed over.
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

	// What comes later is new again, and what was read once stays read.
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

// One tenant's mark says nothing of messages of another, whose numbers lie
// between.
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

// Somebody new sees what comes, not what was before.
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

// Of many at one time each has its place, and pages neither lose nor repeat
// any; the newest made is first, even when the clock was put back.
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

// After a year messages go, with what was read of them; a notice that goes
// earlier leaves its message.
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

// More than are removed at once go, too.
func TestMessageSweepOfMany(t *testing.T) {
	o := newMessageFixture(t)
	o.insertMessages(t, 2500)
	if err := o.Messages.Sweep(t.Context(), o.Clock.Now().AddDate(1, 0, 1)); err != nil {
		t.Fatal(err)
	}
	o.wantPages(t, "ada", o.field.ID, o.field.Ada.ID, "0", "0", "0")
}

// While messages are being removed for their age, which may take minutes, nobody
// sees or counts those that are still there.
func TestMessagesHiddenDuringSweep(t *testing.T) {
	o := newMessageFixture(t)
	old := o.addMessage(t, o.mast, "Old")
	o.Clock.Advance(24 * time.Hour)
	o.addMessage(t, o.mast, "Kept")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := o.Messages.Sweep(ctx, o.Clock.Now().AddDate(1, 0, 0)); err == nil {
		t.Fatal("nothing kept it from removing them")
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

// insertMessages puts so many messages of the field into the table at once.
func (o *messageFixture) insertMessages(t testing.TB, n int) {
	t.Helper()
	if err := o.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`INSERT INTO messages (tenant_id, event, facts, create_time)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT ?, 'triggered', '{}', ? FROM n`,
			n, o.field.ID, o.Clock.Milli()).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
