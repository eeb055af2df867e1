package testkit

import (
	"sync/atomic"
	"time"

	"tilth/internal/platform/memory"
)

// FakeMemory returns a gauge of memory whose use a test sets through percent, in per cent of the
// limit.
func FakeMemory() (g *memory.Gauge, percent *atomic.Uint64) {
	percent = new(atomic.Uint64)
	var reads atomic.Int64
	return memory.New(memory.Options{
		Limit: 1 << 30,
		Read:  func() memory.Usage { return memory.Usage{Held: percent.Load() << 30 / 100} },
		Now:   func() time.Time { return time.Unix(reads.Add(1), 0) }, // later each time, so that the gauge reads again
	}), percent
}
