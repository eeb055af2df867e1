// Package ingest is the devices' edge: it decodes what devices publish over MQTT or HTTP, writes it
// durably, answers, and hands it to the evaluation of rules. A device is answered only when its
// readings are on disk.
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
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/limit"
	"tilth/internal/platform/memory"
)

// Kind says what a message is, by its topic or path.
type Kind uint8

// The kinds of message.
const (
	Telemetry         Kind = iota + 1 // the device's own readings
	GatewayTelemetry                  // a gateway's readings of other devices
	GatewayConnect                    // a gateway reports that one of its devices connected
	GatewayDisconnect                 // a gateway reports that one of its devices disconnected
	Ignored                           // attributes, rpc, claims: only counted
	UnknownTopic                      // a topic that the device may not publish to
	StationReport                     // a weather station's form
	Uplink                            // a network server's report of a device's message
)

// Message is one message of a device.
type Message struct {
	Entry   *device.Entry // the sender
	Kind    Kind
	Payload []byte // read before Submit returns, not kept
	At      int64  // arrival, epoch milliseconds

	uplink *uplink // of an Uplink: its payload as it is read
}

// Outcome is the result of a message.
type Outcome struct {
	Err          error          // the commit failed: the device is not answered and sends again
	Values       int            // kept values
	Refused      int            // number of refusals
	FirstRefusal device.Refusal // the first of them, when Refused > 0
}

// Rejected tells that nothing of the message was valid. It is answered all the same, because
// sending it again would not help.
func (o Outcome) Rejected() bool { return o.Err == nil && o.Values == 0 && o.Refused > 0 }

// ErrClosed is the error for messages after Close.
var ErrClosed = errors.New("ingest: shutting down")

// appender makes readings durable, together with the journal entry from which rules are evaluated.
// In one process it is the reading store; with several nodes it would be a log between the edge and
// the consumer. It owns the batch afterwards.
type appender interface {
	Append(ctx context.Context, batch []reading.Arrival) error
}

// newest gives the newest reading of a device's property.
type newest interface {
	NewestOf(ctx context.Context, t tenant.ID, d device.ID, p device.PropertyID) (reading.Newest, bool)
}

// Options configure the edge. Registry, Presence, Diagnostics, Traces, Hints and Journal are needed; other zero
// fields take the defaults.
type Options struct {
	Registry    *device.Registry
	Presence    *device.Presence
	Diagnostics *device.Diagnostics
	Traces      *device.TraceStore
	Hints       *device.Hints
	Journal     appender
	Derivation  *derivation.Engine // nil: nothing is derived
	Newest      newest             // of readings on disk; nil: rain counters are kept, rain is not derived from them
	// Admit waits until a tenant's readings may come in; nil: they always may.
	Admit  func(ctx context.Context, t tenant.ID) error
	Now    func() time.Time // of arrivals and limits; default: time.Now
	Logger *slog.Logger     // default: discard
	Limits *limit.Meter     // counts what limits refuse; nil: not counted
	Memory *memory.Gauge    // messages wait while it is short; nil: they never wait
	Bodies *httpbase.Bodies // bounds what messages over HTTP take; default: as the memory's limit allows

	Retention  time.Duration // maximum age of a reading; default 400 days
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

	// OnFull is called when a connection is rejected because MaxConnections are open; it must not
	// block. nil: not called.
	OnFull func(why error)

	// ClientAddr is the address that a request's failed sign-ins and a WebSocket are counted for;
	// default: the peer's address.
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
	if o.Bodies == nil {
		o.Bodies = httpbase.NewBodies("device", o.Memory.Limit(), o.Limits)
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
