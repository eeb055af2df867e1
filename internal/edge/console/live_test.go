package console_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/tools/testkit"
)

func (w *fixture) publishReadings(from, to int) {
	for i := from; i <= to; i++ {
		w.hub.Publish(
			w.field.ID,
			"reading",
			fmt.Appendf(nil, `{"deviceName":"WS-1","time":%d,"values":{"rain":%d}}`, i, i),
		)
	}
}

func readingEvent(i int) testkit.Event {
	return testkit.Event{
		ID:   fmt.Sprint("e-", i),
		Name: "reading",
		Data: fmt.Sprintf(`{"deviceName":"WS-1","time":%d,"values":{"rain":%d}}`, i, i),
	}
}

func expectEvents(t *testing.T, s *testkit.Stream, want ...testkit.Event) {
	t.Helper()
	for _, e := range want {
		if got := s.Next(t); got != e {
			t.Fatalf("%+v, want %+v", got, e)
		}
	}
}

func (w *fixture) liveCall(token, last string) testkit.Call {
	call := testkit.Call{Path: livePath, Token: token, Header: map[string]string{"Accept": "text/event-stream"}}
	if last != "" {
		call.Header["Last-Event-ID"] = last
	}
	return call
}

// A stream opens with an id, brings new events, and brings missed events to a screen that
// reconnects.
func TestLive(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.publishReadings(1, 3)
	s := w.Listen(t, base, w.liveCall(w.ada, ""))
	expectEvents(t, s, testkit.Event{ID: "e-3"})
	w.publishReadings(4, 5)
	expectEvents(t, s, readingEvent(4), readingEvent(5))
	w.hub.Publish(w.field.ID, "presence", []byte(`{"deviceName":"WS-1","onlineState":0,"time":7}`))
	expectEvents(
		t,
		s,
		testkit.Event{ID: "e-6", Name: "presence", Data: `{"deviceName":"WS-1","onlineState":0,"time":7}`},
	)

	s.Leave()
	testkit.Eventually(t, "the screen to close", func() bool { return w.hub.Screens() == 0 })
	w.publishReadings(7, 9)
	back := w.Listen(t, base, w.liveCall(w.ada, "e-6"))
	expectEvents(t, back, readingEvent(7), readingEvent(8), readingEvent(9))
	w.publishReadings(10, 10)
	expectEvents(t, back, readingEvent(10))
	// Nothing was missed: the stream opens like a new one.
	expectEvents(t, w.Listen(t, base, w.liveCall(w.ada, "e-10")), testkit.Event{ID: "e-10"})
}

// An id of another run, or an id whose events are no longer kept, gets a reset with the id from
// which to go on.
func TestLiveReset(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.publishReadings(1, 6000)
	for _, last := range []string{"old-5999", "e-1", "e-6001", "nonsense"} {
		s := w.Listen(t, base, w.liveCall(w.ada, last))
		expectEvents(t, s, testkit.Event{ID: "e-6000", Name: "reset", Data: "{}"})
		s.Leave()
	}
}

func TestLiveIsTenantScoped(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	mine, theirs := w.Listen(t, base, w.liveCall(w.ada, "")), w.Listen(t, base, w.liveCall(w.rivalToken, ""))
	expectEvents(t, mine, testkit.Event{ID: "e-0"})
	expectEvents(t, theirs, testkit.Event{ID: "e-0"})
	w.publishReadings(1, 2)
	w.hub.Publish(w.rival.ID, "presence", []byte(`{"deviceName":"`+marker+`","onlineState":1,"time":1}`))
	expectEvents(t, mine, readingEvent(1), readingEvent(2))
	expectEvents(
		t,
		theirs,
		testkit.Event{ID: "e-1", Name: "presence", Data: `{"deviceName":"` + marker + `","onlineState":1,"time":1}`},
	)
	// The rival's own screen gets only the rival's events, even with the field's position.
	call := w.liveCall(w.rivalToken, "e-0")
	call.Header["tenant-id"] = fmt.Sprint(w.field.ID)
	expectEvents(
		t,
		w.Listen(t, base, call),
		testkit.Event{ID: "e-1", Name: "presence", Data: `{"deviceName":"` + marker + `","onlineState":1,"time":1}`},
	)
}

// A user's newest streams stay; the oldest one is replaced and told to reconnect later. If a tenant
// has too many streams, the next one is refused.
func TestLiveStreamLimits(t *testing.T) {
	w := newServer(t)
	w.hub.MaxPerPerson, w.hub.MaxPerTenant = 2, 3
	base := w.Serve(t)
	var ada []*testkit.Stream
	for range 3 {
		s := w.Listen(t, base, w.liveCall(w.ada, ""))
		expectEvents(t, s, testkit.Event{ID: "e-0"})
		ada = append(ada, s)
	}
	expectEvents(t, ada[0], testkit.Event{Retry: "30000"})
	ada[0].End(t)
	expectEvents(t, w.Listen(t, base, w.liveCall(w.bora, "")), testkit.Event{ID: "e-0"})
	w.Run(
		t,
		[]testkit.Scenario{
			{
				Name:     "the tenant's fourth",
				Call:     w.liveCall(w.bora, ""),
				Code:     429,
				Contains: []string{"Too many live windows are open"},
			},
		},
	)
	expectEvents(t, w.Listen(t, base, w.liveCall(w.rivalToken, "")), testkit.Event{ID: "e-0"})
	w.publishReadings(1, 1)
	expectEvents(t, ada[1], readingEvent(1))
	expectEvents(t, ada[2], readingEvent(1))
}

// Logging out ends the streams of that session with "expired", and no others.
func TestLiveExpiresOnLogout(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	tab := w.Listen(t, base, w.liveCall(w.ada, ""))
	other := w.Listen(t, base, w.liveCall(w.Session(t, w.field.Ada).Access, ""))
	bora := w.Listen(t, base, w.liveCall(w.bora, ""))
	for _, s := range []*testkit.Stream{tab, other, bora} {
		expectEvents(t, s, testkit.Event{ID: "e-0"})
	}
	if a := w.Do(t, testkit.Call{Method: http.MethodPost, Path: logoutPath, Token: w.ada}); a.Code != 200 {
		t.Fatalf("%s", a.Body)
	}
	expectEvents(t, tab, testkit.Event{Name: "expired", Data: "{}"})
	tab.End(t)
	w.publishReadings(1, 1)
	expectEvents(t, other, readingEvent(1))
	expectEvents(t, bora, readingEvent(1))
	// Ending all sessions of the user ends the rest of her streams.
	if err := w.Sessions.EndUser(t.Context(), w.field.ID, w.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	expectEvents(t, other, testkit.Event{Name: "expired", Data: "{}"})
	other.End(t)
	w.publishReadings(2, 2)
	expectEvents(t, bora, readingEvent(2))
}

// A stream ends when its token expires; the screen opens another one with the next token.
func TestLiveExpiresWithTheToken(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.Clock.Advance(30*time.Minute - 20*time.Millisecond) // 20 ms of the token's lifetime are left
	s := w.Listen(t, base, w.liveCall(w.ada, ""))
	expectEvents(t, s, testkit.Event{ID: "e-0"}, testkit.Event{Name: "expired", Data: "{}"})
	s.End(t)
}

// When the server stops, its streams end without "expired": the session is still active, and the
// screen tries again.
func TestLiveShutdown(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	s := w.Listen(t, base, w.liveCall(w.ada, ""))
	expectEvents(t, s, testkit.Event{ID: "e-0"})
	w.hub.Close()
	s.End(t)
	if a := w.Do(t, w.liveCall(w.ada, "")); a.Status != 503 || a.Code != 503 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// A refused stream is answered with the envelope.
func TestLiveRefusals(t *testing.T) {
	w := newServer(t)
	w.Run(t, []testkit.Scenario{
		{Name: "not signed in", Call: testkit.Call{Path: livePath}, Code: 401},
		{Name: "long id", Call: w.liveCall(w.ada, fmt.Sprintf("%065d", 1)), Code: 601},
	})
	if n := w.hub.Screens(); n != 0 {
		t.Errorf("%d screens", n)
	}
}

// A quiet stream gets a comment every 15 seconds, and ends when its token expires, after half an
// hour.
func TestLiveHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newServer(t)
		start := time.Now()
		out := &chanClient{header: http.Header{}, written: make(chan string, 200)}
		call := w.liveCall(w.ada, "")
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.Handler.ServeHTTP(out, call.Request(t.Context(), ""))
		}()
		next := func(want string, after time.Duration) {
			t.Helper()
			if got, at := <-out.written, time.Since(start); got != want || at != after {
				t.Fatalf("%q after %s, want %q after %s", got, at, want, after)
			}
		}
		next("id: e-0\n\n", 0)
		for i := 1; i <= 3; i++ {
			next(":\n\n", time.Duration(i)*15*time.Second)
		}
		w.publishReadings(1, 2) // sent in one write or two
		got := <-out.written
		if len(out.written) > 0 {
			got += <-out.written
		}
		want := "id: e-1\nevent: reading\ndata: " + readingEvent(1).Data + "\n\n" +
			"id: e-2\nevent: reading\ndata: " + readingEvent(2).Data + "\n\n"
		if got != want {
			t.Errorf("%q", got)
		}
		for i := 4; i < 120; i++ {
			next(":\n\n", time.Duration(i)*15*time.Second)
		}
		last := <-out.written
		if last == ":\n\n" { // both are due at once
			last = <-out.written
		}
		if last != "event: expired\ndata: {}\n\n" || time.Since(start) != 30*time.Minute {
			t.Errorf("%q after %s", last, time.Since(start))
		}
		<-done
	})
}

// chanClient is a client that receives each write through a channel.
type chanClient struct {
	header  http.Header
	written chan string
}

func (s *chanClient) Header() http.Header { return s.header }
func (s *chanClient) WriteHeader(int)     {}
func (s *chanClient) Flush()              {}
func (s *chanClient) Write(b []byte) (int, error) {
	s.written <- string(b)
	return len(b), nil
}
