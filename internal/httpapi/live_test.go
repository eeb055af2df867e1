package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/testkit"
)

func (w *world) publish(from, to int) {
	for i := from; i <= to; i++ {
		w.hub.Publish(w.field.ID, "reading", fmt.Appendf(nil, `{"deviceName":"WS-1","time":%d,"values":{"rain":%d}}`, i, i))
	}
}

func event(i int) testkit.Event {
	return testkit.Event{ID: fmt.Sprint("e-", i), Name: "reading", Data: fmt.Sprintf(`{"deviceName":"WS-1","time":%d,"values":{"rain":%d}}`, i, i)}
}

func expect(t *testing.T, s *testkit.Stream, want ...testkit.Event) {
	t.Helper()
	for _, e := range want {
		if got := s.Next(t); got != e {
			t.Fatalf("%+v, want %+v", got, e)
		}
	}
}

func (w *world) live(token, last string) testkit.Call {
	call := testkit.Call{Path: livePath, Token: token, Header: map[string]string{"Accept": "text/event-stream"}}
	if last != "" {
		call.Header["Last-Event-ID"] = last
	}
	return call
}

// A stream opens with an id, brings what happens, and brings what was missed
// to a screen that comes back.
func TestLive(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.publish(1, 3)
	s := w.Listen(t, base, w.live(w.ada, ""))
	expect(t, s, testkit.Event{ID: "e-3"})
	w.publish(4, 5)
	expect(t, s, event(4), event(5))
	w.hub.Publish(w.field.ID, "presence", []byte(`{"deviceName":"WS-1","onlineState":0,"time":7}`))
	expect(t, s, testkit.Event{ID: "e-6", Name: "presence", Data: `{"deviceName":"WS-1","onlineState":0,"time":7}`})

	s.Leave()
	testkit.Eventually(t, "the screen's end", func() bool { return w.hub.Screens() == 0 })
	w.publish(7, 9)
	back := w.Listen(t, base, w.live(w.ada, "e-6"))
	expect(t, back, event(7), event(8), event(9))
	w.publish(10, 10)
	expect(t, back, event(10))
	// Nothing was missed: the stream opens as a fresh one.
	expect(t, w.Listen(t, base, w.live(w.ada, "e-10")), testkit.Event{ID: "e-10"})
}

// An id of another run, or one that has fallen out, is answered by a reset with
// the id to go on from.
func TestLiveReset(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.publish(1, 6000)
	for _, last := range []string{"old-5999", "e-1", "e-6001", "nonsense"} {
		s := w.Listen(t, base, w.live(w.ada, last))
		expect(t, s, testkit.Event{ID: "e-6000", Name: "reset", Data: "{}"})
		s.Leave()
	}
}

func TestLiveTenantsAreApart(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	mine, theirs := w.Listen(t, base, w.live(w.ada, "")), w.Listen(t, base, w.live(w.enemy, ""))
	expect(t, mine, testkit.Event{ID: "e-0"})
	expect(t, theirs, testkit.Event{ID: "e-0"})
	w.publish(1, 2)
	w.hub.Publish(w.rival.ID, "presence", []byte(`{"deviceName":"`+marker+`","onlineState":1,"time":1}`))
	expect(t, mine, event(1), event(2))
	expect(t, theirs, testkit.Event{ID: "e-1", Name: "presence", Data: `{"deviceName":"` + marker + `","onlineState":1,"time":1}`})
	// The rival's own screen with the field's position is told only the rival's.
	call := w.live(w.enemy, "e-0")
	call.Header["tenant-id"] = fmt.Sprint(w.field.ID)
	expect(t, w.Listen(t, base, call), testkit.Event{ID: "e-1", Name: "presence", Data: `{"deviceName":"` + marker + `","onlineState":1,"time":1}`})
}

// A user's newest streams stay; the one whose place was taken is asked to come back
// later. Where a tenant has too many, the next is refused.
func TestLiveAtOnce(t *testing.T) {
	w := newServer(t)
	w.hub.Person, w.hub.Tenant = 2, 3
	base := w.Serve(t)
	var ada []*testkit.Stream
	for range 3 {
		s := w.Listen(t, base, w.live(w.ada, ""))
		expect(t, s, testkit.Event{ID: "e-0"})
		ada = append(ada, s)
	}
	expect(t, ada[0], testkit.Event{Retry: "30000"})
	ada[0].End(t)
	expect(t, w.Listen(t, base, w.live(w.bora, "")), testkit.Event{ID: "e-0"})
	w.Run(t, []testkit.Scenario{{Name: "the farm's fourth", Call: w.live(w.bora, ""), Code: 429, Contains: []string{"Too many live windows are open"}}})
	expect(t, w.Listen(t, base, w.live(w.enemy, "")), testkit.Event{ID: "e-0"})
	w.publish(1, 1)
	expect(t, ada[1], event(1))
	expect(t, ada[2], event(1))
}

// Logout ends the streams of that session with "expired", and no others.
func TestLiveExpiresOnLogout(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	tab, other, bora := w.Listen(t, base, w.live(w.ada, "")), w.Listen(t, base, w.live(w.Session(t, w.field.Ada).Access, "")), w.Listen(t, base, w.live(w.bora, ""))
	for _, s := range []*testkit.Stream{tab, other, bora} {
		expect(t, s, testkit.Event{ID: "e-0"})
	}
	if a := w.Do(t, testkit.Call{Method: http.MethodPost, Path: logoutPath, Token: w.ada}); a.Code != 200 {
		t.Fatalf("%s", a.Body)
	}
	expect(t, tab, testkit.Event{Name: "expired", Data: "{}"})
	tab.End(t)
	w.publish(1, 1)
	expect(t, other, event(1))
	expect(t, bora, event(1))
	// Ending the user ends the rest of hers.
	if err := w.Sessions.EndUser(t.Context(), w.field.ID, w.field.Ada.ID); err != nil {
		t.Fatal(err)
	}
	expect(t, other, testkit.Event{Name: "expired", Data: "{}"})
	other.End(t)
	w.publish(2, 2)
	expect(t, bora, event(2))
}

// The end of its token ends a stream; the screen opens another with the next.
func TestLiveExpiresWithTheToken(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	w.Clock.Advance(30*time.Minute - 20*time.Millisecond) // of the token's life 20 ms are left
	s := w.Listen(t, base, w.live(w.ada, ""))
	expect(t, s, testkit.Event{ID: "e-0"}, testkit.Event{Name: "expired", Data: "{}"})
	s.End(t)
}

// When the server stops, its streams end without "expired": the session lives,
// and the screen tries again.
func TestLiveShutdown(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	s := w.Listen(t, base, w.live(w.ada, ""))
	expect(t, s, testkit.Event{ID: "e-0"})
	w.hub.Close()
	s.End(t)
	if a := w.Do(t, w.live(w.ada, "")); a.Status != 503 || a.Code != 503 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// A refusal of the stream is the envelope.
func TestLiveRefusals(t *testing.T) {
	w := newServer(t)
	w.Run(t, []testkit.Scenario{
		{Name: "not signed in", Call: testkit.Call{Path: livePath}, Code: 401},
		{Name: "long id", Call: w.live(w.ada, fmt.Sprintf("%065d", 1)), Code: 601},
	})
	if n := w.hub.Screens(); n != 0 {
		t.Errorf("%d screens", n)
	}
}

// A quiet stream is kept alive by a comment every 15 seconds, and ends when its
// token does, after half an hour.
func TestLiveHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newServer(t)
		start := time.Now()
		out := &screen{header: http.Header{}, written: make(chan string, 200)}
		call := w.live(w.ada, "")
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
		w.publish(1, 2) // go out in one write, or two
		got := <-out.written
		if len(out.written) > 0 {
			got += <-out.written
		}
		if got != "id: e-1\nevent: reading\ndata: "+event(1).Data+"\n\nid: e-2\nevent: reading\ndata: "+event(2).Data+"\n\n" {
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

// screen is a client that takes each write as it comes.
type screen struct {
	header  http.Header
	written chan string
}

func (s *screen) Header() http.Header { return s.header }
func (s *screen) WriteHeader(int)     {}
func (s *screen) Flush()              {}
func (s *screen) Write(b []byte) (int, error) {
	s.written <- string(b)
	return len(b), nil
}
