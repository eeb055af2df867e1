package homeassistant

import (
	"context"
	"time"
)

// serve connects to the broker and keeps it up to date. It gives nil if the settings changed, or
// everything was removed.
func (l *link) serve(ctx context.Context, to *target) error {
	s := l.service
	if before := l.currentStatus(); to.Enabled && before.State != Failed {
		l.setStatus(Status{State: Connecting})
	}
	x, err := s.connect(ctx, l.tenant, to)
	if err != nil {
		return err
	}
	defer x.close()
	p, err := s.newPublication(ctx, l.tenant, to, x)
	if err != nil {
		return err
	}
	if !to.Enabled {
		return p.removeAll(ctx)
	}
	defer l.sayGoodbye(ctx, p)
	if err := l.announce(ctx, p); err != nil {
		return err
	}
	return l.follow(ctx, p)
}

// announce reads the devices and publishes what the broker does not have of them.
func (l *link) announce(ctx context.Context, p *publication) error {
	next, err := l.service.plan(ctx, l.tenant, &p.to.Settings)
	if err != nil {
		return err
	}
	l.setPlan(next) // before values are read: what arrives from now on is marked
	if err := p.announce(ctx, next); err != nil {
		return err
	}
	status := Status{
		State: Connected, Devices: len(next.devices), Entities: len(next.configs), Omitted: next.omitted,
	}
	if !p.session.subscribed {
		status.Problem = NotSubscribed
	}
	l.setStatus(status)
	return nil
}

// follow publishes what changes: at most once in Pace, and everything again when Home Assistant starts,
// at most once in AgainPace.
func (l *link) follow(ctx context.Context, p *publication) error {
	pause, again := newPause(), newPause()
	defer pause.stop()
	defer again.stop()
	pause.begin(l.service.Pace)
	for {
		wake, online := l.wake, p.session.online
		if pause.on {
			wake, online = nil, nil
		}
		if again.on {
			online = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-p.session.lost:
			return &failure{Ended, err}
		case <-pause.timer.C:
			pause.on = false
		case <-again.timer.C:
			again.on = false
		case <-l.reload:
			if done, err := l.changed(ctx, p); done || err != nil {
				return err
			}
		case <-online:
			p.forget()
			l.takeMarks()
			if err := l.announce(ctx, p); err != nil {
				return err
			}
			pause.begin(l.service.Pace)
			again.begin(l.service.AgainPace)
		case <-wake:
			if err := l.publishMarks(ctx, p); err != nil {
				return err
			}
			pause.begin(l.service.Pace)
		}
	}
}

// publishMarks publishes what is marked.
func (l *link) publishMarks(ctx context.Context, p *publication) error {
	m := l.takeMarks()
	if m.plan {
		if err := l.announce(ctx, p); err != nil {
			return err
		}
	}
	return p.update(ctx, m)
}

// changed reads the settings again. done is true if this connection has to end: then it has removed
// everything from a broker that is not the tenant's any more.
func (l *link) changed(ctx context.Context, p *publication) (done bool, err error) {
	now, err := l.service.Store.target(ctx, l.tenant)
	switch {
	case now == nil && err == nil, now != nil && (!now.Enabled || !sameBroker(now.URL, p.to.URL)):
		p.gone = true
		return true, p.removeAll(ctx)
	case err != nil:
		return true, err
	case *now != *p.to:
		return true, nil
	}
	return false, nil
}

// sayGoodbye says that the server is not connected any more, before it disconnects: a broker publishes the
// last will only of those that do not. It may fail if the connection is lost; then the will counts.
func (l *link) sayGoodbye(ctx context.Context, p *publication) {
	if p.gone {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbyeWithin)
	defer cancel()
	if p.session.publish(ctx, p.to.bridgeTopic(), []byte(payloadOffline)) == nil {
		_ = p.session.flush(ctx)
	}
}

// pause is a time in which something does not happen again.
type pause struct {
	timer *time.Timer
	on    bool
}

func newPause() *pause {
	p := &pause{timer: time.NewTimer(time.Hour)}
	p.timer.Stop()
	return p
}

func (p *pause) begin(d time.Duration) {
	p.on = true
	p.timer.Reset(d)
}

func (p *pause) stop() { p.timer.Stop() }
