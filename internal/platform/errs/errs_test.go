package errs

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestNew(t *testing.T) {
	e := New(Refused, "invalid.max", "limit", "400", "odd").
		WithField("pageSize").RetryAfter(3 * time.Second).WithCause(io.EOF)
	if e.Kind != Refused || e.Key != "invalid.max" || e.Field != "pageSize" || e.Retry != 3*time.Second {
		t.Errorf("%+v", e)
	}
	if data := e.WithData(7).Data; data != 7 || Missing().Data != nil {
		t.Errorf("data %v", data)
	}
	if len(e.Args) != 1 || e.Args["limit"] != "400" {
		t.Errorf("args %v: New must leave out a variable without a value", e.Args)
	}
	if New(NotFound, "error.404").Args != nil {
		t.Error("Args is set without pairs")
	}
}

func TestErrorIsForLogs(t *testing.T) {
	for want, e := range map[string]*Error{
		"error.404":                                 Missing(),
		"pageNo: invalid.min":                       New(Refused, "invalid.min").WithField("pageNo"),
		"error.default: EOF":                        New(Internal, "error.default").WithCause(io.EOF),
		"name: invalid.long: unexpected EOF":        New(Refused, "invalid.long").WithField("name").WithCause(io.ErrUnexpectedEOF),
		"error.503: error.404":                      New(Unavailable, "error.503").WithCause(Missing()),
		"error.429: 2: " + io.ErrNoProgress.Error(): New(TooMany, "error.429").WithCause(fmt.Errorf("2: %w", io.ErrNoProgress)),
	} {
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAs(t *testing.T) {
	missing := Missing()
	if got := As(fmt.Errorf("page 3: %w", missing)); got != missing {
		t.Errorf("%+v, want the wrapped error", got)
	}
	foreign := As(io.EOF)
	if foreign.Kind != Internal || foreign.Key != "error.default" || !errors.Is(foreign, io.EOF) {
		t.Errorf("%+v, want Internal with its cause", foreign)
	}
}

func TestIs(t *testing.T) {
	for _, c := range []struct {
		err  error
		kind Kind
		want bool
	}{
		{Missing(), NotFound, true},
		{fmt.Errorf("wrapped: %w", Missing()), NotFound, true},
		{Missing(), Refused, false},
		{io.EOF, Internal, true},
		{io.EOF, NotFound, false},
		{nil, Internal, false}, // no error is of no kind
	} {
		if got := Is(c.err, c.kind); got != c.want {
			t.Errorf("Is(%v, %d) = %t", c.err, c.kind, got)
		}
	}
}

func TestUnwrap(t *testing.T) {
	if !errors.Is(New(Upstream, "x").WithCause(io.EOF), io.EOF) || Missing().Unwrap() != nil {
		t.Error("the cause is lost")
	}
}

// The kinds are distinct, and Is finds the kind of a wrapped or joined error.
func TestKinds(t *testing.T) {
	kinds := []Kind{
		Internal, Malformed, Unauthenticated, Forbidden, NotFound, TooMany, Refused, Upstream, Unavailable,
		NoSuchPath, NoSuchMethod, TooLarge, StorageFailure, NotConfigured,
	}
	for i, k := range kinds {
		err := errors.Join(io.EOF, fmt.Errorf("deep: %w", New(k, "x")))
		for j, other := range kinds {
			if got := Is(err, other); got != (i == j) {
				t.Errorf("kind %d is %d: %t", k, other, got)
			}
		}
	}
}
