package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/reading"
)

// rival is a node that leads whenever it can, and appends as long as it does.
type rival struct {
	node *Node
	mu   *sync.Mutex // guards acknowledged and epochs
	// acknowledged are the chains of the entries whose append succeeded, by position.
	acknowledged map[uint64]uint64
	epochs       map[int64]struct{} // in which one succeeded
	failures     []error
}

// run leads until ctx ends.
func (r *rival) run(ctx context.Context, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for ctx.Err() == nil {
		term, err := r.node.AwaitTerm(ctx, noPreparation)
		if err != nil {
			continue // ctx ended
		}
		r.lead(ctx, term, random)
		// A process that was fenced begins anew. Its sessions may live on for a while.
		if random.IntN(2) == 0 {
			_ = term.End()
		} else {
			time.AfterFunc(50*time.Millisecond, func() { _ = term.End() })
		}
	}
}

func (r *rival) lead(ctx context.Context, term *Term, random *rand.Rand) {
	pos, chain, err := term.Last(ctx)
	if err != nil {
		return
	}
	for ctx.Err() == nil && term.Err() == nil {
		chain = chain*31 + uint64(random.IntN(1000)) + 1
		pos++
		err := term.Append(ctx, entryAt(pos, chain))
		r.mu.Lock()
		switch {
		case err == nil:
			if before, known := r.acknowledged[pos]; known {
				err := fmt.Errorf("entry %d was acknowledged as %d and as %d", pos, before, chain)
				r.failures = append(r.failures, err)
			}
			r.acknowledged[pos] = chain
			r.epochs[term.Epoch()] = struct{}{}
		case !errors.Is(err, reading.ErrFenced) && ctx.Err() == nil:
			r.failures = append(r.failures, err)
		}
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Whatever two nodes and PostgreSQL do, there is one log: no gap, epochs in order, and every entry that
// was acknowledged as it was acknowledged.
func TestAnyInterleavingOfTwoLeadersGivesOneLog(t *testing.T) {
	address := testDatabase(t)
	var mu sync.Mutex
	acknowledged, ledIn := map[uint64]uint64{}, map[int64]struct{}{}
	rivals := []*rival{}
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	// On a machine with more to do it takes longer until enough has happened.
	began := time.Now()
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return time.Since(began) > 6*time.Second && len(ledIn) >= 5 && len(acknowledged) >= 100
	}
	var running sync.WaitGroup
	for i := range 2 {
		node := joinTest(t, address, fmt.Sprint("node", i))
		r := &rival{node: node, mu: &mu, acknowledged: acknowledged, epochs: ledIn}
		rivals = append(rivals, r)
		running.Go(func() { r.run(ctx, uint64(i)) })
	}
	breaking := newSession(rivals[0].node.config, nil)
	t.Cleanup(func() { _ = breaking.close() })
	random := rand.New(rand.NewPCG(3, 3))
	took := time.Duration(0)
	for ctx.Err() == nil && !enough() { // sessions of either kind end at any moment
		// A slow PostgreSQL gets more time, or nobody would ever come to append.
		time.Sleep(time.Duration(random.Int64N(int64(max(40*time.Millisecond, 20*took)))))
		lock, asked := int64(logLockID), time.Now()
		err := breaking.do(t.Context(), func(ctx context.Context, c *pgx.Conn) error {
			h, err := findHolder(ctx, c, lock)
			if err != nil || h == nil {
				return err
			}
			return h.end(ctx, c)
		})
		if err != nil {
			t.Fatal(err)
		}
		took = time.Since(asked)
	}
	cancel()
	running.Wait()
	for _, r := range rivals {
		for _, err := range r.failures {
			t.Error(err)
		}
	}
	reader := joinTest(t, address, "reader").Reader()
	t.Cleanup(func() { _ = reader.Close() })
	found := map[uint64]uint64{}
	if err := reader.After(t.Context(), 0, func(e reading.Entry) error { // fails on a gap
		found[e.Position] = e.Chain
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for pos, chain := range acknowledged {
		if found[pos] != chain {
			t.Errorf("entry %d was acknowledged as %d and is %d in the log", pos, chain, found[pos])
		}
	}
	var epochs, disorder int
	if err := breaking.do(t.Context(), func(ctx context.Context, c *pgx.Conn) error {
		rows, err := c.Query(ctx, "SELECT name FROM log_tables")
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		all := ""
		for i, name := range names {
			if i > 0 {
				all += " UNION ALL "
			}
			all += "SELECT position, epoch FROM " + name
		}
		return c.QueryRow(ctx, `SELECT count(DISTINCT epoch), count(*) FILTER (WHERE epoch < before)
			FROM (SELECT epoch, lag(epoch) OVER (ORDER BY position) AS before FROM (`+all+`) AS l) AS o`).
			Scan(&epochs, &disorder)
	}); err != nil {
		t.Fatal(err)
	}
	if disorder > 0 {
		t.Errorf("%d entries are of an earlier epoch than the one before", disorder)
	}
	if epochs < 5 || len(acknowledged) < 100 {
		t.Errorf("only %d epochs and %d entries: nothing is proved", epochs, len(acknowledged))
	}
	t.Logf("%d entries, %d acknowledged, in %d epochs", len(found), len(acknowledged), epochs)
}
