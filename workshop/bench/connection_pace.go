package bench

import (
	"fmt"
	"time"
)

// pace says when a connection sends its messages: by the clock, whatever the answers take.
type pace struct {
	first time.Time
	every time.Duration
}

// runAt publishes a message at each time of the pace until the time is over, with one in flight. It adds
// the latencies to h. A message that has to wait for an answer counts from the time at which it was due,
// so that a slow answer does not hide those behind it.
func (c *connection) runAt(p pace, until, giveUp time.Time, h *histogram) {
	if c.err = c.nc.SetDeadline(giveUp); c.err == nil {
		c.err = c.exchangeAt(p, until, h)
	}
}

func (c *connection) exchangeAt(p pace, until time.Time, h *histogram) error {
	timer := time.NewTimer(time.Until(p.first))
	defer timer.Stop()
	var answered time.Time
	for due := p.first; due.Before(until); due = due.Add(p.every) {
		timer.Reset(time.Until(due))
		<-timer.C // a cancelled run closes the connection
		from := time.Now()
		if answered.After(due) {
			from = due
		}
		if err := c.exchangeOne(from, until, h); err != nil {
			return err
		}
		answered = time.Now()
	}
	_, err := c.nc.Write([]byte{disconnectPacket, 0})
	return err
}

// exchangeOne sends one message and waits for its acknowledgement. The message counts as sent at from.
func (c *connection) exchangeOne(from, until time.Time, h *histogram) error {
	c.enqueue(1, from)
	if err := c.flush(); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	id, reason, err := c.packets.readPuback()
	if err != nil {
		return err
	}
	now := time.Now()
	return c.handleAck(id, reason, now, !now.Before(until), h)
}
