package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// probeInterval is how long the probe waits between an acknowledgement and its next message, and
	// between two attempts to connect.
	probeInterval = 5 * time.Millisecond
	// probeTimeout is how long one message or one attempt may take.
	probeTimeout = time.Minute
)

// clusterProbe is a device that publishes one message after the other, connects again whenever its
// connection ends, and remembers when it was acknowledged.
type clusterProbe struct {
	group   *connectionGroup // of one connection, which is opened again and again
	ignored histogram

	mu     sync.Mutex
	acks   []probeAck
	failed error // why the probe connected again

	cancel context.CancelFunc
	done   chan struct{}
}

// probeAck is an acknowledgement.
type probeAck struct{ dialed, at time.Time }

// newClusterProbe makes a probe of a tenant's first device.
func newClusterProbe(w Tenant, now time.Time) *clusterProbe {
	w.Devices = w.Devices[:1]
	c := &connectionGroup{world: w, first: now.Add(-historyAge).UnixMilli()}
	c.members = []*connection{{protocol: 4, stream: newMessageSource(0, c.first, w.Properties), parts: 1}}
	return &clusterProbe{group: c}
}

// start begins to publish, and waits for the first acknowledgement.
func (p *clusterProbe) start(ctx context.Context, address string) error {
	ctx, p.cancel = context.WithCancel(ctx)
	p.acks, p.done = nil, make(chan struct{})
	began := time.Now()
	go func() {
		defer close(p.done)
		p.run(ctx, address)
	}()
	if _, _, err := p.awaitNext(ctx, began); err != nil {
		p.stop()
		return err
	}
	return nil
}

func (p *clusterProbe) stop() {
	p.cancel()
	<-p.done
}

func (p *clusterProbe) run(ctx context.Context, address string) {
	for ctx.Err() == nil {
		if err := p.publish(ctx, address); err != nil {
			p.mu.Lock()
			p.failed = err
			p.mu.Unlock()
		}
		pauseFor(ctx, probeInterval)
	}
}

func pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// publish publishes on a new connection until that ends.
func (p *clusterProbe) publish(ctx context.Context, address string) (err error) {
	c := p.group.members[0]
	dialed := time.Now()
	dialing, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	c.out = c.out[:0] // what the ended connection did not take
	if err := c.dial(dialing, address, p.group.world.Devices[0], 1); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.nc.Close()) }()
	defer context.AfterFunc(ctx, func() { _ = c.nc.SetDeadline(time.Unix(1, 0)) })()
	for ctx.Err() == nil {
		now := time.Now()
		if err := c.exchangeOne(now, now.Add(probeTimeout), &p.ignored); err != nil {
			return err
		}
		p.mu.Lock()
		p.acks = append(p.acks, probeAck{dialed, time.Now()})
		p.mu.Unlock()
		pauseFor(ctx, probeInterval)
	}
	return nil
}

// awaitNext waits for an acknowledgement on a connection that was opened after a time. It also returns the
// longest time between two acknowledgements since shortly before then.
func (p *clusterProbe) awaitNext(ctx context.Context, since time.Time) (first time.Time, gap time.Duration, err error) {
	for {
		p.mu.Lock()
		last := since
		for _, a := range p.acks {
			if a.at.Before(since) {
				last = a.at
				continue
			}
			gap = max(gap, a.at.Sub(last))
			last = a.at
			if !a.dialed.Before(since) {
				p.mu.Unlock()
				return a.at, gap, nil
			}
		}
		failed := p.failed
		p.mu.Unlock()
		select {
		case <-ctx.Done():
			return first, 0, fmt.Errorf("the probe was not acknowledged: %w", errors.Join(ctx.Err(), failed))
		case <-time.After(time.Millisecond):
		}
	}
}

// verify reads back what was acknowledged.
func (p *clusterProbe) verify(ctx context.Context, person *console) (*Verification, error) {
	return p.group.verify(ctx, person)
}
