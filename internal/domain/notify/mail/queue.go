package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"tilth/internal/domain/notify"
)

const (
	// queueSize is how many mails may wait; Post drops further ones and logs that.
	queueSize = 256
	// retryFirst and retryMax are how long a mail waits for a retry: after the first attempt, and
	// at most.
	retryFirst = time.Minute
	retryMax   = 30 * time.Minute
	// triedFor is how long a mail is retried: a greylisting server accepts it within the hour, and
	// a server that is down for a night accepts it in the morning.
	triedFor = 12 * time.Hour
)

// Queue sends mails in the background, one after the other, and retries those that may succeed
// later. It is in memory only, so waiting mails are lost when the process stops: it is for mails
// that are useful to know, not for those that must arrive.
type Queue struct {
	send   func(ctx context.Context, m Message) (answer string, err error)
	logger *slog.Logger
	done   chan struct{}
	wake   chan struct{} // holds one

	mu     sync.Mutex
	closed bool
	mails  []*queuedMail
}

// queuedMail is a mail that waits to be sent.
type queuedMail struct {
	Message
	posted time.Time
	due    time.Time
	tries  int   // so far
	err    error // of the last attempt
}

// NewQueue makes a queue whose Run calls send.
func NewQueue(send func(ctx context.Context, m Message) (answer string, err error), logger *slog.Logger) *Queue {
	return &Queue{send: send, logger: logger, done: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// Post queues a mail; it never waits.
func (q *Queue) Post(m Message) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		q.logger.Error("mail dropped: the server is stopping", "mail", m.ID)
	case len(q.mails) >= queueSize:
		q.logger.Error("mail dropped: too many wait", "mail", m.ID)
	default:
		now := time.Now()
		q.mails = append(q.mails, &queuedMail{Message: m, posted: now, due: now})
		q.nudge()
	}
}

func (q *Queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Run sends posted mails until the queue is closed and every mail was tried once, or until ctx
// ends. It does not send the mails that are left then, and logs each of them.
func (q *Queue) Run(ctx context.Context) {
	defer close(q.done)
	defer q.abandon()
	for ctx.Err() == nil {
		w, wait, more := q.nextDue()
		switch {
		case w != nil:
			q.attempt(ctx, w)
		case !more:
			return
		default:
			q.waitFor(ctx, wait)
		}
	}
}

// nextDue takes the mail that has been due longest. If none is due, it gives how long to wait for
// one (0: until one is posted), or that there are no more.
func (q *Queue) nextDue() (w *queuedMail, wait time.Duration, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := -1
	for i, m := range q.mails {
		if (!q.closed || m.tries == 0) && (first < 0 || m.due.Before(q.mails[first].due)) {
			first = i
		}
	}
	if first < 0 {
		return nil, 0, !q.closed
	}
	w = q.mails[first]
	if wait = time.Until(w.due); wait > 0 {
		return nil, wait, true
	}
	q.mails = slices.Delete(q.mails, first, first+1)
	return w, 0, true
}

// waitFor waits until a mail is posted, the queue is closed or ctx ends, for at most wait (0:
// without a limit).
func (q *Queue) waitFor(ctx context.Context, wait time.Duration) {
	var due <-chan time.Time
	if wait > 0 {
		due = time.After(wait)
	}
	select {
	case <-due:
	case <-q.wake:
	case <-ctx.Done():
	}
}

// attempt sends a mail, and queues it again if a later attempt may succeed.
func (q *Queue) attempt(ctx context.Context, w *queuedMail) {
	_, w.err = q.send(ctx, w.Message)
	if w.err == nil {
		return
	}
	w.tries++
	failure, known := errors.AsType[*notify.Failure](w.err)
	if known && failure.Kind == notify.Permanent || time.Since(w.posted) >= triedFor {
		w.logLost(q.logger)
		return
	}
	again := retryFirst
	for range w.tries - 1 {
		again = min(2*again, retryMax)
	}
	last := w.posted.Add(triedFor)
	if w.due = time.Now().Add(again); w.due.After(last) {
		w.due = last
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if w.tries == 1 && !q.closed {
		q.logger.Warn("mail not sent yet, trying again", "mail", w.ID, "error", w.err)
	}
	q.mails = append(q.mails, w)
}

// logLost logs that a mail was not sent.
func (w *queuedMail) logLost(logger *slog.Logger) {
	logger.Error("mail not sent", "mail", w.ID, "tries", w.tries, "error", w.err)
}

// abandon closes the queue and logs the mails that are left.
func (q *Queue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, w := range q.mails {
		w.logLost(q.logger)
	}
}

// Close makes the queue refuse further mails and waits until every posted mail was tried, at most
// until ctx ends. Run must be running, or have ended.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	q.closed = true
	q.nudge()
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if left := len(q.mails); left > 0 {
		return fmt.Errorf("%d mails not sent", left)
	}
	return nil
}
