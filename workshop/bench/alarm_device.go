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

// alarmDevice is a device of an alarmFleet. It publishes values that pass the thresholds of its rules
// one after the other, with the present as their time. One goroutine sends, another reads the
// acknowledgements. Of connection it uses the network, the source of values and the buffers, and of
// pending only the length, which is the number of packets that may be in flight.
type alarmDevice struct {
	connection
	name             string
	rules            int // number of the device's rules; property i is that of rule i
	devices          int // number of devices in the fleet
	noticesPerSecond int // that open in the whole fleet
	events           *alarmEvents
	free             chan uint16 // packet identifiers not in flight
	last             int64       // the time in the newest message, epoch ms
	wasHigh          uint64      // a bit for each rule whose value was high in it
	rulesRunning     bool        // a value that passes a threshold is an event
	// keepAcked appends every acknowledged message to ackedMessages and measures it, also after
	// until. Delays of its alarms then count from its sending, not from its acknowledgement.
	keepAcked bool
	leaving   atomic.Bool

	mu       sync.Mutex
	inFlight []sentMessage // by packet identifier, less one; guarded by mu

	ackedMessages []sentMessage // only readAcks writes it; read it when nothing is in flight

	latency    *histogram
	ackedTotal *atomic.Int64 // of the fleet, until the time until
	until      time.Time
}

// sentMessage is a message in flight. The bits of crossed are the rules whose values pass their
// thresholds with it, those of high the rules whose values are above.
type sentMessage struct {
	at      time.Time
	time    int64 // the time in the message, epoch ms
	crossed uint64
	high    uint64
	open    bool
}

// isHigh reports whether a rule's value is above its threshold at a time since the beginning. Each
// pair of a rule and a device has its time, one after the other, and is high for highFor from then
// on; after the last pair they start again with the first.
func (s *alarmDevice) isHigh(rule int, since time.Duration) bool {
	begins := s.timeOfNotice(rule*s.devices + s.stream.device)
	cycle := s.timeOfNotice(s.rules * s.devices)
	return since >= begins && (since-begins)%max(cycle, 2*highFor) < highFor
}

// timeOfNotice returns how long after the beginning the notice of this number is to open.
func (s *alarmDevice) timeOfNotice(notices int) time.Duration {
	return time.Duration(float64(notices) / float64(s.noticesPerSecond) * float64(time.Second))
}

// send sends a message at each interval every, from began+offset on, until the time is over; with
// every 0 it sends as many as the window allows. Then it waits for the acknowledgements.
func (s *alarmDevice) send(ctx context.Context, began time.Time, offset, every time.Duration, until time.Time) error {
	s.mu.Lock()
	if s.inFlight == nil {
		s.inFlight = make([]sentMessage, len(s.pending))
	}
	s.mu.Unlock()
	timer := time.NewTimer(time.Until(began.Add(offset)))
	defer timer.Stop()
	for next := began.Add(offset); ; next = next.Add(every) {
		if every > 0 {
			timer.Reset(time.Until(next))
			select {
			case <-timer.C:
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
func (s *alarmDevice) drain(ctx context.Context) error {
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

// unanswered counts the messages in flight with the time that they have taken so far, which is a
// lower bound of their latency.
func (s *alarmDevice) unanswered(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.inFlight {
		if s.inFlight[i].open {
			s.latency.add(now.Sub(s.inFlight[i].at))
		}
	}
}

// enqueue prepares a message for flush.
func (s *alarmDevice) enqueue(id uint16, began time.Time) {
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
		one.crossed = above ^ s.wasHigh
	}
	s.wasHigh = above
	s.mu.Lock()
	s.inFlight[id-1] = one
	s.mu.Unlock()
	s.payload = s.appendMessage(s.payload[:0], above)
	s.out = appendPublish(s.out, s.protocol, id, s.payload)
}

// appendMessage appends a message with the newest time.
func (s *alarmDevice) appendMessage(b []byte, above uint64) []byte {
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
func (s *alarmDevice) value(at int64, above uint64, property int) float64 {
	if property < s.rules && above&(1<<property) != 0 {
		return high / 100
	}
	// A message is numbered by the low bits of its time, so that reading back needs no list.
	return float64(s.stream.hundredths(int(at&(1<<40-1)), property)) / 100
}

// readAcks reads acknowledgements until the connection ends.
func (s *alarmDevice) readAcks() error {
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

func (s *alarmDevice) handleAck(id uint16, reason byte, now time.Time) error {
	s.mu.Lock()
	if id == 0 || int(id) > len(s.inFlight) || !s.inFlight[id-1].open {
		s.mu.Unlock()
		return fmt.Errorf("%s: acknowledgement of packet %d, which is not in flight", s.name, id)
	}
	one := s.inFlight[id-1]
	s.inFlight[id-1].open = false
	s.mu.Unlock()
	if reason >= 0x80 {
		return errors.New(s.name + ": a message was refused")
	}
	if now.Before(s.until) {
		s.ackedTotal.Add(1)
	}
	if s.keepAcked || now.Before(s.until) {
		s.latency.add(now.Sub(one.at))
	}
	if s.keepAcked {
		s.ackedMessages = append(s.ackedMessages, one)
	}
	for crossed := one.crossed; crossed != 0; crossed &= crossed - 1 {
		rule := bits.TrailingZeros64(crossed)
		from := now
		if s.keepAcked {
			from = one.at
		}
		s.events.acked(alarmEvent{s.name, rule, one.time, one.high&(1<<rule) != 0}, from)
	}
	s.free <- id
	return nil
}
