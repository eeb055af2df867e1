package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/tools/testkit"
)

// blockingSender is a sender whose mails wait until the test releases them.
type blockingSender struct {
	begun   chan string
	release chan error
}

func (d blockingSender) send(ctx context.Context, m Message) (string, error) {
	d.begun <- m.ID
	select {
	case err := <-d.release:
		return "", err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func newBlockedQueue(t *testing.T) (blockingSender, *Queue, *testkit.Log, context.CancelFunc, chan struct{}) {
	t.Helper()
	d := blockingSender{begun: make(chan string, queueSize+8), release: make(chan error, queueSize+8)}
	log := testkit.NewLog()
	q := NewQueue(d.send, log.Logger)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { q.Run(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	return d, q, log, cancel, ended
}

// Mails posted before the stop are sent in order; a failure does not stop the others.
func TestQueueDrains(t *testing.T) {
	d, q, log, _, ended := newBlockedQueue(t)
	for i := range 3 {
		q.Post(Message{ID: fmt.Sprint("m", i), To: "ada@example.com"})
	}
	d.release <- nil
	d.release <- &notify.Failure{Kind: notify.Permanent, Answer: "550 no such mailbox"}
	d.release <- nil
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, "the end", ended)
	for i := range 3 {
		if got := <-d.begun; got != fmt.Sprint("m", i) {
			t.Errorf("%s is mail number %d", got, i)
		}
	}
	q.Post(Message{ID: "late"})
	if err := q.Close(t.Context()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	logged := log.Text()
	if strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "mail=m1") ||
		!strings.Contains(logged, "no such mailbox") || !strings.Contains(logged, "mail=late") ||
		strings.Contains(logged, "ada@") {
		t.Error(logged)
	}
}

// A server that does not answer does not delay a stop beyond its context, and the log names the
// lost mails.
func TestQueueStopsInTime(t *testing.T) {
	d, q, log, cancel, ended := newBlockedQueue(t)
	q.Post(Message{ID: "first"})
	testkit.Receive(t, "the first", d.begun)
	q.Post(Message{ID: "second"})
	over, stop := context.WithCancel(t.Context())
	stop()
	if err := q.Close(over); err == nil || err.Error() != "1 mails not sent" {
		t.Errorf("%v", err)
	}
	cancel()
	testkit.Receive(t, "the end", ended)
	for _, id := range []string{"first", "second"} {
		if strings.Count(log.Text(), "mail="+id) != 1 {
			t.Errorf("log of %s: %s", id, log.Text())
		}
	}
	q.Post(Message{ID: "late"})
	if !strings.Contains(log.Text(), "mail=late") {
		t.Error("the log lacks a mail that was posted after the end")
	}
}

// attemptTimes posts one mail in a synctest bubble and gives the times of its attempts since then.
func attemptTimes(t *testing.T, log *testkit.Log, fails func(try int) error) (at []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		posted := time.Now()
		q := NewQueue(func(context.Context, Message) (string, error) {
			at = append(at, time.Since(posted))
			return "", fails(len(at))
		}, log.Logger)
		ctx, cancel := context.WithCancel(t.Context())
		go q.Run(ctx)
		q.Post(Message{ID: "account-1-password", To: "ada@example.com"})
		time.Sleep(48 * time.Hour)
		cancel()
		synctest.Wait()
	})
	return at
}

// A mail that may succeed later is retried until it does.
func TestQueueTriesAgain(t *testing.T) {
	for what, kind := range map[string]notify.FailureKind{"greylisted": notify.Transient, "no server": notify.Unavailable} {
		t.Run(what, func(t *testing.T) {
			log := testkit.NewLog()
			at := attemptTimes(t, log, func(try int) error {
				if try < 4 {
					return &notify.Failure{Kind: kind, Answer: "451 4.7.1 try again in 5 minutes"}
				}
				return nil
			})
			if got := fmt.Sprint(at); got != "[0s 1m0s 3m0s 7m0s]" {
				t.Errorf("tried at %s", got)
			}
			if logged := log.Text(); strings.Count(logged, "\n") != 1 || !strings.Contains(logged, "trying again") {
				t.Error(logged)
			}
		})
	}
}

// A mail is retried for twelve hours; after a permanent failure it is not retried.
func TestQueueGivesUp(t *testing.T) {
	log := testkit.NewLog()
	at := attemptTimes(t, log, func(int) error { return errors.New("no route to host") })
	if n := len(at); n < 10 || at[n-1] != 12*time.Hour || at[n-2]-at[n-3] != 30*time.Minute {
		t.Errorf("tried at %v", at)
	}
	if logged := log.Text(); strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "mail not sent\"") ||
		!strings.Contains(logged, fmt.Sprint("tries=", len(at))) {
		t.Error(logged)
	}
	refuse := func(int) error { return &notify.Failure{Kind: notify.Permanent, Answer: "550 no"} }
	if at := attemptTimes(t, testkit.NewLog(), refuse); len(at) != 1 {
		t.Errorf("refused permanently, and tried at %v", at)
	}
}

// A mail that waits for a retry does not block others, and does not delay a stop.
func TestQueueStopsBetweenTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, sent := testkit.NewLog(), ""
		q := NewQueue(func(_ context.Context, m Message) (string, error) {
			sent += m.ID + " "
			if m.ID == "first" {
				return "", &notify.Failure{Kind: notify.Transient, Answer: "451 busy"}
			}
			return "", nil
		}, log.Logger)
		go q.Run(t.Context())
		q.Post(Message{ID: "first"})
		time.Sleep(time.Second)
		q.Post(Message{ID: "second"})
		synctest.Wait()
		q.Post(Message{ID: "third"})
		begun := time.Now()
		if err := q.Close(t.Context()); err == nil || err.Error() != "1 mails not sent" || time.Since(begun) > 0 {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if sent != "first second third " {
			t.Errorf("tried %s", sent)
		}
		logged := log.Text()
		if !strings.Contains(logged, `msg="mail not sent" mail=first tries=1 error="451 busy"`) {
			t.Error(logged)
		}
	})
}

// Post never waits: it drops mails beyond the limit, and logs them.
func TestQueueIsBounded(t *testing.T) {
	d, q, log, _, _ := newBlockedQueue(t)
	q.Post(Message{ID: "begun"})
	testkit.Receive(t, "the first", d.begun)
	for i := range queueSize + 2 {
		q.Post(Message{ID: fmt.Sprint("m", i)})
	}
	if n := strings.Count(log.Text(), "too many wait"); n != 2 ||
		!strings.Contains(log.Text(), fmt.Sprint("mail=m", queueSize+1)) {
		t.Errorf("%d dropped: %s", n, log.Text())
	}
}
