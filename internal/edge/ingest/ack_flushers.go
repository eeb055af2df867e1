package ingest

import (
	"runtime"
	"slices"
	"sync"
)

// flushBatch is how many connections' answers one goroutine writes per batch.
const flushBatch = 64

// ackFlushers write the answers of a commit while the next commit runs. A few goroutines serve all
// connections: waking one per connection would cost as much as the writing.
type ackFlushers struct {
	batches chan []*writeBuffer
	working sync.WaitGroup
}

func newAckFlushers() *ackFlushers {
	n := max(1, runtime.GOMAXPROCS(0)/2)
	p := &ackFlushers{batches: make(chan []*writeBuffer, 4*n)}
	for range n {
		p.working.Go(func() {
			for batch := range p.batches {
				flushAll(batch)
			}
		})
	}
	return p
}

func flushAll(batch []*writeBuffer) {
	for _, o := range batch {
		o.flush()
	}
}

// flush writes the waiting answers of these write buffers. It writes them itself if they are few or
// all flushers are busy.
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

// close waits until all batches are written.
func (p *ackFlushers) close() {
	close(p.batches)
	p.working.Wait()
}
