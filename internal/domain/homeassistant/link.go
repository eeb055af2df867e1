package homeassistant

import (
	"context"
	"errors"
	"sync"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// link serves the broker of one tenant. What happens meanwhile is noted in marks, which hold at most an
// entry for each announced device, so that a slow broker costs nobody anything.
type link struct {
	service *Service
	tenant  tenant.ID
	wake    chan struct{} // capacity 1: there are marks
	reload  chan struct{} // capacity 1: the settings may have changed

	mu     sync.Mutex
	plan   *plan // nil: nothing is announced yet, and then all is
	marks  *marks
	status Status
}

func newLink(s *Service, t tenant.ID) *link {
	return &link{
		service: s, tenant: t, wake: make(chan struct{}, 1), reload: make(chan struct{}, 1), marks: newMarks(),
		status: Status{State: Connecting, Since: s.Now().UnixMilli()},
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// markPlan notes that devices, their names or their properties have changed.
func (l *link) markPlan() {
	l.mu.Lock()
	l.marks.plan = true
	l.mu.Unlock()
	signal(l.wake)
}

// markState notes that a device has reported.
func (l *link) markState(id device.ID) {
	l.mark(id, func(m *marks) { m.states[id] = struct{}{} })
}

// markAvailability notes that a device went online or offline.
func (l *link) markAvailability(id device.ID) {
	l.mark(id, func(m *marks) { m.available[id] = struct{}{} })
}

func (l *link) mark(id device.ID, set func(m *marks)) {
	l.mu.Lock()
	known := l.plan != nil && l.plan.byID[id] != nil
	if known {
		set(l.marks)
	}
	l.mu.Unlock()
	if known {
		signal(l.wake)
	}
}

// takeMarks takes what is to be published.
func (l *link) takeMarks() *marks {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.marks
	l.marks = newMarks()
	return taken
}

// setPlan makes a plan the one whose devices are marked from now on.
func (l *link) setPlan(p *plan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.plan = p
}

// setStatus sets what people see. Since stays if neither the state nor the problem is new.
func (l *link) setStatus(next Status) {
	l.mu.Lock()
	next.Since = l.status.Since
	if next.State != l.status.State || next.Problem != l.status.Problem {
		next.Since = l.service.Now().UnixMilli()
	}
	if next.State == Off {
		next.Since = 0
	}
	changed := next != l.status
	l.status = next
	l.mu.Unlock()
	if changed {
		l.service.Changed.Tell(l.tenant)
	}
}

// currentStatus gives what people see.
func (l *link) currentStatus() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status
}

// run serves the broker until ctx ends, or nothing is to be done for the tenant.
func (l *link) run(ctx context.Context) {
	backoff := newBackoff(l.service.MinBackoff, l.service.MaxBackoff)
	for ctx.Err() == nil {
		begun := time.Now()
		idle, err := l.attempt(ctx)
		switch {
		case ctx.Err() != nil:
		case idle:
			if l.service.end(l) {
				return
			}
		case err == nil: // the settings changed
			backoff.reset()
		default:
			if time.Since(begun) > l.service.MaxBackoff {
				backoff.reset() // it was connected for a while
			}
			l.waitFor(ctx, backoff.next(), backoff)
		}
	}
}

// waitFor waits before the next attempt, unless the settings change.
func (l *link) waitFor(ctx context.Context, wait time.Duration, backoff *backoff) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-l.reload:
		backoff.reset()
	}
}

// attempt connects once, and serves the broker until something ends that. idle is true if there is
// nothing to do; err is nil if the settings changed.
func (l *link) attempt(ctx context.Context) (idle bool, err error) {
	to, topics, err := l.load(ctx)
	switch {
	case err != nil:
		l.fail(to, err)
		return false, err
	case to == nil, !to.Enabled && topics == 0:
		l.setStatus(Status{State: Off})
		return true, nil
	}
	if !l.service.Tenants.Acts(l.tenant) {
		l.fail(to, &failure{Held, errors.New("held")})
		return false, l.waitForReload(ctx)
	}
	if err := l.enter(ctx, to); err != nil {
		return false, err
	}
	defer l.service.leave()
	err = l.serve(ctx, to)
	l.setPlan(nil)
	if err != nil && ctx.Err() == nil {
		l.fail(to, err)
	}
	return false, err
}

// load reads the settings, and of how many topics the broker retains a message.
func (l *link) load(ctx context.Context) (to *target, topics int, err error) {
	to, err = l.service.Store.target(ctx, l.tenant)
	if to == nil || err != nil {
		return to, 0, err
	}
	list, err := l.service.Store.topics(ctx, l.tenant)
	return to, len(list), err
}

// waitForReload waits until the settings change, or tenants act again.
func (l *link) waitForReload(ctx context.Context) error {
	select {
	case <-l.reload:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter waits while the server serves as many brokers as it may. It gives an error if ctx ends, or if the
// settings change meanwhile, so that the caller reads them again.
func (l *link) enter(ctx context.Context, to *target) error {
	select {
	case l.service.slots <- struct{}{}:
		return nil
	default:
	}
	full := &failure{TooMany, errors.New("too many brokers are served")}
	l.fail(to, full)
	select {
	case l.service.slots <- struct{}{}:
		return nil
	case <-l.reload:
		signal(l.reload) // the wait after this failure ends at once
		return full
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fail shows people a problem. While it is switched off, they see that something is left at the broker.
func (l *link) fail(to *target, err error) {
	state := Failed
	if to != nil && !to.Enabled {
		state = Off
	}
	if problem := problemOf(err); problem != l.currentStatus().Problem { // else each attempt would log it
		l.service.Logger.Info("a tenant's devices do not get into Home Assistant", "tenant", l.tenant, "error", err)
	}
	l.setStatus(Status{State: state, Problem: problemOf(err)})
}
