package device

import (
	"net/netip"
	"testing"
	"time"
)

// A client that was refused is found by a device's name or secret, and by nothing else.
func TestClaimed(t *testing.T) {
	key := []byte("key")
	r := NewRegistry(key)
	entry := func(id ID, name string) *Entry {
		return NewEntry(Ref{Tenant: 1, ID: id}, name, nil, false, false, HashSecret(key, "secret of "+name))
	}
	r.Replace([]*Entry{entry(1, "WS-1"), entry(2, "WS-2")})
	for _, test := range []struct {
		claim Claim
		want  ID // 0: none
	}{
		{Claim{UserName: "WS-1", Password: "wrong"}, 1},
		{Claim{UserName: "WS-1", Password: "secret of WS-2", ClientID: "WS-2"}, 1},
		{Claim{UserName: "secret of WS-2"}, 2},
		{Claim{UserName: "somebody", Password: "secret of WS-2", ClientID: "WS-1"}, 2},
		{Claim{ClientID: "WS-1"}, 1},
		{Claim{ClientID: "secret of WS-1"}, 0},
		{Claim{Password: "WS-1"}, 0},
		{Claim{UserName: "WS-3", Password: "wrong", ClientID: "c"}, 0},
		{Claim{}, 0},
	} {
		ref, known := r.Claimed(test.claim)
		if ref.ID != test.want || known != (test.want != 0) {
			t.Errorf("%+v: %+v %v", test.claim, ref, known)
		}
	}
	if ref, known := r.Named("WS-2"); ref.ID != 2 || !known {
		t.Errorf("WS-2: %+v %v", ref, known)
	}
	if ref, known := r.Named("secret of WS-2"); known {
		t.Errorf("a secret is no name: %+v", ref)
	}
}

// A device that repeats a fault with each report keeps one hint of it, the newest, beside the others.
func TestHintsOfFaults(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	hints, ref := newTestHints(&now)
	from := netip.MustParseAddr("203.0.113.77")
	hints.NoteRefusals(ref, []Refusal{refusal(now, "xyz", ReasonUnknown)})
	for range 9 {
		now = now.Add(hintPause)
		hints.NoteFault(ref, FaultMQTT31, from)
		hints.NoteFault(ref, FaultMalformed, from) // at once: not again
		hints.NotePath(ref, "", from)
	}
	at := now.UnixMilli()
	want := []Hint{
		{Kind: HintWrongPath, Time: at, Address: "203.0.113.x"},
		{Kind: HintWrongProtocol, Time: at, Address: "203.0.113.x", Fault: FaultMQTT31},
	}
	if got := hints.Get(1, 7); len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2].Kind != HintRefused {
		t.Errorf("%+v", got)
	}
	if other := hints.Get(2, 7); other != nil {
		t.Errorf("another tenant sees %+v", other)
	}
	hints.NoteFault(Ref{Tenant: 2, ID: 7}, FaultMQTT31, from) // no such device of that tenant
	if other := hints.Get(2, 7); other != nil {
		t.Errorf("another tenant sees %+v", other)
	}
}
