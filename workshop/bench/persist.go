package bench

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// Persistence is how the devices of a load go on when a connection breaks or nobody answers, as devices
// of a field do.
type Persistence struct {
	Addresses []string // host:port each; a device whose connection failed takes the next
	// Every is how often a device sends as many messages as its window has. It begins again only when
	// all are acknowledged.
	Every time.Duration
	// Patience is how long a device waits for a connection or an acknowledgement before it connects
	// again, and Pause how long it rests before.
	Patience, Pause time.Duration
	// Drain is how long the devices may take at the end, until all that they sent is acknowledged.
	Drain time.Duration
	// Acked is called with each acknowledgement: the device's place in the tenant, when the message was
	// sent for the last time, and when it was answered. Several goroutines call it.
	Acked func(device int, sent, at time.Time)
}

// Persist makes the devices publish until ctx ends. Whatever is not acknowledged is sent again on the
// next connection. It returns an error if messages are not acknowledged in the end.
func (l *Load) Persist(ctx context.Context, p Persistence) error {
	var running errgroup.Group
	for i, m := range l.group.members {
		running.Go(func() error {
			s := &persistent{connection: m, Persistence: p, next: i, window: l.group.options.Window}
			s.device = l.group.world.Devices[m.stream.device]
			return s.run(ctx)
		})
	}
	return running.Wait()
}

// persistent is one device that goes on.
type persistent struct {
	*connection
	Persistence
	device Device
	window int
	next   int   // the address that it takes next
	open   []int // messages without an acknowledgement, by order of sending
	dialed bool
}

func (s *persistent) run(ctx context.Context) error {
	again := time.NewTicker(s.Every)
	defer again.Stop()
	defer s.hangUp()
	for {
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
		for range s.window {
			s.open = append(s.open, s.sent)
			s.sent++
		}
		var drained time.Time // until when the messages must be acknowledged; zero: as long as it takes
		var failed error
		for len(s.open) > 0 {
			if ctx.Err() != nil && drained.IsZero() {
				drained = time.Now().Add(s.Drain)
			}
			if !drained.IsZero() && time.Now().After(drained) {
				return fmt.Errorf("%s: %d messages have no acknowledgement: %w", s.device.Name, len(s.open), failed)
			}
			if failed = s.attempt(ctx); failed != nil {
				s.hangUp()
				s.next++
				time.Sleep(s.Pause)
			}
		}
	}
}

// attempt connects, if there is no connection, and sends what is not acknowledged.
func (s *persistent) attempt(ctx context.Context) error {
	if !s.dialed {
		// The end of the load is no reason to stop: the messages want their acknowledgements.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Patience)
		defer cancel()
		if err := s.dial(ctx, s.Addresses[s.next%len(s.Addresses)], s.device, s.window); err != nil {
			return err
		}
		s.dialed, s.out = true, s.out[:0]
	}
	now := time.Now()
	for i, order := range s.open {
		s.enqueueMessage(uint16(i+1), order, now)
	}
	err := s.nc.SetDeadline(now.Add(s.Patience))
	if err == nil {
		err = s.flush()
	}
	for left := len(s.open); err == nil && left > 0; left-- {
		err = s.awaitAck()
	}
	s.open = s.open[:0]
	for _, p := range s.pending {
		if p.open {
			s.open = append(s.open, p.order)
		}
	}
	return err
}

func (s *persistent) awaitAck() error {
	id, reason, err := s.packets.readPuback()
	if err != nil {
		return err
	}
	now := time.Now()
	if err := s.handleAck(id, reason, now, true, nil); err != nil {
		return err
	}
	if s.Acked != nil {
		s.Acked(s.stream.device, s.pending[id-1].at, now)
	}
	return s.nc.SetDeadline(now.Add(s.Patience))
}

func (s *persistent) hangUp() {
	if s.dialed {
		_ = s.nc.Close() // it may be broken
		s.dialed = false
	}
}
