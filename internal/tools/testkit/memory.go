package testkit

import (
	"sync/atomic"
	"time"

	"tilth/internal/platform/memory"
)

// FakeMemory is a gauge of memory of which a test says how much is in use, in per
// cent of the limit.
func FakeMemory() (g *memory.Gauge, percent *atomic.Uint64) {
	percent = new(atomic.Uint64)
	var asked atomic.Int64
	return memory.New(memory.Options{
		Limit: 1 << 30,
		Read:  func() memory.Usage { return memory.Usage{Held: percent.Load() << 30 / 100} },
		Now:   func() time.Time { return time.Unix(asked.Add(1), 0) }, // so that each look is a new one
	}), percent
}
