package device

import (
	"container/heap"
	"context"
	"log/slog"
	"sync"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
	"tilth/internal/platform/clock"
)

// Status is the state of a device's contact with the server. Times are epoch milliseconds; 0 means
// never.
type Status struct {
	Online      bool
	LastContact int64
	OnlineTime  int64 // when it last came online
	OfflineTime int64 // when it last went offline
}

// StatusChange says that a device came online or went offline.
type StatusChange struct {
	Ref
	Name   string
	Online bool
	At     int64 // epoch milliseconds
	// Since is when this state began, in epoch milliseconds. It is earlier than At if a contact
	// that arrived late shows that the device had not gone offline.
	Since int64
}

// Presence tracks which devices are online. A contact is the arrival of a message, not the time of
// a reading. A device is online from a contact, or while its own connection is open, until its
// product's OfflineAfter passes without either.
type Presence struct {
	registry *Registry
	now      func() time.Time
	logger   *slog.Logger

	// Changed tells of every change, in order; PastChanged of those that contacts of the past reveal, in
	// order for each device.
	Changed, PastChanged change.Kind[StatusChange]

	mu        sync.Mutex
	lastClock int64 // the last reading of the clock, epoch milliseconds
	jumps     *clock.JumpDetector
	devices   map[ID]*presenceState
	online    map[tenant.ID]int
	due       deadlines
	changed   unwritten // online or offline changed, not on disk yet
	dirty     unwritten // had contact, not on disk yet
	wake      chan struct{}
	stoppedAt int64 // when Run ended, epoch milliseconds; 0: it has not
}

type presenceState struct {
	ref    Ref
	page   *devicePage // nil: in no page yet
	gone   bool        // not the device's state any more
	status Status
	// prevOfflineTime is the OfflineTime before the current one, while contacts of the past come in.
	prevOfflineTime int64
	// silentSince is, in epoch milliseconds, when the last message arrived or the device's own
	// connection ended. A jump of the clock moves it: the jump does not count as silence.
	silentSince      int64
	connections      int
	backfillOnline   bool // a backfill change to online was notified, and none to offline since
	queued           bool // has an entry in due
	unseenSinceStart bool // no contact since the start
	// silence is how long the device had been silent when the leader before this one handed over.
	silence time.Duration
}

// NewPresence makes a Presence that has seen no device. now is the server's clock. uptime gives how
// long the process has run, by a monotonic clock; it may be nil if the times of now carry a
// monotonic reading, as those of time.Now do.
func NewPresence(r *Registry, now func() time.Time, uptime func() time.Duration, logger *slog.Logger) *Presence {
	return &Presence{
		registry: r,
		now:      now,
		logger:   logger,
		jumps:    clock.NewJumpDetector(now(), uptime),
		devices:  map[ID]*presenceState{},
		online:   map[tenant.ID]int{},
		changed:  newUnwritten(),
		dirty:    newUnwritten(),
		wake:     make(chan struct{}, 1),
	}
}

// Seen records that a message arrived from a device now.
func (p *Presence) Seen(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recordContact(ref, p.readClock())
}

// SeenAt records that a message arrived from a device at a time (epoch milliseconds), which may be
// long past when a history is imported. Such a contact does not bring a device online if its
// OfflineAfter has passed since.
func (p *Presence) SeenAt(ref Ref, at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.readClock(); at+p.offlineAfterMillis(ref.ID) > now {
		p.recordContact(ref, min(at, now)) // the message may have arrived before the clock was set back
		return
	}
	c := p.stateOf(ref)
	if c == nil || c.status.Online || at <= c.status.LastContact {
		return
	}
	if at >= c.status.OfflineTime { // the device had been offline, and came online then
		p.finishBackfillOf(c)
		p.notifyBackfill(c, true, at)
		c.prevOfflineTime, c.status.OnlineTime = c.status.OfflineTime, at
	}
	c.status.LastContact = at
	c.status.OfflineTime = at + p.offlineAfterMillis(ref.ID)
	p.changed.mark(ref, c.page)
}

// FinishBackfill ends the import of past contacts: it notifies when each device went offline that a
// past contact had brought online and that has had no contact since.
func (p *Presence) FinishBackfill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.devices {
		p.finishBackfillOf(c)
	}
}

// finishBackfillOf notifies when a device went offline that a past contact had brought online.
// Callers hold the lock.
func (p *Presence) finishBackfillOf(c *presenceState) {
	if c.backfillOnline {
		p.notifyBackfill(c, false, c.status.OfflineTime)
	}
}

func (p *Presence) notifyBackfill(c *presenceState, online bool, at int64) {
	c.backfillOnline = online
	p.PastChanged.Tell(StatusChange{Ref: c.ref, Online: online, At: at, Since: at})
}

// Connected records that a device opened its own connection.
func (p *Presence) Connected(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.recordContact(ref, p.readClock()); c != nil {
		c.connections++
	}
}

// Disconnected records that a device's own connection ended. The device stays online until its
// OfflineAfter has passed since.
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

// Gone records that a gateway lost a device. The device goes offline at once, unless its own
// connection is open.
func (p *Presence) Gone(ref Ref) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.devices[ref.ID]; c != nil && c.status.Online && c.connections == 0 {
		p.setOffline(c, p.readClock())
	}
}

// Status gives the status of a tenant's device; the zero Status if it never had contact.
func (p *Presence) Status(t tenant.ID, id ID) Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.devices[id]; c != nil && c.ref.Tenant == t {
		return c.status
	}
	return Status{}
}

// statuses calls f for each device of list, in order, with its status. It releases the lock
// regularly, so that messages get through.
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

// OnlineCount gives how many of a tenant's devices are online.
func (p *Presence) OnlineCount(t tenant.ID) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.online[t]
}

// TotalOnline gives how many devices of all tenants are online.
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
	c.gone = true
	delete(p.devices, ref.ID)
	delete(p.dirty.unplaced, ref)
	delete(p.changed.unplaced, ref)
}

// readClock reads the server's clock and handles a change of its setting since the last reading.
// Callers hold the lock.
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

// skipClockJump excludes a jump of the clock from every device's silence: else all devices would go
// offline at once. Callers hold the lock.
func (p *Presence) skipClockJump(jump time.Duration) {
	p.logger.Warn("the server's clock jumped ahead; the jump does not count as silence of devices", "jump", jump)
	for _, c := range p.devices {
		if c.status.Online {
			c.silentSince += jump.Milliseconds()
		}
	}
	p.reschedule()
}

// clampToClock moves times that are later than now back to now, after the clock was set back.
// Otherwise the silence of a device would not count until the clock has caught up. Callers hold the
// lock.
func (p *Presence) clampToClock(now int64) {
	for _, c := range p.devices {
		if c.clampTo(now) {
			p.dirty.mark(c.ref, c.page)
		}
	}
	p.reschedule()
}

// clampTo moves times that are later than now back to now, and tells whether there were any.
func (c *presenceState) clampTo(now int64) (clamped bool) {
	st := &c.status
	for _, t := range []*int64{&st.LastContact, &st.OnlineTime, &st.OfflineTime, &c.prevOfflineTime, &c.silentSince} {
		if *t > now {
			*t, clamped = now, true
		}
	}
	return clamped
}

// stateOf finds or makes the state of ref. It gives nil for a deleted device, whose messages may
// still arrive. Callers hold the lock.
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

// recordContact records a contact of ref that is recent enough for ref to count as online. It gives
// nil if the device is deleted. Contacts may come out of order: an earlier one changes no later
// time. Callers hold the lock.
func (p *Presence) recordContact(ref Ref, at int64) *presenceState {
	c := p.stateOf(ref)
	if c == nil {
		return nil
	}
	c.status.LastContact = max(at, c.status.LastContact)
	c.silentSince = max(at, c.silentSince)
	c.unseenSinceStart = false
	p.dirty.mark(ref, c.page)
	if !c.status.Online {
		c.status.Online = true
		if at >= c.status.OfflineTime {
			p.finishBackfillOf(c)
			c.status.OnlineTime = at
		} else { // the device had not been silent for too long after all
			c.status.OfflineTime = c.prevOfflineTime
		}
		c.backfillOnline = false
		p.online[ref.Tenant]++
		p.notifyChange(c, at)
	}
	p.schedule(c)
	return c
}

// schedule queues c for when its OfflineAfter may have passed. A later contact does not move the
// entry: Expire queues it again when it is due.
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

// setOffline makes c offline. Callers hold the lock.
func (p *Presence) setOffline(c *presenceState, at int64) {
	c.status.Online = false
	c.status.OfflineTime = at
	p.online[c.ref.Tenant]--
	p.notifyChange(c, at)
}

func (p *Presence) notifyChange(c *presenceState, at int64) {
	p.changed.mark(c.ref, c.page)
	e := p.registry.Get(c.ref.ID)
	if e == nil {
		return // deleted; Forget follows
	}
	since := at
	if c.status.Online {
		since = c.status.OnlineTime
	}
	p.Changed.Tell(StatusChange{Ref: c.ref, Name: e.Name, Online: c.status.Online, At: at, Since: since})
}

// Expire makes every device offline whose OfflineAfter has passed. It returns when to call it
// again; the zero time if no device is queued.
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
			// An open connection keeps its device online. Check again after another OfflineAfter,
			// since Disconnected starts a new silence.
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

// Reschedule recomputes every deadline, after a product's OfflineAfter may have changed.
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

// clockCheckInterval is the longest time until Run notices that the clock was set back.
const clockCheckInterval = time.Minute

// Run makes silent devices offline when they are due, until ctx ends. Silence does not count from then on.
func (p *Presence) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			p.markStopped()
			return
		case <-p.wake:
		case <-timer.C:
		}
		if next := p.Expire(); !next.IsZero() {
			timer.Reset(min(max(next.Sub(p.now()), time.Millisecond), clockCheckInterval))
		}
	}
}

func (p *Presence) markStopped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stoppedAt = p.readClock()
}

// restore sets the status of the devices of a page after a start. Callers do not take in messages yet.
func (p *Presence) restore(page *devicePage, list []deviceStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	for i := range list {
		p.restoreDevice(Ref{Tenant: page.key.tenant, ID: list[i].ID}, page, list[i].Status, now)
	}
}

func (p *Presence) restoreDevice(ref Ref, page *devicePage, st Status, now int64) {
	before := p.devices[ref.ID]
	if before == nil && st == (Status{}) {
		return // it never had contact
	}
	c := &presenceState{ref: ref, page: page, status: st, silentSince: now, unseenSinceStart: true}
	c.clampTo(now) // the clock may have been set back meanwhile
	if before != nil {
		c.queued, before.gone = before.queued, true
		if before.status.Online {
			p.online[ref.Tenant]--
		}
	}
	p.devices[ref.ID] = c
	if st.Online {
		p.online[ref.Tenant]++
		p.schedule(c)
	}
}

// fill sets the status of a page's members in list. Only a flush calls it.
func (p *Presence) fill(page *devicePage, list []deviceStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(page.states) != len(list) {
		page.states = make([]*presenceState, len(list))
	}
	for i := range list {
		c := page.states[i]
		if c == nil || c.gone {
			c = p.devices[list[i].ID]
			page.states[i] = c
		}
		if c != nil && c.ref.Tenant == page.key.tenant {
			list[i].Status = c.status
		}
	}
}

// reserve makes room for devices before a start restores them.
func (p *Presence) reserve(devices int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.devices) == 0 {
		p.devices = make(map[ID]*presenceState, devices)
	}
}

// AcceptDevices says that devices can connect from now on, after a start. The silence of those that
// were online counts from here; the time in which the server evaluated what an earlier run had left
// does not count.
func (p *Presence) AcceptDevices() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.readClock()
	for _, c := range p.devices {
		if c.unseenSinceStart && c.status.Online {
			c.silentSince = now - c.silence.Milliseconds()
		}
	}
	p.reschedule()
}

// takeChanged takes the devices to write: those that came online or went offline and, if all is
// set, all that had contact.
func (p *Presence) takeChanged(all bool) unwritten {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.changed.take()
	if all {
		u.add(p.dirty.take())
	}
	return u
}

// markChanged marks devices again that could not be written.
func (p *Presence) markChanged(u unwritten) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed.add(u)
}

// setPages records in which pages devices are now.
func (p *Presence) setPages(pages map[Ref]*devicePage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ref, page := range pages {
		if c := p.devices[ref.ID]; c != nil {
			c.page = page
		}
	}
}
