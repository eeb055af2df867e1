package ingest

import (
	"net/http"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// Messages are taken in as long as there is any memory. Then devices over HTTP are
// told to come again, others wait; and what waited is taken in, and only then
// answered, once there is memory again.
func TestMemoryShortageDelaysMessages(t *testing.T) {
	gauge, percent := testkit.FakeMemory()
	e := newEdge(t, func(o *Options) { o.Memory = gauge })
	url := e.serveHTTP().URL + "/api/v1/" + secretOf("WS-1") + "/telemetry"
	percent.Store(95)
	if status, said, _ := post(t, url, `{"humidity":1}`); status != http.StatusOK {
		t.Fatalf("at 95%%: %d %s", status, said)
	}
	percent.Store(98)
	status, said, header := post(t, url, `{"humidity":2}`)
	if status != http.StatusServiceUnavailable || said != `{"code":"unavailable"}` || header.Get("Retry-After") != "5" {
		t.Errorf("at 98%%: %d %s %v", status, said, header)
	}
	answered, submitted := make(chan Outcome, 1), make(chan error, 1)
	go func() {
		m := Message{Entry: e.registry.Get(2), Kind: Telemetry, Payload: []byte(`{"humidity":3}`), At: now}
		submitted <- e.pipeline.Submit(t.Context(), m, func(o Outcome) { answered <- o })
	}()
	testkit.Eventually(t, "a message that waits", func() bool { return gauge.Refused()["intake"] == 2 })
	select {
	case <-submitted:
		t.Error("a message was accepted for which there is no memory")
	case <-time.After(3 * memoryPollInterval):
	}
	percent.Store(90)
	if err := <-submitted; err != nil {
		t.Fatal(err)
	}
	if o := <-answered; o.Err != nil || o.Values != 1 {
		t.Errorf("%+v", o)
	}
}

// Whoever waits for memory does not keep the server from stopping.
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
		t.Error("accepted after the end")
	}
}
