package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/reading"
	"tilth/internal/platform/db"
	"tilth/internal/tools/testkit"
)

// joinTest joins a node to the cluster of a database. Its position is always 0.
func joinTest(t *testing.T, address, name string, with ...func(*Options)) *Node {
	t.Helper()
	o := Options{
		DatabaseURL:   address,
		Name:          name,
		Address:       name + ":7000",
		Version:       "test",
		TakeoverAfter: 4 * time.Second,
		LogKeep:       30 * time.Hour,
		Logger:        slog.New(slog.DiscardHandler),
		Position:      func() uint64 { return 0 },
		Trouble:       func() string { return "" },
	}
	for _, f := range with {
		f(&o)
	}
	n, err := Join(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return n
}

var noPreparation = AwaitOptions{
	Moves:     func() bool { return true },
	MayLead:   func(context.Context, uint64) error { return nil },
	Prepare:   func(context.Context) error { return nil },
	BeginLife: func(string) (uint64, error) { return 0, nil },
}

// own makes a node lead. The test ends the term.
func own(t *testing.T, n *Node) *Term {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	term, err := n.AwaitTerm(ctx, noPreparation)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = term.End() })
	return term
}

// entryAt makes an entry whose content its chain tells.
func entryAt(pos, chain uint64) reading.Entry {
	return reading.Entry{Position: pos, Chain: chain, Kind: reading.EntryFrames, Body: []byte{byte(chain)}}
}

func TestStandbyTakesOverWhenTheSessionEnds(t *testing.T) {
	address := testDatabase(t)
	first := own(t, joinTest(t, address, "a"))
	if err := first.Append(t.Context(), entryAt(1, 11)); err != nil {
		t.Fatal(err)
	}
	next := make(chan *Term, 1)
	standby := joinTest(t, address, "b")
	attempt := time.Now()
	go func() {
		term, err := standby.AwaitTerm(t.Context(), noPreparation)
		if err != nil {
			t.Error(err)
		}
		next <- term
	}()
	select {
	case <-next:
		t.Fatal("two nodes lead")
	case <-time.After(300 * time.Millisecond):
	}
	if err := first.session.drop(); err != nil { // as when the connection breaks
		t.Fatal(err)
	}
	second := testkit.Receive(t, "the second term", next)
	t.Cleanup(func() { _ = second.End() })
	// A standby that noticed the end only with its next attempt would wait for the rest of this one.
	if took := time.Since(attempt); took >= lockTimeout {
		t.Errorf("the standby took over %s after it began to wait", took)
	}
	if second.Epoch() <= first.Epoch() {
		t.Errorf("epochs %d, %d", first.Epoch(), second.Epoch())
	}
	if pos, chain, err := second.Last(t.Context()); pos != 1 || chain != 11 || err != nil {
		t.Errorf("the log ends at %d, %d, %v", pos, chain, err)
	}
	// The first one connects again, and finds that it has been followed, without waiting for the lock:
	// that would take as long as PostgreSQL lets it wait.
	ctx, cancel := context.WithTimeout(t.Context(), lockTimeout)
	defer cancel()
	if err := first.Append(ctx, entryAt(2, 12)); !errors.Is(err, reading.ErrFenced) {
		t.Errorf("the former leader appends: %v", err)
	}
	testkit.Receive(t, "the end of the first term", first.Lost())
}

// An append whose answer was lost is repeated, and is in the log once.
func TestAppendOfUnknownEndIsRepeated(t *testing.T) {
	term := own(t, joinTest(t, testDatabase(t), "a"))
	if err := term.Append(t.Context(), entryAt(1, 11)); err != nil {
		t.Fatal(err)
	}
	err := term.session.do(t.Context(), func(ctx context.Context, c *pgx.Conn) error {
		for range 2 { // the first attempt's answer is dropped
			if err := term.insert(ctx, c, term.writing.first, entryAt(2, 12)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pos, chain, err := term.Last(t.Context()); pos != 2 || chain != 12 || err != nil {
		t.Errorf("the log ends at %d, %d, %v", pos, chain, err)
	}
}

// A session that is not the leader's cannot write, even if it got through to the log.
func TestInsertNeedsTheEpoch(t *testing.T) {
	address := testDatabase(t)
	term := own(t, joinTest(t, address, "a"))
	if err := term.Append(t.Context(), entryAt(1, 11)); err != nil {
		t.Fatal(err)
	}
	other := newSession(term.session.config, nil)
	t.Cleanup(func() { _ = other.close() })
	if err := other.do(t.Context(), func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "UPDATE shards SET epoch = epoch + 1")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := term.Append(t.Context(), entryAt(2, 12)); !errors.Is(err, reading.ErrFenced) {
		t.Errorf("an append of a former epoch: %v", err)
	}
	reader := joinTest(t, address, "b").Reader()
	t.Cleanup(func() { _ = reader.Close() })
	if pos, _, err := reader.Last(t.Context()); pos != 1 || err != nil {
		t.Errorf("the log ends at %d, %v", pos, err)
	}
}

// The writer of a former leader is ended before its lock is taken, and cannot write afterwards.
func TestFormerWriterIsEnded(t *testing.T) {
	address, dir := newDatabase(t), t.TempDir()
	if err := db.PrepareCluster(t.Context(), dir, address, true); err != nil {
		t.Fatal(err)
	}
	first := own(t, joinTest(t, address, "a"))
	writer, err := db.OpenPostgresToLead(t.Context(), dir, address, first.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Close() })
	if err := first.End(); err != nil { // its writer lives on, as when only one session breaks
		t.Fatal(err)
	}
	second := own(t, joinTest(t, address, "b"))
	began := time.Now()
	if err := writer.Jump(t.Context(), "tenants", "id", 5); err == nil {
		t.Error("a former leader writes")
	}
	if took := time.Since(began); took >= lockTimeout { // as long as PostgreSQL lets the writer wait, too
		t.Errorf("it waited %s for a lock that its successor keeps", took)
	}
	next, err := db.OpenPostgresToLead(t.Context(), dir, address, second.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Jump(t.Context(), "tenants", "id", 5); err != nil {
		t.Error(err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	if err := writer.Ping(t.Context()); !errors.Is(err, db.ErrTakenOver) {
		t.Errorf("the former leader does not know: %v", err)
	}
}

// A leader that does nothing is ended by its standby; one that beats is not.
func TestSilentLeaderIsEnded(t *testing.T) {
	address := testDatabase(t)
	var stuck atomic.Bool
	moving := noPreparation
	moving.Moves = func() bool { return !stuck.Load() }
	// The leader shows four times in this time that it is alive.
	patience := func(o *Options) { o.TakeoverAfter = 2 * time.Second }
	first, err := joinTest(t, address, "a", patience).AwaitTerm(t.Context(), moving)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.End() })
	standby := joinTest(t, address, "b", patience)
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	go standby.Watch(watching)
	next := make(chan *Term, 1)
	go func() {
		term, err := standby.AwaitTerm(t.Context(), noPreparation)
		if err != nil {
			t.Error(err)
		}
		next <- term
	}()
	select {
	case <-next:
		t.Fatal("a leader that beats is ended")
	case <-time.After(5 * time.Second):
	}
	stuck.Store(true)
	second := testkit.Receive(t, "the second term", next)
	t.Cleanup(func() { _ = second.End() })
	second.Leads()
	if l, _ := standby.Leader(); !l.Local || l.Epoch != second.Epoch() {
		t.Errorf("the standby takes %+v for the leader", l)
	}
}

// A standby knows who leads, until nobody does.
func TestStandbyKnowsWhoLeads(t *testing.T) {
	address := testDatabase(t)
	term := own(t, joinTest(t, address, "a"))
	standby := joinTest(t, address, "b")
	if standby.Led() {
		t.Error("it knows before it has looked")
	}
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	go standby.Watch(watching)
	testkit.Eventually(t, "b knows that a leads", func() bool {
		l, _ := standby.Leader()
		return standby.Led() && l.Name == "a" && l.Epoch == term.Epoch() && !l.Local
	})
	if err := term.End(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "b knows that nobody leads", func() bool { return !standby.Led() })
}

func TestOwnerIsAskedToHandOver(t *testing.T) {
	address := testDatabase(t)
	term := own(t, joinTest(t, address, "a"))
	if err := RequestYield(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, "the request", term.Yield())
}

func TestNewTableEveryHourAndOldOnesAreDropped(t *testing.T) {
	address := testDatabase(t)
	n := joinTest(t, address, "a", func(o *Options) { o.LogKeep = time.Hour })
	term := own(t, n)
	for pos := uint64(1); pos <= 6; pos++ {
		if pos%2 == 1 {
			term.writing.since = time.Now().Add(-2 * tableAge)
		}
		if err := term.Append(t.Context(), entryAt(pos, 10+pos)); err != nil {
			t.Fatal(err)
		}
	}
	reader := n.Reader()
	t.Cleanup(func() { _ = reader.Close() })
	read := func(after uint64) (got []uint64, err error) {
		err = reader.After(t.Context(), after, func(e reading.Entry) error {
			got = append(got, e.Position)
			return nil
		})
		return got, err
	}
	if got, err := read(0); len(got) != 6 || err != nil {
		t.Errorf("read %v, %v", got, err)
	}
	if err := term.session.do(t.Context(), func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "UPDATE log_tables SET made_at = made_at - interval '2 hours'")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := term.Forget(t.Context(), 3); err != nil { // 4 is not evaluated
		t.Fatal(err)
	}
	if got, err := read(2); len(got) != 4 || err != nil {
		t.Errorf("read %v, %v after entries up to 2 were dropped", got, err)
	}
	if got, err := read(0); !errors.Is(err, reading.ErrGap) {
		t.Errorf("read %v, %v from before the log", got, err)
	}
	if err := term.Forget(t.Context(), 6); err != nil {
		t.Fatal(err)
	}
	if got, err := read(4); len(got) != 2 || err != nil {
		t.Errorf("the newest table is gone: %v, %v", got, err)
	}
}

// An entry of a newer version is not skipped and not guessed at.
func TestNewerEntryIsRefusedInWords(t *testing.T) {
	n := joinTest(t, testDatabase(t), "a")
	term := own(t, n)
	for pos := uint64(1); pos <= 2; pos++ {
		if err := term.Append(t.Context(), entryAt(pos, 10+pos)); err != nil {
			t.Fatal(err)
		}
	}
	if err := term.session.do(t.Context(), func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "UPDATE "+tableName(1)+" SET version = 2 WHERE position = 2")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	reader := n.Reader()
	t.Cleanup(func() { _ = reader.Close() })
	err := reader.After(t.Context(), 0, func(reading.Entry) error { return nil })
	if !errors.Is(err, ErrNewerNode) || !errors.Is(err, db.ErrNewer) {
		t.Errorf("an entry of a newer version: %v", err)
	}
}
