package ingest

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/platform/limit"
)

// How many devices, and addresses, the limits remember at once; devices that are
// connected over MQTT apart.
const (
	devicesKept = 100_000
	originsKept = 100_000
)

// errWrongSecret says that a sign-in failed, without saying in what.
var errWrongSecret = errors.New("ingest: sign-in refused")

// limitedError says that a sign-in failed, and that its address has failed too
// often to be told more.
type limitedError struct{ retry time.Duration }

func (limitedError) Error() string { return "ingest: too many failed sign-ins from this address" }

// gate decides who comes in and how fast. MQTT and HTTP share it, so that a
// device has one limit.
type gate struct {
	registry *device.Registry
	stats    *counters
	messages *limit.Buckets[device.ID]
	failures *limit.Failures[limit.Network]
}

func newGate(o Options, stats *counters) *gate {
	return &gate{
		registry: o.Registry,
		stats:    stats,
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

// signIn lets a device in, or fails with errWrongSecret or a limitedError. The
// secret is looked at first: that costs a hash and a look into memory, less than
// the packet that brought it. Failures alone are limited, since many devices share
// an address: one with an old secret would keep all others of a village out.
func (g *gate) signIn(address, userName, password string) (*device.Entry, device.SecretHash, error) {
	if userName != "" || password != "" {
		if e, hash, ok := g.registry.Authenticate(userName, password); ok {
			return e, hash, nil
		}
	}
	return nil, device.SecretHash{}, g.noteFailure(networkOf(address))
}

// noteFailure counts a failed sign-in of an address, and gives its error.
func (g *gate) noteFailure(from limit.Network) error {
	g.stats.signInFailures.Add(1)
	if retry := g.failures.Add(from); retry > 0 {
		return limitedError{retry}
	}
	return errWrongSecret
}

// pin gives a device's allowance to a connection of it, until Release.
func (g *gate) pin(id device.ID) limit.PinnedBucket[device.ID] { return g.messages.Pin(id) }

// reserve takes a message's place, of the allowance that a device's connection
// holds, and tells how long to wait before it may be handled.
func (g *gate) reserve(h limit.PinnedBucket[device.ID], now time.Time, e *device.Entry) time.Duration {
	return h.Reserve(now, g.cost(e))
}

// admit takes a message's place only when it may be handled at once; else it
// tells when to come again.
func (g *gate) admit(e *device.Entry) time.Duration { return g.messages.Allow(e.ID, g.cost(e)).Retry }

// cost is what a message takes of its device's allowance: of a gateway, which
// speaks for all devices of its tenant, the part of one among them.
func (g *gate) cost(e *device.Entry) limit.Cost {
	if !e.Gateway {
		return limit.One
	}
	return limit.Share(max(1, g.registry.Count(e.Tenant)))
}

// networkOf is what failed sign-ins and connections of an address, with a port or
// without, are counted by.
func networkOf(address string) limit.Network {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return limit.Network{} // a listener without addresses: all its clients count as one
	}
	return limit.Client.Of(ip)
}
