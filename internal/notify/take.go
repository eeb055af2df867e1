package notify

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/internal/tenant"
)

// someAtOnce is how many deliveries are looked at together, and mostLooks how
// often in one transaction.
const (
	someAtOnce = 64
	mostLooks  = 8
)

// taking is one look for letters to bring. What it finds of tenants and rules
// holds for that look.
type taking struct {
	*lane
	now      int64 // epoch ms
	level    int   // of what was taken
	room     int
	attempts []*attempt
	more     bool // there is more to look at

	tenants  map[tenant.ID]*tenant.Tenant
	mutes    map[int64]int64
	programs map[int64]bool // webhooks that are on
	grouped  map[int64]bool // deliveries of digests that were seen
}

// take takes the letters that are due, of the highest level only, as many as
// there is room for. While letters of a higher level are in flight, lower ones
// wait; but programs do not wait for each other's.
func (l *lane) take(ctx context.Context) (*taking, error) {
	t := &taking{lane: l, now: l.Now().UnixMilli(), room: l.room(), tenants: map[tenant.ID]*tenant.Tenant{}, mutes: map[int64]int64{}, programs: map[int64]bool{}, grouped: map[int64]bool{}}
	lowest := 0
	if l.flying > 0 && l.mode != Program {
		lowest = l.level
	}
	looks, taken := mostLooks, 0
	for t.level = serious; t.level >= lowest && t.room > 0; t.level-- {
		for some := t.room; ; some = someAtOnce { // mostly the first ones go
			if looks--; looks < 0 {
				t.more = true
				return t, nil
			}
			whole, err := t.look(ctx, some)
			if err != nil {
				return t, err
			}
			if len(t.attempts) > taken {
				taken = len(t.attempts)
				if err := t.lease(ctx); err != nil || t.mode != Program || t.room == 0 {
					return t, err
				}
				continue // one far end is crowded; there is room for others
			}
			if whole {
				break
			}
		}
	}
	return t, nil
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

// look looks at some deliveries, those that have been due longest; whole when
// those were all of the level.
func (t *taking) look(ctx context.Context, some int) (whole bool, err error) {
	var rows []*deliveryRow
	sel := t.DB.Read(ctx).NewSelect().Model(&rows).
		Where("d.state = 'queued' AND d.mode = ? AND d.alarm_level = ? AND d.next_time <= ?", t.mode, t.level, t.now).
		Where("d.lease_until <= ?", t.now)
	resting, _ := t.paused(t.now)
	if resting = append(resting, t.crowded()...); len(resting) > 0 {
		sel.Where("d.destination NOT IN (?)", bun.List(resting))
	}
	t.butLate(sel)
	if err := sel.OrderExpr("d.next_time, d.id").Limit(int64(some)).Scan(ctx); err != nil {
		return false, err
	}
	var waiting verdicts
	for _, r := range rows {
		if t.room == 0 {
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
		if len(going) > 0 {
			if err := t.fly(ctx, going); err != nil {
				return false, err
			}
		}
	}
	return len(rows) < some, waiting.write(ctx, t.lane)
}

// gather lets what waited together for a time of day, or for a mute's end, come
// as notices of one minute do: the first ones by themselves, the others in one
// letter. A night's alarms are a storm in the morning.
func (t *taking) gather(ctx context.Context, r *deliveryRow) error {
	if t.DigestAfter == 0 || r.Digest > 0 || r.AlarmLevel >= serious || r.Reason != ForPeriod && r.Reason != ForMute {
		return nil
	}
	var waited []int64
	err := t.DB.Read(ctx).NewSelect().Model((*deliveryRow)(nil)).Column("id").
		Where("d.state = 'queued' AND d.mode = ? AND d.alarm_level IN (0, 1) AND d.next_time = ?", r.Mode, r.NextTime).
		Where("d.tenant_id = ? AND d.channel_id = ? AND d.recipient = ? AND d.event = ?", r.TenantID, r.ChannelID, r.Recipient, r.Event).
		Where("d.digest = 0 AND d.reason IN (?)", bun.List([]Reason{ForPeriod, ForMute})).
		OrderExpr("d.id").Scan(ctx, &waited)
	if err != nil {
		return err
	}
	if !slices.Contains(waited, r.ID) { // gathered since it was read
		r.Digest = r.NextTime
		return nil
	}
	if len(waited) <= t.DigestAfter {
		return nil
	}
	rest := waited[t.DigestAfter:]
	if slices.Contains(rest, r.ID) {
		r.Digest = r.NextTime
	}
	return t.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*deliveryRow)(nil)).Set("digest = ?", r.NextTime).Where("d.tenant_id = ? AND d.id IN (?)", r.TenantID, bun.List(rest)).Exec(ctx)
		return err
	})
}

// digest gives the deliveries that go in one letter with r, those that are due.
func (t *taking) digest(ctx context.Context, r *deliveryRow) (group []*deliveryRow, err error) {
	err = t.DB.Read(ctx).NewSelect().Model(&group).
		Where("d.state = 'queued' AND d.digest > 0 AND d.channel_id = ? AND d.digest = ?", r.ChannelID, r.Digest).
		Where("d.tenant_id = ? AND d.mode = ? AND d.recipient = ? AND d.event = ? AND d.next_time <= ?", r.TenantID, r.Mode, r.Recipient, r.Event, t.now).
		Where("d.lease_until <= ?", t.now).OrderExpr("d.id").Scan(ctx)
	for _, one := range group {
		t.grouped[one.ID] = true
	}
	return group, err
}

// fly makes the letter of deliveries.
func (t *taking) fly(ctx context.Context, rows []*deliveryRow) error {
	owner, err := t.owner(ctx, rows[0].TenantID)
	if err != nil {
		return err
	}
	t.room--
	t.attempts = append(t.attempts, &attempt{letter: letterOf(rows, owner), rows: rows, began: t.now})
	return nil
}

// lease writes down which deliveries are in flight.
func (t *taking) lease(ctx context.Context) error {
	var ids []int64
	for _, a := range t.attempts {
		for _, r := range a.rows {
			ids = append(ids, r.ID)
		}
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
