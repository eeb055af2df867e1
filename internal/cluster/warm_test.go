package cluster

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/platform/db"
)

// keptRow is a row of a table that a standby reads ahead.
type keptRow struct {
	bun.BaseModel `bun:"table:acme_files"`
	Name          string `bun:",pk"`
}

// After a failover to a stale copy, a standby drops what it has read of transactions that are lost, although
// the rows that it reads later have the same transaction numbers.
func TestWhatIsReadAheadSurvivesNoFailover(t *testing.T) {
	pair, address := pairDatabase(t)
	insert := func(name string) {
		t.Helper()
		exec(t, pair.Primary(), "INSERT INTO acme_files (name, sealed, modified_at) VALUES ('"+name+"', '', 0)")
	}
	follow, err := db.OpenPostgresToFollow(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := follow.Close(); err != nil {
			t.Error(err)
		}
	})
	warm := db.NewWarmTable([]string{"name"}, nil,
		func(r *keptRow) string { return r.Name },
		func(*keptRow) (struct{}, error) { return struct{}{}, nil })
	expect := func(names ...string) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // a failover ends connections
			err := warm.Refresh(t.Context(), follow.Read(t.Context()))
			if err == nil {
				break
			}
			if time.Since(began) > 20*time.Second {
				t.Fatal(err)
			}
		}
		if got := slices.Sorted(maps.Keys(warm.Rows())); !slices.Equal(got, names) {
			t.Errorf("%v, want %v", got, names)
		}
	}
	insert("old")
	expect("old")
	if err := pair.DetachCopy(t.Context()); err != nil {
		t.Fatal(err)
	}
	insert("lost")
	expect("lost", "old")
	if err := pair.Failover(t.Context()); err != nil {
		t.Fatal(err)
	}
	insert("new")
	expect("new", "old")
}
