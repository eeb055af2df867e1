package ingest

import "tilth/internal/domain/reading"

// chunkLength is how many elements are allocated at once. It is small, because one element in use
// keeps the whole chunk in memory.
const chunkLength = 128

// arena allocates the parts of decoded messages: a few large allocations replace several small ones
// per message. Memory of an arena is never reused, so the caller may keep what it gets.
type arena struct {
	arrivals chunk[reading.Arrival]
	parts    chunk[deviceContent]
	fields   chunk[reading.Field]
}

type chunk[T any] struct{ free []T }

// reserve returns an empty slice with room for n elements; commit then says how many of them are
// used.
func (c *chunk[T]) reserve(n int) []T {
	if len(c.free) < n {
		c.free = make([]T, max(n, chunkLength))
	}
	return c.free[:0:n]
}

// commit takes the first n elements of the last reservation out of the free ones.
func (c *chunk[T]) commit(n int) { c.free = c.free[n:] }

// alloc returns an empty slice with room for n elements, all of which are taken.
func (c *chunk[T]) alloc(n int) []T {
	room := c.reserve(n)
	c.commit(n)
	return room
}
