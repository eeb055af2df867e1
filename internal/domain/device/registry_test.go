package device

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/tenant"
)

var testKey = []byte("platform key")

func hash(secret string) SecretHash { return HashSecret(testKey, secret) }

func entry(t tenant.ID, id ID, name string, secrets ...string) *Entry {
	hashes := make([]SecretHash, len(secrets))
	for i, s := range secrets {
		hashes[i] = hash(s)
	}
	return NewEntry(Ref{Tenant: t, ID: id}, name, &Product{OfflineAfter: time.Minute}, false, false, hashes...)
}

func TestHashSecret(t *testing.T) {
	one, again := hash("a"), hash("a")
	if one != again || one == hash("b") || one == HashSecret([]byte("another key"), "a") {
		t.Error("the hash must depend on the key and the secret, and on nothing else")
	}
}

func TestAuthenticate(t *testing.T) {
	r := NewRegistry(testKey)
	shut := NewEntry(Ref{Tenant: 1, ID: 3}, "WS-3", &Product{}, false, true, hash("third"))
	r.Replace([]*Entry{entry(1, 1, "WS-1", "old", "new"), entry(2, 2, "WS-2", "second"), shut})
	for _, c := range []struct {
		userName, password string
		device             ID // 0: refused
	}{
		{"WS-1", "old", 1},
		{"WS-1", "new", 1}, // two secrets are valid, for rotation
		{"new", "", 1},     // the secret as user name alone
		{"second", "", 2},
		{"WS-2", "new", 0},      // another device's secret
		{"ws-2", "second", 0},   // names are exact
		{"WS-1", "", 0},         // a name alone
		{"new", "new", 0},       // the secret as name and password
		{"", "second", 0},       // a password without a name
		{"WS-2", "Second", 0},   // secrets are exact
		{"", "", 0},             // empty
		{"WS-3", "third", 0},    // disabled
		{"third", "", 0},        // disabled
		{"WS-9", "anything", 0}, // unknown
	} {
		e, h, ok := r.Authenticate(c.userName, c.password)
		switch {
		case c.device == 0:
			if ok || e != nil || h != (SecretHash{}) {
				t.Errorf("%q %q signed in as %+v", c.userName, c.password, e)
			}
		case !ok || e.ID != c.device || !r.StillValid(c.device, h):
			t.Errorf("%q %q: %+v %t", c.userName, c.password, e, ok)
		}
	}
}

// A connection becomes invalid when its secret is dropped or moves to another device, or its device
// is disabled or deleted.
func TestStillValid(t *testing.T) {
	r := NewRegistry(testKey)
	check := func(what string, want bool, entries ...*Entry) {
		t.Helper()
		r.Replace(entries)
		if got := r.StillValid(1, hash("s")); got != want {
			t.Errorf("%s: %t", what, got)
		}
	}
	check("unchanged", true, entry(1, 1, "WS-1", "s"))
	check("rotated, both valid", true, entry(1, 1, "WS-1", "s", "t"))
	check("dropped", false, entry(1, 1, "WS-1", "t"))
	check("another device's", false, entry(1, 2, "WS-2", "s"))
	check("deleted and created again", false, entry(1, 5, "WS-1", "s"))
	check("disabled", false, NewEntry(Ref{Tenant: 1, ID: 1}, "WS-1", &Product{}, false, true, hash("s")))
	check("gone", false)
}

func TestRegistryLookUps(t *testing.T) {
	r := NewRegistry(testKey)
	a := entry(1, 1, "WS-1", "s1")
	r.Replace([]*Entry{a, entry(1, 2, "WS-2", "s2"), entry(2, 3, "WS-3", "s3")})
	if r.Get(1) != a || r.Get(9) != nil {
		t.Error("Get finds the wrong device")
	}
	if r.Find(1, "WS-1") != a || r.Find(2, "WS-1") != nil || r.Find(1, "WS-3") != nil || r.Find(1, "none") != nil {
		t.Error("Find must give a tenant its own devices only")
	}
	if r.Count(1) != 2 || r.Count(2) != 1 || r.Count(9) != 0 {
		t.Error("Count is wrong")
	}
	r.Replace([]*Entry{entry(2, 3, "WS-3", "s3")})
	if r.Get(1) != nil || r.Find(1, "WS-1") != nil || r.Count(1) != 0 || r.Count(2) != 1 {
		t.Error("Replace kept an old entry")
	}
}

func TestRegistryOnStructureChange(t *testing.T) {
	r := NewRegistry(testKey)
	var notified []int
	// A listener sees the new content.
	r.StructureChanged.Then(func(struct{}) { notified = append(notified, r.Count(1)) })
	r.StructureChanged.Then(func(struct{}) { notified = append(notified, -1) })
	r.Replace([]*Entry{entry(1, 1, "WS-1", "s")})
	r.Replace(nil)
	if fmt.Sprint(notified) != "[1 -1 0 -1]" {
		t.Errorf("notified with %v", notified)
	}
}

func TestRegistryConcurrency(t *testing.T) {
	r := NewRegistry(testKey)
	both := []*Entry{entry(1, 1, "WS-1", "s1"), entry(2, 2, "WS-2", "s2")}
	r.Replace(both)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				e, h, ok := r.Authenticate("WS-1", "s1")
				if !ok || !r.StillValid(e.ID, h) || r.Find(1, "WS-1") == nil || r.Count(1) != 1 {
					t.Error("the registry was seen half replaced")
					return
				}
			}
		})
	}
	for range 200 {
		r.Replace(both)
	}
	wg.Wait()
}

// The registry notifies the tenants whose devices changed, and no others.
func TestRegistryOnTenantChange(t *testing.T) {
	station, again := &Product{ID: 1, Name: "Station"}, &Product{ID: 1, Name: "Station"}
	renamed := &Product{ID: 1, Name: "Mast"}
	of := func(t tenant.ID, id ID, p *Product, disabled bool) *Entry {
		return NewEntry(Ref{Tenant: t, ID: id}, fmt.Sprint("WS-", id), p, false, disabled)
	}
	r := NewRegistry(testKey)
	r.Replace([]*Entry{of(1, 1, station, false), of(2, 2, station, false)})
	notified := map[tenant.ID]int{}
	r.TenantChanged.Then(func(t tenant.ID) { notified[t]++ })
	for _, c := range []struct {
		name string
		now  []*Entry
		want map[tenant.ID]int
	}{
		{"the same", []*Entry{of(1, 1, again, false), of(2, 2, again, false)}, map[tenant.ID]int{}},
		{"a new device", []*Entry{of(1, 1, again, false), of(1, 3, again, false), of(1, 4, again, false), of(2, 2, again, false)}, map[tenant.ID]int{1: 1}},
		{"a disabled device", []*Entry{of(1, 1, again, false), of(1, 3, again, false), of(1, 4, again, true), of(2, 2, again, false)}, map[tenant.ID]int{1: 1}},
		{"two gone", []*Entry{of(1, 1, again, false), of(2, 2, again, false)}, map[tenant.ID]int{1: 1}},
		{"another product", []*Entry{of(1, 1, again, false), of(2, 2, renamed, false)}, map[tenant.ID]int{2: 1}},
		{"another tenant's", []*Entry{of(1, 1, again, false), of(1, 2, renamed, false)}, map[tenant.ID]int{1: 1}},
	} {
		clear(notified)
		r.Replace(c.now)
		if !maps.Equal(notified, c.want) {
			t.Errorf("%s: notified %v, want %v", c.name, notified, c.want)
		}
	}
}
