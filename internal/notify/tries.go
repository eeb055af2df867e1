package notify

import (
	"sync"
	"time"

	"tilth/internal/tenant"
)

// triesAMinute is how often a tenant may try its channels, and how often its
// webhooks: each try reaches somebody who may not have asked for it.
const triesAMinute = 5

// Tries counts how often tenants try something. The zero Tries is ready.
type Tries struct {
	mu   sync.Mutex
	when map[tenant.ID][]time.Time // of the last minute
}

// Take lets one try of a tenant through (0) or says how long to wait.
func (l *Tries) Take(t tenant.ID, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	recent := l.when[t]
	for len(recent) > 0 && now.Sub(recent[0]) >= time.Minute {
		recent = recent[1:]
	}
	if len(recent) >= triesAMinute {
		l.when[t] = recent
		return time.Minute - now.Sub(recent[0])
	}
	if l.when == nil {
		l.when = map[tenant.ID][]time.Time{}
	}
	l.when[t] = append(recent, now)
	return 0
}
