// Package testkit contains what tests of several packages share: a clock that tests move,
// databases, builders that use the real stores, and a client that checks every response against the
// contract.
package testkit

import (
	"sync"
	"time"
)

// Start is the time at which every Clock begins: noon in Istanbul, where the builders' tenants are.
var Start = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// Clock shows the same time until a test moves it.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	jumped time.Duration
}

// NewClock makes a clock that shows Start.
func NewClock() *Clock { return &Clock{now: Start} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Milli returns Now in epoch milliseconds.
func (c *Clock) Milli() int64 { return c.Now().UnixMilli() }

// Advance moves the clock by d, which may be negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Jump sets the clock ahead by d without any time passing: Elapsed does not change.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.jumped += d
}

// Elapsed returns how long it is since Start, without jumps.
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
