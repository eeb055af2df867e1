package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"tilth/internal/edge/httpbase"
	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/errs"
)

// problem is an error answer (RFC 9457).
type problem struct {
	status int
	detail string
	lines  []LineError
	retry  time.Duration
	cause  error // for the log only
}

func (p *problem) Error() string {
	if p.cause != nil {
		return p.cause.Error()
	}
	return p.detail
}

func (p *problem) Unwrap() error { return p.cause }

func newProblem(status int, detail string) *problem { return &problem{status: status, detail: detail} }

// toProblem returns the answer to an error. An error of no known type counts as a fault of the
// server; only the log shows it.
func toProblem(err error) *problem {
	var p *problem
	var file *FileError
	var refusal *Refusal
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &file):
		return &problem{
			status: http.StatusUnprocessableEntity,
			lines:  file.Errors,
			detail: "nothing was changed",
			cause:  err,
		}
	case errors.As(err, &refusal) && refusal.Missing:
		return newProblem(http.StatusNotFound, refusal.Detail)
	case errors.As(err, &refusal):
		return newProblem(http.StatusConflict, refusal.Detail)
	case errors.As(err, &large):
		return newProblem(
			http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the body is larger than %d bytes", large.Limit),
		)
	case errs.Is(err, errs.Unavailable):
		return &problem{
			status: http.StatusServiceUnavailable,
			detail: "the server is busy; try again",
			retry:  errs.As(err).Retry,
			cause:  err,
		}
	case errs.Is(err, errs.StorageFailure):
		return &problem{
			status: http.StatusServiceUnavailable,
			cause:  err,
			retry:  errs.As(err).Retry,
			detail: "the disk of the server's data folder is full, read-only or fails; make room or repair it, " +
				"the server then goes on by itself",
		}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &problem{
			status: http.StatusServiceUnavailable,
			detail: "given up before the end; nothing was changed",
			retry:  time.Second,
			cause:  err,
		}
	}
	return &problem{
		status: http.StatusInternalServerError,
		detail: "a fault of the server; its log says more",
		cause:  err,
	}
}

// NewUnavailable makes the handler of a node that answers no provider call now. why is a sentence.
func NewUnavailable(why func() string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		(&problem{status: http.StatusServiceUnavailable, detail: why(), retry: time.Second}).write(w)
	})
}

// write writes the problem as the answer.
func (p *problem) write(w http.ResponseWriter) {
	title, detail := http.StatusText(p.status), (*string)(nil)
	if p.detail != "" {
		detail = &p.detail
	}
	var body any = wire.Problem{Title: title, Status: p.status, Detail: detail}
	if p.lines != nil {
		list := make([]wire.LineError, len(p.lines))
		for i, l := range p.lines {
			list[i] = wire.LineError{Line: l.Line, Message: l.Message}
			if l.Path != "" {
				list[i].Path = &p.lines[i].Path
			}
		}
		body = wire.ApplyProblem{Title: "The file is wrong", Status: p.status, Detail: detail, Errors: list}
	}
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="provider"`)
	}
	if p.retry > 0 {
		httpbase.SetRetryAfter(w.Header(), p.retry)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.status)
	// If the client has gone, nobody receives the answer.
	_ = json.NewEncoder(w).Encode(body)
}
