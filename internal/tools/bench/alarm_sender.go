package bench

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// sender is a device that sends readings of now. One goroutine sends, another reads the
// acknowledgements.
type sender struct {
	connection
	name             string
	rules            int // number of rules; the first properties have one each
	devices          int // number of devices in the fleet
	noticesPerSecond int // of the whole fleet
	marks            *alarmEvents
	free             chan uint16 // packet identifiers not in flight
	last             int64       // time of the newest message, epoch ms
	wasHigh          uint64      // the rules whose values were high in it
	rulesRunning     bool
	// keepAcked keeps every acknowledged message in ackedMessages and counts it, however late.
	// Delays of its alarms then count from its sending.
	keepAcked bool
	leaving   atomic.Bool

	mu            sync.Mutex
	sent          []sentMessage // by packet identifier, less one
	ackedMessages []sentMessage // complete once nothing is in flight

	latency *histogram
	acked   *atomic.Int64
	until   time.Time
}

// sentMessage is a message in flight, and the rules whose values pass their thresholds with it.
type sentMessage struct {
	at     time.Time
	time   int64 // its own, epoch ms
	turned uint64
	high   uint64
	open   bool
}

// isHigh tells whether a rule's value is above its threshold at a time since the beginning. The
// values of all rules and devices are high one after the other, each for highFor, and then again
// from the first.
func (s *sender) isHigh(rule int, since time.Duration) bool {
	begins := s.after(rule*s.devices + s.stream.device)
	cycle := s.after(s.rules * s.devices)
	return since >= begins && (since-begins)%max(cycle, 2*highFor) < highFor
}

// after renotices how long it takes until a number of notices have opened.
func (s *sender) after(notices int) time.Duration {
	return time.Duration(float64(notices) / float64(s.noticesPerSecond) * float64(time.Second))
}

// send sends a message at each interval every, from began+offset on, until the time is over; with
// every 0 it sends as many as the window allows. Then it waits for the acknowledgements.
func (s *sender) send(ctx context.Context, began time.Time, offset, every time.Duration, until time.Time) error {
	s.mu.Lock()
	if s.sent == nil {
		s.sent = make([]sentMessage, len(s.pending))
	}
	s.mu.Unlock()
	turn := time.NewTimer(time.Until(began.Add(offset)))
	defer turn.Stop()
	for next := began.Add(offset); ; next = next.Add(every) {
		if every > 0 {
			turn.Reset(time.Until(next))
			select {
			case <-turn.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if !time.Now().Before(until) {
			break
		}
		select {
		case id := <-s.free:
			s.enqueue(id, began)
		case <-ctx.Done():
			return ctx.Err()
		}
		for more := every == 0; more; {
			select {
			case id := <-s.free:
				s.enqueue(id, began)
			default:
				more = false
			}
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
	return s.drain(ctx)
}

// drain waits until nothing is in flight.
func (s *sender) drain(ctx context.Context) error {
	timeout := time.NewTimer(drainTime)
	defer timeout.Stop()
	for range cap(s.free) {
		select {
		case <-s.free:
		case <-ctx.Done():
			return ctx.Err()
		case <-timeout.C:
			return fmt.Errorf("%s: messages were not acknowledged within %s", s.name, drainTime)
		}
	}
	for id := range cap(s.free) {
		s.free <- uint16(id + 1)
	}
	return nil
}

// unanswered counts the messages in flight as if they were acknowledged now; they take longer.
func (s *sender) unanswered(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.sent {
		if s.sent[i].open {
			s.latency.add(now.Sub(s.sent[i].at))
		}
	}
}

// enqueue prepares a message for flush.
func (s *sender) enqueue(id uint16, began time.Time) {
	now := time.Now()
	s.last = max(s.last+1, now.UnixMilli())
	var above uint64
	for rule := range s.rules {
		if s.isHigh(rule, now.Sub(began)) {
			above |= 1 << rule
		}
	}
	one := sentMessage{at: now, time: s.last, high: above, open: true}
	if s.rulesRunning {
		one.turned = above ^ s.wasHigh
	}
	s.wasHigh = above
	s.mu.Lock()
	s.sent[id-1] = one
	s.mu.Unlock()
	s.payload = s.appendMessage(s.payload[:0], above)
	s.out = appendPublish(s.out, s.protocol, id, s.payload)
}

// appendMessage appends a message with the newest time.
func (s *sender) appendMessage(b []byte, above uint64) []byte {
	b = append(b, `{"ts":`...)
	b = strconv.AppendInt(b, s.last, 10)
	b = append(b, `,"values":`...)
	for i, key := range s.stream.keys {
		if i == 0 {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b = append(b, key...)
		b = strconv.AppendFloat(b, s.value(s.last, above, i), 'f', 2, 64)
	}
	return append(b, "}}"...)
}

// value returns the value of a property in the message with a time, as it must be read back.
func (s *sender) value(at int64, above uint64, property int) float64 {
	if property < s.rules && above&(1<<property) != 0 {
		return high / 100
	}
	return float64(s.stream.hundredths(int(at&(1<<40-1)), property)) / 100
}

// readAcks reads acknowledgements until the connection ends.
func (s *sender) readAcks() error {
	for {
		id, reason, err := s.packets.readPuback()
		if err != nil {
			if s.leaving.Load() {
				return nil
			}
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := s.handleAck(id, reason, time.Now()); err != nil {
			return err
		}
	}
}

func (s *sender) handleAck(id uint16, reason byte, now time.Time) error {
	s.mu.Lock()
	if id == 0 || int(id) > len(s.sent) || !s.sent[id-1].open {
		s.mu.Unlock()
		return fmt.Errorf("%s: acknowledgement of packet %d, which is not in flight", s.name, id)
	}
	one := s.sent[id-1]
	s.sent[id-1].open = false
	s.mu.Unlock()
	if reason >= 0x80 {
		return errors.New(s.name + ": a message was refused")
	}
	if now.Before(s.until) {
		s.acked.Add(1)
	}
	if s.keepAcked || now.Before(s.until) {
		s.latency.add(now.Sub(one.at))
	}
	if s.keepAcked {
		s.ackedMessages = append(s.ackedMessages, one)
	}
	for turned := one.turned; turned != 0; turned &= turned - 1 {
		rule := bits.TrailingZeros64(turned)
		from := now
		if s.keepAcked {
			from = one.at
		}
		s.marks.acked(alarmEvent{s.name, rule, one.time, one.high&(1<<rule) != 0}, from)
	}
	s.free <- id
	return nil
}
