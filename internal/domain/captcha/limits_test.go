package captcha

import (
	"net/netip"
	"testing"
	"time"

	"tilth/internal/platform/limit"
)

// Under attack from more networks than maxEntries, memory stays bounded, and the newest network is
// limited like the first.
func TestLimitsAreBounded(t *testing.T) {
	now, meter := time.Unix(1_800_000_000, 0), &limit.Meter{}
	l := newLimits(func() time.Time { return now }, meter)
	var from limit.Network
	for i := range 3 * maxEntries {
		address := [16]byte{0x20, 1, 0xd, 0xb8, 5: byte(i >> 16), 6: byte(i >> 8), 7: byte(i)}
		from = limit.Client.Of(netip.AddrFrom16(address))
		l.admitGet(from)
		l.admitCheck(from)
		for range failuresAllowed {
			l.addFailure(from)
		}
	}
	figures := meter.Stats()
	if len(figures) != 3 {
		t.Errorf("%+v", figures)
	}
	for name, f := range figures {
		if f.Keys > maxEntries {
			t.Errorf("%d %s kept", f.Keys, name)
		}
	}
	if l.admitGet(from) != Locked || l.admitCheck(from) != Locked {
		t.Error("the newest network is not locked")
	}
}

// Failures of one address lock its whole IPv6 network, and an IPv4 address in all its forms.
func TestLimitsApplyPerNetwork(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	l := newLimits(func() time.Time { return now }, nil)
	of := func(address string) limit.Network { return limit.Client.Of(netip.MustParseAddr(address)) }
	for range failuresAllowed {
		l.addFailure(of("2001:db8::1"))
		l.addFailure(of("192.0.2.1"))
	}
	for address, want := range map[string]Code{
		"2001:db8::2": Locked, "2001:db8:0:1::1": OK, "192.0.2.1": Locked, "::ffff:192.0.2.1": Locked, "192.0.2.2": OK,
	} {
		if got := l.admitGet(of(address)); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
