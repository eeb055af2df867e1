package alarm

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/db"
	"tilth/internal/device"
	"tilth/internal/errs"
	"tilth/internal/reading"
	"tilth/internal/tenant"
	"tilth/internal/text"
)

type stateRow struct {
	bun.BaseModel `bun:"table:alarm_states,alias:s"`
	RuleID        RuleID    `bun:",pk"`
	DeviceID      device.ID `bun:",pk"`
	Revision      int64
	Floor         int64
	Waiting       bool
	Openings      string // JSON of swing.Openings; empty: none
}

func newStateRow(r *running, floor int64, waiting bool, openings []int64) stateRow {
	row := stateRow{RuleID: r.ID, DeviceID: r.Device, Revision: r.Revision, Floor: floor, Waiting: waiting}
	if len(openings) > 0 {
		b, err := json.Marshal(openings)
		if err != nil {
			return row // numbers always marshal
		}
		row.Openings = string(b)
	}
	return row
}

const (
	// keptWithin is about how long one transaction of what happened takes: others
	// wait for the database meanwhile.
	keptWithin = 50 * time.Millisecond
	// fewestAtOnce and mostAtOnce are how many events it writes.
	fewestAtOnce = 32
	mostAtOnce   = 2000
	// fewestEach is how many of each tenant it writes at least, while there are any.
	fewestEach = 4
)

// flushUnlessBeside is flush where no Run writes.
func (e *Engine) flushUnlessBeside(ctx context.Context) error {
	e.mu.Lock()
	beside := e.beside
	e.mu.Unlock()
	if beside {
		return nil
	}
	return e.flush(ctx)
}

// flush puts everything on disk that has happened, of all tenants in turn.
// Judging goes on meanwhile.
func (e *Engine) flush(ctx context.Context) error {
	for {
		more, err := e.flushSome(ctx)
		if err != nil || !more {
			return err
		}
	}
}

func (e *Engine) flushSome(ctx context.Context) (more bool, err error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	return e.settle(ctx)
}

// lock is for who changes rules of a tenant, or, without one, of all: everything
// that happened to them is on disk, and nothing more happens until unlock. After
// an error nothing is locked.
func (e *Engine) lock(ctx context.Context, t tenant.ID) error {
	e.writing.Lock()
	err := e.settleOf(ctx, t)
	if err == nil {
		return nil
	}
	e.writing.Unlock()
	return err
}

// settleOf is settle of all that happened to a tenant's rules, and takes mu. It
// gives it back after an error.
func (e *Engine) settleOf(ctx context.Context, t tenant.ID) error {
	// What is much is written while judging goes on, the rest while it waits.
	e.mu.Lock()
	list := e.takeAll(t)
	e.mu.Unlock()
	s, err := e.record(ctx, list)
	e.mu.Lock()
	if err = e.settled(&s, list, err); err == nil {
		list = e.takeAll(t)
		s, err = e.record(ctx, list)
		err = e.settled(&s, list, err)
	}
	if err != nil {
		e.mu.Unlock()
	}
	return err
}

func (e *Engine) unlock() {
	e.mu.Unlock()
	e.writing.Unlock()
}

// settle puts on disk some of what happened, each tenant's in one transaction
// with how far it is judged, and tells it; more is true when not all was taken.
// What could not be kept stays pending: the next settle tries again. Callers hold
// writing.
func (e *Engine) settle(ctx context.Context) (more bool, err error) {
	e.mu.Lock()
	list := e.takePending()
	e.mu.Unlock()
	began := time.Now()
	s, err := e.record(ctx, list)
	took := time.Since(began)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.settled(&s, list, err); err != nil {
		return false, err
	}
	switch {
	case took > keptWithin:
		e.atOnce = max(fewestAtOnce, e.atOnce/2)
	case took < keptWithin/2 && len(e.unkept) > 0:
		e.atOnce = min(mostAtOnce, e.atOnce*2)
	}
	return len(e.unkept) > 0, nil
}

// portion is what of a tenant one transaction writes: events, oldest first, and
// how far the tenant is judged with them.
type portion struct {
	queue  *queue
	events []event
	place  Position
}

// takePending takes what is to be written next, of the tenants in turn. Callers
// hold mu.
func (e *Engine) takePending() (list []portion) {
	e.followClock()
	if len(e.unkept) == 0 {
		return nil
	}
	left := e.atOnce
	each := max(fewestEach, left/len(e.unkept))
	for _, of := range e.unkept {
		p := e.takeOf(of, each)
		list = append(list, p)
		if left -= len(p.events); left <= 0 {
			break
		}
	}
	e.unkept = e.unkept[len(list):]
	return list
}

// takeAll takes everything of a tenant, or, without one, of all. Callers hold mu.
func (e *Engine) takeAll(t tenant.ID) (list []portion) {
	e.followClock()
	e.unkept = slices.DeleteFunc(e.unkept, func(of *queue) bool {
		mine := t == everyTenant || of.tenant == t
		if mine {
			list = append(list, e.takeOf(of, len(of.pending)))
		}
		return mine
	})
	return list
}

// takeOf takes so many of a tenant's events, and with one all that the same
// reading led to.
func (e *Engine) takeOf(of *queue, most int) portion {
	n := min(most, len(of.pending))
	for n > 0 && n < len(of.pending) && of.pending[n].reading && of.pending[n-1].reading && of.pending[n].place == of.pending[n-1].place {
		n++
	}
	p := portion{queue: of, events: of.pending[:n:n]}
	if of.pending = of.pending[n:]; len(of.pending) > 0 {
		p.place = of.pending[0].place
	} else {
		of.pending, p.place = nil, e.placeOf(of)
	}
	of.writing = p.events
	return p
}

// record writes events. Callers hold writing.
func (e *Engine) record(ctx context.Context, list []portion) (s settlement, err error) {
	if len(list) == 0 {
		return s, nil
	}
	var events []event
	places := make(map[tenant.ID]Position, len(list))
	for _, p := range list {
		events = append(events, p.events...)
		places[p.queue.tenant] = p.place
	}
	if e.o.Written != nil && slices.ContainsFunc(events, event.byPresence) {
		if err := e.o.Written(ctx); err != nil {
			return s, err
		}
	}
	err = e.o.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		s = settlement{Engine: e, open: map[*running]*Notice{}, over: map[*running]bool{}, states: map[Pair]stateRow{}}
		if err := s.look(ctx, events); err != nil {
			return err
		}
		for i := range events {
			if err := s.one(ctx, &events[i]); err != nil {
				return err
			}
		}
		if err := saveStates(ctx, e.o.DB, slices.Collect(maps.Values(s.states))); err != nil {
			return err
		}
		return e.o.Positions.SaveOfTenants(ctx, places)
	})
	return s, err
}

// byPresence tells whether a device's coming or going led to an event. A kill must
// not leave that alone on disk: a device that was back would count as away.
func (ev event) byPresence() bool { return ev.rule.test == nil && ev.kind != moved }

// settled takes note that events are on disk, or that they are not. Callers
// hold both locks.
func (e *Engine) settled(s *settlement, list []portion, err error) error {
	for _, p := range list {
		of := p.queue
		of.writing = nil
		if err != nil {
			of.pending = append(p.events, of.pending...)
		}
		if len(of.pending) > 0 {
			e.unkept = append(e.unkept, of)
		}
	}
	if err != nil {
		return fmt.Errorf("alarm: what the newest readings led to is not recorded: %w", err)
	}
	for _, p := range list {
		e.goOn(p.queue)
	}
	for r, n := range s.open {
		e.close(r) // one may have ended and another begun
		if n != nil {
			r.notice = n
			e.open[n.ID] = r
		}
	}
	e.takeBack(s.over)
	e.count()
	e.opened.Add(uint64(s.opened))
	e.tell(s.told)
	return nil
}

// takeBack lets rules go on without a notice whose notice was over when it was
// to begin, unless it has ended for them since: what comes next begins another,
// at a time of its own. Callers hold both locks.
func (e *Engine) takeBack(over map[*running]bool) {
	for r := range over {
		if slices.ContainsFunc(r.queue.pending, func(ev event) bool { return ev.rule == r && ev.kind == Resolved }) {
			continue
		}
		r.state.Open, r.state.Unsteady = false, false
		if r.test == nil {
			e.schedule(r)
		}
	}
}

// settlement is what one transaction records.
type settlement struct {
	*Engine
	pairs   map[Pair]bool                // those that are there
	devices map[device.ID]*device.Device // of notices that begin
	states  map[Pair]stateRow            // to be kept

	open   map[*running]*Notice // of rules whose notice began or ended (nil)
	over   map[*running]bool    // of rules whose notice was over when it was to begin
	told   []tidings
	opened int
}

// tidings are what a tenant's screens are told: a notice that began or ended.
type tidings struct {
	tenant tenant.ID
	Notice
}

// one writes one event, and hands in what people are to be told of it.
func (s *settlement) one(ctx context.Context, ev *event) error {
	r := ev.rule
	current, touched := s.open[r]
	if !touched {
		current = r.notice
	}
	// A device that is deleted leaves its rules before Reload hears of it.
	if !s.pairs[r.pair()] {
		return nil
	}
	s.states[r.pair()] = newStateRow(r, ev.floor, ev.waiting, ev.openings)
	switch ev.kind {
	case Opened:
		n, err := s.begun(ctx, ev)
		if err != nil {
			return err
		}
		s.told = append(s.told, tidings{r.Tenant, n})
		if n.Status != Pending {
			s.open[r], s.over[r] = nil, true
			return nil
		}
		s.open[r] = &n
		s.opened++
		return s.tellBegun(ctx, ev, &n)
	case Resolved:
		delete(s.over, r)
		if current == nil {
			break // it was over when it was to begin
		}
		how := ending{at: ev.time, status: ResolvedItself, reason: ev.reason, changes: ev.changes}
		n, err := s.end(ctx, r.Tenant, current, how)
		if err != nil {
			return err
		}
		if err := s.tellEnded(ctx, r, &n, how, ev.samples); err != nil {
			return err
		}
		s.open[r] = nil
		s.told = append(s.told, tidings{r.Tenant, n})
	case moved:
		if ev.unsteady && current != nil {
			n, err := s.saveChanges(ctx, r.Tenant, current, ev.changes)
			if err != nil {
				return err
			}
			s.open[r] = &n
		}
	}
	return nil
}

// look reads at once what all the events ask of rules and devices.
func (s *settlement) look(ctx context.Context, events []event) error {
	pairs, devices := map[tenant.ID][]Pair{}, map[tenant.ID][]device.ID{}
	s.pairs, s.devices = map[Pair]bool{}, map[device.ID]*device.Device{}
	for i := range events {
		r := events[i].rule
		if _, listed := s.pairs[r.pair()]; !listed {
			s.pairs[r.pair()] = false
			pairs[r.Tenant] = append(pairs[r.Tenant], r.pair())
		}
		if _, listed := s.devices[r.Device]; !listed && events[i].kind == Opened {
			s.devices[r.Device] = nil
			devices[r.Tenant] = append(devices[r.Tenant], r.Device)
		}
	}
	for t, all := range pairs {
		for some := range slices.Chunk(all, lookedAt) {
			list := make([]any, 0, 2*len(some))
			for _, p := range some {
				list = append(list, p.Rule, p.Device)
			}
			// Rules and devices asked for apart would be looked up crosswise.
			values := "(?, ?)" + strings.Repeat(", (?, ?)", len(some)-1)
			var there []memberRow
			err := s.o.DB.Read(ctx).NewSelect().Model(&there).Column("m.rule_id", "m.device_id").
				Where("+m.tenant_id = ? AND m.state = ?", t, Member).Where("(m.rule_id, m.device_id) IN (VALUES "+values+")", list...).Scan(ctx)
			if err != nil {
				return err
			}
			for _, m := range there {
				s.pairs[m.pair()] = true
			}
		}
	}
	for t, all := range devices {
		there, err := s.o.Devices.ByIDs(ctx, t, all)
		if err != nil {
			return fmt.Errorf("alarm: devices of notices: %w", err)
		}
		for _, d := range there {
			s.devices[d.ID] = d
		}
	}
	return nil
}

// lookedAt is how many rules one statement asks for.
const lookedAt = 500

// begun writes a notice that begins. One that is there already was written by
// a transaction whose end was not known; it may be over.
func (s *settlement) begun(ctx context.Context, ev *event) (Notice, error) {
	r := ev.rule
	d := s.devices[r.Device]
	if d == nil {
		return Notice{}, fmt.Errorf("alarm: device of rule %d: %w", r.ID, errs.Missing())
	}
	rule, err := json.Marshal(CopyOf(&r.Rule, d.NoteName, d.ProductID, r.attributes))
	if err != nil {
		return Notice{}, err
	}
	samples, err := json.Marshal(r.samples(ev.samples))
	if err != nil {
		return Notice{}, err
	}
	row := noticeRow{
		TenantID: r.Tenant, RuleID: int64(r.ID), RuleRevision: r.Revision, DeviceID: r.Device, DeviceName: d.Name,
		Title: r.Name, FoldedTitle: text.Fold(r.Name), AlarmLevel: r.Level, ResolveStatus: Pending, StartTime: ev.time,
		CreateTime: s.now(), AlarmDesc: r.Description, Rule: string(rule), Samples: string(samples), Unsteady: ev.unsteady,
	}
	if r.Trigger == DeviceOffline {
		row.HoldsSince = new(ev.silent) // of others finder finds it
	}
	err = s.o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		// A change without a change: so that the row answers its number in either case.
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (rule_id, device_id, rule_revision, start_time) DO UPDATE").
			Set("rule_id = EXCLUDED.rule_id").Returning("id, resolve_status, end_time, holds_since").Exec(ctx)
		return err
	})
	n := row.notice()
	n.NoteName = d.NoteName
	return n, err
}

// samples are those of an event by what the properties are called.
func (r *running) samples(list []Sample) []NoticeSample {
	named := make([]NoticeSample, len(list))
	for i, one := range list {
		named[i] = NoticeSample{Time: one.Time, Values: map[string]reading.Value{}}
		for _, c := range r.Conditions {
			if v := r.test.valueOf(one, r.product, c.Attribute); v.Kind() != reading.KindNone {
				named[i].Values[c.Attribute] = v
			}
		}
	}
	return named
}

// ending is how a notice ends.
type ending struct {
	at           int64 // epoch ms
	status       ResolveStatus
	reason       Reason
	attribute    string // of AttributeGone
	user, remark string
	changes      int // of an unsteady notice
}

// saveChanges writes how often the conditions of an open unsteady notice of a tenant
// have changed.
func (e *Engine) saveChanges(ctx context.Context, t tenant.ID, open *Notice, changes int) (Notice, error) {
	n := *open
	n.Changes = changes
	err := e.o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*noticeRow)(nil)).Set("changes = ?", changes).Where("n.tenant_id = ? AND n.id = ?", t, n.ID).Exec(ctx)
		return err
	})
	return n, err
}

// end writes that an open notice of a tenant is over: not before it began, whatever the
// clocks say.
func (e *Engine) end(ctx context.Context, t tenant.ID, open *Notice, how ending) (Notice, error) {
	n := *open
	n.Status, n.End = how.status, max(how.at, n.Start)
	if n.Unsteady {
		n.Changes = max(n.Changes, how.changes)
	}
	err := e.o.DB.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*noticeRow)(nil)).
			Set("resolve_status = ?, end_time = ?, resolve_reason = ?, resolve_attribute = ?", how.status, n.End, how.reason, how.attribute).
			Set("resolve_user = ?, remark = ?, changes = ?", how.user, how.remark, n.Changes).
			Where("n.tenant_id = ? AND n.id = ? AND n.resolve_status = ?", t, n.ID, Pending).Exec(ctx)
		return err
	})
	return n, err
}

// close takes note that a rule's notice is over.
func (e *Engine) close(r *running) {
	if r.notice != nil {
		delete(e.open, r.notice.ID)
	}
	r.notice = nil
	e.count()
}

// tell tells the screens of notices that began or ended; those that are over
// are to be kept a chart of.
func (e *Engine) tell(news []tidings) {
	for _, n := range news {
		if n.Status != Pending {
			e.resolved.Add(1)
			e.keep.soon()
		} else {
			e.find.soon()
		}
		e.show(n.tenant, &n.Notice)
	}
}

// liveNotice is a notice as screens are told of it.
func liveNotice(n *Notice) []byte {
	var ack *liveAck
	if n.Ack != nil {
		ack = &liveAck{n.Ack.User, n.Ack.Time, n.Ack.Note, n.Ack.RemindAt}
	}
	b, err := json.Marshal(struct {
		ID         int64         `json:"id"`
		RuleID     RuleID        `json:"ruleId"`
		Title      string        `json:"title"`
		Status     ResolveStatus `json:"resolveStatus"`
		Level      Level         `json:"alarmLevel"`
		DeviceName string        `json:"deviceName"`
		NoteName   string        `json:"noteName"`
		Start      int64         `json:"startTime"`
		End        int64         `json:"endTime,omitempty"`
		CreateTime int64         `json:"createTime"`
		Unsteady   bool          `json:"unsteady,omitempty"`
		Changes    int           `json:"changes,omitempty"`
		HoldsSince int64         `json:"holdsSince,omitempty"`
		Ack        *liveAck      `json:"ack,omitempty"`
	}{n.ID, n.Rule, n.Title, n.Status, n.Level, n.DeviceName, n.NoteName, n.Start, n.End, n.CreateTime, n.Unsteady, n.Changes, n.HoldsSince, ack})
	if err != nil {
		return nil // numbers and strings always marshal
	}
	return b
}

// liveAck is an Ack as screens are told of it.
type liveAck struct {
	User     string `json:"user"`
	Time     int64  `json:"time"`
	Note     string `json:"note"`
	RemindAt int64  `json:"remindAt"`
}

// takeDown writes that a rule does not run any more; nobody did it.
func takeDown(ctx context.Context, d *db.DB, t tenant.ID, id RuleID, now int64) error {
	return d.Tx(ctx, func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.NewUpdate().Model((*ruleRow)(nil)).
			Set("revision = revision + 1, deploy_state = ?, deploy_time = ?, deploy_user = ''", TakenDown, now).
			Where("r.tenant_id = ? AND r.id = ?", t, id).Exec(ctx)
		return err
	})
}
