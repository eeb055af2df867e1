package openapi

import (
	"context"
	"errors"
	"log/slog"
	"net/url"

	"tilth/internal/domain/identity"
	"tilth/internal/edge/httpbase"
	"tilth/internal/platform/errs"
)

// request is what every handler can know of the request that it serves.
type request struct {
	*httpbase.Request
	query       url.Values // the query; never logged
	program     identity.APICaller
	key, secret string // of the credential
	checked     uint64 // the version of the credentials at which it was found again; 0: not yet
}

type requestKey struct{}

func requestFrom(ctx context.Context) *request {
	r, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		panic("openapi: a handler outside of a request") // the edge precedes every handler
	}
	return r
}

// newEdge makes the edge for everything below Prefix.
func (s *server) newEdge() *httpbase.Edge {
	return &httpbase.Edge{
		LogMessage:   "open API",
		OperationKey: "call",
		LogLevel:     slog.LevelDebug,
		Logger:       s.Logger,
		Now:          s.Now,
		Address:      s.Address,
		WriteError:   s.writeProblem,
		NewContext: func(ctx context.Context, q *httpbase.Request) context.Context {
			return context.WithValue(ctx, requestKey{}, &request{Request: q})
		},
	}
}

// loggable returns an error for the log. The client chose the name of a parameter that does not
// exist, and may have put anything there; so the log leaves the name out.
func loggable(e *errs.Error) error {
	if e.Key == unknownParameter {
		return errors.New(e.Key)
	}
	return e
}
