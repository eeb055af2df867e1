package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func TestOverview(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Milli()
	w.Notice(t, testkit.Notice{Device: w.ws2, Status: alarm.ResolvedAutomatically, Start: now - 1000, CreateTime: now})
	got := testkit.Ask[wire.Overview](t, w.Contract, w.get(overviewPath))
	last := now - 1000
	want := wire.Overview{
		DeviceCount: 3, OnlineCount: 1, OfflineCount: 2, TodayAlarmCount: 2, PendingAlarmCount: 1, LastAlarmTime: &last,
		SceneCount: 1, UnassignedCount: 1, OfflineTodayCount: 0, Time: now,
	}
	if g, e := asJSON(t, got), asJSON(t, want); g != e {
		t.Errorf("%s, want %s", g, e)
	}
	// A device goes offline: the presence counts change at once, the count since midnight changes
	// as soon as the event is on disk.
	w.Clock.Advance(testkit.OfflineAfter)
	w.Presence.Expire()
	if err := w.Status.Flush(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	got = testkit.Ask[wire.Overview](t, w.Contract, w.get(overviewPath))
	if got.OnlineCount != 0 || got.OfflineCount != 3 || got.OfflineTodayCount != 1 {
		t.Errorf("%s", asJSON(t, got))
	}
}

// If the clocks skip midnight, "today" begins after the jump, at 01:00, and not at 23:00 of the day
// before.
func TestOverviewOnDayWithoutMidnight(t *testing.T) {
	w := newServer(t)
	// Havana: 23:30, and 01:00 of the 14th
	for _, at := range []string{"2027-03-14T04:30:00Z", "2027-03-14T05:00:00Z"} {
		began, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		w.Notice(
			t,
			testkit.Notice{Device: w.ws1, Title: "Frost", Start: began.UnixMilli(), CreateTime: began.UnixMilli()},
		)
	}
	w.Clock.Set(time.Date(2027, 3, 14, 16, 0, 0, 0, time.UTC))
	token := w.Session(t, w.field.Ada).Access
	got := testkit.Ask[wire.Overview](
		t,
		w.Contract,
		testkit.Call{Path: overviewPath, Token: token, Header: map[string]string{"Time-Zone": "America/Havana"}},
	)
	if got.TodayAlarmCount != 1 {
		t.Errorf("%d alarms today, want 1", got.TodayAlarmCount)
	}
}

// "Today" begins at midnight in the caller's zone: the one of the header, else the tenant's.
func TestOverviewUsesCallerTimeZone(t *testing.T) {
	w := newServer(t)
	w.Presence.Seen(testkit.Ref(w.ws1))
	w.Clock.Advance(testkit.OfflineAfter)
	w.Presence.Expire() // offline since 12:15 in Istanbul, 09:15 UTC
	if err := w.Status.Flush(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now         string // UTC
		zone        string
		alarms, off int
	}{
		{"2026-11-21T09:30:00Z", "", 1, 1},
		{"2026-11-21T20:59:59Z", "", 1, 1},    // a second before midnight in Istanbul
		{"2026-11-21T21:00:00Z", "", 0, 0},    // midnight in Istanbul
		{"2026-11-21T21:00:00Z", "UTC", 1, 1}, // but not midnight in UTC
		{"2026-11-21T21:00:00Z", "Europe/Istanbul", 0, 0},
		{"2026-11-21T21:00:00Z", "America/Los_Angeles", 1, 1},
		{"2026-11-22T07:59:59Z", "America/Los_Angeles", 1, 1},
		{"2026-11-22T08:00:00Z", "America/Los_Angeles", 0, 0},
		{"2026-11-21T10:00:00Z", "Pacific/Kiritimati", 0, 0}, // where the 22nd has just begun
		{"2026-11-21T09:59:59Z", "Pacific/Kiritimati", 1, 1},
		{"2026-11-22T00:00:00Z", "Asia/Shanghai", 0, 0},
	} {
		at, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Set(at)
		token := w.Session(t, w.field.Ada).Access
		call := testkit.Call{Path: overviewPath, Token: token, Header: map[string]string{}}
		if c.zone != "" {
			call.Header["Time-Zone"] = c.zone
		}
		got := testkit.Ask[wire.Overview](t, w.Contract, call)
		if got.TodayAlarmCount != c.alarms || got.OfflineTodayCount != c.off || got.PendingAlarmCount != 1 {
			t.Errorf(
				"%s in %q: %d alarms and %d gone today, want %d and %d",
				c.now,
				c.zone,
				got.TodayAlarmCount,
				got.OfflineTodayCount,
				c.alarms,
				c.off,
			)
		}
		if (got.LastAlarmTime != nil) != (c.alarms > 0) {
			t.Errorf("%s in %q: last alarm %v", c.now, c.zone, got.LastAlarmTime)
		}
	}
}

// An unknown zone is a programmer's error, in every call.
func TestUnknownTimeZone(t *testing.T) {
	w := newServer(t)
	for _, zone := range []string{"Mars/Olympus", "Local", "../../etc/passwd", "/etc/localtime", "+03:00", "localtime", "posixrules", "Factory", "posix/Europe/Istanbul", "right/UTC"} {
		for _, call := range []testkit.Call{w.get(overviewPath), w.get(userPath), {Path: settingsPath}} {
			call.Header = map[string]string{"Time-Zone": zone}
			if a := w.Do(t, call); a.Code != 400 {
				t.Errorf("%q for %s: %s", zone, call.Path, a.Body)
			}
		}
	}
	call := w.get(overviewPath)
	call.Header = map[string]string{"Time-Zone": "Mars/Olympus", "Accept-Language": "tr-TR"}
	if a := w.Do(t, call); a.Code != 400 || a.Msg != "Bilinmeyen saat dilimi: Mars/Olympus" {
		t.Errorf("%s", a.Body)
	}
}

func TestUnreadCount(t *testing.T) {
	w := newServer(t)
	w.Message(t, w.field.ID, w.field.Ada.ID)
	for token, want := range map[string]int{w.ada: 1, w.bora: 2, w.rivalToken: 1} {
		if n := testkit.Ask[int](t, w.Contract, testkit.Call{Path: unreadPath, Token: token}); n != want {
			t.Errorf("%d unread, want %d", n, want)
		}
	}
}

// A tenant learns that its own alarms are behind, and no other tenant's; the operator learns how
// many tenants are behind.
func TestAlarmLagIsReported(t *testing.T) {
	w := newServer(t)
	w.createRivalRule()
	expectReady := func(want string) {
		t.Helper()
		if a := w.Do(t, testkit.Call{Path: "/readyz"}); a.Status != 200 || string(a.Body) != want {
			t.Errorf("%d %q, want %q", a.Status, a.Body, want)
		}
	}
	w.engine.Take(w.position+1, []reading.Arrival{w.arrival(w.rivalDevice, w.Clock.Now(), air(1))})
	w.Clock.Advance(4 * time.Second)
	expectReady("ready\n")
	w.Clock.Advance(37 * time.Second)
	expectReady("ready; alarms of 1 organisation are 41 s behind\n")
	if got := testkit.Ask[wire.Overview](t, w.Contract, w.get(overviewPath)); got.AlarmsBehind != nil {
		t.Errorf("another tenant's lag: %d s", *got.AlarmsBehind)
	}
	if b := w.engine.TenantBehind(w.rival.ID); b.Tenants != 1 || b.Lag != 41*time.Second {
		t.Errorf("theirs: %+v", b)
	}
	w.frostRule(w.field.ID, w.ws1)
	w.engine.Take(w.position+2, []reading.Arrival{w.arrival(w.ws1, w.Clock.Now(), air(1))})
	w.Clock.Advance(6 * time.Second)
	expectReady("ready; alarms of 2 organisations are 47 s behind\n")
	if got := testkit.Ask[wire.Overview](t, w.Contract, w.get(overviewPath)); got.AlarmsBehind == nil ||
		*got.AlarmsBehind != 6 {
		t.Errorf("%s", asJSON(t, got))
	}
	if err := w.engine.Evaluate(t.Context(), 0, nil); err != nil {
		t.Fatal(err)
	}
	expectReady("ready\n")
}

// A tenant's own budgets of messages are shown when 80 % of them are used.
func TestNearlyUsedBudgetsAreShown(t *testing.T) {
	w := newServer(t)
	owner, err := w.Tenants.Get(t.Context(), w.field.ID)
	if err != nil {
		t.Fatal(err)
	}
	owner.MailsPerDay, owner.SMSPerDay = new(5), new(5)
	if err := w.Tenants.Put(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	send := func(emails, phones int) {
		t.Helper()
		c := notify.Channel{Tenant: w.field.ID, Name: "test", To: notify.Recipients{}}
		for i := range emails {
			c.To[notify.KindEmail] = append(c.To[notify.KindEmail], fmt.Sprintf("a%d@example.com", i))
		}
		for i := range phones {
			c.To[notify.KindSMS] = append(c.To[notify.KindSMS], fmt.Sprintf("+90555111223%d", i))
		}
		if _, err := w.Outbox.SendTest(t.Context(), owner, &c); err != nil {
			t.Fatal(err)
		}
	}
	budgets := func(token string) string {
		t.Helper()
		got := testkit.Ask[wire.Overview](t, w.Contract, testkit.Call{Path: overviewPath, Token: token})
		if got.Budgets == nil {
			return ""
		}
		var all []string
		for _, b := range *got.Budgets {
			all = append(
				all,
				fmt.Sprintf(
					"%s %d/%d until %s",
					b.Mode,
					b.Letters,
					b.Budget,
					time.UnixMilli(b.Until).UTC().Format(time.RFC3339),
				),
			)
		}
		return strings.Join(all, ", ")
	}
	send(3, 3)
	if got := budgets(w.ada); got != "" {
		t.Errorf("at 60 %%: %s", got)
	}
	send(1, 0)
	if got, want := budgets(w.ada), "email 4/5 until 2026-11-21T21:00:00Z"; got != want {
		t.Errorf("at 80 %%: %s, want %s", got, want)
	}
	if got := budgets(w.rivalToken); got != "" {
		t.Errorf("another tenant's: %s", got)
	}
	send(1, 2)
	got, want := budgets(w.ada), "email 5/5 until 2026-11-21T21:00:00Z, phoneMessage 5/5 until 2026-11-21T21:00:00Z"
	if got != want {
		t.Errorf("used up: %s, want %s", got, want)
	}
}
