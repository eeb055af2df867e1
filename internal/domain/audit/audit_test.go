package audit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// auditFixture is an audit log with a tenant; a map holds the tenant's things.
type auditFixture struct {
	*testkit.Stores
	field  *testkit.Tenant
	things map[int64]string
}

func newAuditFixture(t *testing.T) *auditFixture {
	t.Helper()
	s := testkit.NewStores(t)
	return &auditFixture{Stores: s, field: s.Tenant(t, "field"), things: map[int64]string{}}
}

// asAda gives a context with ada as the actor.
func (y *auditFixture) asAda(ctx context.Context) context.Context {
	return y.Audit.NewContext(ctx, audit.Actor{
		Kind:    audit.User,
		ID:      y.field.Ada.ID,
		Name:    func(context.Context) (string, error) { return "Ada", nil },
		Address: "192.0.2.7",
		Request: "r1",
	})
}

func (y *auditFixture) snapshotOf(ids ...int64) audit.Snapshot {
	return func(context.Context) ([]audit.Thing, error) {
		var list []audit.Thing
		for _, id := range ids {
			if name, ok := y.things[id]; ok {
				list = append(list, audit.Thing{ID: id, Name: name, Fields: []audit.Field{{Name: "name", Value: name}}})
			}
		}
		if list == nil {
			return nil, errs.Missing()
		}
		return list, nil
	}
}

func (y *auditFixture) formatEntries(t *testing.T, owner tenant.ID) []string {
	t.Helper()
	list, total, err := y.Audit.Page(t.Context(), owner, audit.Query{Limit: 400})
	if err != nil || int(total) != len(list) {
		t.Fatal(total, err)
	}
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = fmt.Sprintf("%s %q %s.%s %d %s", e.Actor, e.Actor.Name, e.Kind, e.Action, e.Thing.ID, e.Thing.Name)
		for _, c := range e.Changes {
			lines[i] += fmt.Sprintf(" %s:%v>%v", c.Field, c.Before, c.After)
		}
	}
	return lines
}

func TestRecord(t *testing.T) {
	y := newAuditFixture(t)
	ctx := y.asAda(t.Context())
	put := func(id int64, name string) func(context.Context) error {
		return func(context.Context) error { y.things[id] = name; return nil }
	}
	refused := errors.New("refused")
	for _, step := range []struct {
		change func(context.Context) error
		err    error
		want   string // the newest entry; empty: no new entry
	}{
		{put(1, "North"), nil, `user:1 "Ada" tree.do 1 North name:<nil>>North`},
		{put(1, "North"), nil, ""},
		{put(1, "South"), nil, `user:1 "Ada" tree.do 1 North name:North>South`},
		{func(context.Context) error { y.things[1] = "West"; return refused }, refused, ""},
		{
			func(context.Context) error { delete(y.things, 1); return nil },
			nil, `user:1 "Ada" tree.do 1 West name:West><nil>`,
		},
		{
			func(context.Context) error { y.things[1], y.things[2] = "a", "b"; return nil },
			nil, `user:1 "Ada" tree.do 2 b name:<nil>>b`,
		},
	} {
		before := len(y.formatEntries(t, y.field.ID))
		if err := audit.Record(ctx, y.field.ID, "tree.do", y.snapshotOf(1, 2), step.change); !errors.Is(err, step.err) {
			t.Fatal(err)
		}
		lines := y.formatEntries(t, y.field.ID)
		switch {
		case step.want == "" && len(lines) != before:
			t.Errorf("the unexpected entry %q", lines[0])
		case step.want != "" && (len(lines) == before || lines[0] != step.want):
			t.Errorf("%q, want %q", lines, step.want)
		}
	}
	if lines := y.formatEntries(t, y.field.ID); len(lines) != 5 { // the last step wrote two
		t.Errorf("%d entries: %q", len(lines), lines)
	}
}

// An entry is part of the change's transaction, even if that includes other changes.
func TestOneTransaction(t *testing.T) {
	y := newAuditFixture(t)
	ctx := y.asAda(t.Context())
	gone := errors.New("gone")
	err := y.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		scene := func(ctx context.Context) error {
			_, err := y.Scenes.Create(ctx, y.field.ID, "North", 1)
			return err
		}
		if err := audit.Record(ctx, y.field.ID, "scene.create", func(ctx context.Context) ([]audit.Thing, error) {
			s, err := y.Scenes.ByName(ctx, y.field.ID, "North")
			if err != nil {
				return nil, err
			}
			return []audit.Thing{{ID: s.ID, Name: s.Name}}, nil
		}, scene); err != nil {
			return err
		}
		return gone
	})
	if !errors.Is(err, gone) {
		t.Fatal(err)
	}
	if lines := y.formatEntries(t, y.field.ID); len(lines) != 0 {
		t.Errorf("entries of a change that was rolled back: %q", lines)
	}
	testkit.FailStatement(t, y.DB, "INSERT ON audit_entries")
	err = audit.Record(ctx, y.field.ID, "scene.create", y.snapshotOf(1), func(ctx context.Context) error {
		y.things[1] = "North"
		_, err := y.Scenes.Create(ctx, y.field.ID, "North", 1)
		return err
	})
	if scenes, listed := y.Scenes.List(t.Context(), y.field.ID); err == nil || listed != nil || len(scenes) != 0 {
		t.Errorf("%v: %v %v", err, scenes, listed)
	}
}

// Without an actor in the context, changes are made all the same.
func TestNothingLoggedWithoutActor(t *testing.T) {
	y := newAuditFixture(t)
	done := 0
	change := func(context.Context) error { done++; y.things[1] = "North"; return nil }
	var none *audit.Store
	for _, ctx := range []context.Context{t.Context(), none.NewContext(t.Context(), audit.Actor{Kind: audit.User})} {
		if err := audit.Record(ctx, y.field.ID, "tree.create", y.snapshotOf(1), change); err != nil {
			t.Fatal(err)
		}
		if err := audit.Log(audit.WithActor(ctx, audit.User, 1, "x"), y.field.ID,
			audit.Action{Name: "tree.create"}); err != nil {
			t.Fatal(err)
		}
		audit.LogLater(ctx, y.field.ID, audit.Action{Name: "tree.create"})
	}
	if lines := y.formatEntries(t, y.field.ID); done != 2 || len(lines) != 0 {
		t.Errorf("%d done, %q", done, lines)
	}
}

func TestActors(t *testing.T) {
	y := newAuditFixture(t)
	ctx := y.asAda(t.Context())
	did := func(ctx context.Context, what string) {
		t.Helper()
		if err := audit.Log(ctx, y.field.ID, audit.Action{Name: what}); err != nil {
			t.Fatal(err)
		}
	}
	did(ctx, "a.a")
	did(audit.WithActor(ctx, audit.Credential, 7, "Pump house"), "b.b")
	did(y.Audit.NewContext(ctx, audit.Actor{Kind: audit.Provider, Address: "192.0.2.9"}), "c.c")
	list, _, err := y.Audit.Page(t.Context(), y.field.ID, audit.Query{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprint(e.Actor, " ", e.Actor.Name, " ", e.Address, " ", e.Request))
	}
	want := "provider  192.0.2.9 |credential:7 Pump house 192.0.2.7 r1|user:1 Ada 192.0.2.7 r1"
	if joined := strings.Join(got, "|"); joined != want {
		t.Errorf("%s, want %s", joined, want)
	}
	lost := errors.New("no such user")
	name := func(context.Context) (string, error) { return "", lost }
	unnamed := y.Audit.NewContext(ctx, audit.Actor{Kind: audit.User, Name: name})
	if err := audit.Log(unnamed, y.field.ID, audit.Action{Name: "d.d"}); !errors.Is(err, lost) {
		t.Error(err)
	}
}

// An entry that is written later has the time of its action; beyond maxPending the oldest are
// dropped.
func TestLogLater(t *testing.T) {
	y := newAuditFixture(t)
	ctx, cancel := context.WithCancel(y.asAda(t.Context()))
	at := y.Clock.Milli()
	for i := range 1003 {
		thing := audit.Thing{ID: int64(i + 1), Name: "Ada"}
		audit.LogLater(ctx, y.field.ID, audit.Action{Name: "session.fail", Thing: thing})
	}
	y.Clock.Advance(time.Hour)
	mend := testkit.FailStatement(t, y.DB, "INSERT ON audit_entries")
	if err := y.Audit.Flush(t.Context()); err == nil {
		t.Error("the flush succeeded on a full disk")
	}
	mend()
	cancel() // Run writes the waiting actions when the server stops
	if err := y.Audit.Run(ctx, y.Log.Logger); err != nil {
		t.Fatal(err)
	}
	list, total, err := y.Audit.Page(t.Context(), y.field.ID, audit.Query{Limit: 1, Offset: 999})
	if err != nil || total != 1000 || list[0].Thing.ID != 4 || list[0].Time != at || list[0].Address != "192.0.2.7" {
		t.Errorf("%d %+v %v", total, list, err)
	}
}

// While the server runs, LogLater does not wait for the write.
func TestRunWritesPending(t *testing.T) {
	y := newAuditFixture(t)
	ctx, cancel := context.WithCancel(y.asAda(t.Context()))
	ended := make(chan error)
	go func() { ended <- y.Audit.Run(ctx, y.Log.Logger) }()
	audit.LogLater(ctx, y.field.ID, audit.Action{Name: "session.fail"})
	testkit.Eventually(t, "the entry", func() bool { return len(y.formatEntries(t, y.field.ID)) == 1 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
