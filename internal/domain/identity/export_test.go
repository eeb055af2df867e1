package identity

import (
	"context"
	"runtime"
	"sync"

	"tilth/internal/platform/limit"
)

// LegacyCost is the cost of the hashes that were made before the usual one.
var LegacyCost = legacyCost

// Decoy is what an attempt at an account that does not exist is compared with.
func (s *SignIn) Decoy(ctx context.Context, a Attempt) (string, error) { return s.decoy(ctx, a) }

// Prefix is what the stored forms of a cost begin with.
func (c Cost) Prefix() string { return c.prefix() }

// FillQueue has one account work and wait as often as may of a network where it is known,
// until leave is called.
func (h *Hasher) FillQueue(ctx context.Context, network limit.Network) (leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	of := requesterKey{network, true}
	works, _ := h.queue.Enter(ctx, of, "crowd")
	var wait sync.WaitGroup
	for range maxQueuedHashes {
		wait.Go(func() {
			for why := limit.FullForKey; why != limit.NotFull; runtime.Gosched() {
				// The look below takes a place for a moment: who is refused then comes again.
				var turn limit.Task
				if turn, why = h.queue.Enter(ctx, of, "crowd"); turn != nil {
					turn.Leave()
				}
			}
		})
	}
	gone, stop := context.WithCancel(ctx)
	stop()
	for {
		if _, why := h.queue.Enter(gone, of, "crowd"); why != limit.NotFull {
			break
		}
		runtime.Gosched()
	}
	return func() {
		cancel()
		wait.Wait()
		works.Leave()
	}
}
