package identity

import (
	"math/rand/v2"
	"sync"
	"time"
)

// keptHashTimes is how many of the latest hashes of a cost are remembered: few, so that a slower or
// faster machine shows at once.
const keptHashTimes = 16

// hashTimes remembers how long the latest hashes of each cost took.
type hashTimes struct {
	mu     sync.Mutex
	byCost map[Cost][]time.Duration // the oldest first
}

func (h *hashTimes) add(c Cost, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byCost == nil {
		h.byCost = map[Cost][]time.Duration{}
	}
	h.byCost[c] = append(h.byCost[c], took)
	if n := len(h.byCost[c]); n > keptHashTimes {
		h.byCost[c] = h.byCost[c][n-keptHashTimes:]
	}
}

// sample gives the time of one of the latest hashes of a cost. If there was none yet, it works the time
// out from one of another cost.
func (h *hashTimes) sample(c Cost) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	latest, scale := h.byCost[c], 1.0
	if len(latest) == 0 {
		for other, times := range h.byCost {
			latest, scale = times, float64(c.Passes)*float64(c.Memory)/float64(other.Passes)/float64(other.Memory)
			break
		}
	}
	if len(latest) == 0 {
		return 0
	}
	return time.Duration(scale * float64(latest[rand.IntN(len(latest))]))
}
