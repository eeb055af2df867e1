package device

import (
	"container/heap"
	"context"
	"log/slog"
	"sync"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/clock"
)

// Status is what is known of a device's contact with the server. Times are
// epoch milliseconds; 0 means never.
type Status struct {
	Online      bool
	LastContact int64
	OnlineTime  int64 // when it last came online
	OfflineTime int64 // when it last went offline
}

// StatusChange tells that a device came online or went offline.
type StatusChange struct {
	Ref
	Name   string
	Online bool
	At     int64 // epoch milliseconds
	Since  int64 // earlier than At where contact that came in late shows that it had not gone; epoch milliseconds
}

// Presence tells which devices are online. Contact is arrival, not a reading's
// own time: a device is online from its contact, or while its own connection
// lives, until its product's OfflineAfter passes with neither.
type Presence struct {
	registry *Registry
	now      func() time.Time
	logger   *slog.Logger

	mu         sync.Mutex
	lastClock  int64 // what the clock showed last, epoch milliseconds
	jumps      *clock.JumpDetector
	devices    map[ID]*presenceState
	online     map[tenant.ID]int
	due        deadlines
	changed    map[ID]struct{} // came or went, not on disk yet
	dirty      map[ID]struct{} // heard of, not on disk yet
	onChange   []func(StatusChange)
	onBackfill []func(StatusChange)
	wake       chan struct{}
}

type presenceState struct {
	ref              Ref
	status           Status
	prevOfflineTime  int64 // the OfflineTime before this one, while contacts of the past come in
	silentSince      int64 // epoch milliseconds: last arrival, or the end of its own connection; no leap of the clock counts as silence
	connections      int
	backfillOnline   bool // came, in the past, and has not been told as gone since
	queued           bool // has an entry in due
	unseenSinceStart bool // not heard of since the start
}

// NewPresence makes a Presence in which nobody was ever seen. now is the server's
// clock; ran is how long the process has run, by a clock that nobody sets, nil: by
// that of now, which is such a one where it is time.Now.
func NewPresence(r *Registry, now func() time.Time, uptime func() time.Duration, logger *slog.Logger) *Presence {
	return &Presence{
		registry: r,
		now:      now,
		logger:   logger,
		jumps:    clock.NewJumpDetector(now(), uptime),
		devices:  map[ID]*presenceState{},
		online:   map[tenant.ID]int{},
		changed:  map[ID]struct{}{},
		dirty:    map[ID]struct{}{},
		wake:     make(chan struct{}, 1),
	}
}

// OnTenantChange calls f for every change from then on, in order. f must not block.
func (p *Presence) OnChange(f func(StatusChange)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onChange = append(p.onChange, f)
}

// OnBackfillChange calls f for every change that contacts of the past show, in the order of
// each device; OnTenantChange is not told of those. f must not block.
func (p *Presence) OnBackfillChange(f func(StatusChange)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onBackfill = append(p.onBackfill, f)
}

// Seen notes that something arrived from a device now.
func (p *Presence) Seen(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recordContact(ref, p.readClock())
}

// SeenAt notes that something arrived from a device at a time (epoch
// milliseconds) that may be past, as when a history is fed in: such a contact
// brings nobody online whose patience has run out since.
func (p *Presence) SeenAt(ref Ref, at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.readClock(); at+p.offlineAfterMillis(ref.ID) > now {
		p.recordContact(ref, min(at, now)) // it may have arrived before the clock was set back
		return
	}
	c := p.stateOf(ref)
	if c == nil || c.status.Online || at <= c.status.LastContact {
		return
	}
	if at >= c.status.OfflineTime { // it had been gone, and came back then
		p.finishBackfillOf(c)
		p.notifyBackfill(c, true, at)
		c.prevOfflineTime, c.status.OnlineTime = c.status.OfflineTime, at
	}
	c.status.LastContact = at
	c.status.OfflineTime = at + p.offlineAfterMillis(ref.ID)
	p.changed[ref.ID] = struct{}{}
}

// FinishBackfill tells of devices whose past has been fed in, and that have not come
// since, when they went.
func (p *Presence) FinishBackfill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.devices {
		p.finishBackfillOf(c)
	}
}

// finishBackfillOf tells when a device went that came in the past. Callers hold the lock.
func (p *Presence) finishBackfillOf(c *presenceState) {
	if c.backfillOnline {
		p.notifyBackfill(c, false, c.status.OfflineTime)
	}
}

func (p *Presence) notifyBackfill(c *presenceState, online bool, at int64) {
	c.backfillOnline = online
	for _, f := range p.onBackfill {
		f(StatusChange{Ref: c.ref, Online: online, At: at, Since: at})
	}
}

// Connected notes that a device's own connection was opened.
func (p *Presence) Connected(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.recordContact(ref, p.readClock()); c != nil {
		c.connections++
	}
}

// Disconnected notes that a device's own connection ended. The device stays
// online until its OfflineAfter has passed since.
func (p *Presence) Disconnected(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.devices[ref.ID]
	if c == nil || c.connections == 0 {
		return
	}
	c.connections--
	c.silentSince = p.readClock()
}

// Gone notes that a gateway lost a device: it is offline at once, unless a
// connection of its own lives.
func (p *Presence) Gone(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.devices[ref.ID]; c != nil && c.status.Online && c.connections == 0 {
		p.setOffline(c, p.readClock())
	}
}

// Status is what is known of a tenant's device; the zero Status when it was
// never seen.
func (p *Presence) Status(t tenant.ID, id ID) Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.devices[id]; c != nil && c.ref.Tenant == t {
		return c.status
	}
	return Status{}
}

// statuses calls f for each of a tenant's devices, in their order, with what is
// known of it. It lets messages in between.
func (p *Presence) statuses(t tenant.ID, list []*member, f func(m *member, st Status)) {
	const atOnce = 1000
	for len(list) > 0 {
		n := min(atOnce, len(list))
		p.mu.Lock()
		for _, m := range list[:n] {
			var st Status
			if c := p.devices[m.ID]; c != nil && c.ref.Tenant == t {
				st = c.status
			}
			f(m, st)
		}
		p.mu.Unlock()
		list = list[n:]
	}
}

// OnlineCount is how many of a tenant's devices are online.
func (p *Presence) OnlineCount(t tenant.ID) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.online[t]
}

// TotalOnline is how many devices are online, of all tenants.
func (p *Presence) TotalOnline() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, count := range p.online {
		n += count
	}
	return n
}

// Forget drops a deleted device.
func (p *Presence) Forget(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.devices[ref.ID]
	if c == nil {
		return
	}
	if c.status.Online {
		p.online[ref.Tenant]--
	}
	delete(p.devices, ref.ID)
	delete(p.dirty, ref.ID)
	delete(p.changed, ref.ID)
}

// readClock reads the server's clock, and notices when it was set since it was looked
// at last. Callers hold the lock.
func (p *Presence) readClock() int64 {
	reading := p.now()
	now := reading.UnixMilli()
	if jump := p.jumps.Jump(reading); jump > 0 {
		p.skipClockJump(jump)
	}
	if now < p.lastClock {
		p.clampToClock(now)
	}
	p.lastClock = now
	return now
}

// skipClockJump lets nobody have been silent for the time that the clock leapt over: all
// devices would be offline at once. Callers hold the lock.
func (p *Presence) skipClockJump(jump time.Duration) {
	p.logger.Warn("the server's clock leapt ahead; devices' silence is counted as if it had not", "leap", jump)
	for _, c := range p.devices {
		if c.status.Online {
			c.silentSince += jump.Milliseconds()
		}
	}
	p.reschedule()
}

// clampToClock puts nothing later than the clock shows now that it was set back:
// silence would otherwise be counted only from when it has caught up. Callers
// hold the lock.
func (p *Presence) clampToClock(now int64) {
	for id, c := range p.devices {
		if c.clampTo(now) {
			p.dirty[id] = struct{}{}
		}
	}
	p.reschedule()
}

// clampTo takes times that are later than now back to it, and tells whether
// there were any.
func (c *presenceState) clampTo(now int64) (clamped bool) {
	st := &c.status
	for _, t := range []*int64{&st.LastContact, &st.OnlineTime, &st.OfflineTime, &c.prevOfflineTime, &c.silentSince} {
		if *t > now {
			*t, clamped = now, true
		}
	}
	return clamped
}

// stateOf finds or makes what is known of ref; nil of a device that is deleted,
// a message of which may still be on its way. Callers hold the lock.
func (p *Presence) stateOf(ref Ref) *presenceState {
	c := p.devices[ref.ID]
	if c == nil && p.registry.Get(ref.ID) == nil {
		return nil
	}
	if c == nil {
		c = &presenceState{ref: ref}
		p.devices[ref.ID] = c
	}
	return c
}

// recordContact records that ref was heard of at a time from which it still counts
// as online; nil when it is deleted. Contacts may come out of order: an
// earlier one takes nothing away. Callers hold the lock.
func (p *Presence) recordContact(ref Ref, at int64) *presenceState {
	c := p.stateOf(ref)
	if c == nil {
		return nil
	}
	c.status.LastContact = max(at, c.status.LastContact)
	c.silentSince = max(at, c.silentSince)
	c.unseenSinceStart = false
	p.dirty[ref.ID] = struct{}{}
	if !c.status.Online {
		c.status.Online = true
		if at >= c.status.OfflineTime {
			p.finishBackfillOf(c)
			c.status.OnlineTime = at
		} else { // its silence never lasted too long
			c.status.OfflineTime = c.prevOfflineTime
		}
		c.backfillOnline = false
		p.online[ref.Tenant]++
		p.notifyChange(c, at)
	}
	p.schedule(c)
	return c
}

// schedule makes sure that c is looked at when its silence could have lasted
// too long. A later contact does not move the entry: it is put back when due.
func (p *Presence) schedule(c *presenceState) {
	if c.queued {
		return
	}
	c.queued = true
	heap.Push(&p.due, deadline{at: c.silentSince + p.offlineAfterMillis(c.ref.ID), id: c.ref.ID})
	if p.due[0].id == c.ref.ID {
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
}

func (p *Presence) offlineAfterMillis(id ID) int64 {
	if e := p.registry.Get(id); e != nil && e.Product.OfflineAfter >= time.Second {
		return e.Product.OfflineAfter.Milliseconds()
	}
	return DefaultOfflineAfter.Milliseconds()
}

// setOffline takes c offline. Callers hold the lock.
func (p *Presence) setOffline(c *presenceState, at int64) {
	c.status.Online = false
	c.status.OfflineTime = at
	p.online[c.ref.Tenant]--
	p.notifyChange(c, at)
}

func (p *Presence) notifyChange(c *presenceState, at int64) {
	p.changed[c.ref.ID] = struct{}{}
	e := p.registry.Get(c.ref.ID)
	if e == nil {
		return // deleted, and about to be forgotten
	}
	since := at
	if c.status.Online {
		since = c.status.OnlineTime
	}
	for _, f := range p.onChange {
		f(StatusChange{Ref: c.ref, Name: e.Name, Online: c.status.Online, At: at, Since: since})
	}
}

// Expire takes every device whose silence has lasted too long offline and
// answers when to look again; the zero time when nothing is waiting.
func (p *Presence) Expire() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	for len(p.due) > 0 && p.due[0].at <= now {
		d := heap.Pop(&p.due).(deadline)
		c := p.devices[d.id]
		if c == nil {
			continue
		}
		c.queued = false
		if !c.status.Online {
			continue
		}
		if c.connections > 0 {
			// A living connection vouches for its device; look again one
			// patience later, since Disconnected starts a new silence.
			c.queued = true
			heap.Push(&p.due, deadline{at: now + p.offlineAfterMillis(d.id), id: d.id})
			continue
		}
		if end := c.silentSince + p.offlineAfterMillis(d.id); end > now {
			c.queued = true
			heap.Push(&p.due, deadline{at: end, id: d.id})
			continue
		}
		p.setOffline(c, now)
	}
	if len(p.due) == 0 {
		return time.Time{}
	}
	return time.UnixMilli(p.due[0].at)
}

// Reschedule looks at every deadline anew, after a product's OfflineAfter
// may have changed.
func (p *Presence) Reschedule() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reschedule()
}

// reschedule is Reschedule for callers that hold the lock.
func (p *Presence) reschedule() {
	p.due = p.due[:0]
	for _, c := range p.devices {
		c.queued = false
		if c.status.Online {
			c.queued = true
			p.due = append(p.due, deadline{at: c.silentSince + p.offlineAfterMillis(c.ref.ID), id: c.ref.ID})
		}
	}
	heap.Init(&p.due)
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// clockCheckInterval is how soon Run notices that the clock was set back.
const clockCheckInterval = time.Minute

// Run takes silent devices offline when their time comes, until ctx ends.
func (p *Presence) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case <-timer.C:
		}
		if next := p.Expire(); !next.IsZero() {
			timer.Reset(min(max(next.Sub(p.now()), time.Millisecond), clockCheckInterval))
		}
	}
}

// restore takes up what was known before a start. Callers have not begun to
// take in messages.
func (p *Presence) restore(ref Ref, st Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	c := &presenceState{ref: ref, status: st, silentSince: now, unseenSinceStart: true}
	c.clampTo(now) // it may have been set back meanwhile
	p.devices[ref.ID] = c
	if st.Online {
		p.online[ref.Tenant]++
		p.schedule(c)
	}
}

// AcceptDevices says that devices can come back from now on, after a start: the silence
// of those that were online counts from here, and not while what an earlier run
// left was judged.
func (p *Presence) AcceptDevices() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	for _, c := range p.devices {
		if c.unseenSinceStart && c.status.Online {
			c.silentSince = now
		}
	}
	p.reschedule()
}

// takeChanged takes the devices that must be written: those that came or went
// and, when all is set, every one that was heard of.
func (p *Presence) takeChanged(all bool) map[ID]struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := p.changed
	p.changed = map[ID]struct{}{}
	if all {
		for id := range p.dirty {
			ids[id] = struct{}{}
		}
		p.dirty = map[ID]struct{}{}
	}
	return ids
}

// markChanged puts back what could not be written.
func (p *Presence) markChanged(ids map[ID]struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range ids {
		p.changed[id] = struct{}{}
	}
}

type deadline struct {
	at int64 // epoch milliseconds
	id ID
}

// deadlines is a heap, earliest first.
type deadlines []deadline

func (d deadlines) Len() int { return len(d) }
func (d deadlines) Less(i, j int) bool {
	if d[i].at != d[j].at {
		return d[i].at < d[j].at
	}
	return d[i].id < d[j].id // devices that go together are told in the same order every time
}
func (d deadlines) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *deadlines) Push(x any)   { *d = append(*d, x.(deadline)) }
func (d *deadlines) Pop() any {
	old := *d
	last := old[len(old)-1]
	*d = old[:len(old)-1]
	return last
}
