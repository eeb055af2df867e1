package device

import (
	"net/netip"
	"testing"
	"time"
)

func newTestHints(now *time.Time) (*Hints, Ref) {
	r := NewRegistry([]byte("key"))
	ref := Ref{Tenant: 1, ID: 7}
	product := &Product{Properties: []Property{{Identifier: "airTemperature"}}}
	r.Replace([]*Entry{NewEntry(ref, "WS-7", product, false, false)})
	return NewHints(r, func() time.Time { return *now }), ref
}

func refusal(at time.Time, identifier string, reason Reason) Refusal {
	return Refusal{Time: at.UnixMilli(), Identifier: identifier, Reason: reason}
}

func TestHints(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	hints, ref := newTestHints(&now)
	var told []Hint
	hints.Given.Then(func(h GivenHint) {
		if h.Name != "WS-7" {
			t.Errorf("told of %q", h.Name)
		}
		told = append(told, h.Hint)
	})
	hints.NoteWrongSecret(ref, netip.MustParseAddr("203.0.113.77"))
	hints.NoteWrongSecret(ref, netip.MustParseAddr("203.0.113.78")) // at once: not again
	hints.NoteRefusals(ref, []Refusal{
		refusal(now, "humidityX", ReasonUnknown), refusal(now, "temp", ReasonUnknown),
	})
	hints.NoteRefusals(ref, []Refusal{refusal(now, "", ReasonUnreadable)})
	hints.NoteRefusals(ref, []Refusal{refusal(now, "wh65batt", ReasonUnused)})
	hints.NoteRefusals(ref, nil)
	got := hints.Get(1, 7)
	at := now.UnixMilli()
	want := []Hint{
		{Kind: HintUnreadable, Time: at},
		{Kind: HintRefused, Time: at, Identifier: "temp", Reason: ReasonUnknown, DidYouMean: "airTemperature"},
		{Kind: HintWrongSecret, Time: at, Address: "203.0.113.x"},
	}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] || len(told) != 3 {
		t.Fatalf("%+v, told %d; want %+v", got, len(told), want)
	}
	if other := hints.Get(2, 7); other != nil {
		t.Errorf("another tenant sees %+v", other)
	}
	for range 9 {
		now = now.Add(hintPause)
		hints.NoteRefusals(ref, []Refusal{refusal(now, "xyz", ReasonUnknown)})
	}
	if got := hints.Get(1, 7); len(got) != hintsKept || got[0].Time != now.UnixMilli() || got[0].DidYouMean != "" {
		t.Errorf("%+v, want the newest %d", got, hintsKept)
	}
	now = now.Add(hintLife)
	if got := hints.Get(1, 7); len(got) != 0 {
		t.Errorf("a day later: %+v", got)
	}
	hints.NoteWrongSecret(Ref{Tenant: 1, ID: 8}, netip.MustParseAddr("203.0.113.77")) // no such device
	hints.Forget(ref)
	if len(hints.tenants) != 0 {
		t.Errorf("%d tenants are kept", len(hints.tenants))
	}
}

// A tenant with very many devices that fail takes no more memory than its share.
func TestHintsOfManyDevices(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	hints, ref := newTestHints(&now)
	var entries []*Entry
	for id := ID(1); id <= 3*hintedDevices; id++ {
		entries = append(entries, NewEntry(Ref{Tenant: ref.Tenant, ID: id}, "", nil, false, false))
	}
	hints.registry.Replace(entries)
	for _, e := range entries {
		hints.NoteRefusals(e.Ref, []Refusal{refusal(now, "xyz", ReasonUnknown)})
	}
	if n := len(hints.tenants[ref.Tenant]); n != hintedDevices {
		t.Errorf("%d devices are kept", n)
	}
	if last := hints.Get(ref.Tenant, 3*hintedDevices); len(last) != 1 {
		t.Errorf("the newest device has %d hints", len(last))
	}
}

func TestMaskAddress(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1":          "127.0.0.x",
		"::ffff:203.0.113.9": "203.0.113.x",
		"2001:db8:7:8::9":    "2001:db8:7::/48",
		"fe80::1%eth0":       "fe80::/48",
	} {
		if got := MaskAddress(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	if got := MaskAddress(netip.Addr{}); got != "" {
		t.Errorf("no address: %q", got)
	}
}
