package testkit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// WebhookCall is one call that a WebhookReceiver received.
type WebhookCall struct {
	Header http.Header
	Body   []byte
}

// WebhookReceiver is a server on this machine that receives a tenant's webhook calls and keeps
// them.
type WebhookReceiver struct {
	URL string

	mu     sync.Mutex
	status int
	answer string
	calls  []WebhookCall
}

// NewWebhookReceiver starts a receiver that answers every call with 200.
func NewWebhookReceiver(t testing.TB) *WebhookReceiver {
	t.Helper()
	p := &WebhookReceiver{status: http.StatusOK, answer: "thank you"}
	s := httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

func (p *WebhookReceiver) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller disconnected
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, WebhookCall{r.Header.Clone(), body})
	w.WriteHeader(p.status)
	_, _ = io.WriteString(w, p.answer) // the caller may have disconnected
}

// SetResponse sets what the receiver answers from now on.
func (p *WebhookReceiver) SetResponse(status int, answer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.answer = status, answer
}

// TakeCalls returns the calls since the previous TakeCalls.
func (p *WebhookReceiver) TakeCalls() []WebhookCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	calls := p.calls
	p.calls = nil
	return calls
}
