// Package errs defines the one type of error that reaches a person: its kind, the sentence to show,
// and the field that it concerns. Each edge converts it to a response in one place.
package errs

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the kind of an error.
type Kind uint8

// The kinds of error. The zero Kind is a fault of the server.
const (
	Internal        Kind = iota // a fault of the server; never shown in detail
	Malformed                   // unreadable request, wrong type: a programmer's error
	Unauthenticated             // not signed in, or the session ended
	Forbidden                   // signed in, not allowed
	NotFound                    // no such thing in this tenant
	TooMany                     // too many requests
	Refused                     // the person can correct the request
	Upstream                    // something outside this server failed
	Unavailable                 // overloaded or shutting down
	NoSuchPath                  // never reached a handler
	NoSuchMethod                // never reached a handler
	TooLarge                    // body over the limit
	StorageFailure              // the disk is full or fails; nothing was changed
	NotConfigured               // the operator has not set up what the request needs; nothing failed
)

// Error is an error that a person may see.
type Error struct {
	Kind  Kind
	Key   string            // key of the sentence in package text
	Field string            // field of the request, named in the sentence; may be empty
	Args  map[string]string // variables of the sentence
	Retry time.Duration     // after which a retry makes sense; 0: unknown
	Data  any               // the response's data, for programs; usually nil
	Cause error             // for the log only
}

// New creates an error; args are pairs of variable and value.
func New(kind Kind, key string, args ...string) *Error {
	e := &Error{Kind: kind, Key: key}
	for i := 0; i+1 < len(args); i += 2 {
		if e.Args == nil {
			e.Args = map[string]string{}
		}
		e.Args[args[i]] = args[i+1]
	}
	return e
}

// WithField sets the field that the error concerns.
func (e *Error) WithField(field string) *Error { e.Field = field; return e }

// RetryAfter sets after which time a retry makes sense.
func (e *Error) RetryAfter(d time.Duration) *Error { e.Retry = d; return e }

// WithData sets data for programs beside the sentence: a struct with JSON names.
func (e *Error) WithData(data any) *Error { e.Data = data; return e }

// WithCause sets the cause for the log.
func (e *Error) WithCause(cause error) *Error { e.Cause = cause; return e }

// Error returns the text for logs.
func (e *Error) Error() string {
	s := e.Key
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Cause != nil {
		s = fmt.Sprintf("%s: %v", s, e.Cause)
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// As finds the Error in err; any other error becomes Internal.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(Internal, "error.default").WithCause(err)
}

// Is reports whether err is of the given kind.
func Is(err error, kind Kind) bool { return err != nil && As(err).Kind == kind }

// Missing returns the error for an id or name that this tenant does not have.
func Missing() *Error { return New(NotFound, "error.404") }
