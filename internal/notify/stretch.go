package notify

import (
	"sync"
	"time"
)

// leapLeast is how far the clock has to leap ahead to count as a leap: less is
// how clocks are kept right.
const leapLeast = time.Minute

// stretch is the time in which letters can be tried without a gap: since the
// start, the release of what was held, or the clock's last leap ahead.
type stretch struct {
	mu    sync.Mutex
	began int64 // epoch ms
	first int64 // when the process had run for no time yet, by the clock as it was last, epoch ms
}

// begin begins a stretch now.
func (s *stretch) begin(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = now
}

// since is when the stretch began, epoch ms, by the clock as it is now. Ran is
// how long the process has run, whatever was done to the clock: where the clock
// is ahead of that, as when it was wrong or the machine slept, the time between
// is none in which anything was tried.
func (s *stretch) since(now time.Time, ran time.Duration) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := now.UnixMilli()
	first := at - ran.Milliseconds()
	if first-s.first > leapLeast.Milliseconds() {
		s.began = at
	}
	s.first = first
	s.began = min(s.began, at) // it was set back
	return s.began
}

// triableSince is since when letters could be tried without a gap, epoch ms.
func (o *Outbox) triableSince() int64 { return o.stretch.since(o.Now(), o.Ran()) }
