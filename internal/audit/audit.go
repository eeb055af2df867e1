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

	"tilth/internal/errs"
	"tilth/internal/tenant"
)

// By is what sort of actor does something.
type By string

// The sorts of actors.
const (
	User       By = "user"
	Credential By = "credential" // a program
	Provider   By = "provider"   // who runs the installation
	Server     By = "server"     // nobody: the server by itself
)

// Who is somebody who acts.
type Who struct {
	By      By
	ID      int64                                     // of a user or a credential; else 0
	Name    func(ctx context.Context) (string, error) // asked when something is written down; nil: none
	Address string                                    // from where; empty: the server by itself
	Request string                                    // id of the request
}

// Thing is something that can be changed, as people know it.
type Thing struct {
	ID     int64 // 0: it has none
	Name   string
	Also   string // another name that it is searched by
	Fields []Field
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

// Deed is something that was done. What is its stable name, kind and action:
// device.update.
type Deed struct {
	What    string
	Thing   Thing // its fields are not looked at
	Changes []Change
}

// Look sees things as they are; things that are not there it leaves out, or
// answers a NotFound error.
type Look func(ctx context.Context) ([]Thing, error)

// Record runs change in a transaction, looks at the things before and after,
// and writes down for each that was made, changed or removed what became of
// it. What changed nothing is not written down.
func Record(ctx context.Context, t tenant.ID, what string, look Look, change func(ctx context.Context) error) error {
	a := actingIn(ctx)
	if a == nil {
		return change(ctx)
	}
	return a.store.db.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		before, err := seen(ctx, look)
		if err != nil {
			return err
		}
		if err := change(ctx); err != nil {
			return err
		}
		after, err := seen(ctx, look)
		if err != nil {
			return err
		}
		deeds, err := compare(what, before, after)
		if err != nil {
			return err
		}
		return Did(ctx, t, deeds...)
	})
}

func seen(ctx context.Context, look Look) ([]Thing, error) {
	things, err := look(ctx)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	return things, err
}

// Did writes deeds down, within the transaction of ctx when there is one. The
// tenant is 0 for what is the platform's.
func Did(ctx context.Context, t tenant.ID, deeds ...Deed) error {
	a := actingIn(ctx)
	if a == nil || len(deeds) == 0 {
		return nil
	}
	e, err := a.entry(ctx)
	if err != nil {
		return err
	}
	return a.store.write(ctx, t, e, deeds)
}

// Later writes a deed down soon, in a transaction of its own: of what changes
// nothing, where who waits for the answer must not learn from its time whether
// anything was written.
func Later(ctx context.Context, t tenant.ID, deed Deed) {
	a := actingIn(ctx)
	if a == nil {
		return
	}
	a.store.put(waiting{who: *a, at: a.store.now().UnixMilli(), tenant: t, deed: deed})
}

// acting is who acts, and where that is written down.
type acting struct {
	store *Store
	who   Who
}

type actingKey struct{}

func actingIn(ctx context.Context) *acting {
	a, _ := ctx.Value(actingKey{}).(*acting)
	return a
}

// With gives a context in which who acts. A nil Store writes nothing down.
func (s *Store) With(ctx context.Context, who Who) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, actingKey{}, &acting{s, who})
}

// As gives a context in which somebody else acts, from the same place: who was
// not known when the request began.
func As(ctx context.Context, by By, id int64, name string) context.Context {
	a := actingIn(ctx)
	if a == nil {
		return ctx
	}
	who := a.who
	who.By, who.ID = by, id
	who.Name = func(context.Context) (string, error) { return name, nil }
	return a.store.With(ctx, who)
}

// entry is what all entries of an actor have alike.
func (a *acting) entry(ctx context.Context) (row, error) {
	r := row{
		Time: a.store.now().UnixMilli(), Actor: a.who.By, ActorID: a.who.ID, Address: a.who.Address, Request: a.who.Request,
	}
	if a.who.By == "" {
		return r, errors.New("audit: nobody is known to act") // a public call that changes something must say who (As)
	}
	if a.who.Name == nil {
		return r, nil
	}
	var err error
	r.ActorName, err = a.who.Name(ctx)
	return r, err
}
