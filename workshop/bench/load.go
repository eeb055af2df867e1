package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// Options are the options of a run.
type Options struct {
	Connections int           // open all the time; the devices get equally many
	Window      int           // messages in flight on a connection
	Duration    time.Duration // of the measurement
	// Rate is how many messages all connections send in a second, each with one in flight; 0: as many
	// as the window allows.
	Rate     int
	Protocol byte // 4 (MQTT 3.1.1) or 5

	Age time.Duration // how long before the run the readings begin; 0: a day
}

const (
	parallelDials = 32               // connections that are opened at the same time
	dialTimeout   = 30 * time.Second // for opening one
	drainTime     = 60 * time.Second // for the messages in flight at the end
	// historyAge is how long before the run a device's readings begin: a device may send a message
	// for each of these milliseconds, and all are still in the past.
	historyAge = 24 * time.Hour
)

// connectionGroup is the set of connections of a run.
type connectionGroup struct {
	options Options
	world   Tenant
	first   int64 // time of every device's message 0, epoch ms
	members []*connection
	latency histogram
}

func newConnectionGroup(o Options, w Tenant, now time.Time) (*connectionGroup, error) {
	switch {
	case o.Connections < 1 || o.Window < 1 || o.Window > 65535 || o.Duration <= 0:
		return nil, errors.New("at least one connection, a window from 1 to 65535 and some time are needed")
	case o.Protocol != 4 && o.Protocol != 5:
		return nil, fmt.Errorf("protocol %d: 4 or 5 is needed", o.Protocol)
	}
	if o.Age == 0 {
		o.Age = historyAge
	}
	c := &connectionGroup{options: o, world: w, first: now.Add(-o.Age).UnixMilli()}
	devices := min(len(w.Devices), o.Connections)
	for i := range o.Connections {
		device := i % devices
		parts := o.Connections / devices
		if device < o.Connections%devices {
			parts++
		}
		c.members = append(c.members, &connection{
			protocol: o.Protocol,
			stream:   newMessageSource(device, c.first, w.Properties),
			part:     i / devices,
			parts:    parts,
		})
	}
	return c, nil
}

// connect opens all connections, or none.
func (c *connectionGroup) connect(ctx context.Context, address string) error {
	open, ctx := errgroup.WithContext(ctx)
	open.SetLimit(parallelDials)
	for i, m := range c.members {
		open.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, dialTimeout)
			defer cancel()
			if err := m.dial(ctx, address, c.world.Devices[m.stream.device], c.options.Window); err != nil {
				m.nc = nil
				return fmt.Errorf("connection %d of %d: %w", i+1, len(c.members), err)
			}
			return nil
		})
	}
	if err := open.Wait(); err != nil {
		return errors.Join(err, c.close())
	}
	return nil
}

// publish publishes on all connections for the run's duration. It calls begin at the start and end
// at the end, before it waits for the messages in flight. It returns early if ctx ends.
func (c *connectionGroup) publish(ctx context.Context, begin, end func()) error {
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		for _, m := range c.members {
			_ = m.nc.Close() // the run is cancelled: its goroutines end with errors
		}
	})
	defer func() {
		if !stop() {
			<-closed // otherwise it could close new connections, too
		}
	}()
	begin()
	until := time.Now().Add(c.options.Duration)
	var running errgroup.Group
	for i, m := range c.members {
		running.Go(func() error {
			if c.options.Rate > 0 {
				m.runAt(c.paceOf(i), until, until.Add(drainTime), &c.latency)
			} else {
				m.run(until, until.Add(drainTime), &c.latency)
			}
			return nil
		})
	}
	done := time.NewTimer(c.options.Duration)
	defer done.Stop()
	select {
	case <-done.C:
		end()
	case <-ctx.Done():
	}
	_ = running.Wait() // each keeps its own error
	return ctx.Err()
}

// paceOf returns when a connection sends, so that all together send evenly at the group's rate.
func (c *connectionGroup) paceOf(member int) pace {
	every := time.Duration(len(c.members)) * time.Second / time.Duration(c.options.Rate)
	return pace{first: time.Now().Add(every * time.Duration(member) / time.Duration(len(c.members))), every: every}
}

func (c *connectionGroup) close() error {
	var err error
	for _, m := range c.members {
		if m.nc != nil {
			err = errors.Join(err, m.nc.Close())
		}
	}
	return err
}

// count adds up the messages of all connections.
func (c *connectionGroup) count(r *Result) {
	for _, m := range c.members {
		r.Sent += m.sent
		r.Acknowledged += m.ackCount
		r.Messages += m.ackedInTime
		r.Refused += m.refused
		if m.err != nil {
			if r.Broken++; r.FirstBreak == nil {
				r.FirstBreak = fmt.Errorf("%s: %w", c.world.Devices[m.stream.device].Name, m.err)
			}
		}
	}
	r.P50, r.P99, r.Max = c.latency.quantile(0.50), c.latency.quantile(0.99), c.latency.max()
}

// ofDevice returns a device's connections, by part.
func (c *connectionGroup) ofDevice(device int) []*connection {
	var own []*connection
	for i := device; i < len(c.members); i += min(len(c.world.Devices), len(c.members)) {
		own = append(own, c.members[i])
	}
	return slices.Clip(own)
}
