package mail

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// queueSize is how many mails may wait; beyond, a mail is dropped and the log
// says so.
const queueSize = 256

// Queue sends mails in the background, one after the other and each once. What
// waits is in memory only: it is for what is good to know, not for what must
// arrive.
type Queue struct {
	send func(ctx context.Context, m Message) (answer string, err error)
	log  *slog.Logger
	done chan struct{}

	mu     sync.Mutex
	closed bool
	mails  chan Message
}

// NewQueue makes a queue before send; Run sends.
func NewQueue(send func(ctx context.Context, m Message) (answer string, err error), log *slog.Logger) *Queue {
	return &Queue{send: send, log: log, done: make(chan struct{}), mails: make(chan Message, queueSize)}
}

// Post hands a mail over and never waits.
func (q *Queue) Post(m Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		q.log.Error("mail dropped: the server is stopping", "mail", m.ID)
		return
	}
	select {
	case q.mails <- m:
	default:
		q.log.Error("mail dropped: too many wait", "mail", m.ID)
	}
}

// Run sends what is posted until the queue is closed and empty, or ctx ends.
func (q *Queue) Run(ctx context.Context) {
	defer close(q.done)
	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-q.mails:
			if !ok {
				return
			}
			if _, err := q.send(ctx, m); err != nil {
				q.log.Error("mail not sent", "mail", m.ID, "error", err)
			}
		}
	}
}

// Close takes nothing more and waits until what was posted is sent, at most
// until ctx ends. Run must be running, or have ended.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.mails)
	}
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-ctx.Done():
	}
	if left := len(q.mails); left > 0 {
		return fmt.Errorf("%d mails not sent", left)
	}
	return nil
}
