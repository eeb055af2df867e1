package testkit

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Event is one server-sent event as a screen receives it. A comment has only Comment set; an event
// with only an id has only ID set.
type Event struct {
	ID, Name, Data string
	Retry          string // when to reconnect, ms
	Comment        bool
}

// eventSchemas are the contract's schemas of the events' data.
var eventSchemas = map[string]string{
	"reading":  "LiveReading",
	"presence": "LivePresence",
	"change":   "LiveChange",
	"storage":  "LiveStorage",
	"hint":     "LiveHint",
}

// Stream is an open stream of server-sent events.
type Stream struct {
	c      *Contract
	events chan Event // closed at the end of the stream
	cancel context.CancelFunc
}

// Serve runs the handler on a real server until the test ends and returns its address.
func (c *Contract) Serve(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(c.Handler)
	t.Cleanup(server.Close)
	return server.URL
}

// Listen opens a stream on the server at base.
func (c *Contract) Listen(t testing.TB, base string, call Call) *Stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := call.Request(ctx, base)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = res.Body.Close() })
	if err := c.Check(r, &Answer{Status: res.StatusCode, Header: res.Header}); err != nil {
		t.Fatalf("%s answered %d: %v", call.Path, res.StatusCode, err)
	}
	s := &Stream{c: c, events: make(chan Event, 4096), cancel: cancel}
	go s.read(bufio.NewScanner(res.Body))
	return s
}

// read splits the stream into events, which end with an empty line.
func (s *Stream) read(lines *bufio.Scanner) {
	defer close(s.events)
	var e Event
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "":
			s.events <- e
			e = Event{}
		case name == "":
			e.Comment = true
		case name == "id":
			e.ID = value
		case name == "event":
			e.Name = value
		case name == "retry":
			e.Retry = value
		case name == "data":
			e.Data = value
		}
	}
}

// Next waits for the next event and checks its data against the contract.
func (s *Stream) Next(t testing.TB) Event {
	t.Helper()
	e, open := s.next(t)
	if !open {
		t.Fatal("the stream ended")
	}
	if schema, ok := eventSchemas[e.Name]; ok {
		if err := s.c.Schema(schema, []byte(e.Data)); err != nil {
			t.Errorf("event %s: %v", e.Name, err)
		}
	}
	return e
}

// End waits for the end of the stream; an event before it fails the test.
func (s *Stream) End(t testing.TB) {
	t.Helper()
	if e, open := s.next(t); open {
		t.Fatalf("an event instead of the end: %+v", e)
	}
}

// Leave closes the stream on the screen's side.
func (s *Stream) Leave() { s.cancel() }

func (s *Stream) next(t testing.TB) (Event, bool) {
	t.Helper()
	select {
	case e, open := <-s.events:
		return e, open
	case <-time.After(WaitTimeout):
		t.Fatal("timed out waiting for an event")
		return Event{}, false
	}
}
