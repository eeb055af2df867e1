package identity

import (
	"crypto/sha256"
	"sync"
)

// maxCachedCallers bounds the memory of the cache: some 100 bytes per caller.
const maxCachedCallers = 20_000

// callerCache maps the hashes of access tokens to their callers until anything is written to the
// database. A page sends many requests at once, which the cache serves; and since every write
// clears it, it needs no invalidation when a session ends.
type callerCache struct {
	mu          sync.RWMutex
	version     uint64 // the database version that the callers were read at
	byTokenHash map[[sha256.Size]byte]Caller
}

func (k *callerCache) get(version uint64, hash [sha256.Size]byte) (Caller, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.version != version {
		return Caller{}, false
	}
	c, ok := k.byTokenHash[hash]
	return c, ok
}

// put stores a caller that was read after version was.
func (k *callerCache) put(version uint64, hash [sha256.Size]byte, c Caller) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version < k.version {
		return
	}
	if version > k.version || k.byTokenHash == nil || len(k.byTokenHash) >= maxCachedCallers {
		k.version, k.byTokenHash = version, map[[sha256.Size]byte]Caller{}
	}
	k.byTokenHash[hash] = c
}
