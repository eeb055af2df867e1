package device_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// presenceHistory formats a device's presence changes, newest first, with the times since the
// clock's start.
func presenceHistory(t *testing.T, s *testkit.Stores, d *device.Device) string {
	t.Helper()
	list, total, err := s.Status.PresenceHistory(t.Context(), d.Tenant, d.ID, 0, 400)
	if err != nil || int(total) != len(list) {
		t.Fatalf("%d of %d: %v", len(list), total, err)
	}
	var all []string
	for _, c := range list {
		word := "went"
		if c.Online {
			word = "came"
		}
		all = append(all, fmt.Sprint(word, " ", time.UnixMilli(c.Time).Sub(testkit.Start)))
	}
	return strings.Join(all, ", ")
}

func TestPresenceHistory(t *testing.T) {
	s, _, d := newDevices(t, 2)
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Expire()
	flush(t, s, false)
	s.Clock.Advance(time.Minute)
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Presence.Seen(testkit.Ref(d[0])) // no change
	s.Presence.Seen(testkit.Ref(d[1]))
	s.Presence.Gone(testkit.Ref(d[1])) // in the same millisecond
	flush(t, s, false)
	flush(t, s, true)
	if got, want := presenceHistory(t, s, d[0]), "came 16m0s, went 15m0s, came 0s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := presenceHistory(t, s, d[1]), "went 16m0s, came 16m0s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// A start changes nothing.
	s.Restart(t)
	flush(t, s, true)
	if got := presenceHistory(t, s, d[0]); strings.Count(got, "came") != 2 {
		t.Errorf("after a start: %s", got)
	}
	page, total, err := s.Status.PresenceHistory(t.Context(), d[0].Tenant, d[0].ID, 1, 1)
	if err != nil || total != 3 || len(page) != 1 || page[0].Online {
		t.Errorf("%v of %d, %v", page, total, err)
	}
}

// A reader that asks because a screen got a change finds that change, written or not.
func TestPresenceHistoryIncludesUnwrittenChanges(t *testing.T) {
	s, _, d := newDevices(t, 2)
	var asked []string
	for range 2 {
		s.Presence.Seen(testkit.Ref(d[0]))
		asked = append(asked, presenceHistory(t, s, d[0]))
		s.Clock.Advance(testkit.OfflineAfter)
		s.Presence.Expire()
		asked = append(asked, presenceHistory(t, s, d[0]))
	}
	want := []string{
		"came 0s",
		"went 15m0s, came 0s",
		"came 15m0s, went 15m0s, came 0s",
		"went 30m0s, came 15m0s, went 15m0s, came 0s",
	}
	if !slices.Equal(asked, want) {
		t.Errorf("%q, want %q", asked, want)
	}
	flush(t, s, true) // no change is written twice
	if got := presenceHistory(t, s, d[0]); got != want[3] {
		t.Errorf("%s, want %s", got, want[3])
	}
}

// The same holds while another flush is writing.
func TestPresenceHistoryDuringFlush(t *testing.T) {
	s, _, d := newDevices(t, 1)
	for i := range 50 {
		s.Presence.Seen(testkit.Ref(d[0]))
		var writing sync.WaitGroup
		writing.Go(func() { flush(t, s, false) })
		if got := strings.Count(presenceHistory(t, s, d[0]), "came"); got != i+1 {
			t.Errorf("%d, want %d", got, i+1)
		}
		writing.Wait()
		s.Clock.Advance(testkit.OfflineAfter)
		s.Presence.Expire()
	}
}

// A contact that arrives late may show that a device had not gone offline. The history then omits
// the change, whether or not it was on disk already.
func TestLateContactRemovesOfflineChange(t *testing.T) {
	for _, written := range []bool{false, true} {
		s, _, d := newDevices(t, 2)
		s.Presence.Seen(testkit.Ref(d[0]))
		s.Presence.Seen(testkit.Ref(d[1]))
		s.Clock.Advance(testkit.OfflineAfter)
		s.Presence.Expire()
		if written {
			flush(t, s, false)
		}
		s.Presence.SeenAt(testkit.Ref(d[0]), s.Clock.Milli()-time.Minute.Milliseconds())
		flush(t, s, false)
		if got := presenceHistory(t, s, d[0]); got != "came 0s" {
			t.Errorf("written %t: %s", written, got)
		}
		if got := presenceHistory(t, s, d[1]); got != "went 15m0s, came 0s" {
			t.Errorf("written %t: the other device: %s", written, got)
		}
	}
}

// The import of past contacts records when devices came online and went offline: a device that
// stays, one that comes back, and one that does not.
func TestPresenceHistoryOfBackfill(t *testing.T) {
	s, _, d := newDevices(t, 3)
	s.Clock.Advance(5 * time.Hour)
	ago := func(of int, minutes ...int64) {
		for _, m := range minutes {
			s.Presence.SeenAt(testkit.Ref(d[of]), s.Clock.Milli()-m*time.Minute.Milliseconds())
		}
	}
	ago(0, 240, 230, 120, 110, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 0)
	ago(1, 240, 100, 90, 40)
	ago(2, 240, 230)
	s.Presence.FinishBackfill()
	flush(t, s, false)
	for i, want := range []string{
		"came 3h0m0s, went 1h25m0s, came 1h0m0s",
		"went 4h35m0s, came 4h20m0s, went 3h45m0s, came 3h20m0s, went 1h15m0s, came 1h0m0s",
		"went 1h25m0s, came 1h0m0s",
	} {
		if got := presenceHistory(t, s, d[i]); got != want {
			t.Errorf("%d: %s\nwant %s", i, got, want)
		}
	}
	s.Presence.Seen(testkit.Ref(d[1]))
	flush(t, s, false)
	if got := presenceHistory(t, s, d[1]); !strings.HasPrefix(got, "came 5h0m0s, went 4h35m0s") {
		t.Error(got)
	}
}

// Changes that could not be written are written later, in order and once.
func TestPresenceHistoryRetriedAfterFailedFlush(t *testing.T) {
	s, owner, d := newDevices(t, 2)
	s.Presence.Seen(testkit.Ref(d[0]))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Status.Flush(gone, false); err == nil {
		t.Fatal("the flush succeeded without a database")
	}
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Expire()
	flush(t, s, false)
	if got := presenceHistory(t, s, d[0]); got != "went 15m0s, came 0s" {
		t.Error(got)
	}
	// The history of a deleted device goes with it, and does not block other devices.
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Presence.Seen(testkit.Ref(d[1]))
	if err := s.Devices.Delete(t.Context(), owner.ID, d[0].ID); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	flush(t, s, false)
	if got := presenceHistory(t, s, d[0]); got != "" {
		t.Errorf("a deleted device has the history %s", got)
	}
	if got := presenceHistory(t, s, d[1]); got != "came 15m0s" {
		t.Error(got)
	}
}

// countPresenceRows counts the presence changes of a device on disk.
func countPresenceRows(t *testing.T, s *testkit.Stores, id device.ID) (n int) {
	t.Helper()
	if err := s.DB.Read(t.Context()).NewRaw(`SELECT COUNT(*) FROM device_presence WHERE device_id = ?`, id).
		Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A device that changes all the time keeps only its newest changes; other devices keep theirs.
func TestPresenceHistoryIsBounded(t *testing.T) {
	s, _, d := newDevices(t, 2)
	s.Presence.Seen(testkit.Ref(d[1]))
	const changes = 2_420
	for i := range changes / 2 {
		s.Clock.Advance(time.Second)
		s.Presence.Seen(testkit.Ref(d[0]))
		s.Presence.Gone(testkit.Ref(d[0]))
		if i%30 == 0 {
			flush(t, s, false)
		}
	}
	flush(t, s, false)
	if n := countPresenceRows(t, s, d[0].ID); n < 2000 || n > 2100 {
		t.Errorf("%d changes are kept", n)
	}
	if n := countPresenceRows(t, s, d[1].ID); n != 1 {
		t.Errorf("%d changes of the quiet device are kept", n)
	}
	newest, _, err := s.Status.PresenceHistory(t.Context(), d[0].Tenant, d[0].ID, 0, 1)
	if err != nil || newest[0].Time != s.Clock.Milli() || newest[0].Online {
		t.Errorf("%v %v", newest, err)
	}
	// After a start the store does not know the counts: it looks them up once a day.
	err = s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
			INSERT INTO device_presence (tenant_id, device_id, time, online) SELECT ?, ?, ? + i, i % 2 = 1 FROM n`,
			d[1].Tenant, d[1].ID, s.Clock.Milli()).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Restart(t)
	flush(t, s, false)
	if n := countPresenceRows(t, s, d[1].ID); n != 2000 {
		t.Errorf("%d changes are kept after a start", n)
	}
}

// Presence changes are kept for 400 days, and not shown after that even before the sweep.
func TestPresenceHistoryRetention(t *testing.T) {
	s, _, d := newDevices(t, 1)
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Presence.Gone(testkit.Ref(d[0]))
	flush(t, s, false)
	const kept = 400 * 24 * time.Hour
	s.Clock.Advance(kept)
	if got := presenceHistory(t, s, d[0]); got != "went 0s, came 0s" {
		t.Errorf("on the last day: %s", got)
	}
	s.Clock.Advance(time.Millisecond)
	if got := presenceHistory(t, s, d[0]); got != "" {
		t.Errorf("after it: %s", got)
	}
	s.Clock.Advance(24 * time.Hour)
	flush(t, s, false)
	if n := countPresenceRows(t, s, d[0].ID); n != 0 {
		t.Errorf("%d changes are not swept", n)
	}
}

// A clock that jumped years ahead makes nothing old: presence changes and days are removed by the
// retention clock.
func TestPresenceRetentionAfterClockJump(t *testing.T) {
	s, _, d := newDevices(t, 1)
	until := s.Clock.Now()
	s.Status = device.NewStatusStore(s.DB, s.Registry, s.Presence, s.Diagnostics, func() time.Time { return until })
	s.Presence.Seen(testkit.Ref(d[0]))
	s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Now().UnixMilli(), 1, nil, 0)
	flush(t, s, false)
	days := func() int64 {
		n, err := s.DB.Read(t.Context()).NewSelect().Table("device_day_pages").Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, step := range []struct {
		jump, elapsed time.Duration
		kept          int64
	}{{3 * 365 * 24 * time.Hour, 24 * time.Hour, 1}, {24 * time.Hour, 401 * 24 * time.Hour, 0}} {
		s.Clock.Advance(step.jump)
		until = until.Add(step.elapsed)
		flush(t, s, false)
		if n, of := int64(countPresenceRows(t, s, d[0].ID)), days(); n != step.kept || of != step.kept {
			t.Errorf("after %v: %d presence changes and %d days are kept, want %d of each",
				step.elapsed, n, of, step.kept)
		}
	}
}
