package notify

import (
	"context"
	"sync"
	"time"

	"tilth/internal/platform/limit"
)

// pacedDestinations is how many destinations are remembered at once: more than can be busy.
const pacedDestinations = 4096

// pacer keeps a kind's pace.
type pacer struct {
	now  func() time.Time
	all  *limit.SlidingWindows[struct{}]
	each []pacedRate

	mu   sync.Mutex
	used map[string]struct{} // destinations that may not be ready
}

type pacedRate struct {
	windows *limit.SlidingWindows[string]
	DestinationRate
}

// newPacer makes the pacer of a kind; nil: it has no pace.
func newPacer(k *Kind, now func() time.Time) *pacer {
	if k.Pace == nil {
		return nil
	}
	windows := func(most int) limit.Options {
		return limit.Options{Name: k.Label + "_pace", MaxKeys: most, Now: now}
	}
	p := &pacer{now: now, used: map[string]struct{}{},
		all: limit.NewSlidingWindows[struct{}](windows(1), k.Pace.All.Most, k.Pace.All.Within)}
	for _, r := range k.Pace.Each {
		p.each = append(
			p.each,
			pacedRate{limit.NewSlidingWindows[string](windows(pacedDestinations), r.Most, r.Within), r},
		)
	}
	return p
}

// take counts a notification that leaves now.
func (p *pacer) take(destination string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(destination)
}

func (p *pacer) count(destination string) {
	p.all.Add(struct{}{})
	for _, r := range p.each {
		if r.Of == nil || r.Of(destination) {
			r.windows.Add(destination)
		}
	}
	p.used[destination] = struct{}{}
}

// left gives how long a destination is not ready; 0: it is.
func (p *pacer) left(destination string) (wait time.Duration) {
	for _, r := range p.each {
		if r.Of == nil || r.Of(destination) {
			wait = max(wait, r.windows.Left(destination))
		}
	}
	return wait
}

// notReady gives the destinations that are not ready, and when the first of them is, epoch ms; 0:
// all are ready.
func (p *pacer) notReady() (destinations []string, first int64) {
	if p == nil {
		return nil, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for d := range p.used {
		wait := p.left(d)
		if wait == 0 {
			delete(p.used, d)
			continue
		}
		destinations = append(destinations, d)
		if at := p.readyAt(wait); first == 0 || at < first {
			first = at
		}
	}
	return destinations, first
}

// room gives how many notifications may leave now and, if there is none, when the next may, epoch
// ms.
func (p *pacer) room() (n int, next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.all.Left(struct{}{}); wait > 0 {
		return 0, p.readyAt(wait)
	}
	return p.all.Free(struct{}{}), 0
}

// readyAt is the first whole millisecond after a wait: a check at it finds the wait over.
func (p *pacer) readyAt(wait time.Duration) int64 {
	return p.now().Add(wait + time.Millisecond - 1).UnixMilli()
}

// await waits until a notification may leave, and counts it.
func (p *pacer) await(ctx context.Context, destination string) error {
	for {
		p.mu.Lock()
		wait := max(p.left(destination), p.all.Left(struct{}{}))
		if wait == 0 {
			p.count(destination)
		}
		p.mu.Unlock()
		if wait == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// pacedSender sends one by one at the pace of a worker.
type pacedSender struct {
	Sender
	pace *pacer
	kind *Kind
}

// Send waits until the notification may leave, and sends it.
func (s pacedSender) Send(ctx context.Context, l *Notification) (string, error) {
	if err := s.pace.await(ctx, s.kind.Destination(l.Recipient)); err != nil {
		return "", &Failure{Kind: Transient, Answer: "given up", Cause: err}
	}
	return s.Sender.Send(ctx, l)
}
