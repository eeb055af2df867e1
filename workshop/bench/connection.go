package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// connection is one device's connection and what became of its messages. One goroutine sends and
// reads: it answers every acknowledgement with the next message, so that a fixed number of messages
// is always in flight.
type connection struct {
	nc       net.Conn
	packets  packetReader
	protocol byte
	stream   messageSource
	part     int // it sends those of the device's messages whose numbers are part,
	parts    int // part + parts, part + 2*parts …
	pending  []pendingMessage
	out      []byte
	payload  []byte

	sent        int    // messages written to the network
	acked       bitset // the acknowledged ones, by order of sending
	ackCount    int    // number of acknowledged ones
	ackedInTime int    // acknowledged during the run
	refused     int    // refused by a reason code, which only MQTT 5 has
	err         error
}

// pendingMessage is a message that waits for its acknowledgement. Its packet identifier is its
// index in the list, plus one.
type pendingMessage struct {
	order int // of sending, from 0
	at    time.Time
	open  bool
}

// number returns the device's number of the message that this connection sends as its order'th.
func (c *connection) number(order int) int { return c.part + order*c.parts }

// dial connects and signs in.
func (c *connection) dial(ctx context.Context, address string, d Device, window int) (err error) {
	var dialer net.Dialer
	if c.nc, err = dialer.DialContext(ctx, "tcp", address); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.nc.Close())
		}
	}()
	c.packets = packetReader{r: bufio.NewReaderSize(c.nc, maxPacket), protocol: c.protocol}
	if at, ok := ctx.Deadline(); ok {
		if err := c.nc.SetDeadline(at); err != nil {
			return err
		}
	}
	hello := appendConnect(nil, c.protocol, fmt.Sprintf("%s-%d", d.Name, c.part), d.Name, d.Secret)
	if _, err := c.nc.Write(hello); err != nil {
		return err
	}
	most, err := c.packets.readConnack()
	if err != nil {
		return err
	}
	if most > 0 {
		window = min(window, most)
	}
	c.pending = make([]pendingMessage, window)
	return c.nc.SetDeadline(time.Time{})
}

// run publishes until the time is over and waits, until giveUp, for the messages in flight. It adds
// the latencies to h.
func (c *connection) run(until, giveUp time.Time, h *histogram) {
	if c.err = c.nc.SetDeadline(giveUp); c.err == nil {
		c.err = c.exchange(until, h)
	}
}

func (c *connection) exchange(until time.Time, h *histogram) error {
	now := time.Now()
	for i := range c.pending {
		c.enqueue(uint16(i+1), now)
	}
	if err := c.flush(); err != nil {
		return err
	}
	for inFlight := len(c.pending); inFlight > 0; {
		// Wait for one acknowledgement; then take all others that have arrived, and answer all with
		// one write.
		id, reason, err := c.packets.readPuback()
		now = time.Now()
		over := !now.Before(until)
		for {
			if err == nil {
				err = c.handleAck(id, reason, now, over, h)
			}
			if err != nil {
				return err
			}
			if over {
				inFlight--
			} else {
				c.enqueue(id, now)
			}
			if !c.packets.ackBuffered() {
				break
			}
			id, reason, err = c.packets.readPuback()
		}
		if err := c.flush(); err != nil {
			return err
		}
	}
	_, err := c.nc.Write([]byte{disconnectPacket, 0})
	return err
}

// enqueue prepares the next message for flush.
func (c *connection) enqueue(id uint16, now time.Time) {
	c.enqueueMessage(id, c.sent, now)
	c.sent++
}

// enqueueMessage prepares a message that may have been sent before.
func (c *connection) enqueueMessage(id uint16, order int, now time.Time) {
	c.pending[id-1] = pendingMessage{order: order, at: now, open: true}
	c.payload = c.stream.appendPayload(c.payload[:0], c.number(order))
	c.out = appendPublish(c.out, c.protocol, id, c.payload)
}

// handleAck matches an acknowledgement to its message.
func (c *connection) handleAck(id uint16, reason byte, now time.Time, over bool, h *histogram) error {
	if id == 0 || int(id) > len(c.pending) || !c.pending[id-1].open {
		return fmt.Errorf("acknowledgement of packet %d, which is not in flight", id)
	}
	f := &c.pending[id-1]
	f.open = false
	if reason >= 0x80 {
		c.refused++
		return nil
	}
	c.acked.add(f.order)
	c.ackCount++
	if !over {
		c.ackedInTime++
		h.add(now.Sub(f.at))
	}
	return nil
}

func (c *connection) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	_, err := c.nc.Write(c.out)
	c.out = c.out[:0]
	return err
}
