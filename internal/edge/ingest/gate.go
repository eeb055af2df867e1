package ingest

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/limit"
)

// How many devices and addresses the limits remember at once, besides the devices that are
// connected over MQTT.
const (
	devicesKept = 100_000
	originsKept = 100_000
)

// errWrongSecret says that a sign-in failed, without saying why.
var errWrongSecret = errors.New("ingest: sign-in refused")

// limitedError says that a sign-in failed and that its address has failed too often.
type limitedError struct{ retry time.Duration }

func (limitedError) Error() string { return "ingest: too many failed sign-ins from this address" }

// gate decides which devices may send, and how fast. MQTT and HTTP share it, so that a device has
// one limit.
type gate struct {
	registry *device.Registry
	traces   *device.TraceStore
	hints    *device.Hints
	now      func() time.Time
	stats    *counters
	messages *limit.Buckets[device.ID]
	failures *limit.Failures[limit.Network]
	logger   *slog.Logger
	faultLog *faultLog
}

func newGate(o Options, stats *counters) *gate {
	return &gate{
		registry: o.Registry,
		traces:   o.Traces,
		hints:    o.Hints,
		now:      o.Now,
		stats:    stats,
		logger:   o.Logger,
		faultLog: newFaultLog(),
		messages: limit.NewBuckets[device.ID](
			limit.Options{Name: "device_messages", MaxKeys: devicesKept, Now: o.Now, Meter: o.Limits},
			o.Rate,
			o.Burst,
		),
		failures: limit.NewFailures[limit.Network](
			limit.Options{Name: "device_sign_in", MaxKeys: originsKept, Now: o.Now, Meter: o.Limits},
			o.FailureRate,
			o.FailureBurst,
		),
	}
}

// signIn authenticates a device, or fails with errWrongSecret or a limitedError. It checks the
// secret before any limit: the check costs one hash and one look-up in memory, less than reading
// the packet that brought it. Only failures are limited, because many devices share an address: one
// device with an old secret would otherwise shut out all others behind the same address.
func (g *gate) signIn(address, userName, password string) (*device.Entry, device.SecretHash, error) {
	if userName != "" || password != "" {
		if e, hash, ok := g.registry.Authenticate(userName, password); ok {
			return e, hash, nil
		}
		if ref, retired, known := g.registry.RefusedSignIn(userName, password); known {
			g.traces.NoteRefusedSignIn(ref, g.now().UnixMilli(), retired)
			if password != "" { // it named the device: a secret alone may be anybody's
				g.hints.NoteWrongSecret(ref, addressOf(address))
			}
		} else if password == "" { // perhaps a device's name, without its secret
			if ref, known := g.registry.Named(userName); known {
				g.hints.NoteFault(ref, device.FaultNoSecret, addressOf(address))
			}
		}
	}
	return nil, device.SecretHash{}, g.noteFailure(networkOf(address))
}

// noteFailure counts a failed sign-in of an address, and returns its error.
func (g *gate) noteFailure(from limit.Network) error {
	g.stats.signInFailures.Add(1)
	if retry := g.failures.Add(from); retry > 0 {
		return limitedError{retry}
	}
	return errWrongSecret
}

// pin returns a device's bucket for one of its connections, until Release.
func (g *gate) pin(id device.ID) limit.PinnedBucket[device.ID] { return g.messages.Pin(id) }

// reserve takes the cost of a message from the bucket that a connection has pinned, and returns how
// long to wait before the message may be handled.
func (g *gate) reserve(h limit.PinnedBucket[device.ID], now time.Time, e *device.Entry) time.Duration {
	return h.Reserve(now, g.cost(e))
}

// admit takes the cost of a message only if the message may be handled at once; otherwise it
// returns when to try again.
func (g *gate) admit(e *device.Entry) time.Duration { return g.messages.Allow(e.ID, g.cost(e)).Retry }

// cost is what a message takes from its device's bucket. A gateway publishes for all devices of its
// tenant, so its messages cost one event divided by their number.
func (g *gate) cost(e *device.Entry) limit.Cost {
	if !e.Gateway {
		return limit.One
	}
	return limit.Share(max(1, g.registry.Count(e.Tenant)))
}

// networkOf is the network that failed sign-ins and connections of an address, with or without a
// port, are counted by.
func networkOf(address string) limit.Network {
	ip := addressOf(address)
	if !ip.IsValid() {
		return limit.Network{} // a listener without addresses: all its clients count as one network
	}
	return limit.Client.Of(ip)
}

// addressOf reads an address with or without a port; the zero one if it is none.
func addressOf(address string) netip.Addr {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return ip
}
