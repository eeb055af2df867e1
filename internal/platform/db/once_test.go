package db_test

import (
	"context"
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

func TestOncePerTx(t *testing.T) {
	d := testkit.DB(t)
	type keyA struct{ id int }
	type keyB struct{ id int }
	reads, failure := 0, errors.New("failure")
	ask := func(ctx context.Context, key any, want int) {
		t.Helper()
		got, err := db.OncePerTx(ctx, key, func(context.Context) (int, error) { reads++; return reads, nil })
		if err != nil || got != want {
			t.Errorf("%v: %d, want %d: %v", key, got, want, err)
		}
	}
	for _, before := range []int{0, 2} { // a transaction does not reuse the values of another
		err := d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
			ask(ctx, keyA{1}, before+1)
			ask(ctx, keyA{1}, before+1)
			ask(ctx, keyB{1}, before+2)
			return d.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
				ask(ctx, keyA{1}, before+1)
				_, err := db.OncePerTx(ctx, keyA{2}, func(context.Context) (int, error) { return 0, failure })
				if !errors.Is(err, failure) {
					t.Error(err)
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ask(t.Context(), keyA{1}, 5)
	ask(t.Context(), keyA{1}, 6)
}
