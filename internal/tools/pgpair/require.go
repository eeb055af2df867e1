package pgpair

import (
	"context"
	"errors"
	"os"
	"testing"
)

// Require starts a pair for a test, and ends it with the test. The test shares it with no other. Without
// PostgreSQL the test is skipped, but fails where CI is set; with -short it is skipped.
func Require(t testing.TB) *Pair {
	t.Helper()
	return start(t, Start, (*Pair).Log, (*Pair).Stop)
}

// Single is like Require, with one server and no copy.
func Single(t testing.TB) *Server {
	t.Helper()
	return start(t, StartSingle, (*Server).Log, (*Server).Discard)
}

func start[T any](
	t testing.TB,
	start func(context.Context, Options) (T, error),
	readLog func(T) (string, error),
	stop func(T) error,
) T {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts PostgreSQL servers")
	}
	x, err := start(t.Context(), Options{})
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			text, err := readLog(x)
			t.Logf("PostgreSQL's log (%v):\n%s", err, text)
		}
		if err := stop(x); err != nil {
			t.Error(err)
		}
	})
	return x
}
