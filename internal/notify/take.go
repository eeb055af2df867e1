package notify

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/tenant"
)

// someAtOnce is how many deliveries are looked at together, and mostInVain how
// many looks of one transaction may find nothing that goes.
const (
	someAtOnce = 64
	mostInVain = 8
)

// taking is one look for letters to bring. What it finds of tenants and rules
// holds for that look.
type taking struct {
	*lane
	now      int64 // epoch ms
	room     int
	inVain   int
	attempts []*attempt
	leased   int  // attempts that are written down as in flight
	more     bool // there is more to look at

	tenants  map[tenant.ID]*tenant.Tenant
	mutes    map[int64]int64
	programs map[int64]bool // webhooks that are on
	budgets  map[tenant.ID]Budget
	grouped  map[int64]bool // deliveries of digests that were seen
}

// take takes the letters that are due, of the tenants in turn, as many as there is
// room for.
func (l *lane) take(ctx context.Context) (*taking, error) {
	t := &taking{lane: l, now: l.Now().UnixMilli(), room: l.room(), tenants: map[tenant.ID]*tenant.Tenant{}, mutes: map[int64]int64{}, programs: map[int64]bool{}, budgets: map[tenant.ID]Budget{}, grouped: map[int64]bool{}}
	for fresh := false; !fresh; {
		if fresh = !l.turns.known(); fresh {
			if err := l.turns.ask(ctx, l, t.now); err != nil {
				return t, err
			}
		}
		l.join()
		if err := t.inTurn(ctx, l.turns.waiting); err != nil || len(t.attempts) > 0 {
			return t, err
		}
		l.turns.forget() // of those nothing goes any more, or not yet
		if t.more {
			return t, nil
		}
	}
	return t, nil
}

// inTurn takes letters of tenants in turn: one of each, or all there is room for of
// the only one.
func (t *taking) inTurn(ctx context.Context, waiting []waitingTenant) error {
	waiting = t.mayFly(waiting)
	for len(waiting) > 0 && t.room > 0 && !t.more {
		w, letters := t.turns.next(waiting), 1
		if len(waiting) == 1 {
			letters = t.room
		}
		before := len(t.attempts)
		if err := t.of(ctx, w, letters); err != nil {
			return err
		}
		if len(t.attempts) > before {
			t.turns.went(w, len(t.attempts)-before)
			continue
		}
		waiting = slices.DeleteFunc(waiting, func(other waitingTenant) bool { return other.ID == w.ID })
	}
	return t.lease(ctx)
}

// of takes letters of a tenant whose turn it is, so many at most, of the highest
// level that has one that goes.
func (t *taking) of(ctx context.Context, w waitingTenant, letters int) error {
	if t.mode == Program {
		letters = min(letters, tenantProgramsAtOnce-t.inFlight(w.ID))
	}
	if err := t.leaseBefore(ctx, w.ID); err != nil {
		return err
	}
	for level := w.Level; level >= t.lowest(w.ID); level-- {
		for some := letters; letters > 0; some = someAtOnce { // mostly the first ones go
			before := len(t.attempts)
			whole, err := t.look(ctx, w.ID, level, some, letters)
			if err != nil || len(t.attempts) > before {
				return err
			}
			if t.inVain++; t.inVain > mostInVain {
				t.more = true
				return nil
			}
			if whole {
				break
			}
		}
	}
	return nil
}

// butLate leaves out deliveries of tenants of which nothing leaves yet.
func (o *Outbox) butLate(sel *bun.SelectQuery) *bun.SelectQuery {
	if o.Late != nil {
		if late := o.Late(); len(late) > 0 {
			sel.Where("d.tenant_id NOT IN (?)", bun.List(late))
		}
	}
	return sel
}

// inFlight is how many letters of a tenant are in flight, those counted that are
// taken just now.
func (t *taking) inFlight(of tenant.ID) int {
	n := t.flights[of].letters
	for _, a := range t.attempts {
		if a.letter.Tenant == of {
			n++
		}
	}
	return n
}

// lowest is the level below which nothing of a tenant starts: that of what it has
// in flight.
func (t *taking) lowest(of tenant.ID) int {
	lowest := t.lane.lowest(of)
	if t.mode == Program {
		return lowest
	}
	for _, a := range t.attempts {
		if a.letter.Tenant == of {
			lowest = a.level
		}
	}
	return lowest
}

// look looks at some deliveries of a tenant, those of a level that have been due
// longest, and takes so many letters at most; whole when those were all of the level.
func (t *taking) look(ctx context.Context, of tenant.ID, level, some, letters int) (whole bool, err error) {
	var rows []*deliveryRow
	sel := t.DB.Read(ctx).NewSelect().Model(&rows).
		Where("d.state = 'queued' AND d.mode = ? AND d.tenant_id = ? AND d.alarm_level = ? AND d.next_time <= ?", t.mode, of, level, t.now).
		Where("d.lease_until <= ?", t.now)
	resting, _ := t.paused(t.now)
	if resting = append(resting, t.crowded()...); len(resting) > 0 {
		sel.Where("d.destination NOT IN (?)", bun.List(resting))
	}
	if err := sel.OrderExpr("d.next_time, d.id").Limit(int64(some)).Scan(ctx); err != nil {
		return false, err
	}
	var waiting verdicts
	for _, r := range rows {
		if letters == 0 || t.room == 0 {
			break
		}
		if t.grouped[r.ID] || t.isCrowded(r.Destination) {
			continue
		}
		if err := t.gather(ctx, r); err != nil {
			return false, err
		}
		group := []*deliveryRow{r}
		if r.Digest > 0 {
			if group, err = t.digest(ctx, r); err != nil {
				return false, err
			}
		}
		var going []*deliveryRow
		for _, one := range group {
			v, err := t.judge(ctx, one)
			if err != nil {
				return false, err
			}
			if v.goes() {
				going = append(going, one)
			} else {
				waiting.add(v, one)
			}
		}
		within := false
		if len(going) > 0 {
			if within, err = t.withinBudget(ctx, going, &waiting); err != nil {
				return false, err
			}
		}
		if within {
			if err := t.fly(ctx, level, going); err != nil {
				return false, err
			}
			letters--
		}
	}
	return len(rows) < some, waiting.write(ctx, t.lane)
}

// forATime are what deliveries wait for until a time at which others may come, too.
var forATime = []Reason{ForPeriod, ForMute, ForBudget}

// gather lets what waited together for a time of day, or for a mute's end, come
// as notices of one minute do: the first ones by themselves, the others in one
// letter. A night's alarms are a storm in the morning.
func (t *taking) gather(ctx context.Context, r *deliveryRow) error {
	if t.DigestAfter == 0 || r.Digest > 0 || !slices.Contains(forATime, r.Reason) {
		return nil
	}
	var waited []int64
	err := together(t.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).Column("id"), r).
		Where("d.state = 'queued' AND d.next_time = ? AND d.digest = 0 AND d.reason IN (?)", r.NextTime, bun.List(forATime)).
		OrderExpr("d.id").Scan(ctx, &waited)
	if err != nil {
		return err
	}
	if !slices.Contains(waited, r.ID) { // gathered since it was read
		r.Digest = r.NextTime
		return nil
	}
	single := t.DigestAfter
	if r.AlarmLevel >= serious {
		single = seriousAMinute
	}
	if len(waited) <= single {
		return nil
	}
	rest := waited[single:]
	if slices.Contains(rest, r.ID) {
		r.Digest = r.NextTime
	}
	return t.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("digest = ?", r.NextTime).Where("d.tenant_id = ? AND d.id IN (?)", r.TenantID, bun.List(rest)).Exec(ctx)
		return err
	})
}

// together narrows deliveries to those that may share a letter with r: a
// recipient's of one event and, but for serious ones, of one channel. Serious ones
// share none with others.
func together(sel *bun.SelectQuery, r *deliveryRow) *bun.SelectQuery {
	sel.Where("d.tenant_id = ? AND d.mode = ? AND d.recipient = ? AND d.event = ?", r.TenantID, r.Mode, r.Recipient, r.Event)
	if r.AlarmLevel >= serious {
		return sel.Where("d.alarm_level = ? AND d.language = ?", serious, r.Language)
	}
	return sel.Where("d.alarm_level IN (0, 1) AND d.channel_id = ?", r.ChannelID)
}

// inAnHour narrows deliveries to those that come with r since the budget is used
// up: a recipient's of a language, whatever the channel and the event.
func inAnHour(sel *bun.SelectQuery, r *deliveryRow) {
	sel.Where("d.tenant_id = ? AND d.mode = ? AND d.recipient = ? AND d.language = ? AND d.reason = ?", r.TenantID, r.Mode, r.Recipient, r.Language, ForBudget).
		Where("(d.alarm_level >= ?) = ?", serious, r.AlarmLevel >= serious)
}

// digest gives the deliveries that go in one letter with r, those that are due.
func (t *taking) digest(ctx context.Context, r *deliveryRow) (group []*deliveryRow, err error) {
	sel := t.DB.Read(ctx).NewSelect().Model(&group)
	if r.waitedAnHour() {
		inAnHour(sel, r)
	} else {
		together(sel, r)
	}
	err = sel.
		Where("d.state = 'queued' AND d.digest > 0 AND d.digest = ?", r.Digest).
		Where("d.next_time <= ? AND d.lease_until <= ?", t.now, t.now).OrderExpr("d.id").Scan(ctx)
	for _, one := range group {
		t.grouped[one.ID] = true
	}
	return group, err
}

// fly makes the letter of deliveries.
func (t *taking) fly(ctx context.Context, level int, rows []*deliveryRow) error {
	owner, err := t.owner(ctx, rows[0].TenantID)
	if err != nil {
		return err
	}
	t.room--
	letter := letterOf(rows, owner)
	letter.Hourly = rows[0].waitedAnHour()
	t.attempts = append(t.attempts, &attempt{letter: letter, rows: rows, level: level, began: t.now})
	return nil
}

// leaseBefore writes down what is in flight before more of a tenant is looked for
// of which something was taken.
func (t *taking) leaseBefore(ctx context.Context, of tenant.ID) error {
	if slices.ContainsFunc(t.attempts[t.leased:], func(a *attempt) bool { return a.letter.Tenant == of }) {
		return t.lease(ctx)
	}
	return nil
}

// lease writes down which deliveries are in flight.
func (t *taking) lease(ctx context.Context) error {
	var ids []int64
	for _, a := range t.attempts[t.leased:] {
		for _, r := range a.rows {
			ids = append(ids, r.ID)
		}
	}
	t.leased = len(t.attempts)
	if len(ids) == 0 {
		return nil
	}
	return t.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("lease_until = ?, reason = ''", t.now+leased.Milliseconds()).
			Where("d.id IN (?)", bun.List(ids)).Exec(ctx)
		return err
	})
}

func (t *taking) owner(ctx context.Context, id tenant.ID) (*tenant.Tenant, error) {
	if owner := t.tenants[id]; owner != nil {
		return owner, nil
	}
	owner, err := t.Tenants.Get(ctx, id)
	t.tenants[id] = owner
	return owner, err
}
