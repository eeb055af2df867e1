package db_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/tools/testkit"
)

func TestAfterCommit(t *testing.T) {
	d := testkit.DB(t)
	var calls []string
	record := func(what string) func() { return func() { calls = append(calls, what) } }

	d.AfterCommit(t.Context(), record("at once"))
	if err := d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		d.AfterCommit(ctx, record("outer"))
		err := d.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
			d.AfterCommit(ctx, record("inner"))
			return nil
		})
		if len(calls) != 1 {
			t.Errorf("called %v before the commit", calls)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"at once", "outer", "inner"}; !slices.Equal(calls, want) {
		t.Errorf("called %v, want %v", calls, want)
	}

	refused := errors.New("refused")
	err := d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		d.AfterCommit(ctx, record("rolled back"))
		return refused
	})
	if !errors.Is(err, refused) || slices.Contains(calls, "rolled back") {
		t.Errorf("error %v, called %v", err, calls)
	}
}
