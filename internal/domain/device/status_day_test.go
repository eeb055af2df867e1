package device_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit"
)

// formatDeviceDays formats a device's days as day:messages/values/refused.
func formatDeviceDays(t *testing.T, s *testkit.Stores, d *device.Device) string {
	t.Helper()
	days, err := s.Status.Days(t.Context(), d.Tenant, d.ID)
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]string, len(days))
	for i, x := range days {
		parts[i] = fmt.Sprintf("%s:%d/%d/%d", x.Day, x.Messages, x.Values, x.Refused)
	}
	return strings.Join(parts, " ")
}

// countStoredDays counts the days of all devices on disk.
func countStoredDays(t *testing.T, s *testkit.Stores) (n int) {
	t.Helper()
	days, err := device.StoredDays(t.Context(), s.DB)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range days {
		n += len(list)
	}
	return n
}

// Messages are counted for their day, Days includes them whether on disk or not, and counting
// continues after a start.
func TestDays(t *testing.T) {
	s, _, d := newDevices(t, 2)
	count := func(values, refused int) {
		s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Milli(), values, make([]device.Refusal, refused), 0)
	}
	want := func(what, want string) {
		t.Helper()
		if got := formatDeviceDays(t, s, d[0]); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if got := formatDeviceDays(t, s, d[1]); got != "" {
			t.Errorf("%s: the silent device has %q", what, got)
		}
	}
	want("before all", "")
	count(3, 1)
	want("not on disk", "2026-11-21:1/3/1")
	flush(t, s, true)
	want("on disk", "2026-11-21:1/3/1")
	count(2, 0)
	want("more on the same day", "2026-11-21:2/5/1")
	s.Clock.Advance(24 * time.Hour)
	want("a day without messages", "2026-11-21:2/5/1")
	count(1, 0)
	want("two days, neither on disk", "2026-11-21:2/5/1 2026-11-22:1/1/0")
	flush(t, s, true)
	s.Restart(t)
	want("after a start", "2026-11-21:2/5/1 2026-11-22:1/1/0")
	count(1, 1)
	want("counting goes on", "2026-11-21:2/5/1 2026-11-22:2/2/1")
	flush(t, s, true)
	flush(t, s, true)
	want("written over", "2026-11-21:2/5/1 2026-11-22:2/2/1")
	s.Clock.Advance(29 * 24 * time.Hour)
	want("the thirty-first day", "2026-11-21:2/5/1 2026-11-22:2/2/1")
	count(7, 0)
	s.Clock.Advance(24 * time.Hour)
	want("the first day is too old", "2026-11-22:2/2/1 2026-12-21:1/7/0")
	if n := countStoredDays(t, s); n != 2 {
		t.Errorf("%d days on disk before the sweep", n)
	}
	flush(t, s, true)
	if n := countStoredDays(t, s); n != 2 { // one day was added, one removed
		t.Errorf("%d days on disk after the sweep", n)
	}
	s.Restart(t)
	want("swept", "2026-11-22:2/2/1 2026-12-21:1/7/0")
}

// A failed write loses no day.
func TestFailedDaysAreRetried(t *testing.T) {
	s, _, d := newDevices(t, 1)
	s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Milli(), 1, nil, 0)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Status.Flush(gone, true); err == nil {
		t.Fatal("the flush succeeded without a database")
	}
	s.Clock.Advance(24 * time.Hour)
	s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Milli(), 1, nil, 0)
	flush(t, s, true)
	s.Restart(t)
	if got := formatDeviceDays(t, s, d[0]); got != "2026-11-21:1/1/0 2026-11-22:1/1/0" {
		t.Errorf("%q", got)
	}
}

// The days of a deleted device are deleted with it.
func TestDaysOfDeletedDevice(t *testing.T) {
	s, owner, d := newDevices(t, 2)
	for _, d := range d {
		s.Diagnostics.Count(testkit.Ref(d), s.Clock.Milli(), 1, nil, 0)
	}
	flush(t, s, true)
	if err := s.Devices.Delete(t.Context(), owner.ID, d[0].ID); err != nil {
		t.Fatal(err)
	}
	s.Reload(t)
	s.Diagnostics.Forget(testkit.Ref(d[0]))
	flush(t, s, true)
	if got := formatDeviceDays(t, s, d[0]); got != "" || countStoredDays(t, s) != 1 {
		t.Errorf("%q, %d on disk", got, countStoredDays(t, s))
	}
}

// Thousands of devices and days take several statements.
func TestDaysAcrossStatements(t *testing.T) {
	s, _, d := newDevices(t, 400)
	for range 3 {
		for _, d := range d {
			s.Diagnostics.Count(testkit.Ref(d), s.Clock.Milli(), 2, nil, 0)
		}
		s.Clock.Advance(24 * time.Hour)
	}
	flush(t, s, true)
	if n := countStoredDays(t, s); n != 1200 {
		t.Errorf("%d days on disk", n)
	}
	s.Restart(t)
	if got := formatDeviceDays(t, s, d[399]); got != "2026-11-21:1/2/0 2026-11-22:1/2/0 2026-11-23:1/2/0" {
		t.Errorf("%q", got)
	}
}

// Concurrent counting, writing and reading lose nothing, and the counts that are read never
// decrease.
func TestDaysConcurrently(t *testing.T) {
	s, owner, d := newDevices(t, 1)
	const messages = 2000
	var counting sync.WaitGroup
	counting.Go(func() {
		for range messages {
			s.Diagnostics.Count(testkit.Ref(d[0]), s.Clock.Milli(), 1, nil, 0)
		}
	})
	done := make(chan struct{})
	go func() { counting.Wait(); close(done) }()
	seen := int64(0)
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
		}
		flush(t, s, true)
		days, err := s.Status.Days(t.Context(), owner.ID, d[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(days) > 0 {
			if days[0].Messages < seen {
				t.Fatalf("%d messages after %d", days[0].Messages, seen)
			}
			seen = days[0].Messages
		}
	}
	flush(t, s, true)
	s.Restart(t)
	if got := formatDeviceDays(t, s, d[0]); got != "2026-11-21:2000/2000/0" {
		t.Errorf("%q", got)
	}
}
