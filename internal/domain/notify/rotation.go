package notify

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tilth/internal/domain/tenant"
)

const (
	// maxSeriousInRow is how many letters go to tenants that have something serious
	// due before one goes to a tenant that has not.
	maxSeriousInRow = 3
	// webhooksPerTenant is how many webhooks of a tenant are being called at
	// most: one that lets all of its calls hang leaves room for others.
	webhooksPerTenant = 4
	// refreshFactor is how many times as long as asking who waits took is waited
	// until it is asked again.
	refreshFactor = 10
)

// waitingTenant is a tenant that has letters due.
type waitingTenant struct {
	ID    tenant.ID
	Level int // the highest of them
}

// tenantInFlight is what a tenant has in flight.
type tenantInFlight struct {
	count int
	level int // of what started last
}

// rotation are the tenants' turns in a lane.
type rotation struct {
	waiting      []waitingTenant // by ID
	refreshedAt  time.Time       // when they were asked for
	queryTook    time.Duration   // how long that took
	last         [2]tenant.ID    // whose turn it was last: of those with something serious, of the others
	seriousInRow int             // letters of those with something serious since one of the others
}

// fresh tells whether who waits is what was asked a moment ago: asking takes a
// small part of the lane's time, however many tenants have letters that wait for a
// time of day.
func (t *rotation) fresh() bool { return time.Since(t.refreshedAt) < refreshFactor*t.queryTook }

// invalidate has it asked anew.
func (t *rotation) invalidate() { t.queryTook = 0 }

// addNewlyDue takes note that a letter of a tenant was queued that is due.
func (l *worker) addNewlyDue(t tenant.ID, level int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newlyDue[t] = max(l.newlyDue[t], level)
}

// mergeNewlyDue lets those wait who came since who waits was asked for. The longer asking
// takes, the later it is asked again: they would wait for that behind whoever was
// there before.
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

// refresh asks which tenants have letters due.
func (t *rotation) refresh(ctx context.Context, l *worker, now int64) error {
	begun := time.Now()
	// A step of the recursion is one look into the index deliveries_turn, where a
	// DISTINCT would read all that is queued.
	var rows []waitingTenant
	const due = `EXISTS (SELECT 1 FROM deliveries AS d WHERE d.state = 'queued' AND d.mode = ? AND d.tenant_id = waiting.id
		AND d.alarm_level = ? AND d.next_time <= ? AND d.lease_until <= ?)`
	err := l.DB.Read(ctx).NewRaw(`WITH RECURSIVE waiting (id) AS (
			SELECT (SELECT MIN(d.tenant_id) FROM deliveries AS d WHERE d.state = 'queued' AND d.mode = ?)
			UNION ALL
			SELECT (SELECT MIN(d.tenant_id) FROM deliveries AS d WHERE d.state = 'queued' AND d.mode = ? AND d.tenant_id > waiting.id)
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
	t.waiting = slices.DeleteFunc(rows,
		func(w waitingTenant) bool { return w.Level < 0 || slices.Contains(late, w.ID) })
	t.refreshedAt, t.queryTook = begun, time.Since(begun)
	return nil
}

// next gives whose turn it is of tenants, which are at least one, by ID.
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

// advance takes note that letters of a tenant whose turn it was go.
func (t *rotation) advance(w waitingTenant, notifications int) {
	if w.Level >= serious {
		t.last[0] = w.ID
		t.seriousInRow += notifications
		return
	}
	t.last[1], t.seriousInRow = w.ID, 0
}

// eligible leaves out the tenants of which nothing may start now.
func (l *worker) eligible(of []waitingTenant) []waitingTenant {
	return slices.DeleteFunc(slices.Clone(of), func(w waitingTenant) bool {
		f := l.inFlightByTenant[w.ID]
		if l.kind == KindWebhook {
			return f.count >= webhooksPerTenant
		}
		return w.Level < l.minLevel(w.ID)
	})
}

// minLevel is the level below which nothing of a tenant starts: that of what it has
// in flight; but programs do not wait for each other's.
func (l *worker) minLevel(t tenant.ID) int {
	if l.kind == KindWebhook {
		return 0
	}
	return l.inFlightByTenant[t].level
}

// sendStarted and end keep what a tenant has in flight.
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
