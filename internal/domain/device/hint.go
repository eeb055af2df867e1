package device

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
)

// HintKind is what went wrong as a device tried to report.
type HintKind string

// The kinds of hints.
const (
	HintWrongSecret HintKind = "wrongSecret" // it signed in under its name with another secret
	HintRefused     HintKind = "refused"     // a value or the message was refused
	HintUnreadable  HintKind = "unreadable"  // the message is not the expected JSON

	HintWrongProtocol HintKind = "wrongProtocol" // it was refused before its secret was looked at
	HintWrongPath     HintKind = "wrongPath"     // it reports at a path that is not right
)

const (
	hintsKept     = 5
	hintLife      = 24 * time.Hour
	hintPause     = 10 * time.Second // between two hints of a kind of a device
	hintedDevices = 1000             // of a tenant, whose hints are kept
	// refusalsLookedAt is for how many refusals of a message advice is looked for.
	refusalsLookedAt = 8

	ipv4HintPrefix = 24
	ipv6HintPrefix = 48
)

// Hint helps a person who sets up a device and waits for its first reading.
type Hint struct {
	Kind       HintKind
	Time       int64  // epoch milliseconds
	Address    string // the network it came from; of HintWrongSecret, HintWrongProtocol and HintWrongPath
	Identifier string // of HintRefused, as the device sent it; may be empty
	Reason     Reason // of HintRefused
	DidYouMean string // of HintRefused: identifier of the measured property that is meant, probably
	Fault      Fault  // of HintWrongProtocol
	Path       string // of HintWrongPath: the right one, with SECRET for the secret; empty: nothing was taken
}

// Hints keeps the newest hints of devices in memory; a restart forgets them.
type Hints struct {
	registry *Registry
	now      func() time.Time

	mu      sync.Mutex
	tenants map[tenant.ID]map[ID]*deviceHints

	// Given tells of each hint.
	Given change.Kind[GivenHint]
}

// GivenHint is a hint with the device that it is given of.
type GivenHint struct {
	*Entry
	Hint
}

// deviceHints are the hints of a device, newest first, and when a hint of each kind came last.
type deviceHints struct {
	list []Hint
	last map[HintKind]int64
}

// NewHints makes an empty store; now is the server's clock.
func NewHints(r *Registry, now func() time.Time) *Hints {
	return &Hints{registry: r, now: now, tenants: map[tenant.ID]map[ID]*deviceHints{}}
}

// Get gives the hints of a tenant's device of the last 24 hours, newest first.
func (s *Hints) Get(t tenant.ID, id ID) (list []Hint) {
	since := s.now().Add(-hintLife).UnixMilli()
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.tenants[t][id]; d != nil {
		for _, h := range d.list {
			if h.Time > since {
				list = append(list, h)
			}
		}
	}
	return list
}

// Forget drops the hints of a deleted device.
func (s *Hints) Forget(ref Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tenants[ref.Tenant], ref.ID)
	if len(s.tenants[ref.Tenant]) == 0 {
		delete(s.tenants, ref.Tenant)
	}
}

// NoteWrongSecret notes that somebody signed in under a device's name with another secret, from an
// address (without port).
func (s *Hints) NoteWrongSecret(ref Ref, address netip.Addr) {
	s.note(ref, Hint{Kind: HintWrongSecret, Time: s.now().UnixMilli()}, func(_ *Entry, h *Hint) {
		h.Address = MaskAddress(address)
	})
}

// NoteRefusals notes what was refused of one message, if anything was.
func (s *Hints) NoteRefusals(ref Ref, refusals []Refusal) {
	i := slices.IndexFunc(refusals, func(r Refusal) bool { return r.Reason.counts() })
	if i < 0 {
		return
	}
	kind := HintRefused
	if refusals[i].Reason == ReasonUnreadable {
		kind = HintUnreadable
	}
	s.note(ref, Hint{Kind: kind, Time: refusals[i].Time}, func(e *Entry, h *Hint) {
		if kind == HintUnreadable {
			return
		}
		h.Identifier, h.Reason = refusals[i].Identifier, refusals[i].Reason
		// The first for which there is advice; a message may have thousands.
		for _, r := range refusals[i:min(len(refusals), i+refusalsLookedAt)] {
			if r.Reason != ReasonUnknown || e.Product == nil {
				continue
			}
			if meant := e.Product.DidYouMean(r.Identifier); meant != "" {
				h.Identifier, h.Reason, h.DidYouMean = r.Identifier, r.Reason, meant
				return
			}
		}
	})
}

// note keeps a hint, which fill completes, unless one of its kind came just before.
func (s *Hints) note(ref Ref, h Hint, fill func(e *Entry, h *Hint)) {
	e := s.registry.Get(ref.ID)
	if e == nil || e.Ref != ref || !s.due(ref, &h) {
		return
	}
	fill(e, &h)
	s.mu.Lock()
	d := s.of(ref)
	if h.Kind.replaces() {
		d.list = slices.DeleteFunc(d.list, func(o Hint) bool { return o.Kind == h.Kind })
	}
	d.list = slices.Insert(d.list, 0, h)
	d.list = d.list[:min(len(d.list), hintsKept)]
	s.mu.Unlock()
	s.Given.Tell(GivenHint{e, h})
}

// due tells whether a hint of its kind may come now, and remembers that it came.
func (s *Hints) due(ref Ref, h *Hint) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.of(ref)
	if last, known := d.last[h.Kind]; known && h.Time >= last && h.Time-last < hintPause.Milliseconds() {
		return false
	}
	d.last[h.Kind] = h.Time
	return true
}

// of finds or makes the hints of a device; a tenant with too many such devices loses those of another one.
// Callers hold the lock.
func (s *Hints) of(ref Ref) *deviceHints {
	devices := s.tenants[ref.Tenant]
	if devices == nil {
		devices = map[ID]*deviceHints{}
		s.tenants[ref.Tenant] = devices
	}
	d := devices[ref.ID]
	if d == nil {
		if len(devices) >= hintedDevices {
			for id := range devices {
				delete(devices, id)
				break
			}
		}
		d = &deviceHints{last: map[HintKind]int64{}}
		devices[ref.ID] = d
	}
	return d
}

// MaskAddress gives the network of an address as people read it: 203.0.113.x, 2001:db8:7::/48; empty if
// there is none.
func MaskAddress(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	switch {
	case !a.IsValid():
		return ""
	case a.Is4():
		network := netip.PrefixFrom(a, ipv4HintPrefix).Masked().Addr().String()
		return network[:strings.LastIndexByte(network, '.')+1] + "x"
	default:
		return netip.PrefixFrom(a, ipv6HintPrefix).Masked().Addr().String() + "/" + strconv.Itoa(ipv6HintPrefix)
	}
}
