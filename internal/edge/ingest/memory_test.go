package ingest

import (
	"net/http"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// Messages are accepted as long as there is memory for them. When memory is short, HTTP clients are
// told to send again later and other messages wait; waiting messages are accepted, and then
// answered, once there is memory again.
func TestMemoryShortageDelaysMessages(t *testing.T) {
	gauge, percent := testkit.FakeMemory()
	e := newEdge(t, func(o *Options) { o.Memory = gauge })
	url := e.serveHTTP().URL + "/api/v1/" + secretOf("WS-1") + "/telemetry"
	percent.Store(95)
	if status, answer, _ := post(t, url, `{"humidity":1}`); status != http.StatusOK {
		t.Fatalf("at 95%%: %d %s", status, answer)
	}
	percent.Store(98)
	status, answer, header := post(t, url, `{"humidity":2}`)
	if status != http.StatusServiceUnavailable || answer != `{"code":"unavailable"}` ||
		header.Get("Retry-After") != "5" {
		t.Errorf("at 98%%: %d %s %v", status, answer, header)
	}
	answered, submitted := make(chan Outcome, 1), make(chan error, 1)
	go func() {
		m := Message{Entry: e.registry.Get(2), Kind: Telemetry, Payload: []byte(`{"humidity":3}`), At: now}
		submitted <- e.pipeline.Submit(t.Context(), m, func(o Outcome) { answered <- o })
	}()
	testkit.Eventually(t, "a message that waits", func() bool { return gauge.Refused()["intake"] == 2 })
	select {
	case <-submitted:
		t.Error("a message was accepted although memory is short")
	case <-time.After(3 * memoryPollInterval):
	}
	percent.Store(90)
	if err := <-submitted; err != nil {
		t.Fatal(err)
	}
	if o := <-answered; o.Err != nil || o.Values != 1 {
		t.Errorf("outcome %+v", o)
	}
}

// A message that waits for memory does not keep the pipeline from closing.
func TestMemoryShortageDoesNotBlockClose(t *testing.T) {
	gauge, percent := testkit.FakeMemory()
	e := newEdge(t, func(o *Options) { o.Memory = gauge })
	percent.Store(99)
	submitted := make(chan error, 1)
	go func() {
		m := Message{Entry: e.registry.Get(2), Kind: Telemetry, Payload: []byte(`{"humidity":3}`), At: now}
		submitted <- e.pipeline.Submit(t.Context(), m, func(Outcome) { t.Error("answered") })
	}()
	testkit.Eventually(t, "a message that waits", func() bool { return gauge.Refused()["intake"] == 1 })
	if err := e.pipeline.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-submitted; err == nil {
		t.Error("a message was accepted after Close")
	}
}
