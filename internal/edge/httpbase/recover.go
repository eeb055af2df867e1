package httpbase

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// recoverPanic is to be deferred: it turns a panic of one request into an answer, and the server
// goes on. An answer that has begun is cut off.
func (e *Edge) recoverPanic(q *Request, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler) // the handler asked for it
	}
	e.Logger.Error("panic", "request", q.ID, "panic", p, "stack", string(debug.Stack()))
	if q.answer.Started() {
		q.Err = fmt.Errorf("panic: %v", p)
		panic(http.ErrAbortHandler)
	}
	e.WriteError(q.answer, r, fmt.Errorf("panic: %v", p))
}
