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

// An action of a tenant that was deleted before the write is dropped, and does not block later
// actions.
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
	want := []string{`user:1 "Ada" session.fail 1 Ada`}
	if lines := y.formatEntries(t, y.field.ID); !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
	if n, err := y.DB.Read(t.Context()).NewSelect().Table("audit_entries").Count(t.Context()); err != nil || n != 2 {
		t.Errorf("%d entries %v, want the tenant's and the platform's", n, err)
	}
}

// An action that cannot be written blocks no other, writes nothing, and is tried again without a
// further action.
func TestLogLaterRetries(t *testing.T) {
	y := newAuditFixture(t)
	y.Audit.SetRetryInterval(time.Millisecond)
	lost := errors.New("the name cannot be read")
	var tries, knownAfter atomic.Int64
	knownAfter.Store(1 << 40)
	name := func(context.Context) (string, error) {
		if tries.Add(1) <= knownAfter.Load() {
			return "", lost
		}
		return "Bora", nil
	}
	unknown := y.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.User, ID: y.field.Bora.ID, Name: name})
	action := audit.Action{Name: "session.fail", Thing: audit.Thing{ID: 1, Name: "x"}}
	audit.LogLater(unknown, y.field.ID, action)
	audit.LogLater(y.asAda(t.Context()), y.field.ID, action)
	if err := y.Audit.Flush(t.Context()); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
	want := []string{`user:1 "Ada" session.fail 1 x`}
	if lines := y.formatEntries(t, y.field.ID); !slices.Equal(lines, want) {
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

// The number of waiting actions stays bounded while nothing can be written.
func TestLogLaterIsBounded(t *testing.T) {
	y := newAuditFixture(t)
	mend := testkit.FailStatement(t, y.DB, "INSERT ON audit_entries")
	for round := range 3 {
		for i := range 700 {
			thing := audit.Thing{ID: int64(700*round + i + 1), Name: "Ada"}
			audit.LogLater(y.asAda(t.Context()), y.field.ID, audit.Action{Name: "session.fail", Thing: thing})
		}
		if err := y.Audit.Flush(t.Context()); err == nil {
			t.Fatal("the flush succeeded on a full disk")
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
