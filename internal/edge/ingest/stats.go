package ingest

import (
	"sync/atomic"

	"tilth/internal/domain/device"
)

// Stats are the edge's counts since the start, for the metrics.
type Stats struct {
	Messages         uint64 // committed, refused ones included
	Values           uint64 // kept values
	Refused          map[device.Reason]uint64
	Batches          uint64 // batches finished, with or without anything to write
	Commits          uint64 // batches made durable
	CommitFailures   uint64 // batches that were not made durable
	Waiting          int    // messages accepted and not yet committed
	Acks             uint64 // messages answered: PUBACK, PUBREC, HTTP 200 and 400
	Bytes            uint64 // bytes received, of MQTT packets and HTTP bodies
	Connections      int64  // MQTT, open now
	ConnectionsTotal uint64 // MQTT, accepted ever
	SignInFailures   uint64
	Faults           map[device.Fault]uint64 // clients refused before their secret was looked at, and wrong paths

	// Rejected MQTT connections, each counted at most once.
	RefusedFull       uint64 // MaxConnections were open
	RefusedAddress    uint64 // the network had PerAddress connections
	HandshakeFailures uint64 // the TLS handshake failed
	ConnectsRefused   uint64 // CONNECTs answered with a refusal, failed sign-ins among them
	IdleTimeouts      uint64 // ended because the client was silent: before the CONNECT, or beyond the keep-alive
	Stalls            uint64 // cut off because the client did not read its answers
	Malformed         uint64 // ended because the client violated the protocol

	Panics uint64 // connections ended by a panic of the server
}

type counters struct {
	messages, values                 atomic.Uint64
	batches, commits, commitFailures atomic.Uint64
	waiting                          atomic.Int64
	acks, bytes                      atomic.Uint64
	connections                      atomic.Int64
	connectionsTotal                 atomic.Uint64
	signInFailures                   atomic.Uint64
	refusedFull                      atomic.Uint64
	refusedAddress                   atomic.Uint64
	handshakeFailures                atomic.Uint64
	connectsRefused                  atomic.Uint64
	idleTimeouts, stalls             atomic.Uint64
	malformed, panics                atomic.Uint64
	refused                          map[device.Reason]*atomic.Uint64 // the map itself never changes
	faults                           map[device.Fault]*atomic.Uint64  // nor does this one
}

func newCounters() *counters {
	c := &counters{refused: map[device.Reason]*atomic.Uint64{}, faults: map[device.Fault]*atomic.Uint64{}}
	for _, f := range device.Faults {
		c.faults[f] = new(atomic.Uint64)
	}
	for _, r := range []device.Reason{
		device.ReasonUnreadable, device.ReasonUnknown, device.ReasonWrongType, device.ReasonOutOfRange,
		device.ReasonTooLong, device.ReasonTooOld, device.ReasonFuture, device.ReasonBadTime,
		device.ReasonNotYours, device.ReasonNotGateway, device.ReasonUnknownTopic, device.ReasonDisabled,
		device.ReasonDerived, device.ReasonTooLarge, device.ReasonUnused,
		device.ReasonTooFast, device.ReasonNetworkClock,
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
		Batches:          c.batches.Load(),
		Commits:          c.commits.Load(),
		CommitFailures:   c.commitFailures.Load(),
		Waiting:          int(c.waiting.Load()),
		Acks:             c.acks.Load(),
		Bytes:            c.bytes.Load(),
		Connections:      c.connections.Load(),
		ConnectionsTotal: c.connectionsTotal.Load(),
		SignInFailures:   c.signInFailures.Load(),
		Faults:           make(map[device.Fault]uint64, len(c.faults)),

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
	for fault, n := range c.faults {
		s.Faults[fault] = n.Load()
	}
	return s
}
