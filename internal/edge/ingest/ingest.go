// Package ingest is the devices' edge: what devices publish over MQTT or HTTP
// is decoded, written durably, answered and then judged. A device is answered
// only once what it sent is on disk.
package ingest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/memory"
)

// Kind says what a message is, as its topic or path tells.
type Kind uint8

// The kinds of message.
const (
	Telemetry         Kind = iota + 1 // the device's own readings
	GatewayTelemetry                  // a gateway's readings of other devices
	GatewayConnect                    // a gateway met one of its devices
	GatewayDisconnect                 // a gateway lost one of its devices
	Ignored                           // attributes, rpc, claims: counted, nothing more
	UnknownTopic                      // a topic that is not the device's own
)

// Message is one thing that a device sent.
type Message struct {
	Entry   *device.Entry // who sent it
	Kind    Kind
	Payload []byte // read before Submit returns, not kept
	At      int64  // arrival, epoch milliseconds
}

// Outcome tells what became of a message.
type Outcome struct {
	Err          error          // the commit failed: the device must not be answered and sends again
	Values       int            // kept
	Refused      int            // refusals
	FirstRefusal device.Refusal // the first of them, when Refused > 0
}

// Rejected tells that nothing of the message was good. It is answered all the
// same, since sending it again would not help.
func (o Outcome) Rejected() bool { return o.Err == nil && o.Values == 0 && o.Refused > 0 }

// ErrClosed is returned for messages that come after Close.
var ErrClosed = errors.New("ingest: shutting down")

// appender makes readings durable, with the journal entry from which they are
// judged: embedded the reading store, with many nodes a log between edge and
// judge. It owns the batch afterwards.
type appender interface {
	Append(ctx context.Context, batch []reading.Arrival) error
}

// Options say how the edge works; Registry, Presence, Diagnostics and Log are
// needed, other zero fields take the defaults.
type Options struct {
	Registry    *device.Registry
	Presence    *device.Presence
	Diagnostics *device.Diagnostics
	Journal     appender
	Derivation  *derivation.Engine // nil: nothing is derived
	// Admit waits until a tenant's readings may come in; nil: they always may.
	Admit  func(ctx context.Context, t tenant.ID) error
	Now    func() time.Time // of arrivals and limits; default time.Now
	Logger *slog.Logger     // default: discard
	Limits *limit.Meter     // counts what limits refuse; nil: nobody asks
	Memory *memory.Gauge    // while it is short, messages wait; nil: they never do

	Retention  time.Duration // how old a reading may be; default 400 days
	MaxMessage int           // bytes of one message; default 256 KiB

	Rate  float64 // messages a second from one device, sustained; default 20
	Burst int     // messages at once from one device; default 200

	FailureRate  float64 // failed sign-ins a second from one address, sustained; default 1
	FailureBurst int     // failed sign-ins at once from one address; default 60

	QueueBytes  int // accepted and not yet committed; default 16 MiB
	BatchFrames int // frames of one commit; default 8,192

	ConnectTimeout time.Duration // from a connection's start to its CONNECT; default 10 s
	WriteTimeout   time.Duration // for a client to take its answers; default 30 s
	MaxConnections int           // MQTT, all devices; default 120,000
	PerAddress     int           // MQTT connections from one address, an IPv6 /64 being one; default 1,000
	PerDevice      int           // MQTT connections of one device; default 16
	InFlight       int           // messages of one connection that wait for their commit; default 256

	// OnFull is told when a connection is turned away since MaxConnections are open;
	// it does not wait. nil: nobody asks.
	OnFull func(why error)

	// ClientAddr is the address that a request's failed sign-ins and a
	// WebSocket count for; default: the peer's.
	ClientAddr func(*http.Request) string
}

func (o *Options) setDefaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.ClientAddr == nil {
		o.ClientAddr = func(r *http.Request) string { return r.RemoteAddr }
	}
	if o.OnFull == nil {
		o.OnFull = func(error) {}
	}
	fallback(&o.Retention, 400*24*time.Hour)
	fallback(&o.MaxMessage, 256<<10)
	fallback(&o.Rate, 20)
	fallback(&o.Burst, 200)
	fallback(&o.FailureRate, 1)
	fallback(&o.FailureBurst, 60)
	fallback(&o.QueueBytes, 16<<20)
	fallback(&o.BatchFrames, 8192)
	fallback(&o.ConnectTimeout, 10*time.Second)
	fallback(&o.WriteTimeout, 30*time.Second)
	fallback(&o.MaxConnections, 120_000)
	fallback(&o.PerAddress, 1000)
	fallback(&o.PerDevice, 16)
	fallback(&o.InFlight, 256)
}

func fallback[T int | float64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
