package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tilth/internal/testkit"
)

// desk is a sender whose mails wait until they are let go.
type desk struct {
	begun chan string
	let   chan error
}

func (d desk) send(ctx context.Context, m Message) (string, error) {
	d.begun <- m.ID
	select {
	case err := <-d.let:
		return "", err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func newDesk(t *testing.T) (desk, *Queue, *testkit.Log, context.CancelFunc, chan struct{}) {
	t.Helper()
	d := desk{begun: make(chan string, queueSize+8), let: make(chan error, queueSize+8)}
	log := testkit.NewLog()
	q := NewQueue(d.send, log.Logger)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { q.Run(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	return d, q, log, cancel, ended
}

// What was posted before the stop is sent, in order; a failure stops nothing.
func TestQueueDrains(t *testing.T) {
	d, q, log, _, ended := newDesk(t)
	for i := range 3 {
		q.Post(Message{ID: fmt.Sprint("m", i), To: "ada@example.com"})
	}
	d.let <- nil
	d.let <- errors.New("no server")
	d.let <- nil
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, "the end", ended)
	for i := range 3 {
		if got := <-d.begun; got != fmt.Sprint("m", i) {
			t.Errorf("%s is number %d", got, i)
		}
	}
	q.Post(Message{ID: "late"})
	if err := q.Close(t.Context()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	said := log.Text()
	if strings.Count(said, "\n") != 2 || !strings.Contains(said, "mail=m1") || !strings.Contains(said, "no server") || !strings.Contains(said, "mail=late") || strings.Contains(said, "ada@") {
		t.Error(said)
	}
}

// A server that does not answer holds a stop up no longer than it may, and
// what is lost is told.
func TestQueueStopsInTime(t *testing.T) {
	d, q, log, cancel, ended := newDesk(t)
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
	if !strings.Contains(log.Text(), "mail=first") {
		t.Error(log.Text())
	}
}

// Posting never waits: beyond the bound a mail is dropped, and the log says so.
func TestQueueIsBounded(t *testing.T) {
	d, q, log, _, _ := newDesk(t)
	q.Post(Message{ID: "begun"})
	testkit.Receive(t, "the first", d.begun)
	for i := range queueSize + 2 {
		q.Post(Message{ID: fmt.Sprint("m", i)})
	}
	if n := strings.Count(log.Text(), "too many wait"); n != 2 || !strings.Contains(log.Text(), fmt.Sprint("mail=m", queueSize+1)) {
		t.Errorf("%d dropped: %s", n, log.Text())
	}
}
