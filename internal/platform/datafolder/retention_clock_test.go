package datafolder

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

func TestRetentionClockSurvivesRestart(t *testing.T) {
	dir, log, now := t.TempDir(), testkit.NewLog(), testkit.Start
	read := func() *RetentionClock {
		return ReadRetentionClock(dir, func() time.Time { return now }, slog.New(slog.NewTextHandler(log, nil)))
	}
	first := read()
	if got := first.Now(); !got.Equal(now) {
		t.Errorf("in a new folder the time is %v, want %v", got, now)
	}
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	begun := now
	now = now.AddDate(9, 0, 0) // and the machine restarts
	ahead := read()
	if got := ahead.Now(); got.Sub(begun) > time.Hour {
		t.Errorf("by a clock that is years ahead the time is %v, want %v", got, begun)
	}
	if err := ahead.Save(); err != nil {
		t.Fatal(err)
	}
	now = begun.Add(time.Minute)
	if got := read().Now(); got.After(now) || got.Before(begun) {
		t.Errorf("by a clock that is right again the time is %v, want %v", got, now)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.new")); err != nil || len(left) > 0 || log.Text() != "" {
		t.Errorf("left %v (%v), logged: %s", left, err, log.Text())
	}
	if err := os.WriteFile(filepath.Join(dir, "lived-until"), []byte("long\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read().Now(); !got.Equal(now) || log.Text() == "" {
		t.Errorf("a file without a time is read as %v; logged: %s", got, log.Text())
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if ahead.Save() == nil {
		t.Error("Save succeeded in a folder that does not exist")
	}
}

// The time until which devices were accepted survives restarts: it is the last time that a process
// wrote, and a process that never accepted devices writes none.
func TestLastAcceptedSurvivesRestart(t *testing.T) {
	dir, now := t.TempDir(), testkit.Start.Add(120*time.Millisecond)
	log := testkit.NewLog()
	read := func() *RetentionClock {
		return ReadRetentionClock(dir, func() time.Time { return now }, slog.New(slog.NewTextHandler(log, nil)))
	}
	stopped := func(l *RetentionClock, want time.Time) {
		t.Helper()
		if !l.PreviousAccepted.Equal(want) {
			t.Errorf("stopped at %v, want %v", l.PreviousAccepted, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	first := read()
	stopped(first, time.Time{})
	must(first.Save())
	must(first.MarkStopped()) // before it accepted devices
	stopped(read(), testkit.Start)
	over := now
	now = now.Add(time.Second)
	must(first.MarkAccepting()) // it accepted devices, and wrote so late
	stopped(read(), over)
	second := read()
	now = now.Add(time.Minute)
	must(second.MarkAccepting())
	let := now
	now = now.Add(time.Minute)
	must(second.Save()) // which does not concern devices
	third := read()     // after a kill
	stopped(third, let)
	must(third.Save())
	now = now.Add(time.Minute)
	stopped(read(), let)
	must(third.MarkAccepting())
	now = now.Add(time.Second)
	must(third.MarkStopped())
	ended := now
	now = now.Add(time.Minute)
	must(third.MarkAccepting())
	must(third.Save())
	stopped(read(), ended)
	now = now.AddDate(9, 0, 0)
	ahead := read()
	stopped(ahead, ended)
	if got := ahead.Now(); got.Sub(ended) > time.Hour {
		t.Errorf("time advanced to %v", got)
	}
	if log.Text() != "" {
		t.Errorf("logged: %s", log.Text())
	}
	must(os.WriteFile(filepath.Join(dir, "lived-until"), []byte("2026-11-21T03:00:00Z\nlong\n"), 0o600))
	stopped(read(), time.Time{})
	if log.Text() == "" {
		t.Error("a file without a time was not logged")
	}
}
