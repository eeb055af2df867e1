package farm

import "sync"

// epoch is the local day on which all states start: 2020-01-01. Before it they are as at their
// start.
const epoch = 18262

// dailyState is a state that depends on the day before. It is computed step by step from the epoch
// and cached for each midnight, so that callers may ask for days in any order and get the same
// bits.
type dailyState[S any] struct {
	step func(day int, s S) S // from the start of a day to the start of the next

	mu     sync.RWMutex
	states []S // states[i] is the state at the start of day epoch+i
}

func newChain[S any](first S, step func(day int, s S) S) *dailyState[S] {
	return &dailyState[S]{step: step, states: []S{first}}
}

// at returns the state at the start of a day.
func (c *dailyState[S]) at(day int) S {
	i := max(0, day-epoch)
	c.mu.RLock()
	if i < len(c.states) {
		defer c.mu.RUnlock()
		return c.states[i]
	}
	c.mu.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := len(c.states); n <= i; n++ {
		c.states = append(c.states, c.step(epoch+n-1, c.states[n-1]))
	}
	return c.states[i]
}
