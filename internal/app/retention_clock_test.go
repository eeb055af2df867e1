package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

func TestRetentionClockSurvivesRestart(t *testing.T) {
	dir, log, now := t.TempDir(), testkit.NewLog(), testkit.Start
	read := func() *retentionClock {
		return readRetentionClock(dir, func() time.Time { return now }, slog.New(slog.NewTextHandler(log, nil)))
	}
	first := read()
	if got := first.now(); !got.Equal(now) {
		t.Errorf("in a new folder %v, want %v", got, now)
	}
	if err := first.save(); err != nil {
		t.Fatal(err)
	}
	begun := now
	now = now.AddDate(9, 0, 0) // and the machine starts anew
	ahead := read()
	if got := ahead.now(); got.Sub(begun) > time.Hour {
		t.Errorf("by a clock that is years ahead %v, want %v", got, begun)
	}
	if err := ahead.save(); err != nil {
		t.Fatal(err)
	}
	now = begun.Add(time.Minute)
	if got := read().now(); got.After(now) || got.Before(begun) {
		t.Errorf("by a clock that is right again %v, want %v", got, now)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 || log.Text() != "" {
		t.Errorf("left %v (%v), logged: %s", left, err, log.Text())
	}
	if err := os.WriteFile(filepath.Join(dir, "lived-until"), []byte("long\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read().now(); !got.Equal(now) || log.Text() == "" {
		t.Errorf("what is no time is taken for %v; logged: %s", got, log.Text())
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if ahead.save() == nil {
		t.Error("kept in a folder that is gone")
	}
}

// Until when devices were let in outlives a start as well: what a process said of
// itself last, and nothing of one that never said it.
func TestLastAcceptedSurvivesRestart(t *testing.T) {
	dir, now := t.TempDir(), testkit.Start.Add(120*time.Millisecond)
	log := testkit.NewLog()
	read := func() *retentionClock {
		return readRetentionClock(dir, func() time.Time { return now }, slog.New(slog.NewTextHandler(log, nil)))
	}
	stopped := func(l *retentionClock, want time.Time) {
		t.Helper()
		if !l.previousAccepted.Equal(want) {
			t.Errorf("stopped at %v, want %v", l.previousAccepted, want)
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
	must(first.save())
	must(first.markStopped()) // before it let anybody in
	stopped(read(), testkit.Start)
	over := now
	now = now.Add(time.Second)
	must(first.markAccepting()) // it did, and said so late
	stopped(read(), over)
	second := read()
	now = now.Add(time.Minute)
	must(second.markAccepting())
	let := now
	now = now.Add(time.Minute)
	must(second.save()) // says nothing of devices
	third := read()     // after a kill
	stopped(third, let)
	must(third.save())
	now = now.Add(time.Minute)
	stopped(read(), let)
	must(third.markAccepting())
	now = now.Add(time.Second)
	must(third.markStopped())
	ended := now
	now = now.Add(time.Minute)
	must(third.markAccepting())
	must(third.save())
	stopped(read(), ended)
	now = now.AddDate(9, 0, 0)
	ahead := read()
	stopped(ahead, ended)
	if got := ahead.now(); got.Sub(ended) > time.Hour {
		t.Errorf("time came to %v", got)
	}
	if log.Text() != "" {
		t.Errorf("logged: %s", log.Text())
	}
	must(os.WriteFile(filepath.Join(dir, "lived-until"), []byte("2026-11-21T03:00:00Z\nlong\n"), 0o600))
	stopped(read(), time.Time{})
	if log.Text() == "" {
		t.Error("what is no time is passed over in silence")
	}
}

// A server that starts with the clock of another year removes nothing for its age:
// all of that is as old as it was when the server last ran. With a clock that is
// believed the same goes.
func TestJumpedClockRemovesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		last time.Duration // before what the clock shows now
		left int64
	}{
		"leapt": {9 * 365 * 24 * time.Hour, 1},
		"right": {time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir, ctx := t.TempDir(), t.Context()
			set, err := parseArgs(
				t,
				"--data-dir",
				dir,
				"--http-addr",
				anyPort,
				"--mqtt-addr",
				anyPort,
				"--admin-addr",
				anyPort,
			)
			if err != nil {
				t.Fatal(err)
			}
			last := time.Now().Add(-c.last)
			if err := os.WriteFile(
				filepath.Join(dir, "lived-until"),
				[]byte(last.UTC().Format(time.RFC3339)),
				0o600,
			); err != nil {
				t.Fatal(err)
			}
			s, err := newServer(ctx, set, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.stores.close(); err != nil {
					t.Error(err)
				}
				if err := s.listeners.close(); err != nil {
					t.Error(err)
				}
			}()
			farm := tenant.Tenant{Name: "north", TimeZone: time.UTC, Language: "en-us"}
			if err := s.stores.tenants.Put(ctx, &farm); err != nil {
				t.Fatal(err)
			}
			// A week old by the time when the server last ran, years by the clock; the
			// other way round it is four years old by both.
			made := last.AddDate(0, 0, -7)
			if c.left == 0 {
				made = last.AddDate(-4, 0, 0)
			}
			then := audit.NewStore(s.stores.db, set.AuditRetention, func() time.Time { return made })
			did := then.NewContext(ctx, audit.Actor{Kind: audit.Provider})
			if err := audit.Log(did, farm.ID, audit.Action{Name: "tenant.create"}); err != nil {
				t.Fatal(err)
			}
			if err := s.stores.db.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
				_, err := tx.NewRaw(
					"INSERT INTO messages (tenant_id, event, facts, create_time) VALUES (?, ?, '{}', ?)",
					farm.ID,
					alertmsg.Triggered,
					made.UnixMilli(),
				).Exec(
					ctx,
				)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			ada := identity.User{UserName: "ada"}
			if err := s.stores.users.Create(ctx, farm.ID, &ada, "nothing opens this"); err != nil {
				t.Fatal(err)
			}
			sessions := identity.NewSessionStore(s.stores.db, func() time.Time { return made })
			if _, err := sessions.Start(ctx, farm.ID, ada.ID, true); err != nil {
				t.Fatal(err)
			}
			s.removeExpired(ctx)
			for _, table := range []string{"audit_entries", "messages", "sessions"} {
				if n, err := s.stores.db.Read(ctx).NewSelect().TableExpr(table).Count(ctx); err != nil || n != c.left {
					t.Errorf("%s: %d are left, want %d (%v)", table, n, c.left, err)
				}
			}
		})
	}
}
