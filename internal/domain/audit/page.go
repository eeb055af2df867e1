package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
	"tilth/internal/platform/text"
)

// MaxListed is how many entries a list has at most: nobody leafs further, and
// counting a million takes its time. Older ones are found by time.
const MaxListed = 100_000

const (
	maxActors = 200 // actors that People names

	// maxSortedMatches is how many entries of a searched text are put in order; of
	// more the first page is met sooner by walking through all.
	maxSortedMatches = 5_000
)

// Entry is one deed in the log.
type Entry struct {
	ID      int64
	Time    int64 // epoch ms
	Actor   ActorRef
	Address string
	Request string
	Kind    string
	Action  string
	Thing   Thing // ID and Name
	Changes []Change
}

// ActorRef is somebody who did something, by the name they had.
type ActorRef struct {
	Kind ActorKind
	ID   int64
	Name string
}

// String names the person for ParseActorRef: user:7, provider.
func (p ActorRef) String() string {
	if p.ID == 0 {
		return string(p.Kind)
	}
	return string(p.Kind) + ":" + strconv.FormatInt(p.ID, 10)
}

// ParseActorRef reads what String wrote; false for anything else.
func ParseActorRef(s string) (p ActorRef, ok bool) {
	by, id, numbered := strings.Cut(s, ":")
	p.Kind = ActorKind(by)
	if numbered {
		var err error
		if p.ID, err = strconv.ParseInt(id, 10, 64); err != nil || p.ID < 1 {
			return p, false
		}
	}
	switch p.Kind {
	case User, Credential:
		return p, numbered
	case Provider, Server:
		return p, !numbered
	}
	return p, false
}

// Query is which entries of a tenant a list shows.
type Query struct {
	Actor    *ActorRef // nil: everybody
	Kind     string    // empty: all
	Text     string    // any part of the name of a thing, any case; empty: all
	From, To *int64    // epoch ms, both included; nil: open
	Offset   int64
	Limit    int64
}

// Page gives a tenant's entries as q wants them, the newest first, and how many
// there are, up to Counted. Both are found by an index alone; only what is
// shown is read.
func (s *Store) Page(ctx context.Context, t tenant.ID, q Query) ([]Entry, int64, error) {
	var total int64
	some := s.matching(ctx, t, &q, "e.name_id").ColumnExpr("1").Limit(s.maxListed)
	if err := s.db.Read(
		ctx,
	).NewSelect().TableExpr(
		"(?) AS counted",
		some,
	).ColumnExpr(
		"COUNT(*)",
	).Scan(
		ctx,
		&total,
	); err != nil ||
		total <= q.Offset {
		return nil, total, err
	}
	by := "e.name_id"
	if total > s.maxSorted {
		by = "+e.name_id" // so many are soon met from the newest on: the index of names is kept out
	}
	ids := s.matching(
		ctx,
		t,
		&q,
		by,
	).Column(
		"e.id",
	).OrderExpr(
		"e.time DESC, e.id DESC",
	).Offset(
		q.Offset,
	).Limit(
		min(q.Limit, total-q.Offset),
	)
	var rows []entryRow
	if err := s.db.Read(
		ctx,
	).NewSelect().Model(
		&rows,
	).Where(
		"e.id IN (?)",
		ids,
	).OrderExpr(
		"e.time DESC, e.id DESC",
	).Scan(
		ctx,
	); err != nil {
		return nil, 0, err
	}
	entries := make([]Entry, len(rows))
	for i := range rows {
		var err error
		if entries[i], err = rows[i].entry(); err != nil {
			return nil, 0, err
		}
	}
	return entries, total, nil
}

// matching are the entries that q wants; name is how the index of names is
// asked, or kept out.
func (s *Store) matching(ctx context.Context, t tenant.ID, q *Query, name string) *bun.SelectQuery {
	read := s.db.Read(ctx)
	sel := read.NewSelect().Model((*entryRow)(nil)).Where("e.tenant_id = ?", t)
	if q.Actor != nil {
		sel.Where("e.actor = ? AND e.actor_id = ?", q.Actor.Kind, q.Actor.ID)
	}
	if q.Kind != "" {
		sel.Where("e.kind = ?", q.Kind)
	}
	if q.Text != "" {
		named := read.NewSelect().Model(
			(*nameRow)(nil),
		).Column(
			"n.id",
		).Where(
			`n.tenant_id = ? AND n.folded LIKE ? ESCAPE '\'`,
			t,
			text.ContainsPattern(q.Text),
		)
		sel.Where(name+" IN (?)", named)
	}
	if q.From != nil {
		sel.Where("e.time >= ?", *q.From)
	}
	if q.To != nil {
		sel.Where("e.time <= ?", *q.To)
	}
	return sel
}

func (r *entryRow) entry() (Entry, error) {
	e := Entry{
		ID:      r.ID,
		Time:    r.Time,
		Actor:   ActorRef{r.Actor, r.ActorID, r.ActorName},
		Address: r.Address,
		Request: r.Request,
		Kind:    r.Kind,
		Action:  r.Action,
		Thing:   Thing{ID: r.ThingID, Name: r.ThingName},
	}
	if err := json.Unmarshal([]byte(r.Changes), &e.Changes); err != nil {
		return e, fmt.Errorf("audit: changes of entry %d: %w", r.ID, err)
	}
	return e, nil
}

// Actors gives who did anything in a tenant's log, by the newest name each had;
// maxActors at most. It leaps from one to the next, however much each did.
func (s *Store) Actors(ctx context.Context, t tenant.ID) (actors []ActorRef, err error) {
	var last ActorRef
	for len(actors) < maxActors {
		// Not as one comparison of pairs: SQLite would walk through all that the last one did.
		next, err := s.nextActor(ctx, t, "e.actor = ? AND e.actor_id > ?", last.Kind, last.ID)
		if err == nil && next == nil {
			next, err = s.nextActor(ctx, t, "e.actor > ?", last.Kind)
		}
		if err != nil || next == nil {
			return actors, err
		}
		last = *next
		actors = append(actors, last)
	}
	return actors, nil
}

// nextActor is the first actor beyond another; nil when there is none.
func (s *Store) nextActor(ctx context.Context, t tenant.ID, beyond string, args ...any) (*ActorRef, error) {
	var r entryRow
	err := s.db.Read(
		ctx,
	).NewSelect().Model(
		&r,
	).Column(
		"actor",
		"actor_id",
		"actor_name",
	).Where(
		"e.tenant_id = ?",
		t,
	).Where(
		beyond,
		args...).
		OrderExpr(
			"e.actor, e.actor_id, e.time DESC, e.id DESC",
		).Limit(
		1,
	).Scan(
		ctx,
	)
	if db.IsMissing(err) {
		return nil, nil //nolint:nilnil // nobody is no error
	}
	return &ActorRef{r.Actor, r.ActorID, r.ActorName}, err
}
