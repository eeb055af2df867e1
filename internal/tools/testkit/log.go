package testkit

import (
	"bytes"
	"log/slog"
	"sync"
)

// Log keeps all that is logged, from level debug on, so that tests can check it.
type Log struct {
	*slog.Logger

	mu   sync.Mutex
	text bytes.Buffer
}

// NewLog makes an empty Log.
func NewLog() *Log {
	l := &Log{}
	l.Logger = slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return l
}

// Write takes a line from the logger.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// Text returns everything logged so far.
func (l *Log) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
