package ingest

import (
	"runtime"
	"slices"
	"sync"
)

// postRound is how many connections' answers are written in one go.
const postRound = 64

// postmen have the answers of a commit written while the next is on its way. A few
// goroutines do it for all connections: waking one for each would cost as much
// as the writing.
type postmen struct {
	rounds  chan []*outbox
	working sync.WaitGroup
}

func newPostmen() *postmen {
	n := max(1, runtime.GOMAXPROCS(0)/2)
	p := &postmen{rounds: make(chan []*outbox, 4*n)}
	for range n {
		p.working.Go(func() {
			for round := range p.rounds {
				deliver(round)
			}
		})
	}
	return p
}

func deliver(round []*outbox) {
	for _, o := range round {
		o.flush()
	}
}

// send has what waits in these outboxes written. It does so itself where that
// is little or the others are busy.
func (p *postmen) send(mail []*outbox) {
	for len(mail) > 0 {
		n := min(len(mail), postRound)
		if n < postRound/8 {
			deliver(mail)
			return
		}
		select {
		case p.rounds <- slices.Clone(mail[:n]):
		default:
			deliver(mail[:n])
		}
		mail = mail[n:]
	}
}

// close waits until all is written that was sent.
func (p *postmen) close() {
	close(p.rounds)
	p.working.Wait()
}
