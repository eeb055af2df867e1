package notify

import (
	"sync"
	"time"

	"tilth/internal/platform/clock"
)

// uptime is the time in which letters can be tried without a gap: since the
// start, the release of what was held, or the clock's last leap ahead.
type uptime struct {
	mu    sync.Mutex
	began int64 // epoch ms
	jumps *clock.JumpDetector
}

// restart begins a stretch now.
func (s *uptime) restart(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = now
}

// since is when the stretch began, epoch ms, by the clock as it shows now. Where
// that leapt ahead, the time between is none in which anything was tried.
func (s *uptime) since(now time.Time) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := now.UnixMilli()
	if s.jumps.Jump(now) > 0 {
		s.began = at
	}
	s.began = min(s.began, at) // it was set back
	return s.began
}

// upSince is since when letters could be tried without a gap, epoch ms.
func (o *Outbox) upSince() int64 { return o.uptime.since(o.Now()) }
