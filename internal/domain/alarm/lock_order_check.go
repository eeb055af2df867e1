package alarm

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
)

// lockOrderChecker panics where a goroutine takes locks against the order of their ranks. So a
// wrong order shows on the first run of its code, without the second goroutine of a deadlock.
type lockOrderChecker struct {
	held sync.Map // of each goroutine's id the ranks of the locks that it holds, ascending
}

func (c *lockOrderChecker) acquire(rank int) {
	id := goroutineID()
	held := c.heldBy(id)
	if n := len(held); n > 0 && held[n-1] >= rank {
		panic(fmt.Sprintf("alarm: lock order violated: a lock of rank %d is taken while one of rank %d is held",
			rank, held[n-1]))
	}
	c.held.Store(id, append(held, rank))
}

func (c *lockOrderChecker) release(rank int) {
	id := goroutineID()
	held := c.heldBy(id)
	for i, r := range held {
		if r != rank {
			continue
		}
		if len(held) == 1 {
			c.held.Delete(id)
		} else {
			c.held.Store(id, append(held[:i], held[i+1:]...))
		}
		return
	}
	panic(fmt.Sprintf("alarm: a goroutine releases a lock of rank %d that it does not hold", rank))
}

func (c *lockOrderChecker) heldBy(id string) []int {
	if v, found := c.held.Load(id); found {
		return v.([]int)
	}
	return nil
}

// goroutineID is the number of the calling goroutine, from the first line of its stack trace:
// "goroutine 7 [running]:".
func goroutineID() string {
	var buf [40]byte
	line := buf[:runtime.Stack(buf[:], false)]
	return string(bytes.Fields(line)[1])
}
