package testkit

import (
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/notify/webhook"
)

// newWebhookStore makes the store of webhooks.
func newWebhookStore(t testing.TB, s *Stores) *notify.WebhookStore {
	t.Helper()
	key := sha256.Sum256(SecretKey)
	store, err := notify.NewWebhookStore(s.DB, key[:], s.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// NewWebhookCaller makes what calls webhooks, those of this machine too.
func NewWebhookCaller(s *Stores) *webhook.Caller {
	return webhook.New(webhook.Options{
		Store:  s.Webhooks,
		Guard:  &guard.Guard{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Now:    s.Clock.Now,
		Logger: s.Log.Logger,
	})
}

// WebhookCall is one call that a Program was sent.
type WebhookCall struct {
	Header http.Header
	Body   []byte
}

// WebhookReceiver is a program of a tenant's on this machine, which keeps the calls that
// it is sent.
type WebhookReceiver struct {
	URL string

	mu     sync.Mutex
	status int
	answer string
	calls  []WebhookCall
}

// NewWebhookReceiver starts a program that takes everything.
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
		return // the caller hung up
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, WebhookCall{r.Header.Clone(), body})
	w.WriteHeader(p.status)
	_, _ = io.WriteString(w, p.answer) // the caller may have hung up
}

// SetResponse says what the program answers from now on.
func (p *WebhookReceiver) SetResponse(status int, answer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.answer = status, answer
}

// TakeCalls is what the program was sent since it was asked last.
func (p *WebhookReceiver) TakeCalls() []WebhookCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	heard := p.calls
	p.calls = nil
	return heard
}
