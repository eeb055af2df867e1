package ingest

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"tilth/internal/device"
)

// errWrongSecret says that a sign-in failed, without saying in what.
var errWrongSecret = errors.New("ingest: sign-in refused")

// limitedError says that an address has failed too often to be listened to.
type limitedError struct{ retry time.Duration }

func (limitedError) Error() string { return "ingest: too many failed sign-ins from this address" }

// gate decides who comes in and how fast. MQTT and HTTP share it, so that a
// device has one limit.
type gate struct {
	registry *device.Registry
	stats    *counters
	messages buckets[device.ID]
	failures buckets[string] // by address
}

func newGate(o Options, stats *counters) *gate {
	return &gate{
		registry: o.Registry,
		stats:    stats,
		messages: buckets[device.ID]{rate: o.Rate, burst: o.Burst},
		failures: buckets[string]{rate: o.FailureRate, burst: o.FailureBurst},
	}
}

// signIn lets a device in, or fails with errWrongSecret or a limitedError. An
// address that failed too often is not listened to, right secret or not, until
// its allowance has grown again.
func (g *gate) signIn(address, userName, password string) (*device.Entry, device.SecretHash, error) {
	from := origin(address)
	if retry := g.failures.lacking(from); retry > 0 {
		g.stats.signInFailures.Add(1)
		return nil, device.SecretHash{}, limitedError{retry}
	}
	if userName != "" || password != "" {
		if e, hash, ok := g.registry.Authenticate(userName, password); ok {
			return e, hash, nil
		}
	}
	g.stats.signInFailures.Add(1)
	g.failures.take(from, 1)
	return nil, device.SecretHash{}, errWrongSecret
}

// pace takes a message's place and tells how long to wait before it may be
// handled.
func (g *gate) pace(e *device.Entry) time.Duration { return g.messages.take(e.ID, g.share(e)) }

// admit takes a message's place only when it may be handled at once; else it
// tells when to come again.
func (g *gate) admit(e *device.Entry) time.Duration { return g.messages.try(e.ID, g.share(e)) }

// share is how many devices a connection speaks for.
func (g *gate) share(e *device.Entry) int {
	if !e.Gateway {
		return 1
	}
	return max(1, g.registry.Count(e.Tenant))
}

// origin is what failed sign-ins and connections are counted by: an IPv4 address, or the
// network of an IPv6 address, since one host has a whole /64 to choose from.
func origin(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
