package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"tilth/internal/live"
)

const (
	// writeLimit is how long one write to a screen may take.
	writeLimit = 10 * time.Second
	// writeSize is how many bytes are gathered for one write, beside the last
	// event's: so much a slow line takes within writeLimit.
	writeSize = 32 << 10
)

// gathered holds the buffers in which events are gathered: they are needed for
// a moment only, and by few of the open screens at once.
var gathered = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// eventWriter writes server-sent events as soon as there are some, and those
// that wait in one write.
type eventWriter struct {
	ctl *http.ResponseController
	w   http.ResponseWriter
}

// waiting writes an event, and with it those that wait in line behind it.
func (o *eventWriter) waiting(first *live.Event, line <-chan *live.Event) error {
	n := len(line)
	if n == 0 {
		return o.write(first.Frame)
	}
	events := make([]*live.Event, 1, 1+n)
	events[0] = first
	for range n {
		events = append(events, <-line) // only this goroutine takes from it
	}
	return o.all(events)
}

// all writes events that are known already.
func (o *eventWriter) all(events []*live.Event) error {
	b := gathered.Get().(*bytes.Buffer)
	defer gathered.Put(b)
	b.Reset()
	for i, e := range events {
		b.Write(e.Frame)
		if b.Len() < writeSize && i < len(events)-1 {
			continue
		}
		if err := o.write(b.Bytes()); err != nil {
			return err
		}
		b.Reset()
	}
	return nil
}

// expired tells the screen that its session is over. The stream ends either
// way.
func (o *eventWriter) expired() { _ = o.bare("event: expired\ndata: {}\n\n") }

// replaced asks a screen whose place was taken to come back, if at all, later: of
// too many windows each would else take another's place at once.
func (o *eventWriter) replaced() {
	_ = o.bare("retry: " + strconv.FormatInt(screensAgain.Milliseconds(), 10) + "\n\n")
}

// bare writes what only this screen is told.
func (o *eventWriter) bare(text string) error {
	return o.written(func() (int, error) { return io.WriteString(o.w, text) })
}

func (o *eventWriter) write(b []byte) error {
	return o.written(func() (int, error) { return o.w.Write(b) })
}

func (o *eventWriter) written(write func() (int, error)) error {
	// A writer without deadlines (a test's recorder) is written without one.
	_ = o.ctl.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := write(); err != nil {
		return err
	}
	return o.ctl.Flush()
}
