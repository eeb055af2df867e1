package audit_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

// A deed of a tenant that was deleted before it was written down is dropped;
// those that came after it are not held up.
func TestLogLaterForDeletedTenant(t *testing.T) {
	y := newAuditFixture(t)
	ctx := y.asAda(t.Context())
	gone := y.Tenant(t, "gone")
	for _, owner := range []tenant.ID{gone.ID, y.field.ID, 0} {
		audit.LogLater(ctx, owner, audit.Action{Name: "session.fail", Thing: audit.Thing{ID: 1, Name: "Ada"}})
	}
	for _, u := range []int64{gone.Ada.ID, gone.Bora.ID} {
		if err := y.Users.Delete(t.Context(), gone.ID, u); err != nil {
			t.Fatal(err)
		}
	}
	if err := y.Tenants.Delete(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	if err := y.Audit.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	if lines, want := y.formatEntries(t, y.field.ID), []string{
		`user:1 "Ada" session.fail 1 Ada`,
	}; !slices.Equal(lines,
		want,
	) {
		t.Errorf("%q", lines)
	}
	if n, err := y.DB.Read(t.Context()).NewSelect().Table("audit_entries").Count(t.Context()); err != nil || n != 2 {
		t.Errorf("%d entries %v, want the tenant's and the platform's", n, err)
	}
}

// What cannot be written holds nothing else up, leaves nothing behind, and is
// tried again without another deed.
func TestLogLaterRetries(t *testing.T) {
	y := newAuditFixture(t)
	y.Audit.SetRetryInterval(time.Millisecond)
	lost := errors.New("nobody can say who that is")
	var tries, knownAfter atomic.Int64
	knownAfter.Store(1 << 40)
	unknown := y.Audit.NewContext(
		t.Context(),
		audit.Actor{Kind: audit.User, ID: y.field.Bora.ID, Name: func(context.Context) (string, error) {
			if tries.Add(1) <= knownAfter.Load() {
				return "", lost
			}
			return "Bora", nil
		}},
	)
	action := audit.Action{Name: "session.fail", Thing: audit.Thing{ID: 1, Name: "x"}}
	audit.LogLater(unknown, y.field.ID, action)
	audit.LogLater(y.asAda(t.Context()), y.field.ID, action)
	if err := y.Audit.Flush(t.Context()); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
	if lines, want := y.formatEntries(t, y.field.ID), []string{
		`user:1 "Ada" session.fail 1 x`,
	}; !slices.Equal(lines,
		want,
	) {
		t.Errorf("%q", lines)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- y.Audit.Run(ctx, y.Log.Logger) }()
	testkit.Eventually(t, "a second try", func() bool { return tries.Load() > 2 })
	knownAfter.Store(0)
	testkit.Eventually(t, "the entry", func() bool { return len(y.formatEntries(t, y.field.ID)) == 2 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// However long nothing can be written, no more waits than may.
func TestLogLaterIsBounded(t *testing.T) {
	y := newAuditFixture(t)
	mend := testkit.FailStatement(t, y.DB, "INSERT ON audit_entries")
	for round := range 3 {
		for i := range 700 {
			audit.LogLater(y.asAda(t.Context()), y.field.ID, audit.Action{Name: "session.fail",
				Thing: audit.Thing{ID: int64(700*round + i + 1), Name: "Ada"}})
		}
		if err := y.Audit.Flush(t.Context()); err == nil {
			t.Fatal("written to a disk that is full")
		}
	}
	mend()
	if err := y.Audit.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, total, err := y.Audit.Page(t.Context(), y.field.ID, audit.Query{Limit: 1, Offset: 999})
	if err != nil || total != 1000 || list[0].Thing.ID != 1101 {
		t.Errorf("%d %+v %v", total, list, err)
	}
}
