package ingest

import "tilth/internal/domain/reading"

// chunkLength is how many elements are allocated at once. What of a chunk is
// in use keeps the whole of it in memory, so it is not large.
const chunkLength = 128

// arena is where decoded messages have their parts: a few large allocations in
// place of several small ones a message. Nothing of it is ever used again, so
// whoever gets a part may keep it.
type arena struct {
	arrivals chunk[reading.Arrival]
	parts    chunk[deviceContent]
	fields   chunk[reading.Field]
}

type chunk[T any] struct{ free []T }

// reserve gives an empty slice with room for n; keep says afterwards how much of
// it is needed.
func (c *chunk[T]) reserve(n int) []T {
	if len(c.free) < n {
		c.free = make([]T, max(n, chunkLength))
	}
	return c.free[:0:n]
}

// commit takes the first n elements of the room given last out of what is free.
func (c *chunk[T]) commit(n int) { c.free = c.free[n:] }

// alloc is room that is needed in full.
func (c *chunk[T]) alloc(n int) []T {
	room := c.reserve(n)
	c.commit(n)
	return room
}
