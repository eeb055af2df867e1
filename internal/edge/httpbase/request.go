package httpbase

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"tilth/internal/platform/text"
)

// Request is what an edge knows of the request that it serves. Only the request's goroutine uses
// it.
type Request struct {
	ID          string
	Language    text.Language // of sentences in its answer
	Address     netip.Addr    // of the client; may be invalid
	HTTPRequest *http.Request // as it came; nil outside of an edge
	Operation   string        // the operation, for the log; empty: none
	LogAttrs    []slog.Attr   // the caller, for the log
	Err         error         // the error that was answered, for the log; nil: nothing went wrong
	ServerFault bool          // Err is the server's

	answer *StatusWriter
}

type requestKey struct{}

// RequestFrom returns the request that ctx belongs to. Outside of an edge (a test of a single
// handler) it returns an empty one, in English.
func RequestFrom(ctx context.Context) *Request {
	q, ok := ctx.Value(requestKey{}).(*Request)
	if !ok {
		return &Request{Language: text.English}
	}
	return q
}

// SetError records the error that a request is answered with, for the log; fault says whether the
// server is to blame.
func (q *Request) SetError(err error, fault bool) { q.Err, q.ServerFault = err, fault }

// AddressText returns the client's address as a text; empty if it is not known.
func (q *Request) AddressText() string {
	if !q.Address.IsValid() {
		return ""
	}
	return q.Address.String()
}
