package httpbase

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"tilth/internal/platform/text"
)

// Request is what an edge knows of the request that it serves. One goroutine
// uses it, the request's.
type Request struct {
	ID          string
	Language    text.Language // of sentences in its answer
	Address     netip.Addr    // of the client; may be invalid
	HTTPRequest *http.Request // as it came; nil outside of an edge
	Operation   string        // which call it is, for the log; empty: none
	LogAttrs    []slog.Attr   // whom it speaks for, for the log
	Err         error         // what it was answered with, for the log; nil: nothing went wrong
	ServerFault bool          // Err is the server's

	answer *StatusWriter
}

type requestKey struct{}

// RequestFrom is the request that ctx belongs to. Outside of an edge (a test of a single
// handler) it is one that nothing is known of, in English.
func RequestFrom(ctx context.Context) *Request {
	q, ok := ctx.Value(requestKey{}).(*Request)
	if !ok {
		return &Request{Language: text.English}
	}
	return q
}

// SetError notes for the log what a request is answered with; fault, whether the
// server is to blame.
func (q *Request) SetError(err error, fault bool) { q.Err, q.ServerFault = err, fault }

// AddressText is the client's address as a text; empty where it is not known.
func (q *Request) AddressText() string {
	if !q.Address.IsValid() {
		return ""
	}
	return q.Address.String()
}
