// Package audit keeps who did what to which thing, from where. An entry is
// written in the transaction of what it tells of: neither is kept without the
// other.
//
// Who acts travels in the context, put there by the edges (Store.With). Whoever
// changes something puts Record around the change or calls Did within its
// transaction; where nobody is known to act, as in tools and most tests, both
// write nothing down.
package audit

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// ActorKind is what sort of actor does something.
type ActorKind string

// The sorts of actors.
const (
	User       ActorKind = "user"
	Credential ActorKind = "credential" // a program
	Provider   ActorKind = "provider"   // who runs the installation
	Server     ActorKind = "server"     // nobody: the server by itself
)

// Actor is somebody who acts.
type Actor struct {
	Kind    ActorKind
	ID      int64                                     // of a user or a credential; else 0
	Name    func(ctx context.Context) (string, error) // asked when something is written down; nil: none
	Address string                                    // from where; empty: the server by itself
	Request string                                    // id of the request
}

// Thing is something that can be changed, as people know it.
type Thing struct {
	ID          int64 // 0: it has none
	Name        string
	SearchAlias string // another name that it is searched by
	Fields      []Field
}

// Field is what people see of a thing, named as the contract names it.
type Field struct {
	Name  string // empty: it counts as a change, but is not listed
	Value any    // becomes JSON
	// Hidden writes down that it changed, and neither value: of secrets, and of
	// what opens something.
	Hidden bool
}

// Change is one field of a thing that is another now. Before and After become
// JSON; nil where there is nothing.
type Change struct {
	Field  string `json:"field"`
	Before any    `json:"before,omitempty"`
	After  any    `json:"after,omitempty"`
	Hidden bool   `json:"hidden,omitempty"`
}

// Action is something that was done. What is its stable name, kind and action:
// device.update.
type Action struct {
	Name    string
	Thing   Thing // its fields are not looked at
	Changes []Change
}

// Snapshot sees things as they are; things that are not there it leaves out, or
// answers a NotFound error.
type Snapshot func(ctx context.Context) ([]Thing, error)

// Record runs change in a transaction, looks at the things before and after,
// and writes down for each that was made, changed or removed what became of
// it. What changed nothing is not written down.
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
	return a.store.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
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
	})
}

func takeSnapshot(ctx context.Context, snapshot Snapshot) ([]Thing, error) {
	things, err := snapshot(ctx)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	return things, err
}

// Log writes deeds down, within the transaction of ctx when there is one. The
// tenant is 0 for what is the platform's.
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

// LogLater writes a deed down soon, in a transaction of its own: of what changes
// nothing, where who waits for the answer must not learn from its time whether
// anything was written.
func LogLater(ctx context.Context, t tenant.ID, action Action) {
	a := scopeFrom(ctx)
	if a == nil {
		return
	}
	a.store.enqueue(pendingAction{scope: *a, at: a.store.now().UnixMilli(), tenant: t, action: action})
}

// actorScope is who acts, and where that is written down.
type actorScope struct {
	store *Store
	actor Actor
}

type scopeKey struct{}

func scopeFrom(ctx context.Context) *actorScope {
	a, _ := ctx.Value(scopeKey{}).(*actorScope)
	return a
}

// NewContext gives a context in which who acts. A nil Store writes nothing down.
func (s *Store) NewContext(ctx context.Context, actor Actor) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, scopeKey{}, &actorScope{s, actor})
}

// WithActor gives a context in which somebody else acts, from the same place: who was
// not known when the request began.
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

// entry is what all entries of an actor have alike.
func (a *actorScope) entry(ctx context.Context) (entryRow, error) {
	r := entryRow{
		Time:    a.store.now().UnixMilli(),
		Actor:   a.actor.Kind,
		ActorID: a.actor.ID,
		Address: a.actor.Address,
		Request: a.actor.Request,
	}
	if a.actor.Kind == "" {
		return r, errors.New("audit: nobody is known to act") // a public call that changes something must say who (As)
	}
	if a.actor.Name == nil {
		return r, nil
	}
	var err error
	r.ActorName, err = a.actor.Name(ctx)
	return r, err
}
