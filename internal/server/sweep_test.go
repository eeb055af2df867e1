package server

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"

	"github.com/uptrace/bun"
)

// A server that starts with a clock that is years ahead removes nothing for its age: all data is as
// old as when the server last ran. With a right clock it removes old data.
func TestJumpedClockRemovesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		last time.Duration // before the clock's present time
		left int64
	}{
		"leapt": {9 * 365 * 24 * time.Hour, 1},
		"right": {time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir, ctx := t.TempDir(), t.Context()
			set, err := parseArgs(
				t,
				"--data-dir", dir,
				"--http-addr", testkit.AnyPort,
				"--mqtt-addr", testkit.AnyPort,
				"--admin-addr", testkit.AnyPort,
			)
			if err != nil {
				t.Fatal(err)
			}
			last := time.Now().Add(-c.last)
			err = os.WriteFile(filepath.Join(dir, "lived-until"), []byte(last.UTC().Format(time.RFC3339)), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			s, err := New(ctx, set, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Stores.Close(); err != nil {
					t.Error(err)
				}
				if err := s.listeners.close(); err != nil {
					t.Error(err)
				}
			}()
			farm := tenant.Tenant{Name: "north", TimeZone: time.UTC, Language: "en-us"}
			if err := s.Stores.Tenants.Put(ctx, &farm); err != nil {
				t.Fatal(err)
			}
			// By the time when the server last ran the data is a week old, and by the clock years;
			// in the other case it is four years old by both.
			made := last.AddDate(0, 0, -7)
			if c.left == 0 {
				made = last.AddDate(-4, 0, 0)
			}
			then := audit.NewStore(s.Stores.DB, set.AuditRetention, func() time.Time { return made })
			did := then.NewContext(ctx, audit.Actor{Kind: audit.Provider})
			if err := audit.Log(did, farm.ID, audit.Action{Name: "tenant.create"}); err != nil {
				t.Fatal(err)
			}
			if err := s.Stores.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
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
			if err := s.Stores.Users.Create(ctx, farm.ID, &ada, "nothing opens this"); err != nil {
				t.Fatal(err)
			}
			sessions := identity.NewSessionStore(s.Stores.DB, func() time.Time { return made })
			if _, err := sessions.Start(ctx, farm.ID, ada.ID, true); err != nil {
				t.Fatal(err)
			}
			s.removeExpired(ctx)
			for _, table := range []string{"audit_entries", "messages", "sessions"} {
				if n, err := s.Stores.DB.Read(ctx).NewSelect().TableExpr(table).Count(ctx); err != nil || n != c.left {
					t.Errorf("%s: %d are left, want %d (%v)", table, n, c.left, err)
				}
			}
		})
	}
}
