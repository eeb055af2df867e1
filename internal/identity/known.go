package identity

import (
	"crypto/sha256"
	"sync"
)

// callersKept bounds the memory of callers: some 100 bytes each.
const callersKept = 20_000

// knownCallers remembers whom access tokens speak for, by the tokens' hashes, as long as
// nothing at all is written to the database: a page asks many things at once,
// and there is no way to end a session that could be forgotten here.
type knownCallers struct {
	mu      sync.RWMutex
	version uint64 // of the database, for which the callers hold
	of      map[[sha256.Size]byte]Caller
}

func (k *knownCallers) get(version uint64, hash [sha256.Size]byte) (Caller, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.version != version {
		return Caller{}, false
	}
	c, ok := k.of[hash]
	return c, ok
}

// put remembers what was read after version was asked for.
func (k *knownCallers) put(version uint64, hash [sha256.Size]byte, c Caller) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version < k.version {
		return
	}
	if version > k.version || k.of == nil || len(k.of) >= callersKept {
		k.version, k.of = version, map[[sha256.Size]byte]Caller{}
	}
	k.of[hash] = c
}
