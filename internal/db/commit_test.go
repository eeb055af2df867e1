package db_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/testkit"
)

func TestAfterCommit(t *testing.T) {
	d := testkit.DB(t)
	var told []string
	tell := func(what string) func() { return func() { told = append(told, what) } }

	d.AfterCommit(t.Context(), tell("at once"))
	if err := d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		d.AfterCommit(ctx, tell("outer"))
		err := d.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
			d.AfterCommit(ctx, tell("inner"))
			return nil
		})
		if len(told) != 1 {
			t.Errorf("told %v before the transaction was kept", told)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"at once", "outer", "inner"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}

	refused := errors.New("refused")
	err := d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		d.AfterCommit(ctx, tell("undone"))
		return refused
	})
	if !errors.Is(err, refused) || slices.Contains(told, "undone") {
		t.Errorf("error %v, told %v", err, told)
	}
}
