package captcha

import (
	"container/list"
	"time"
)

// shelf keeps values for a fixed time and forgets the oldest when there are
// too many: memory stays bounded under attack. All live equally long, so the
// oldest is always the first to end.
type shelf[K comparable, V any] struct {
	life   time.Duration
	most   int
	places map[K]*list.Element
	order  list.List // of slot, oldest first
}

type slot[K comparable, V any] struct {
	key   K
	value V
	ends  time.Time
}

func newShelf[K comparable, V any](life time.Duration, most int) *shelf[K, V] {
	return &shelf[K, V]{life: life, most: most, places: map[K]*list.Element{}}
}

// put keeps a value from now on.
func (s *shelf[K, V]) put(key K, value V, now time.Time) {
	s.remove(key)
	for first := s.order.Front(); first != nil; first = s.order.Front() {
		if oldest := first.Value.(*slot[K, V]); oldest.ends.After(now) && len(s.places) < s.most {
			break
		} else {
			s.remove(oldest.key)
		}
	}
	s.places[key] = s.order.PushBack(&slot[K, V]{key: key, value: value, ends: now.Add(s.life)})
}

// find gives a value that has not ended; nil when there is none.
func (s *shelf[K, V]) find(key K, now time.Time) *V {
	e := s.places[key]
	if e == nil {
		return nil
	}
	kept := e.Value.(*slot[K, V])
	if !kept.ends.After(now) {
		return nil
	}
	return &kept.value
}

// take gives a value that has not ended and forgets it.
func (s *shelf[K, V]) take(key K, now time.Time) (value V, ok bool) {
	if found := s.find(key, now); found != nil {
		value, ok = *found, true
	}
	s.remove(key)
	return value, ok
}

func (s *shelf[K, V]) remove(key K) {
	if e := s.places[key]; e != nil {
		s.order.Remove(e)
		delete(s.places, key)
	}
}
