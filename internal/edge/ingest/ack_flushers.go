package ingest

import (
	"runtime"
	"slices"
	"sync"
)

// flushBatch is how many connections' answers are written in one go.
const flushBatch = 64

// ackFlushers have the answers of a commit written while the next is on its way. A few
// goroutines do it for all connections: waking one for each would cost as much
// as the writing.
type ackFlushers struct {
	batches chan []*writeBuffer
	working sync.WaitGroup
}

func newAckFlushers() *ackFlushers {
	n := max(1, runtime.GOMAXPROCS(0)/2)
	p := &ackFlushers{batches: make(chan []*writeBuffer, 4*n)}
	for range n {
		p.working.Go(func() {
			for round := range p.batches {
				flushAll(round)
			}
		})
	}
	return p
}

func flushAll(round []*writeBuffer) {
	for _, o := range round {
		o.flush()
	}
}

// flush has what waits in these outboxes written. It does so itself where that
// is little or the others are busy.
func (p *ackFlushers) flush(dirty []*writeBuffer) {
	for len(dirty) > 0 {
		n := min(len(dirty), flushBatch)
		if n < flushBatch/8 {
			flushAll(dirty)
			return
		}
		select {
		case p.batches <- slices.Clone(dirty[:n]):
		default:
			flushAll(dirty[:n])
		}
		dirty = dirty[n:]
	}
}

// close waits until all is written that was sent.
func (p *ackFlushers) close() {
	close(p.batches)
	p.working.Wait()
}
