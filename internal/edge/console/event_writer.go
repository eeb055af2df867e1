package console

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"tilth/internal/platform/live"
)

const (
	// writeTimeout is how long one write to a screen may take.
	writeTimeout = 10 * time.Second
	// maxBatchSize is how many bytes are gathered for one write, not counting the last event: a
	// slow connection takes that many within writeTimeout.
	maxBatchSize = 32 << 10
)

// eventBufferPool holds the buffers in which events are gathered. A buffer is in use only for a
// moment, and only for a few of the open streams at once.
var eventBufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// eventWriter writes server-sent events as soon as there are any; events that are queued go out in
// one write.
type eventWriter struct {
	ctl     *http.ResponseController
	w       http.ResponseWriter
	changes func() bool // whether the person may change devices now; some events are for those alone
}

// writeQueued writes an event together with the events that are queued behind it.
func (o *eventWriter) writeQueued(first *live.Event, queue <-chan *live.Event) error {
	n := len(queue)
	if n == 0 {
		if !o.maySee(first) {
			return nil
		}
		return o.write(first.Frame)
	}
	events := make([]*live.Event, 1, 1+n)
	events[0] = first
	for range n {
		events = append(events, <-queue) // only this goroutine receives from the queue
	}
	return o.writeAll(events)
}

// writeAll writes a list of events.
func (o *eventWriter) writeAll(events []*live.Event) error {
	b := eventBufferPool.Get().(*bytes.Buffer)
	defer eventBufferPool.Put(b)
	b.Reset()
	for i, e := range events {
		if o.maySee(e) {
			b.Write(e.Frame)
		}
		if b.Len() < maxBatchSize && i < len(events)-1 {
			continue
		}
		if b.Len() == 0 {
			continue
		}
		if err := o.write(b.Bytes()); err != nil {
			return err
		}
		b.Reset()
	}
	return nil
}

// maySee tells whether an event is for the person, whose role may have changed since the last one.
func (o *eventWriter) maySee(e *live.Event) bool { return e.Name != hintEvent || o.changes() }

// writeExpired tells the screen that its session has ended. The stream ends even if the write
// fails.
func (o *eventWriter) writeExpired() { _ = o.writeText("event: expired\ndata: {}\n\n") }

// writeReplaced asks a screen whose slot went to another one to reconnect only later: if there are
// too many windows, each would otherwise take another window's slot at once.
func (o *eventWriter) writeReplaced() {
	_ = o.writeText("retry: " + strconv.FormatInt(streamRetryAfter.Milliseconds(), 10) + "\n\n")
}

// writeStorage tells since when readings cannot be stored; zero: they are stored again. It has no id, so
// that a screen that reconnects goes on after the events that it knows.
func (o *eventWriter) writeStorage(stopped time.Time) error {
	data := "{}"
	if !stopped.IsZero() {
		data = `{"stoppedAt":` + strconv.FormatInt(stopped.UnixMilli(), 10) + "}"
	}
	return o.writeText("event: storage\ndata: " + data + "\n\n")
}

// writeText writes a text that only this screen receives.
func (o *eventWriter) writeText(text string) error {
	return o.withDeadline(func() (int, error) { return io.WriteString(o.w, text) })
}

func (o *eventWriter) write(b []byte) error {
	return o.withDeadline(func() (int, error) { return o.w.Write(b) })
}

func (o *eventWriter) withDeadline(write func() (int, error)) error {
	// A test's recorder supports no deadlines; the write then goes without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := write(); err != nil {
		return err
	}
	return o.ctl.Flush()
}
