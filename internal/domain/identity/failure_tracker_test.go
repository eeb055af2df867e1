package identity

import (
	"net/netip"
	"testing"
	"time"
)

// Different attempts cannot have the same keys.
func TestOriginsAreDistinct(t *testing.T) {
	seen := map[origin]Attempt{}
	for _, a := range []Attempt{
		{Tenant: 1, UserName: "ada", Address: netip.MustParseAddr("192.0.2.1")}, {Tenant: 2, UserName: "ada", Address: netip.MustParseAddr("192.0.2.1")},
		{Tenant: 1, UserName: "ada1", Address: netip.MustParseAddr("92.0.2.1")}, {Tenant: 1, UserName: "ada", Address: netip.MustParseAddr("192.0.2.11")}, {UserName: "ada", Address: netip.MustParseAddr("192.0.2.1")},
	} {
		o := newOrigin(a)
		if twin, ok := seen[o]; ok {
			t.Errorf("%+v and %+v have the same keys", a, twin)
		}
		seen[o] = a
		a.UserName, a.Password, a.Verification = "ADA"+a.UserName[3:], "x", "y"
		if newOrigin(a) != o {
			t.Errorf("%+v has other keys in capitals", a)
		}
	}
}

func TestBackoff(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		0: 0, 9: 0, 10: time.Second, 11: 2 * time.Second, 14: 16 * time.Second, failuresCountedPerSubnet: maxBackoff,
	} {
		if got := backoff(failures); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
}
