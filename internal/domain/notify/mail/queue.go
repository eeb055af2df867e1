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
	// queueSize is how many mails may wait; beyond, a mail is dropped and the log
	// says so.
	queueSize = 256
	// retryFirst and retryMax are how long a mail waits that may go through
	// later: at first, and after many tries.
	retryFirst = time.Minute
	retryMax   = 30 * time.Minute
	// triedFor is how long a mail is tried: a server that puts off whom it does
	// not know takes it within the hour, one that is down for a night after that.
	triedFor = 12 * time.Hour
)

// Queue sends mails in the background, one after the other; one that may go
// through later is tried again. What waits is in memory only, so a stop ends
// it: it is for what is good to know, not for what must arrive.
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
	err    error // of the last one
}

// NewQueue makes a queue before send; Run sends.
func NewQueue(send func(ctx context.Context, m Message) (answer string, err error), logger *slog.Logger) *Queue {
	return &Queue{send: send, logger: logger, done: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// Post hands a mail over and never waits.
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

// Run sends what is posted until the queue is closed and all was tried once, or
// ctx ends. What is left then is not sent, which the log says of each.
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

// nextDue takes the mail that has been due longest; else it says how long to wait
// for one (0: until one is posted), or that no more come.
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

// waitFor waits until something is posted or the queue closed, for so long at most
// (0: however long), or until ctx ends.
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

// attempt sends a mail, and lets it wait again where it may go through later.
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

// logLost has the log say that a mail was not sent.
func (w *queuedMail) logLost(logger *slog.Logger) {
	logger.Error("mail not sent", "mail", w.ID, "tries", w.tries, "error", w.err)
}

// abandon takes nothing more, and tells what is left.
func (q *Queue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, w := range q.mails {
		w.logLost(q.logger)
	}
}

// Close takes nothing more and waits until all that was posted was tried,
// at most until ctx ends. Run must be running, or have ended.
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
