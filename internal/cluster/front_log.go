package cluster

import (
	"log/slog"
	"sync"
	"time"
)

const frontLogEvery = time.Minute // between lines with the same message

// frontLog logs what strangers and failures may cause any number of times: each message once in
// frontLogEvery, with how often it happened since its last line.
type frontLog struct {
	logger *slog.Logger
	now    func() time.Time

	mu       sync.Mutex
	messages map[string]*frontLogEntry
}

type frontLogEntry struct {
	loggedAt time.Time
	times    int
}

func (l *frontLog) warn(message string, args ...any) {
	l.mu.Lock()
	if l.messages == nil {
		l.messages = map[string]*frontLogEntry{}
	}
	e := l.messages[message]
	if e == nil {
		e = &frontLogEntry{}
		l.messages[message] = e
	}
	e.times++
	now, times := l.now(), e.times
	due := e.loggedAt.IsZero() || now.Sub(e.loggedAt) >= frontLogEvery
	if due {
		e.loggedAt, e.times = now, 0
	}
	l.mu.Unlock()
	if due {
		l.logger.Warn(message, append(args, "times", times)...)
	}
}
