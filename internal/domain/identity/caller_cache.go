package identity

import (
	"crypto/sha256"
	"sync"
)

// maxCachedCallers bounds the memory of callers: some 100 bytes each.
const maxCachedCallers = 20_000

// callerCache remembers whom access tokens speak for, by the tokens' hashes, as long as
// nothing at all is written to the database: a page asks many things at once,
// and there is no way to end a session that could be forgotten here.
type callerCache struct {
	mu          sync.RWMutex
	version     uint64 // of the database, for which the callers hold
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

// put remembers what was read after version was asked for.
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
