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

// MaxListed is how many entries a list has at most: nobody pages further, and counting a million
// takes long. A query by time finds older ones.
const MaxListed = 100_000

const (
	maxActors = 200 // actors that Actors gives at most

	// maxSortedMatches is how many matches of a text search are sorted at most. With more matches,
	// a walk from the newest entry on reaches the first page sooner.
	maxSortedMatches = 5_000
)

// Entry is one action in the log.
type Entry struct {
	ID      int64
	Time    int64 // epoch ms
	Actor   ActorRef
	Address string
	Request string
	Kind    string
	Action  string
	Thing   Thing // only ID and Name are set
	Changes []Change
}

// ActorRef is an actor, with the name at the time of an action.
type ActorRef struct {
	Kind ActorKind
	ID   int64
	Name string
}

// String gives the actor as ParseActorRef reads it: user:7, provider.
func (p ActorRef) String() string {
	if p.ID == 0 {
		return string(p.Kind)
	}
	return string(p.Kind) + ":" + strconv.FormatInt(p.ID, 10)
}

// ParseActorRef reads the text that String gives; false for any other text.
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

// Query selects entries of a tenant.
type Query struct {
	Actor    *ActorRef // nil: everybody
	Kind     string    // empty: all
	Text     string    // part of a thing's name, in any case; empty: all
	From, To *int64    // epoch ms, both included; nil: open
	Offset   int64
	Limit    int64
}

// Page gives the page of a tenant's entries that q selects, newest first, and how many there are,
// up to MaxListed. An index alone finds both; only the rows of the page are read.
func (s *Store) Page(ctx context.Context, t tenant.ID, q Query) ([]Entry, int64, error) {
	var total int64
	some := s.matching(ctx, t, &q, "e.name_id").ColumnExpr("1").Limit(s.maxListed)
	err := s.db.Read(ctx).NewSelect().TableExpr("(?) AS counted", some).ColumnExpr("COUNT(*)").Scan(ctx, &total)
	if err != nil || total <= q.Offset {
		return nil, total, wrap("list page", err)
	}
	by := "e.name_id"
	if total > s.maxSorted {
		by = "+e.name_id" // a walk from the newest entry on soon finds matches: the + keeps SQLite from using the index of names
	}
	ids := s.matching(ctx, t, &q, by).Column("e.id").OrderExpr("e.time DESC, e.id DESC").
		Offset(q.Offset).Limit(min(q.Limit, total-q.Offset))
	var rows []entryRow
	err = s.db.Read(ctx).NewSelect().Model(&rows).Where("e.id IN (?)", ids).
		OrderExpr("e.time DESC, e.id DESC").Scan(ctx)
	if err != nil {
		return nil, 0, wrap("list page", err)
	}
	entries := make([]Entry, len(rows))
	for i := range rows {
		if entries[i], err = rows[i].entry(); err != nil {
			return nil, 0, wrap("list page", err)
		}
	}
	return entries, total, nil
}

// matching selects the entries of q. name is the expression for the name column, which decides
// whether the database uses the index of names.
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
		named := read.NewSelect().Model((*nameRow)(nil)).Column("n.id").
			Where(`n.tenant_id = ? AND n.folded LIKE ? ESCAPE '\'`, t, text.ContainsPattern(q.Text))
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
		return e, fmt.Errorf("changes of entry %d: %w", r.ID, err)
	}
	return e, nil
}

// Actors gives the actors of a tenant's entries, each with its newest name; maxActors at most. It
// seeks from one actor to the next in the index, so that the number of their entries does not
// matter.
func (s *Store) Actors(ctx context.Context, t tenant.ID) (actors []ActorRef, err error) {
	var last ActorRef
	for len(actors) < maxActors {
		// Not as one comparison of pairs: SQLite would scan all entries of the last actor.
		next, err := s.nextActor(ctx, t, "e.actor = ? AND e.actor_id > ?", last.Kind, last.ID)
		if err == nil && next == nil {
			next, err = s.nextActor(ctx, t, "e.actor > ?", last.Kind)
		}
		if err != nil || next == nil {
			return actors, wrap("list actors", err)
		}
		last = *next
		actors = append(actors, last)
	}
	return actors, nil
}

// nextActor gives the first actor beyond another; nil if there is none.
func (s *Store) nextActor(ctx context.Context, t tenant.ID, beyond string, args ...any) (*ActorRef, error) {
	var r entryRow
	err := s.db.Read(ctx).NewSelect().Model(&r).Column("actor", "actor_id", "actor_name").
		Where("e.tenant_id = ?", t).Where(beyond, args...).
		OrderExpr("e.actor, e.actor_id, e.time DESC, e.id DESC").Limit(1).Scan(ctx)
	if db.IsMissing(err) {
		return nil, nil //nolint:nilnil // no further actor is no error
	}
	return &ActorRef{r.Actor, r.ActorID, r.ActorName}, err
}
