package bench

import (
	"context"
	"time"
)

// probe makes a call at each interval and measures how long each took from when it was due: a call
// that waits for the one before counts this wait, too.
type probe struct {
	took          histogram
	count, failed int
	first         error // of the first call that failed
}

// answerWithin is how long a call may take before it counts as failed.
const answerWithin = 30 * time.Second

// run makes calls until the time is over or ctx ends.
func (p *probe) run(ctx context.Context, every time.Duration, until time.Time, call func(ctx context.Context) error) {
	turn := time.NewTimer(0)
	defer turn.Stop()
	for due := time.Now(); due.Before(until); due = due.Add(every) {
		turn.Reset(time.Until(due))
		select {
		case <-turn.C:
		case <-ctx.Done():
			return
		}
		within, cancel := context.WithTimeout(ctx, answerWithin)
		err := call(within)
		cancel()
		if ctx.Err() != nil {
			return
		}
		p.count++
		p.took.add(time.Since(due))
		if err != nil {
			if p.failed == 0 {
				p.first = err
			}
			p.failed++
		}
	}
}

// CallStats is the result of a probe.
type CallStats struct {
	Count, Failed int
	P95, Max      time.Duration
	First         error // of the first call that failed
}

func (p *probe) stats() CallStats {
	return CallStats{Count: p.count, Failed: p.failed, P95: p.took.quantile(0.95), Max: p.took.max(), First: p.first}
}
