package db_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/tools/testkit"
)

// rowsDeleted is the result of a statement that deleted that many rows.
type rowsDeleted int64

func (rowsDeleted) LastInsertId() (int64, error)   { return 0, nil }
func (n rowsDeleted) RowsAffected() (int64, error) { return int64(n), nil }

// DeleteInBatches holds the write lock and the processor only for short times: slow batches become
// smaller, fast ones larger, and a pause follows each.
func TestDeleteInBatches(t *testing.T) {
	d := testkit.DB(t)
	const each = 200 * time.Microsecond // per row
	left, largest := int64(2000), int64(0)
	var ended time.Time
	var took, paused time.Duration
	err := d.DeleteInBatches(t.Context(), 1000, func(_ context.Context, _ bun.IDB, limit int64) (sql.Result, error) {
		began := time.Now()
		if !ended.IsZero() {
			if pause := began.Sub(ended); pause < took {
				t.Errorf("a pause of %s after %s", pause, took)
			}
			paused += began.Sub(ended)
		}
		n := min(limit, left)
		time.Sleep(time.Duration(n) * each)
		left, largest = left-n, max(largest, n)
		ended = time.Now()
		took = ended.Sub(began)
		return rowsDeleted(n), nil
	})
	if err != nil || left != 0 {
		t.Fatalf("%d rows are left: %v", left, err)
	}
	if largest > 200 {
		t.Errorf("%d rows at once, which take %s", largest, time.Duration(largest)*each)
	}
	if paused < 2000*each {
		t.Errorf("paused for %s", paused)
	}

	sizes, left := []int64{}, int64(5000)
	err = d.DeleteInBatches(t.Context(), 1000, func(_ context.Context, _ bun.IDB, limit int64) (sql.Result, error) {
		n := min(limit, left)
		left -= n
		sizes = append(sizes, n)
		return rowsDeleted(n), nil
	})
	if err != nil || left != 0 || len(sizes) > 30 {
		t.Errorf("fast deletes came in batches of %d, %d rows are left: %v", sizes, left, err)
	}

	ctx, stop := context.WithCancel(t.Context())
	err = d.DeleteInBatches(ctx, 10, func(context.Context, bun.IDB, int64) (sql.Result, error) {
		stop()
		return rowsDeleted(10), nil
	})
	if err == nil {
		t.Error("it continued after its context was cancelled")
	}
}
