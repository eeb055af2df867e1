package ingest

import (
	"sync/atomic"

	"tilth/internal/domain/device"
)

// Stats is what the edge has counted since the start, for the metrics.
type Stats struct {
	Messages         uint64 // committed, refused ones included
	Values           uint64 // kept
	Refused          map[device.Reason]uint64
	Commits          uint64 // batches made durable
	CommitFailures   uint64 // batches that were not
	Waiting          int    // messages accepted and not yet committed
	Acks             uint64 // messages answered: PUBACK, PUBREC, HTTP 200 and 400
	Bytes            uint64 // received, MQTT packets and HTTP bodies
	Connections      int64  // MQTT, open now
	ConnectionsTotal uint64 // MQTT, accepted ever
	SignInFailures   uint64

	// MQTT connections that were not wanted, each counted once at most.
	RefusedFull       uint64 // there were MaxConnections
	RefusedAddress    uint64 // there were PerAddress from the same address
	HandshakeFailures uint64 // TLS was not agreed on
	ConnectsRefused   uint64 // CONNECTs answered with a refusal, failed sign-ins among them
	IdleTimeouts      uint64 // ended for silence: before the CONNECT, or beyond the keep-alive
	Stalls            uint64 // cut off for not taking their answers
	Malformed         uint64 // ended for what they sent

	Panics uint64 // connections ended by a fault of ours
}

type counters struct {
	messages, values        atomic.Uint64
	commits, commitFailures atomic.Uint64
	waiting                 atomic.Int64
	acks, bytes             atomic.Uint64
	connections             atomic.Int64
	connectionsTotal        atomic.Uint64
	signInFailures          atomic.Uint64
	refusedFull             atomic.Uint64
	refusedAddress          atomic.Uint64
	handshakeFailures       atomic.Uint64
	connectsRefused         atomic.Uint64
	idleTimeouts, stalls    atomic.Uint64
	malformed, panics       atomic.Uint64
	refused                 map[device.Reason]*atomic.Uint64 // the map itself never changes
}

func newCounters() *counters {
	c := &counters{refused: map[device.Reason]*atomic.Uint64{}}
	for _, r := range []device.Reason{
		device.ReasonUnreadable, device.ReasonUnknown, device.ReasonWrongType, device.ReasonOutOfRange,
		device.ReasonTooLong, device.ReasonTooOld, device.ReasonFuture, device.ReasonBadTime,
		device.ReasonNotYours, device.ReasonNotGateway, device.ReasonUnknownTopic, device.ReasonDisabled,
		device.ReasonDerived, device.ReasonTooLarge,
	} {
		c.refused[r] = new(atomic.Uint64)
	}
	return c
}

func (c *counters) snapshot() Stats {
	s := Stats{
		Messages:         c.messages.Load(),
		Values:           c.values.Load(),
		Refused:          make(map[device.Reason]uint64, len(c.refused)),
		Commits:          c.commits.Load(),
		CommitFailures:   c.commitFailures.Load(),
		Waiting:          int(c.waiting.Load()),
		Acks:             c.acks.Load(),
		Bytes:            c.bytes.Load(),
		Connections:      c.connections.Load(),
		ConnectionsTotal: c.connectionsTotal.Load(),
		SignInFailures:   c.signInFailures.Load(),

		RefusedFull:       c.refusedFull.Load(),
		RefusedAddress:    c.refusedAddress.Load(),
		HandshakeFailures: c.handshakeFailures.Load(),
		ConnectsRefused:   c.connectsRefused.Load(),
		IdleTimeouts:      c.idleTimeouts.Load(),
		Stalls:            c.stalls.Load(),
		Malformed:         c.malformed.Load(),

		Panics: c.panics.Load(),
	}
	for reason, n := range c.refused {
		s.Refused[reason] = n.Load()
	}
	return s
}
