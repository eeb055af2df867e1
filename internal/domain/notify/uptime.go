package notify

import (
	"sync"
	"time"

	"tilth/internal/platform/clock"
)

// uptime measures for how long the server has been able to send without a gap: since the process
// started, since the release of held deliveries, or since the clock last jumped ahead.
type uptime struct {
	mu    sync.Mutex
	began int64 // epoch ms
	jumps *clock.JumpDetector
}

// restart begins the uptime anew at now.
func (s *uptime) restart(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = now
}

// since gives when the uptime began, epoch ms. If the clock jumped ahead, the uptime begins anew,
// since the server sent nothing in the skipped time.
func (s *uptime) since(now time.Time) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := now.UnixMilli()
	if s.jumps.Jump(now) > 0 {
		s.began = at
	}
	s.began = min(s.began, at) // the clock may have been set back
	return s.began
}

// upSince gives since when the server has been able to send without a gap, epoch ms.
func (o *Outbox) upSince() int64 { return o.uptime.since(o.Now()) }
