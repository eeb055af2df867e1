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
	latest := append(h.byCost[c], took)
	h.byCost[c] = latest[max(0, len(latest)-keptHashTimes):]
}

// sample gives the time of one of the latest hashes of a cost; false: there was none.
func (h *hashTimes) sample(c Cost) (time.Duration, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	latest := h.byCost[c]
	if len(latest) == 0 {
		return 0, false
	}
	return latest[rand.IntN(len(latest))], true
}
