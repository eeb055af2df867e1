package captcha

import (
	"container/list"
	"time"
)

// expiringMap keeps values for a fixed time, and drops the oldest beyond its capacity, so that
// memory stays bounded under attack. All values have the same lifetime, so the oldest always
// expires first.
type expiringMap[K comparable, V any] struct {
	ttl      time.Duration
	capacity int
	entries  map[K]*list.Element
	order    list.List // of *expiringEntry, oldest first
}

type expiringEntry[K comparable, V any] struct {
	key     K
	value   V
	expires time.Time
}

func newExpiringMap[K comparable, V any](ttl time.Duration, capacity int) *expiringMap[K, V] {
	return &expiringMap[K, V]{ttl: ttl, capacity: capacity, entries: map[K]*list.Element{}}
}

// put stores a value that expires ttl after now.
func (s *expiringMap[K, V]) put(key K, value V, now time.Time) {
	s.remove(key)
	for first := s.order.Front(); first != nil; first = s.order.Front() {
		if oldest := first.Value.(*expiringEntry[K, V]); oldest.expires.After(now) && len(s.entries) < s.capacity {
			break
		} else {
			s.remove(oldest.key)
		}
	}
	s.entries[key] = s.order.PushBack(&expiringEntry[K, V]{key: key, value: value, expires: now.Add(s.ttl)})
}

// get gives a value that has not expired; nil if there is none.
func (s *expiringMap[K, V]) get(key K, now time.Time) *V {
	e := s.entries[key]
	if e == nil {
		return nil
	}
	kept := e.Value.(*expiringEntry[K, V])
	if !kept.expires.After(now) {
		return nil
	}
	return &kept.value
}

// take removes a value and gives it if it has not expired.
func (s *expiringMap[K, V]) take(key K, now time.Time) (value V, ok bool) {
	if found := s.get(key, now); found != nil {
		value, ok = *found, true
	}
	s.remove(key)
	return value, ok
}

func (s *expiringMap[K, V]) remove(key K) {
	if e := s.entries[key]; e != nil {
		s.order.Remove(e)
		delete(s.entries, key)
	}
}
