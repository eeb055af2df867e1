// Package audit records who did what to which thing, and from where. The store writes an entry in
// the transaction of the change that it describes: the database keeps both or neither.
//
// The context carries the actor; the edges put it there (Store.NewContext). Code that changes
// something wraps the change in Record or calls Log within its transaction. Without an actor in the
// context, as in tools and most tests, both write nothing.
package audit

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// ActorKind is the kind of an actor.
type ActorKind string

// The kinds of actors.
const (
	User       ActorKind = "user"
	Credential ActorKind = "credential" // a program
	Provider   ActorKind = "provider"   // the organisation that runs the installation
	Server     ActorKind = "server"     // no person: the server by itself
)

// Actor is the user, program or server that does something.
type Actor struct {
	Kind    ActorKind
	ID      int64                                     // of a user or a credential; else 0
	Name    func(ctx context.Context) (string, error) // called when an entry is written; nil: the actor has no name
	Address string                                    // the client's network address; empty: the server by itself
	Request string                                    // the request's id
}

// Thing is an object that people change, as the audit log shows it.
type Thing struct {
	ID          int64 // 0: the thing has none
	Name        string
	SearchAlias string // another name that the search finds it by
	Fields      []Field
}

// Field is one field of a thing, named as in the contract.
type Field struct {
	Name  string // empty: a difference counts as a change, but is not listed
	Value any    // marshalled to JSON
	// Hidden records that the field changed, but neither value: for secrets and for anything that
	// grants access.
	Hidden bool
	// Masked is recorded in place of Value, as far as people may read it; nil: Value is. A change that
	// it does not show is recorded as if Hidden.
	Masked any
}

func (f *Field) value() any { return f.Value }

func (f *Field) recorded() any {
	if f.Masked != nil {
		return f.Masked
	}
	return f.Value
}

// Change is a field of a thing whose value changed. Before and After are marshalled to JSON; nil:
// no value.
type Change struct {
	Field  string `json:"field"`
	Before any    `json:"before,omitempty"`
	After  any    `json:"after,omitempty"`
	Hidden bool   `json:"hidden,omitempty"`
}

// Action is one thing that an actor did. Name is stable and consists of kind and action:
// device.update.
type Action struct {
	Name    string
	Thing   Thing // its Fields are ignored
	Changes []Change
}

// Snapshot reads the current state of things. It omits things that do not exist, or returns a
// NotFound error.
type Snapshot func(ctx context.Context) ([]Thing, error)

// Record runs change in a transaction, takes a snapshot before and after it, and writes an entry
// for each thing that was created, changed or deleted. It writes none for a thing that did not
// change.
func Record(
	ctx context.Context,
	t tenant.ID,
	action string,
	snapshot Snapshot,
	change func(ctx context.Context) error,
) error {
	a := scopeFrom(ctx)
	if a == nil {
		return change(ctx)
	}
	var failed error // in the transaction: change and snapshot name their own operations
	err := a.store.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		failed = recordChange(ctx, t, action, snapshot, change)
		return failed
	})
	if failed == nil {
		err = wrap("record change", err)
	}
	return err
}

func recordChange(
	ctx context.Context,
	t tenant.ID,
	action string,
	snapshot Snapshot,
	change func(ctx context.Context) error,
) error {
	before, err := takeSnapshot(ctx, snapshot)
	if err != nil {
		return err
	}
	if err := change(ctx); err != nil {
		return err
	}
	after, err := takeSnapshot(ctx, snapshot)
	if err != nil {
		return err
	}
	actions, err := diffThings(action, before, after)
	if err != nil {
		return err
	}
	return Log(ctx, t, actions...)
}

func takeSnapshot(ctx context.Context, snapshot Snapshot) ([]Thing, error) {
	things, err := snapshot(ctx)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	return things, err
}

// Log writes actions to the audit log, within the transaction of ctx if there is one. The tenant is
// 0 for actions that concern the platform.
func Log(ctx context.Context, t tenant.ID, actions ...Action) error {
	a := scopeFrom(ctx)
	if a == nil || len(actions) == 0 {
		return nil
	}
	e, err := a.entry(ctx)
	if err != nil {
		return err
	}
	return a.store.write(ctx, t, e, actions)
}

// LogLater writes an action to the audit log soon, in its own transaction. It is for actions that
// change nothing, and whose response time must not reveal whether an entry was written.
func LogLater(ctx context.Context, t tenant.ID, action Action) {
	a := scopeFrom(ctx)
	if a == nil {
		return
	}
	a.store.enqueue(pendingAction{scope: *a, at: a.store.now().UnixMilli(), tenant: t, action: action})
}

// actorScope is an actor, and the store that records its actions.
type actorScope struct {
	store *Store
	actor Actor
}

type scopeKey struct{}

func scopeFrom(ctx context.Context) *actorScope {
	a, _ := ctx.Value(scopeKey{}).(*actorScope)
	return a
}

// NewContext gives a context with an actor. A nil Store returns ctx, so that nothing is recorded.
func (s *Store) NewContext(ctx context.Context, actor Actor) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, scopeKey{}, &actorScope{s, actor})
}

// WithActor gives a context with another actor at the same address: for a request whose actor was
// not known when it began.
func WithActor(ctx context.Context, kind ActorKind, id int64, name string) context.Context {
	a := scopeFrom(ctx)
	if a == nil {
		return ctx
	}
	actor := a.actor
	actor.Kind, actor.ID = kind, id
	actor.Name = func(context.Context) (string, error) { return name, nil }
	return a.store.NewContext(ctx, actor)
}

// entry gives the columns that all entries of an actor share.
func (a *actorScope) entry(ctx context.Context) (entryRow, error) {
	r := entryRow{
		Time:    a.store.now().UnixMilli(),
		Actor:   a.actor.Kind,
		ActorID: a.actor.ID,
		Address: a.actor.Address,
		Request: a.actor.Request,
	}
	if a.actor.Kind == "" {
		// A public call that changes something must name its actor (WithActor).
		return r, errors.New("audit: the context names no actor")
	}
	if a.actor.Name == nil {
		return r, nil
	}
	var err error
	r.ActorName, err = a.actor.Name(ctx)
	return r, wrap("read actor name", err)
}
