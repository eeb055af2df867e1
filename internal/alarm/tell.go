package alarm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tilth/internal/device"
	"tilth/internal/news"
	"tilth/internal/reading"
	"tilth/internal/tenant"
)

// muchTooLate is how old a reading is on arrival that comes out of a logger's
// memory, and backlogPause for how long no such one must have come of a device
// until it is taken to have handed over all.
const (
	muchTooLate  = 30 * time.Minute
	backlogPause = 2 * time.Minute
)

// teller tells people of notices. Its calls are part of the transaction that
// writes the notice, and may come again for what an earlier one of unknown end
// told already.
type teller interface {
	Began(ctx context.Context, t tenant.ID, a *news.Alarm, w *news.Wishes) error
	// Ended with told false is of a notice whose rule was changed, stopped or
	// deleted: people are not told of its end.
	Ended(ctx context.Context, t tenant.ID, a *news.Alarm, told bool) error
}

// silence tells nobody.
type silence struct{}

func (silence) Began(context.Context, tenant.ID, *news.Alarm, *news.Wishes) error { return nil }
func (silence) Ended(context.Context, tenant.ID, *news.Alarm, bool) error         { return nil }

// tellBegun tells that a notice began, by the newest of its samples.
func (s *settlement) tellBegun(ctx context.Context, ev *event, n *Notice) error {
	r := ev.rule
	a := r.news(news.Triggered, n, ev.samples)
	w := &news.Wishes{Channels: r.Channels, Period: r.Period, RemindEvery: r.RemindEvery}
	w.Late = r.test != nil && s.now()-ev.time > muchTooLate.Milliseconds()
	return s.o.Teller.Began(ctx, r.Tenant, a, w)
}

// tellEnded tells that a notice ended, by the sample that ended it, if one did.
func (e *Engine) tellEnded(ctx context.Context, r *running, n *Notice, how ending, samples []Sample) error {
	a := r.news(news.Resolved, n, samples)
	a.ByHand, a.User, a.Remark = how.status == ResolvedByHand, how.user, how.remark
	return e.o.Teller.Ended(ctx, r.Tenant, a, how.reason == Recovered || how.reason == Online || how.reason == ByHand)
}

// news is what people are told of a notice of the rule.
func (r *running) news(what news.Event, n *Notice, samples []Sample) *news.Alarm {
	a := &news.Alarm{
		Event: what, Notice: n.ID, Rule: int64(r.ID), Title: n.Title, Level: int(n.Level),
		DeviceID: int64(r.Device), DeviceName: n.DeviceName, NoteName: n.NoteName, Product: r.productID(),
		Offline: r.Trigger == DeviceOffline, Window: r.Window.Milliseconds(), Hits: r.Hits,
		Start: n.Start, End: n.End, Description: r.Description,
	}
	for _, c := range r.Conditions {
		a.Conditions = append(a.Conditions, news.Condition{
			Join: c.Join, Property: c.Attribute, Operator: string(c.Operator), Value: plain(c.Value), Recovery: c.Recovery,
		})
	}
	if len(samples) > 0 && r.test != nil {
		newest := samples[len(samples)-1]
		a.Values = make(map[string]any, len(r.Conditions))
		for _, c := range r.Conditions {
			if v := r.test.valueOf(newest, r.product, c.Attribute); v.Kind() != reading.KindNone {
				a.Values[c.Attribute] = plain(v)
			}
		}
	}
	return a
}

func (r *running) productID() int64 {
	if r.product == nil { // of a rule whose device is gone
		return 0
	}
	return r.product.ID
}

// plain is a value as JSON has it.
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

// backlogs are devices that hand over readings out of their memory. They have
// a lock of their own: who asks may hold the database, for which those who hold
// the engine's wait.
type backlogs struct {
	some atomic.Int64 // devices
	mu   sync.Mutex
	last map[device.ID]int64 // when the newest such reading arrived, epoch ms
}

// note takes note of a frame of a device that has rules.
func (b *backlogs) note(a *reading.Arrival) {
	late := a.At-a.Time > muchTooLate.Milliseconds()
	if !late && b.some.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if late {
		if b.last == nil {
			b.last = map[device.ID]int64{}
		}
		b.last[a.Device] = a.At
	} else {
		delete(b.last, a.Device)
	}
	b.some.Store(int64(len(b.last)))
}

// until is when a device's backlog is over if nothing more of it arrives; the
// zero time: it is.
func (b *backlogs) until(id device.ID, now time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, there := b.last[id]
	if !there {
		return time.Time{}
	}
	until := time.UnixMilli(at).Add(backlogPause)
	if until.After(now) {
		return until
	}
	delete(b.last, id)
	b.some.Store(int64(len(b.last)))
	return time.Time{}
}

// BacklogUntil is when a device will have handed over what it kept in its
// memory, if nothing more of that arrives: at the first present reading, or
// when none has come for two minutes. The zero time: it has.
func (e *Engine) BacklogUntil(id int64) time.Time {
	return e.backlogs.until(device.ID(id), e.o.Now())
}
