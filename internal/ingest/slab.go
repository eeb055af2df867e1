package ingest

import "tilth/internal/reading"

// chunkLength is how many elements are allocated at once. What of a chunk is
// in use keeps the whole of it in memory, so it is not large.
const chunkLength = 128

// slab is where decoded messages have their parts: a few large allocations in
// place of several small ones a message. Nothing of it is ever used again, so
// whoever gets a part may keep it.
type slab struct {
	arrivals chunk[reading.Arrival]
	parts    chunk[part]
	fields   chunk[reading.Field]
}

type chunk[T any] struct{ free []T }

// room gives an empty slice with room for n; keep says afterwards how much of
// it is needed.
func (c *chunk[T]) room(n int) []T {
	if len(c.free) < n {
		c.free = make([]T, max(n, chunkLength))
	}
	return c.free[:0:n]
}

// keep takes the first n elements of the room given last out of what is free.
func (c *chunk[T]) keep(n int) { c.free = c.free[n:] }

// take is room that is needed in full.
func (c *chunk[T]) take(n int) []T {
	room := c.room(n)
	c.keep(n)
	return room
}
