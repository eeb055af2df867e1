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
	type north struct{ of int }
	type south struct{ of int }
	asked, boom := 0, errors.New("boom")
	ask := func(ctx context.Context, key any, want int) {
		t.Helper()
		got, err := db.OncePerTx(ctx, key, func(context.Context) (int, error) { asked++; return asked, nil })
		if err != nil || got != want {
			t.Errorf("%v: %d, not %d: %v", key, got, want, err)
		}
	}
	for _, before := range []int{0, 2} { // what one transaction has read is nothing to the next
		err := d.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
			ask(ctx, north{1}, before+1)
			ask(ctx, north{1}, before+1)
			ask(ctx, south{1}, before+2)
			return d.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
				ask(ctx, north{1}, before+1)
				_, err := db.OncePerTx(ctx, north{2}, func(context.Context) (int, error) { return 0, boom })
				if !errors.Is(err, boom) {
					t.Error(err)
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ask(t.Context(), north{1}, 5)
	ask(t.Context(), north{1}, 6)
}
