package httpbase

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"tilth/internal/platform/limit"
)

// WithTask returns the request and the writer for an answer that is computed under a scheduler.
// Code that reads history yields to other tasks through the request's context, and the task gives
// up its slot while it writes to the client. Before each part of the answer, allowed says whether
// the caller may still have it; its error ends the answer.
func WithTask(
	w http.ResponseWriter,
	r *http.Request,
	t limit.Task,
	allowed func(ctx context.Context) error,
) (http.ResponseWriter, *http.Request) {
	ctx := limit.WithTask(r.Context(), t)
	return &taskWriter{ResponseWriter: w, ctx: ctx, task: t, allowed: allowed}, r.WithContext(ctx)
}

// errRightsLost says that an answer ended because its caller may not have it any more.
var errRightsLost = errors.New("the caller lost the right to this answer")

type taskWriter struct {
	http.ResponseWriter
	ctx     context.Context
	task    limit.Task
	allowed func(ctx context.Context) error
}

// Write writes a part of the body.
func (w *taskWriter) Write(b []byte) (int, error) {
	if err := w.allowed(w.ctx); err != nil {
		return 0, fmt.Errorf("%w: %w", errRightsLost, err)
	}
	w.task.Pause()
	defer w.task.Resume(w.ctx)
	return w.ResponseWriter.Write(b)
}

// FlushError sends everything that is written so far.
func (w *taskWriter) FlushError() error {
	w.task.Pause()
	defer w.task.Resume(w.ctx)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *taskWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
