package device_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

func damagePages(t *testing.T, s *testkit.Stores, statement string, args ...any) {
	t.Helper()
	if err := s.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewRaw(statement, args...).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// An examination names damaged pages and pages in another's place. A start goes on: it logs them, their devices begin
// anew, other pages are as they were, and the next flush replaces what was damaged.
func TestDamagedPages(t *testing.T) {
	s, owner, d := newDevices(t, 2)
	rival := s.Tenant(t, "rival")
	other := s.Device(t, rival.ID, &device.Product{ID: d[0].ProductID}, "other")
	for _, d := range append(d, other) {
		s.Presence.Seen(testkit.Ref(d))
		s.Diagnostics.Count(testkit.Ref(d), s.Clock.Milli(), 3, nil, 0)
	}
	flush(t, s, true)
	examine := func(want ...string) {
		t.Helper()
		problems, err := device.ExaminePages(t.Context(), s.DB)
		if err != nil || len(problems) != len(want) {
			t.Fatalf("%q (%v)", problems, err)
		}
		for i := range want {
			if !strings.Contains(problems[i], want[i]) {
				t.Errorf("%q, want %q", problems[i], want[i])
			}
		}
	}
	examine()
	damagePages(
		t,
		s,
		`UPDATE device_status_pages SET content = (SELECT content FROM device_status_pages AS x WHERE x.tenant_id = ?)
		WHERE tenant_id = ?`,
		rival.ID,
		owner.ID,
	)
	damagePages(t, s, `UPDATE device_day_pages SET content = ? WHERE tenant_id = ?`, []byte{1, 0, 0, 0, 0, 0}, owner.ID)
	examine("status of tenant 1: its checksum is wrong", "intake of tenant 1 on 2026-11-21: its checksum is wrong")

	s.Restart(t)
	if n := strings.Count(s.Log.Text(), "damaged"); n != 2 {
		t.Errorf("%d damaged pages are logged:\n%s", n, s.Log.Text())
	}
	if st := s.Presence.Status(owner.ID, d[0].ID); st != (device.Status{}) {
		t.Errorf("a device of the damaged page: %+v", st)
	}
	if st := s.Presence.Status(rival.ID, other.ID); !st.Online || s.Diagnostics.Get(rival.ID, other.ID).Values != 3 {
		t.Errorf("another tenant's device: %+v", st)
	}
	for _, d := range d {
		s.Presence.Seen(testkit.Ref(d))
		s.Diagnostics.Count(testkit.Ref(d), s.Clock.Milli(), 1, nil, 0)
	}
	flush(t, s, true)
	examine()
	if got := formatDeviceDays(t, s, d[0]); got != "2026-11-21:1/1/0" {
		t.Errorf("days %q", got)
	}
}

// A device in two pages is named.
func TestDeviceInTwoPages(t *testing.T) {
	s, owner, d := newDevices(t, 2)
	s.Status.SetPageDevices(1)
	for _, d := range d {
		s.Presence.Seen(testkit.Ref(d))
	}
	flush(t, s, true)
	damagePages(t, s, `UPDATE device_status_pages SET content = ? WHERE tenant_id = ?`,
		[]byte(`[[1,0,0,0,0,0,0,0,0,"","",0]]`), owner.ID)
	problems, err := device.ExaminePages(t.Context(), s.DB)
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "device 1 of tenant 1 is in the pages") {
		t.Errorf("%q (%v)", problems, err)
	}
}

// What another process writes is followed page by page; devices that left their page are forgotten.
func TestLoadChanges(t *testing.T) {
	s, owner, d := newDevices(t, 5)
	s.Status.SetPageDevices(2)
	for _, d := range d {
		s.Presence.Seen(testkit.Ref(d))
	}
	flush(t, s, true)
	presence := device.NewPresence(s.Registry, s.Clock.Now, s.Clock.Elapsed, s.Log.Logger)
	diagnostics := device.NewDiagnostics()
	standby := device.NewStatusStore(s.DB, s.Registry, presence, diagnostics, s.Clock.Now)
	follow := func() {
		t.Helper()
		if err := standby.LoadChanges(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, d := range d {
			if a, b := presence.Status(owner.ID, d.ID), s.Presence.Status(owner.ID, d.ID); a != b {
				t.Errorf("device %d: %+v, want %+v", d.ID, a, b)
			}
			if a, b := diagnostics.Get(owner.ID, d.ID), s.Diagnostics.Get(owner.ID, d.ID); a != b {
				t.Errorf("device %d: %+v, want %+v", d.ID, a, b)
			}
		}
		if a, b := presence.OnlineCount(owner.ID), s.Presence.OnlineCount(owner.ID); a != b {
			t.Errorf("%d online, want %d", a, b)
		}
	}
	follow()
	s.Clock.Advance(testkit.OfflineAfter)
	s.Presence.Seen(testkit.Ref(d[3]))
	s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Milli(), 3, nil, 0)
	s.Presence.Expire()
	flush(t, s, true)
	follow()
	follow()
	if err := s.Devices.Delete(t.Context(), owner.ID, d[3].ID); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	flush(t, s, false)
	follow()
	if st := presence.Status(owner.ID, d[3].ID); st != (device.Status{}) {
		t.Errorf("the deleted device: %+v", st)
	}
}
