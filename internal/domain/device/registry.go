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
)

// SecretHash is the HMAC-SHA-256 of a device secret under the platform's key;
// secrets themselves are never stored.
type SecretHash [sha256.Size]byte

// HashSecret computes the stored form of a secret.
func HashSecret(key []byte, secret string) SecretHash {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(secret))
	var h SecretHash
	mac.Sum(h[:0])
	return h
}

// Entry is what the devices' edge needs to know of one device. Entries are
// immutable; a change of structure makes a new one.
type Entry struct {
	Ref
	Name     string
	Product  *Product
	Gateway  bool // may publish for other devices of its tenant
	Disabled bool // shut out: no sign-in, no readings
	derives  bool
	secrets  []SecretHash
}

// Site is where a device stands, and how days are counted there.
type Site struct {
	Zone *time.Location
	agronomy.Place
}

// Derives tells whether anything is computed from what the device sends.
func (e *Entry) Derives() bool { return e.derives }

// Registry holds every device's Entry in memory, so that taking in a reading
// asks no database. It is read by the edge and replaced piece by piece when
// provisioning changes structure.
type Registry struct {
	key []byte

	mu                sync.RWMutex
	byID              map[ID]*Entry
	byName            map[string]*Entry // deviceName is unique on the platform
	bySecret          map[SecretHash]*Entry
	sites             map[Ref]Site // of the devices from which anything is derived
	countByTenant     map[tenant.ID]int
	onStructureChange []func()
	onTenantChange    []func(tenant.ID)
}

// NewRegistry makes an empty registry; key is the platform's secret key.
func NewRegistry(key []byte) *Registry {
	return &Registry{
		key:           key,
		byID:          map[ID]*Entry{},
		byName:        map[string]*Entry{},
		bySecret:      map[SecretHash]*Entry{},
		countByTenant: map[tenant.ID]int{},
	}
}

// Authenticate signs a device in with (deviceName, secret) or, when password
// is empty, with the secret as user name alone. The returned hash is the one
// that let it in: see StillValid.
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

// StillValid tells whether a connection that was let in with hash may go on:
// the secret still belongs to that device and the device is enabled.
func (r *Registry) StillValid(id ID, hash SecretHash) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.bySecret[hash]
	return ok && e.ID == id && !e.Disabled
}

// Get finds a device by its number; nil when it is gone.
func (r *Registry) Get(id ID) *Entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

// Find finds a tenant's device by name; nil when the tenant has none of that
// name.
func (r *Registry) Find(t tenant.ID, name string) *Entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.byName[name]; e != nil && e.Tenant == t {
		return e
	}
	return nil
}

// Next is the first of a tenant's devices by name, bytewise, that comes after a
// name and is wanted, nil without one, and how many wanted ones come after it.
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

// Count is how many devices a tenant has.
func (r *Registry) Count(t tenant.ID) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.countByTenant[t]
}

// Total is how many devices there are, of all tenants.
func (r *Registry) Total() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.byID)
}

// OnStructureChange calls f after every change of structure. f must not block.
func (r *Registry) OnStructureChange(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onStructureChange = append(r.onStructureChange, f)
}

// OnTenantChange calls f for each tenant whose devices, or what they measure, are
// others than before, after every Replace. f must not block.
func (r *Registry) OnTenantChange(f func(tenant.ID)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onTenantChange = append(r.onTenantChange, f)
}

// NewEntry builds an entry; secrets are the one or two hashes that let the
// device in.
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

// Site is where a device stands from which anything is derived; false when
// somebody moved it since all was loaded, or it is none such.
func (r *Registry) Site(ref Ref) (Site, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	site, known := r.sites[ref]
	return site, known
}

// ForgetSite forgets where a device stands.
func (r *Registry) ForgetSite(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sites, ref)
}

// Replace makes entries the whole content of the registry. Where they stand is
// not known.
func (r *Registry) Replace(entries []*Entry) { r.replace(entries, nil) }

func (r *Registry) replace(entries []*Entry, sites map[Ref]Site) {
	r.mu.Lock()
	r.sites = sites
	before := r.byID
	r.byID = make(map[ID]*Entry, len(entries))
	r.byName = make(map[string]*Entry, len(entries))
	r.bySecret = make(map[SecretHash]*Entry, len(entries))
	r.countByTenant = map[tenant.ID]int{}
	for _, e := range entries {
		r.byID[e.ID] = e
		r.byName[e.Name] = e
		r.countByTenant[e.Tenant]++
		for _, h := range e.secrets {
			r.bySecret[h] = e
		}
	}
	structureListeners, tenantListeners := r.onStructureChange, r.onTenantChange
	r.mu.Unlock()
	for _, f := range structureListeners {
		f()
	}
	if len(tenantListeners) == 0 {
		return
	}
	for t := range changedTenants(before, entries) {
		for _, f := range tenantListeners {
			f(t)
		}
	}
}

// changedTenants are the tenants that have other devices now than before, or
// devices of products that are others now. It takes before apart.
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

// replaceSecrets makes hashes what lets a device in. One that the registry does
// not hold yet comes with all it has.
func (r *Registry) replaceSecrets(ref Ref, hashes []SecretHash) {
	r.mu.Lock()
	before := r.byID[ref.ID]
	if before == nil || before.Ref != ref {
		r.mu.Unlock()
		return
	}
	e := *before
	e.secrets = hashes
	r.byID[e.ID], r.byName[e.Name] = &e, &e
	for _, h := range before.secrets {
		delete(r.bySecret, h)
	}
	for _, h := range hashes {
		r.bySecret[h] = &e
	}
	listeners := r.onStructureChange
	r.mu.Unlock()
	for _, f := range listeners {
		f()
	}
}
