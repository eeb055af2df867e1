package httpbase

import (
	"context"
	"net/http"

	"tilth/internal/limit"
)

// InTurn gives the request and the writer of an answer that is worked out in turn
// with others: what passes over history shares by the request's context, and while
// the client is written to it is others' turn.
func InTurn(w http.ResponseWriter, r *http.Request, t limit.Turn) (http.ResponseWriter, *http.Request) {
	ctx := limit.WithTurn(r.Context(), t)
	return &turnWriter{ResponseWriter: w, ctx: ctx, turn: t}, r.WithContext(ctx)
}

type turnWriter struct {
	http.ResponseWriter
	ctx  context.Context
	turn limit.Turn
}

// Write writes a part of the body.
func (w *turnWriter) Write(b []byte) (int, error) {
	w.turn.Rest()
	defer w.turn.Again(w.ctx)
	return w.ResponseWriter.Write(b)
}

// FlushError sends what is written so far.
func (w *turnWriter) FlushError() error {
	w.turn.Rest()
	defer w.turn.Again(w.ctx)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *turnWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
