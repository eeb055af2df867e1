package notify

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tilth/internal/tenant"
)

const (
	// seriousInARow is how many letters go to tenants that have something serious
	// due before one goes to a tenant that has not.
	seriousInARow = 3
	// tenantProgramsAtOnce is how many webhooks of a tenant are being called at
	// most: one that lets all of its calls hang leaves room for others.
	tenantProgramsAtOnce = 4
	// askedAgainAfter is how many times as long as asking who waits took is waited
	// until it is asked again.
	askedAgainAfter = 10
)

// waitingTenant is a tenant that has letters due.
type waitingTenant struct {
	ID    tenant.ID
	Level int // the highest of them
}

// flight is what a tenant has in flight.
type flight struct {
	letters int
	level   int // of what started last
}

// turns are the tenants' turns in a lane.
type turns struct {
	waiting []waitingTenant // by ID
	asked   time.Time       // when they were asked for
	took    time.Duration   // how long that took
	last    [2]tenant.ID    // whose turn it was last: of those with something serious, of the others
	inARow  int             // letters of those with something serious since one of the others
}

// known tells whether who waits is what was asked a moment ago: asking takes a
// small part of the lane's time, however many tenants have letters that wait for a
// time of day.
func (t *turns) known() bool { return time.Since(t.asked) < askedAgainAfter*t.took }

// forget has it asked anew.
func (t *turns) forget() { t.took = 0 }

// came takes note that a letter of a tenant was queued that is due.
func (l *lane) came(t tenant.ID, level int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newcomers[t] = max(l.newcomers[t], level)
}

// join lets those wait who came since who waits was asked for. The longer asking
// takes, the later it is asked again: they would wait for that behind whoever was
// there before.
func (l *lane) join() {
	l.mu.Lock()
	newcomers := l.newcomers
	l.newcomers = map[tenant.ID]int{}
	l.mu.Unlock()
	if len(newcomers) == 0 {
		return
	}
	if l.Late != nil {
		for _, late := range l.Late() {
			delete(newcomers, late)
		}
	}
	t := &l.turns
	for id, level := range newcomers {
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

// ask asks which tenants have letters due.
func (t *turns) ask(ctx context.Context, l *lane, now int64) error {
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
		l.mode, l.mode, l.mode, 2, now, now, l.mode, 1, now, now, l.mode, 0, now, now).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	var late []tenant.ID
	if l.Late != nil {
		late = l.Late()
	}
	t.waiting = slices.DeleteFunc(rows, func(w waitingTenant) bool { return w.Level < 0 || slices.Contains(late, w.ID) })
	t.asked, t.took = begun, time.Since(begun)
	return nil
}

// next gives whose turn it is of tenants, which are at least one, by ID.
func (t *turns) next(of []waitingTenant) waitingTenant {
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
	grave, other := after(0), after(1)
	if grave != nil && (other == nil || t.inARow < seriousInARow) {
		return *grave
	}
	return *other
}

// went takes note that letters of a tenant whose turn it was go.
func (t *turns) went(w waitingTenant, letters int) {
	if w.Level >= serious {
		t.last[0] = w.ID
		t.inARow += letters
		return
	}
	t.last[1], t.inARow = w.ID, 0
}

// mayFly leaves out the tenants of which nothing may start now.
func (l *lane) mayFly(of []waitingTenant) []waitingTenant {
	return slices.DeleteFunc(slices.Clone(of), func(w waitingTenant) bool {
		f := l.flights[w.ID]
		if l.mode == Program {
			return f.letters >= tenantProgramsAtOnce
		}
		return w.Level < l.lowest(w.ID)
	})
}

// lowest is the level below which nothing of a tenant starts: that of what it has
// in flight; but programs do not wait for each other's.
func (l *lane) lowest(t tenant.ID) int {
	if l.mode == Program {
		return 0
	}
	return l.flights[t].level
}

// start and end keep what a tenant has in flight.
func (l *lane) start(t tenant.ID, level int) {
	l.flying++
	l.flights[t] = flight{letters: l.flights[t].letters + 1, level: level}
}

func (l *lane) end(t tenant.ID) {
	l.flying--
	f := l.flights[t]
	if f.letters--; f.letters == 0 {
		delete(l.flights, t)
		return
	}
	l.flights[t] = f
}
