package alarm

import (
	"context"
	"sync/atomic"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
)

const (
	// muchTooLate is the age on arrival from which a reading counts as coming out of a logger's
	// memory.
	muchTooLate = 30 * time.Minute
	// backlogPause is for how long no late reading must arrive from a device until its backlog
	// counts as complete.
	backlogPause = 2 * time.Minute
	// longestBacklog is for how long a backlog delays notifications: all readings of a device whose
	// clock is behind seem to come out of its memory.
	longestBacklog = 30 * time.Minute
	// nextBacklog is for how long no late reading must arrive from a device until the next one
	// begins another backlog: a reading that arrives earlier was measured before the last one of
	// this backlog arrived.
	nextBacklog = muchTooLate
)

// Notifier notifies people of notices. Its calls are part of the transaction that writes the
// notice. A call may be repeated where the outcome of an earlier transaction is unknown.
type Notifier interface {
	NoticeOpened(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, w *alertmsg.DeliveryOptions) error
	// NoticeClosed with told false is for a notice whose rule was changed, stopped, also by the
	// server, or deleted: people are not notified of its end.
	NoticeClosed(ctx context.Context, t tenant.ID, a *alertmsg.Alarm, told bool) error
	// NoticeAcknowledged is for a notice that was acknowledged, or whose acknowledgement was
	// withdrawn.
	NoticeAcknowledged(ctx context.Context, t tenant.ID, a *alertmsg.Alarm) error
}

// noopNotifier notifies nobody.
type noopNotifier struct{}

func (noopNotifier) NoticeOpened(context.Context, tenant.ID, *alertmsg.Alarm, *alertmsg.DeliveryOptions) error {
	return nil
}
func (noopNotifier) NoticeClosed(context.Context, tenant.ID, *alertmsg.Alarm, bool) error { return nil }
func (noopNotifier) NoticeAcknowledged(context.Context, tenant.ID, *alertmsg.Alarm) error { return nil }

// notifyOpened notifies that a notice began, with the newest of its samples.
func (s *eventTx) notifyOpened(ctx context.Context, ev *pendingEvent, n *Notice) error {
	r := ev.rule
	a := s.buildAlarm(alertmsg.Triggered, r, n, ev.samples)
	w := &alertmsg.DeliveryOptions{Channels: r.Channels, Period: r.Period, RemindEvery: r.RemindEvery}
	w.Late = r.predicate != nil && s.now()-ev.time > muchTooLate.Milliseconds()
	return s.opts.Notifier.NoticeOpened(ctx, r.Tenant, a, w)
}

// notifyClosed notifies that a notice ended, with the sample that ended it, if there is one.
func (e *Engine) notifyClosed(ctx context.Context, r *activeRule, n *Notice, how resolution, samples []Sample) error {
	a := e.buildAlarm(alertmsg.Resolved, r, n, samples)
	a.Manual, a.User, a.Remark = how.status == ResolvedManually, how.user, how.remark
	told := how.reason == Recovered || how.reason == Online || how.reason == Manual
	return e.opts.Notifier.NoticeClosed(ctx, r.Tenant, a, told)
}

// buildAlarm makes the alert message of a notice of a rule.
func (e *Engine) buildAlarm(what alertmsg.Event, r *activeRule, n *Notice, samples []Sample) *alertmsg.Alarm {
	a := &alertmsg.Alarm{
		Event: what, Notice: n.ID, Rule: int64(r.ID), Title: n.Title, Level: int(n.Level),
		DeviceID: int64(r.Device), DeviceName: n.DeviceName, NoteName: n.NoteName, Product: r.productID(),
		Offline: r.Trigger == DeviceOffline, Window: r.Window.Milliseconds(), Hits: r.Hits,
		Start: n.Start, End: n.End, HoldsSince: n.HoldsSince, HoldsSincePrecision: n.HoldsSincePrecision,
		Description: r.Description,
	}
	a.Ack = n.Ack.alertAck()
	if n.Unsteady {
		a.Unsteady, a.Changes = e.opts.MaxNoticesPerHour, n.Changes
	}
	for _, c := range r.Conditions {
		a.Conditions = append(a.Conditions, alertmsg.Condition{
			Join:     c.Join,
			Property: c.Attribute,
			Operator: c.Operator,
			Value:    plain(c.Value),
			Recovery: c.Recovery,
		})
	}
	if len(r.attributes) > 0 {
		a.Properties = make(map[string]alertmsg.Property, len(r.attributes))
		for _, as := range r.attributes {
			a.Properties[as.Identifier] = alertmsg.Property{
				Name:     as.FunctionName,
				Unit:     as.Unit,
				Decimals: as.Precision,
			}
		}
	}
	if len(samples) > 0 && r.predicate != nil {
		newest := samples[len(samples)-1]
		a.Values = make(map[string]any, len(r.Conditions))
		for _, c := range r.Conditions {
			if v := r.predicate.valueOf(newest, r.product, c.Attribute); v.Kind() != reading.KindNone {
				a.Values[c.Attribute] = plain(v)
			}
		}
	}
	return a
}

func (r *activeRule) productID() int64 {
	if r.product == nil { // the rule's device is gone
		return 0
	}
	return r.product.ID
}

// plain is a value as JSON represents it.
func plain(v reading.Value) any {
	switch v.Kind() {
	case reading.KindNumber:
		return v.Float()
	case reading.KindBoolean:
		return v.Bool()
	case reading.KindText:
		return v.String()
	default:
		return nil
	}
}

// deviceBacklogs are the devices that upload readings out of their memory. They have a lock of
// their own: a caller may hold the database, for which holders of the engine's locks wait.
type deviceBacklogs struct {
	some     atomic.Int64 // number of devices
	mu       orderedMutex[leafRank]
	byDevice map[device.Ref]deviceBacklog
}

// deviceBacklog holds when the first and the newest late reading of a device's backlog arrived,
// epoch ms.
type deviceBacklog struct {
	first, last int64
	present     bool // a reading that is not late arrived after them
}

// waitsUntil is until when notifications wait for the end of the backlog, if no more of it arrives,
// epoch ms.
func (b deviceBacklog) waitsUntil() int64 {
	return min(b.last+backlogPause.Milliseconds(), b.first+longestBacklog.Milliseconds())
}

// expired tells whether the next late reading begins another backlog.
func (b deviceBacklog) expired(now int64) bool { return now-b.last >= nextBacklog.Milliseconds() }

// note takes in a frame of a device that has rules.
func (b *deviceBacklogs) note(a *reading.Arrival) {
	late := a.At-a.Time > muchTooLate.Milliseconds()
	if !late && b.some.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ref := device.Ref{Tenant: a.Tenant, ID: a.Device}
	known, found := b.byDevice[ref]
	if found && known.expired(a.At) {
		b.forget(ref)
		found = false
	}
	switch {
	case late && !found:
		b.keep(ref, deviceBacklog{first: a.At, last: a.At})
	case late:
		// The clock may have been set back.
		b.keep(ref, deviceBacklog{first: min(known.first, a.At), last: a.At})
	case found:
		known.present = true
		b.keep(ref, known)
	}
}

// keep and forget: callers hold the lock.
func (b *deviceBacklogs) keep(ref device.Ref, k deviceBacklog) {
	if b.byDevice == nil {
		b.byDevice = map[device.Ref]deviceBacklog{}
	}
	b.byDevice[ref] = k
	b.some.Store(int64(len(b.byDevice)))
}

func (b *deviceBacklogs) forget(ref device.Ref) {
	delete(b.byDevice, ref)
	b.some.Store(int64(len(b.byDevice)))
}

// until is when notifications stop waiting for a device's backlog if no more of it arrives. The
// zero time: they do not wait.
func (b *deviceBacklogs) until(ref device.Ref, now time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, found := b.byDevice[ref]
	if !found {
		return time.Time{}
	}
	if known.expired(now.UnixMilli()) {
		b.forget(ref)
		return time.Time{}
	}
	until := known.waitsUntil()
	// With a clock that was set back, that moment is unknown.
	if known.present || until <= now.UnixMilli() || known.last > now.UnixMilli() {
		return time.Time{}
	}
	return time.UnixMilli(until)
}

// BacklogUntil is until when notifications wait for the backlog of a tenant's device, if no more of
// it arrives: until the first present reading, until no late one has arrived for two minutes, or
// until half an hour after its first one. The zero time: they do not wait.
func (e *Engine) BacklogUntil(t tenant.ID, id int64) time.Time {
	return e.backlogs.until(device.Ref{Tenant: t, ID: device.ID(id)}, e.opts.Now())
}
