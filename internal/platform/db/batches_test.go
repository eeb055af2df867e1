package db_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/tools/testkit"
)

// rowsDeleted is a portion of which so many rows were removed.
type rowsDeleted int64

func (p rowsDeleted) LastInsertId() (int64, error) { return 0, nil }
func (p rowsDeleted) RowsAffected() (int64, error) { return int64(p), nil }

// What is removed bit by bit keeps others from the database and the processor for a
// short while only: portions that take long become smaller, short ones larger, and
// after each there is a pause.
func TestDeleteInBatches(t *testing.T) {
	d := testkit.DB(t)
	const each = 200 * time.Microsecond // a row
	left, largest := int64(2000), int64(0)
	var ended time.Time
	var took, rested time.Duration
	err := d.DeleteInBatches(t.Context(), 1000, func(_ context.Context, _ bun.IDB, atOnce int64) (sql.Result, error) {
		began := time.Now()
		if !ended.IsZero() {
			if pause := began.Sub(ended); pause < took {
				t.Errorf("a pause of %s after %s", pause, took)
			}
			rested += began.Sub(ended)
		}
		some := min(atOnce, left)
		time.Sleep(time.Duration(some) * each)
		left, largest = left-some, max(largest, some)
		ended = time.Now()
		took = ended.Sub(began)
		return rowsDeleted(some), nil
	})
	if err != nil || left != 0 {
		t.Fatalf("%d are left: %v", left, err)
	}
	if largest > 200 {
		t.Errorf("%d rows at once, which take %s", largest, time.Duration(largest)*each)
	}
	if rested < 2000*each {
		t.Errorf("rested for %s", rested)
	}

	sizes, left := []int64{}, int64(5000)
	if err := d.DeleteInBatches(
		t.Context(),
		1000,
		func(_ context.Context, _ bun.IDB, atOnce int64) (sql.Result, error) {
			some := min(atOnce, left)
			left -= some
			sizes = append(sizes, some)
			return rowsDeleted(some), nil
		},
	); err != nil || left != 0 ||
		len(sizes) > 30 {
		t.Errorf("what takes no time was removed in portions of %d, %d are left: %v", sizes, left, err)
	}

	ctx, stop := context.WithCancel(t.Context())
	err = d.DeleteInBatches(ctx, 10, func(context.Context, bun.IDB, int64) (sql.Result, error) {
		stop()
		return rowsDeleted(10), nil
	})
	if err == nil {
		t.Error("it went on after its end")
	}
}
