// Package testkit is what tests of several packages share: a clock that stands
// still, a database of their own, builders that go through the real stores,
// and a client that holds every answer against the contract.
package testkit

import (
	"sync"
	"time"
)

// Start is when every Clock begins: noon in Istanbul, where the builders'
// tenants are.
var Start = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// Clock stands still until a test moves it.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	jumped time.Duration
}

// NewClock makes a clock that stands at Start.
func NewClock() *Clock { return &Clock{now: Start} }

// Now is the time the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Milli is Now in epoch milliseconds.
func (c *Clock) Milli() int64 { return c.Now().UnixMilli() }

// Advance moves the clock by d, which may be negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Jump sets the clock ahead by d: nobody else lives through that time.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.jumped += d
}

// Elapsed is how long has passed since Start, leaps apart.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now.Sub(Start) - c.jumped
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}
