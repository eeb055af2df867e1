package notify

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tilth/internal/domain/tenant"
)

const (
	// maxSeriousInRow is how many notifications in a row are of tenants that have a serious one
	// due before one of another tenant is taken.
	maxSeriousInRow = 3
	// refreshFactor times the duration of the query for waiting tenants is the least time until
	// the worker runs that query again.
	refreshFactor = 10
)

// waitingTenant is a tenant that has deliveries due.
type waitingTenant struct {
	ID    tenant.ID
	Level int // their highest alarm level
}

// tenantInFlight describes a tenant's notifications in flight.
type tenantInFlight struct {
	count int
	level int // of the one that started last
}

// rotation is a worker's round robin of tenants.
type rotation struct {
	waiting      []waitingTenant // ordered by ID
	refreshedAt  time.Time       // when they were queried
	queryTook    time.Duration   // how long the query took
	last         [2]tenant.ID    // the last one served: of tenants with serious deliveries, of the others
	seriousInRow int             // notifications of tenants with serious deliveries since one of the others
}

// fresh tells whether the waiting tenants were queried recently enough. The query takes only a
// small part of the worker's time, however many tenants have deliveries that wait for a time of
// day.
func (t *rotation) fresh() bool { return time.Since(t.refreshedAt) < refreshFactor*t.queryTook }

// invalidate makes the worker query the waiting tenants anew.
func (t *rotation) invalidate() { t.queryTook = 0 }

// addNewlyDue records that a delivery of a tenant was queued that is due at once.
func (l *worker) addNewlyDue(t tenant.ID, level int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newlyDue[t] = max(l.newlyDue[t], level)
}

// mergeNewlyDue adds the tenants that became due since the waiting tenants were queried. The longer
// the query takes, the later the worker repeats it, and without the merge these tenants would wait
// until then.
func (l *worker) mergeNewlyDue() {
	l.mu.Lock()
	newlyDue := l.newlyDue
	l.newlyDue = map[tenant.ID]int{}
	l.mu.Unlock()
	if len(newlyDue) == 0 {
		return
	}
	if l.NotReady != nil {
		for _, late := range l.NotReady() {
			delete(newlyDue, late)
		}
	}
	t := &l.rotation
	for id, level := range newlyDue {
		i, waits := slices.BinarySearchFunc(t.waiting, id, byID)
		switch {
		case !waits:
			t.waiting = slices.Insert(t.waiting, i, waitingTenant{ID: id, Level: level})
		case level > t.waiting[i].Level:
			t.waiting[i].Level = level
		}
	}
}

func byID(w waitingTenant, id tenant.ID) int { return cmp.Compare(w.ID, id) }

// refresh queries which tenants have deliveries due.
func (t *rotation) refresh(ctx context.Context, l *worker, now int64) error {
	begun := time.Now()
	// A step of the recursion is one lookup in the index deliveries_turn, where a DISTINCT would
	// read all queued deliveries.
	var rows []waitingTenant
	const due = `EXISTS (SELECT 1 FROM deliveries AS d
		WHERE d.state = 'queued' AND d.mode = ? AND d.tenant_id = waiting.id
		AND d.alarm_level = ? AND d.next_time <= ? AND d.lease_until <= ?)`
	err := l.DB.Read(ctx).NewRaw(`WITH RECURSIVE waiting (id) AS (
			SELECT (SELECT MIN(d.tenant_id) FROM deliveries AS d WHERE d.state = 'queued' AND d.mode = ?)
			UNION ALL
			SELECT (SELECT MIN(d.tenant_id) FROM deliveries AS d
				WHERE d.state = 'queued' AND d.mode = ? AND d.tenant_id > waiting.id)
			FROM waiting WHERE waiting.id IS NOT NULL
		)
		SELECT id, CASE WHEN `+due+` THEN 2 WHEN `+due+` THEN 1 WHEN `+due+` THEN 0 ELSE -1 END AS level
		FROM waiting WHERE id IS NOT NULL ORDER BY id`,
		l.kind, l.kind, l.kind, 2, now, now, l.kind, 1, now, now, l.kind, 0, now, now).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	var late []tenant.ID
	if l.NotReady != nil {
		late = l.NotReady()
	}
	l.forget(func(a address) bool {
		_, waits := slices.BinarySearchFunc(rows, a.tenant, byID)
		return a.tenant != 0 && !waits
	})
	t.waiting = slices.DeleteFunc(rows,
		func(w waitingTenant) bool { return w.Level < 0 || slices.Contains(late, w.ID) })
	t.refreshedAt, t.queryTook = begun, time.Since(begun)
	return nil
}

// next gives the tenant to serve next out of at least one, ordered by ID.
func (t *rotation) next(of []waitingTenant) waitingTenant {
	class := func(w waitingTenant) int {
		if w.Level >= serious {
			return 0
		}
		return 1
	}
	after := func(c int) (found *waitingTenant) {
		for i := range of {
			switch {
			case class(of[i]) != c:
			case of[i].ID > t.last[c]:
				return &of[i]
			case found == nil:
				found = &of[i]
			}
		}
		return found
	}
	nextSerious, nextOther := after(0), after(1)
	if nextSerious != nil && (nextOther == nil || t.seriousInRow < maxSeriousInRow) {
		return *nextSerious
	}
	return *nextOther
}

// advance records that notifications of a tenant are sent.
func (t *rotation) advance(w waitingTenant, sent int) {
	if w.Level >= serious {
		t.last[0] = w.ID
		t.seriousInRow += sent
		return
	}
	t.last[1], t.seriousInRow = w.ID, 0
}

// eligible leaves out the tenants for which nothing may start now.
func (l *worker) eligible(of []waitingTenant) []waitingTenant {
	return slices.DeleteFunc(slices.Clone(of), func(w waitingTenant) bool {
		f := l.inFlightByTenant[w.ID]
		if l.spec.Programs {
			return f.count >= l.spec.MaxPerTenant
		}
		return w.Level < l.minLevel(w.ID)
	})
}

// minLevel gives the level below which nothing of a tenant may start: the level of its
// notifications in flight. Webhook calls do not wait for each other, so it is 0 for them.
func (l *worker) minLevel(t tenant.ID) int {
	if l.spec.Programs {
		return 0
	}
	return l.inFlightByTenant[t].level
}

// sendStarted and sendEnded count a tenant's notifications in flight.
func (l *worker) sendStarted(t tenant.ID, level int) {
	l.inFlight++
	l.inFlightByTenant[t] = tenantInFlight{count: l.inFlightByTenant[t].count + 1, level: level}
}

func (l *worker) sendEnded(t tenant.ID) {
	l.inFlight--
	f := l.inFlightByTenant[t]
	if f.count--; f.count == 0 {
		delete(l.inFlightByTenant, t)
		return
	}
	l.inFlightByTenant[t] = f
}
