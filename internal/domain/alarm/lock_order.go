package alarm

import "sync"

// The ranks of the engine's locks, in the order in which a goroutine may take them. A lock of a
// rank is taken only while the goroutine holds none of the same or a higher rank:
//
//	writeRank   Engine.writeMu
//	engineRank  Engine.mu
//	queuesRank  tenantQueues.mu
//	leafRank    the locks of presenceInbox, deviceBacklogs, tenantSet and onsetFinder
type (
	writeRank  struct{}
	engineRank struct{}
	queuesRank struct{}
	leafRank   struct{}
)

func (writeRank) rank() int  { return 1 }
func (engineRank) rank() int { return 2 }
func (queuesRank) rank() int { return 3 }
func (leafRank) rank() int   { return 4 }

// orderedMutex is a mutex with a rank in its type. Its zero value is unlocked.
type orderedMutex[R interface{ rank() int }] struct{ mu sync.Mutex }

// lockOrder observes the locks of all engines; nil: nothing does. It is set before main runs, in
// the tests of this package and in race builds.
var lockOrder interface {
	acquire(rank int) // before a lock of the rank is taken
	release(rank int) // before it is released
}

// Lock locks m.
func (m *orderedMutex[R]) Lock() {
	if lockOrder != nil {
		var r R
		lockOrder.acquire(r.rank())
	}
	m.mu.Lock()
}

// Unlock unlocks m.
func (m *orderedMutex[R]) Unlock() {
	if lockOrder != nil {
		var r R
		lockOrder.release(r.rank())
	}
	m.mu.Unlock()
}
