package identity

import (
	"crypto/sha256"
	"testing"
)

func TestCallerCacheIsPerDatabaseVersion(t *testing.T) {
	var k callerCache
	one, two := sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two"))
	ada, ben := Caller{User: 1, Expires: 10}, Caller{User: 2, Expires: 10}
	expect := func(version uint64, hash [sha256.Size]byte, want Caller, known bool) {
		t.Helper()
		if c, ok := k.get(version, hash); c != want || ok != known {
			t.Errorf("version %d: %+v %t, want %+v %t", version, c, ok, want, known)
		}
	}
	expect(0, one, Caller{}, false)
	k.put(0, one, ada)
	expect(0, one, ada, true)
	expect(0, two, Caller{}, false)
	expect(1, one, Caller{}, false)

	k.put(3, two, ben)
	expect(3, two, ben, true)
	expect(3, one, Caller{}, false) // read before the database changed
	k.put(2, one, ada)              // read at an older version
	expect(3, one, Caller{}, false)
	expect(2, one, Caller{}, false)
	expect(3, two, ben, true)
}

func TestCallerCacheIsBounded(t *testing.T) {
	var k callerCache
	for i := range maxCachedCallers + 1 {
		k.put(1, sha256.Sum256([]byte{byte(i), byte(i >> 8), byte(i >> 16)}), Caller{User: int64(i)})
	}
	if len(k.byTokenHash) != 1 {
		t.Errorf("the cache has %d callers", len(k.byTokenHash))
	}
}
