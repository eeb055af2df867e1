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
	// maxBatchSize is how many bytes are gathered for one write, beside the last
	// event's: so much a slow line takes within writeTimeout.
	maxBatchSize = 32 << 10
)

// eventBufferPool holds the buffers in which events are gathered: they are needed for
// a moment only, and by few of the open screens at once.
var eventBufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// eventWriter writes server-sent events as soon as there are some, and those
// that wait in one write.
type eventWriter struct {
	ctl *http.ResponseController
	w   http.ResponseWriter
}

// writeQueued writes an event, and with it those that wait in line behind it.
func (o *eventWriter) writeQueued(first *live.Event, queue <-chan *live.Event) error {
	n := len(queue)
	if n == 0 {
		return o.write(first.Frame)
	}
	events := make([]*live.Event, 1, 1+n)
	events[0] = first
	for range n {
		events = append(events, <-queue) // only this goroutine takes from it
	}
	return o.writeAll(events)
}

// writeAll writes events that are known already.
func (o *eventWriter) writeAll(events []*live.Event) error {
	b := eventBufferPool.Get().(*bytes.Buffer)
	defer eventBufferPool.Put(b)
	b.Reset()
	for i, e := range events {
		b.Write(e.Frame)
		if b.Len() < maxBatchSize && i < len(events)-1 {
			continue
		}
		if err := o.write(b.Bytes()); err != nil {
			return err
		}
		b.Reset()
	}
	return nil
}

// writeExpired tells the screen that its session is over. The stream ends either
// way.
func (o *eventWriter) writeExpired() { _ = o.writeText("event: expired\ndata: {}\n\n") }

// writeReplaced asks a screen whose place was taken to come back, if at all, later: of
// too many windows each would else take another's place at once.
func (o *eventWriter) writeReplaced() {
	_ = o.writeText("retry: " + strconv.FormatInt(streamRetryAfter.Milliseconds(), 10) + "\n\n")
}

// writeText writes what only this screen is told.
func (o *eventWriter) writeText(text string) error {
	return o.withDeadline(func() (int, error) { return io.WriteString(o.w, text) })
}

func (o *eventWriter) write(b []byte) error {
	return o.withDeadline(func() (int, error) { return o.w.Write(b) })
}

func (o *eventWriter) withDeadline(write func() (int, error)) error {
	// A writer without deadlines (a test's recorder) is written without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := write(); err != nil {
		return err
	}
	return o.ctl.Flush()
}
