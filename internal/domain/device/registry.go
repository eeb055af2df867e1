package device

import (
	"crypto/hmac"
	"crypto/sha256"
	"reflect"
	"slices"
	"sync"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/change"
)

// SecretHash is the HMAC-SHA-256 of a device secret under the platform's key. Secrets themselves
// are never stored.
type SecretHash [sha256.Size]byte

// HashSecret computes the stored form of a secret.
func HashSecret(key []byte, secret string) SecretHash {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(secret))
	var h SecretHash
	mac.Sum(h[:0])
	return h
}

// Entry holds what the device edge needs to know about one device. Entries are immutable; a
// structural change makes a new one.
type Entry struct {
	Ref
	Name     string
	Product  *Product
	Gateway  bool // may publish for other devices of its tenant
	Disabled bool // no sign-in, no readings
	derives  bool
	swapped  int64
	secrets  []SecretHash
	former   []formerSecret // secrets that are no longer valid
}

// Site is a device's position, and the zone that its days are counted in.
type Site struct {
	Zone *time.Location
	agronomy.Place
}

// Derives tells whether the device's product has derived properties.
func (e *Entry) Derives() bool { return e.derives }

// BoxSince gives the time, in epoch milliseconds, from which on readings are of the device's present box; 0: all
// are, because it was never swapped.
func (e *Entry) BoxSince() int64 { return e.swapped }

// HasSecret tells whether there is a secret with which the device may sign in.
func (e *Entry) HasSecret() bool { return len(e.secrets) > 0 }

// Registry holds every device's Entry in memory, so that the device edge takes in readings without
// asking the database. Provisioning replaces its content.
type Registry struct {
	key []byte

	mu             sync.RWMutex
	byID           map[ID]*Entry
	byName         map[string]*Entry
	bySecret       map[SecretHash]*Entry
	byFormerSecret map[SecretHash]*Entry
	sites          map[Ref]Site // of the devices that derive values
	countByTenant  map[tenant.ID]int
	// StructureChanged tells that devices or products changed, TenantChanged of each tenant whose devices,
	// or the products of whose devices, differ.
	StructureChanged change.Kind[struct{}]
	TenantChanged    change.Kind[tenant.ID]
	changes          int64 // rises when people change something
}

// NewRegistry makes an empty registry; key is the platform's secret key.
func NewRegistry(key []byte) *Registry {
	return &Registry{
		key:            key,
		byID:           map[ID]*Entry{},
		byName:         map[string]*Entry{},
		bySecret:       map[SecretHash]*Entry{},
		byFormerSecret: map[SecretHash]*Entry{},
		countByTenant:  map[tenant.ID]int{},
	}
}

// Authenticate signs a device in: with its device name and secret, or, if password is empty, with
// the secret as the user name. It returns the hash of that secret, for StillValid.
func (r *Registry) Authenticate(userName, password string) (*Entry, SecretHash, bool) {
	secret := password
	if secret == "" {
		secret = userName
	}
	h := HashSecret(r.key, secret)
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.bySecret[h]
	if !ok || e.Disabled {
		return nil, SecretHash{}, false
	}
	if password != "" && e.Name != userName {
		return nil, SecretHash{}, false
	}
	return e, h, true
}

// StillValid tells whether a connection that signed in with hash may go on: the secret still
// belongs to that device, and the device is enabled.
func (r *Registry) StillValid(id ID, hash SecretHash) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.bySecret[hash]
	return ok && e.ID == id && !e.Disabled
}

// Get finds a device by its number; nil if there is none.
func (r *Registry) Get(id ID) *Entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

// Find finds a tenant's device by name; nil if the tenant has none of that name.
func (r *Registry) Find(t tenant.ID, name string) *Entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.byName[name]; e != nil && e.Tenant == t {
		return e
	}
	return nil
}

// Next gives the first wanted device of a tenant whose name comes after a name, in byte order, or
// nil; and how many wanted devices come after that one.
func (r *Registry) Next(t tenant.ID, after string, wanted func(*Entry) bool) (next *Entry, remaining int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, e := range r.byID {
		if e.Tenant != t || e.Name <= after || !wanted(e) {
			continue
		}
		if remaining++; next == nil || e.Name < next.Name {
			next = e
		}
	}
	return next, max(0, remaining-1)
}

// Count gives how many devices a tenant has.
func (r *Registry) Count(t tenant.ID) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.countByTenant[t]
}

// Total gives how many devices all tenants have together.
func (r *Registry) Total() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.byID)
}

// NewEntry makes an entry; secrets are the hashes of the one or two secrets that the device may
// sign in with.
func NewEntry(ref Ref, name string, p *Product, gateway, disabled bool, secrets ...SecretHash) *Entry {
	derives := p != nil && slices.ContainsFunc(p.Properties, func(x Property) bool { return x.Derived() })
	return &Entry{
		Ref:      ref,
		Name:     name,
		Product:  p,
		Gateway:  gateway,
		Disabled: disabled,
		derives:  derives,
		secrets:  secrets,
	}
}

// Site gives the site of a device that derives values; false if the device was moved since the
// registry was loaded, or derives none.
func (r *Registry) Site(ref Ref) (Site, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	site, known := r.sites[ref]
	return site, known
}

// ForgetSite drops the site of a device.
func (r *Registry) ForgetSite(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sites, ref)
	r.changes++
}

// Replace makes entries the whole content of the registry, without sites.
func (r *Registry) Replace(entries []*Entry) { r.replace(entries, nil) }

// changeCount gives how often people changed something that the registry holds.
func (r *Registry) changeCount() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.changes
}

func (r *Registry) replace(entries []*Entry, sites map[Ref]Site) {
	for !r.replaceUnlessChanged(r.changeCount(), entries, sites) {
		continue
	}
}

// replaceUnlessChanged replaces the content unless people changed something since changes were counted.
func (r *Registry) replaceUnlessChanged(changes int64, entries []*Entry, sites map[Ref]Site) bool {
	r.mu.Lock()
	if r.changes != changes {
		r.mu.Unlock()
		return false
	}
	r.sites = sites
	before := r.byID
	r.byID = make(map[ID]*Entry, len(entries))
	r.byName = make(map[string]*Entry, len(entries))
	r.bySecret = make(map[SecretHash]*Entry, len(entries))
	r.byFormerSecret = map[SecretHash]*Entry{}
	r.countByTenant = map[tenant.ID]int{}
	for _, e := range entries {
		r.insert(e)
	}
	r.mu.Unlock()
	r.StructureChanged.Tell(struct{}{})
	if !r.TenantChanged.HasEffects() {
		return true
	}
	for t := range changedTenants(before, entries) {
		r.TenantChanged.Tell(t)
	}
	return true
}

// changedTenants gives the tenants whose devices, or the products of whose devices, differ between
// before and now. It empties before.
func changedTenants(before map[ID]*Entry, now []*Entry) map[tenant.ID]struct{} {
	tenants := map[tenant.ID]struct{}{}
	same := map[[2]*Product]bool{} // products are few, devices many
	for _, e := range now {
		was := before[e.ID]
		delete(before, e.ID)
		if was == nil || was.Ref != e.Ref || was.Name != e.Name || was.Gateway != e.Gateway ||
			was.Disabled != e.Disabled {
			tenants[e.Tenant] = struct{}{}
			continue
		}
		pair := [2]*Product{was.Product, e.Product}
		if _, known := same[pair]; !known {
			same[pair] = reflect.DeepEqual(was.Product, e.Product)
		}
		if !same[pair] {
			tenants[e.Tenant] = struct{}{}
		}
	}
	for _, gone := range before {
		tenants[gone.Tenant] = struct{}{}
	}
	return tenants
}

// update makes entries the registry's knowledge of the devices refs; it removes those of refs that have
// no entry.
func (r *Registry) update(refs []Ref, entries []*Entry, sites map[Ref]Site) {
	r.mu.Lock()
	r.changes++
	tenants := map[tenant.ID]struct{}{}
	for _, ref := range refs {
		tenants[ref.Tenant] = struct{}{}
		if before := r.byID[ref.ID]; before != nil && before.Ref == ref {
			r.remove(before)
		}
	}
	for _, e := range entries {
		r.insert(e)
		if site, derives := sites[e.Ref]; derives {
			if r.sites == nil {
				r.sites = map[Ref]Site{}
			}
			r.sites[e.Ref] = site
		}
	}
	r.mu.Unlock()
	r.StructureChanged.Tell(struct{}{})
	for t := range tenants {
		r.TenantChanged.Tell(t)
	}
}

// insert adds an entry. Callers hold the lock.
func (r *Registry) insert(e *Entry) {
	r.byID[e.ID], r.byName[e.Name] = e, e
	r.countByTenant[e.Tenant]++
	for _, h := range e.secrets {
		r.bySecret[h] = e
	}
	for _, f := range e.former {
		r.byFormerSecret[f.hash] = e
	}
}

// remove takes an entry away. Callers hold the lock.
func (r *Registry) remove(e *Entry) {
	delete(r.byID, e.ID)
	delete(r.byName, e.Name)
	delete(r.sites, e.Ref)
	if r.countByTenant[e.Tenant]--; r.countByTenant[e.Tenant] == 0 {
		delete(r.countByTenant, e.Tenant)
	}
	for _, h := range e.secrets {
		if r.bySecret[h] == e {
			delete(r.bySecret, h)
		}
	}
	for _, f := range e.former {
		if r.byFormerSecret[f.hash] == e { // it may be another device's by now
			delete(r.byFormerSecret, f.hash)
		}
	}
}
