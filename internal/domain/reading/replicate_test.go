package reading

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// content is all that a store shows of the devices of the model tests.
type content struct {
	Position   uint64
	Chain      uint64
	Rows       map[device.Ref][]row
	Newest     map[device.Ref][]Newest
	aggregates map[string]map[device.PropertyID][]Aggregate
}

func contentOf(t testing.TB, s *Store) content {
	t.Helper()
	chain, known, err := s.chainAt(s.Position())
	if err != nil || !known {
		t.Fatalf("chain at %d: %v", s.Position(), err)
	}
	c := content{
		Position:   s.Position(),
		Chain:      chain,
		Rows:       map[device.Ref][]row{},
		Newest:     map[device.Ref][]Newest{},
		aggregates: map[string]map[device.PropertyID][]Aggregate{},
	}
	for tid := range tenant.ID(modelTenants) {
		for d := range device.ID(modelDevices) {
			ref := device.Ref{Tenant: tid + 1, ID: d + 1}
			c.Rows[ref] = readRange(t, s, ref.Tenant, ref.ID, minTime, maxTime, modelProps...)
			c.Newest[ref] = s.Newest(t.Context(), ref.Tenant, ref.ID)
			from, to := modelTimes[9]-msPerDay, modelTimes[10]+msPerDay
			for _, step := range []Step{Hour, Day} {
				c.aggregates[fmt.Sprintf("%v, step %v", ref, step)] = readAggregates(
					t, s, ref.Tenant, ref.ID, from, to, step, modelProps...)
			}
		}
	}
	return c
}

func sameContent(t testing.TB, what string, got, want *Store) {
	t.Helper()
	sameContents(t, what, contentOf(t, got), contentOf(t, want))
}

func sameContents(t testing.TB, what string, got, want content) {
	t.Helper()
	for of := range want.aggregates {
		sameAggregates(t, what+": "+of, got.aggregates[of], want.aggregates[of])
	}
	got.aggregates, want.aggregates = nil, nil
	same(t, what, []content{got}, []content{want})
}

// A follower holds what the leader holds: readings that are late, sent again, corrected and removed,
// and devices that were erased and have readings again.
func TestFollowerEqualsLeader(t *testing.T) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
	log := NewFakeLog("life", 0)
	leader, follower := openStore(t, Options{}), openStore(t, Options{})
	lead(t, leader, log)
	stop := follow(t, follower, log)
	want := model{}
	for n := range 120 {
		if n%20 == 19 {
			ref := device.Ref{Tenant: 1, ID: device.ID(1 + rng.IntN(modelDevices))}
			erase(t, leader, ref)
			delete(want, ref)
			continue
		}
		batch := []Arrival{randomReading(rng), randomReading(rng)}
		mustAppend(t, leader, batch...)
		want.append(batch)
	}
	await(t, "the follower to catch up", func() bool { return follower.Position() == 120 })
	want.check(t, leader, rng)
	want.check(t, follower, rng)
	sameContent(t, "follower", follower, leader)
	if leader.Life() != "life" || follower.Life() != "life" || leader.Position() != 120 {
		t.Errorf("lives %q and %q, position %d", leader.Life(), follower.Life(), leader.Position())
	}
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("follow: %v", err)
	}
	// Its journal is the same too.
	leaderBatches, followerBatches := startConsumer(t, leader, 0, nil), startConsumer(t, follower, 0, nil)
	awaitConsumed(t, leader)
	awaitConsumed(t, follower)
	leaderBatches.stop()
	followerBatches.stop()
	same(t, "journal", followerBatches.entries, leaderBatches.entries)
	if len(leaderBatches.entries) != 114 {
		t.Errorf("%d batches reach the consumer, want 114", len(leaderBatches.entries))
	}
}

// An erasure has a position; the consumer gets the batches around it, and its position moves on.
func TestErasureIsAnEntry(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem(), QueueBatches: 2})
	lead(t, s, log)
	c := startConsumer(t, s, 0, nil)
	ref := device.Ref{Tenant: 1, ID: 1}
	mustAppend(t, s, arrival(1, 1, start, num(1, 1)), arrival(1, 2, start, num(1, 2)))
	erase(t, s, ref)
	mustAppend(t, s, arrival(1, 1, start+1, num(1, 3)))
	for range 10 { // each takes room in the journal, and the consumer frees it
		erase(t, s, device.Ref{Tenant: 2, ID: 1})
	}
	c.wait(2)
	await(t, "the consumer", s.allConsumed)
	same(t, "positions", c.positions(), []uint64{1, 3})
	if s.Stats().JournalLag != 0 || s.Position() != 13 {
		t.Errorf("lag %d, position %d", s.Stats().JournalLag, s.Position())
	}
	if err := s.Backlog(t.Context(), 1, func(pos uint64, _ []Arrival) error {
		if pos != 3 {
			return fmt.Errorf("position %d", pos)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	check := func(what string, s *Store) {
		t.Helper()
		same(t, what+": rows", readRange(t, s, 1, 1, minTime, maxTime, 1), []row{{start + 1, []Field{num(1, 3)}}})
		same(t, what+": latest", s.Latest(t.Context(), 1, 1), []Last{{1, start + 1, Number(3)}})
		same(t, what+": the other", s.Latest(t.Context(), 1, 2), []Last{{1, start, Number(2)}})
	}
	check("leader", s)
	follower := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	catchUp(t, follower, log)
	check("follower", follower)
	c.stop()
	checkpoint(t, follower)
	check("follower after a crash", crash(t, follower))
	check("leader after a restart", reopen(t, s))
}

// While the log is waited for, checkpoints are written, days are sealed and expire, and readers read.
func TestWorkGoesOnWhileTheLogIsAway(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem(), Retention: testRetention})
	lead(t, s, log)
	mustAppend(t, s, arrival(1, 1, start, num(1, 1)), arrival(1, 1, start-90*msPerDay, num(1, 1)))
	release := log.hold()
	appended := make(chan error, 2)
	go func() { appended <- s.Append(t.Context(), numberedBatch(1)) }()
	<-log.waiting
	go func() { appended <- s.Erase(t.Context(), 1, 9) }()
	checkpoint(t, s)
	if err := s.Expire(t.Context(), time.UnixMilli(start+msPerDay)); err != nil {
		t.Fatal(err)
	}
	seal(t, s, time.UnixMilli(start+2*msPerDay))
	if d, _ := s.calendar.at(20574); !d.sealed {
		t.Errorf("the day is not sealed: %+v", d)
	}
	same(t, "rows", readRange(t, s, 1, 1, minTime, maxTime, 1), []row{{start, []Field{num(1, 1)}}})
	if s.Position() != 1 {
		t.Errorf("position %d while the log is waited for", s.Position())
	}
	select {
	case err := <-appended:
		t.Fatalf("a write ended without the log: %v", err)
	default:
	}
	release()
	for range 2 {
		if err := <-appended; err != nil {
			t.Error(err)
		}
	}
	same(t, "afterwards", readRange(t, s, 1, 1, start+1, start+1, 1), []row{{start + 1, []Field{num(1, 1)}}})
}

// When it is unknown whether the log holds an entry, the store takes nothing more. Opened again, it
// has the entry if the log does.
func TestUnknownEndBreaksTheStore(t *testing.T) {
	for _, held := range []bool{false, true} {
		log := NewFakeLog("life", 0)
		s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
		lead(t, s, log)
		mustAppend(t, s, numberedBatch(0)...)
		release := log.hold()
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 2)
		go func() { failed <- s.Append(ctx, numberedBatch(1)) }()
		<-log.waiting
		go func() { failed <- s.Append(t.Context(), numberedBatch(2)) }()
		cancel()
		for range 2 {
			err := <-failed
			if !errors.Is(err, ErrBroken) || !errors.Is(err, context.Canceled) || !errs.Is(err, errs.Unavailable) {
				t.Errorf("append: %v", err)
			}
		}
		release()
		if err := s.Broken(); !errors.Is(err, ErrBroken) || errors.Is(err, ErrFenced) {
			t.Errorf("broken: %v", err)
		}
		if err := s.Erase(t.Context(), 1, 1); !errors.Is(err, ErrBroken) {
			t.Errorf("erase: %v", err)
		}
		if _, err := s.Lead(t.Context(), log.Own()); err == nil {
			t.Error("a broken store leads")
		}
		if held {
			content, e := numberedBatch(1), new(encoder)
			e.encode(content)
			entry := Entry{Position: 2, Kind: EntryFrames, Body: e.entry.buf}
			entry.Chain = entry.ChainAfter(s.replica.chain)
			if err := log.Own().Append(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
		}
		again := reopen(t, s)
		lead(t, again, log)
		want := uint64(1)
		if held {
			want = 2
		}
		if again.Position() != want || log.last(t) != want {
			t.Errorf("position %d, the log's %d, want %d", again.Position(), log.last(t), want)
		}
		mustAppend(t, again, numberedBatch(3)...)
	}
}

// An erasure waits for the log even if its caller has gone, because it would be unknown otherwise
// whether the log holds it.
func TestEraseOutlivesItsCaller(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{})
	lead(t, s, log)
	mustAppend(t, s, arrival(1, 1, start, num(1, 1)))
	release := log.hold()
	ctx, cancel := context.WithCancel(t.Context())
	erased := make(chan error, 1)
	go func() { erased <- s.Erase(ctx, 1, 1) }()
	<-log.waiting
	cancel()
	release()
	if err := <-erased; err != nil || s.Broken() != nil {
		t.Errorf("erase: %v, broken %v", err, s.Broken())
	}
	same(t, "rows", readRange(t, s, 1, 1, minTime, maxTime, 1), nil)
	if log.last(t) != 2 {
		t.Errorf("the log ends at %d", log.last(t))
	}
}

// Of a store that another node has fenced, every write fails with ErrFenced, and nothing of it is in
// the log or in the store.
func TestFencedStore(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{})
	lead(t, s, log)
	mustAppend(t, s, numberedBatch(0)...)
	other := openStore(t, Options{})
	lead(t, other, log)
	for range 2 {
		if err := s.Append(t.Context(), numberedBatch(1)); !errors.Is(err, ErrFenced) || !errors.Is(err, ErrBroken) {
			t.Errorf("append: %v", err)
		}
	}
	if !errors.Is(s.Broken(), ErrFenced) || !s.Stats().Broken {
		t.Errorf("broken: %v", s.Broken())
	}
	if s.Position() != 1 || log.last(t) != 1 {
		t.Errorf("positions %d and %d", s.Position(), log.last(t))
	}
	mustAppend(t, other, numberedBatch(2)...)
	again := reopen(t, s)
	catchUp(t, again, log)
	sameContent(t, "the fenced one follows", again, other)
}

// Close ends an append that waits for the log. A caller whose context ends before its turn writes
// nothing, and the store goes on.
func TestCloseAndCancelWhileTheLogIsAway(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{})
	lead(t, s, log)
	release := log.hold()
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- s.Append(t.Context(), numberedBatch(0)) }()
	<-log.waiting
	ctx, cancel := context.WithCancel(t.Context())
	go func() { second <- s.Append(ctx, numberedBatch(1)) }()
	await(t, "the second append", func() bool { return len(s.journal.slots) == 2 })
	cancel()
	release()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if err := <-second; !errors.Is(err, context.Canceled) || errors.Is(err, ErrBroken) {
		t.Errorf("%v, want the context's error", err)
	}
	mustAppend(t, s, numberedBatch(2)...)
	log.hold()
	go func() { first <- s.Append(t.Context(), numberedBatch(3)) }()
	<-log.waiting
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-first; !errors.Is(err, ErrBroken) {
		t.Errorf("append while the store closes: %v", err)
	}
}

// A store that only follows takes no writes; neither does one whose Lead failed.
func TestOnlyTheLeaderWrites(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{})
	stop := follow(t, s, log)
	await(t, "the follower", s.replicated)
	refused := func() {
		t.Helper()
		err := s.Append(t.Context(), numberedBatch(0))
		if !errors.Is(err, ErrNotLeading) || !errs.Is(err, errs.Unavailable) {
			t.Errorf("append: %v", err)
		}
		if err := s.Erase(t.Context(), 1, 1); !errors.Is(err, ErrNotLeading) {
			t.Errorf("erase: %v", err)
		}
	}
	refused()
	if _, err := s.Lead(t.Context(), log.Own()); err == nil {
		t.Error("a store that follows leads")
	}
	stop()
	refused()
	unreadable := errors.New("unreadable")
	log.failReads(unreadable)
	if _, err := s.Lead(t.Context(), log.Own()); !errors.Is(err, unreadable) {
		t.Errorf("lead: %v", err)
	}
	refused()
	log.failReads(nil)
	lead(t, s, log)
	mustAppend(t, s, numberedBatch(0)...)
	if err := followEnds(t, s, log); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a store that leads follows: %v", err)
	}
	if len(s.journal.slots) != 0 {
		t.Errorf("%d refused writes take room in the journal", len(s.journal.slots))
	}
}

// A store without a log writes nothing of lives and chains.
func TestEmbeddedStoreHasNoChain(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, numberedBatch(0)...)
	erase(t, s, device.Ref{Tenant: 1, ID: 1})
	s.Trim(1)
	checkpoint(t, s)
	checkpoint(t, s)
	if n := len(storedChains(t, s)); n != 0 || s.Life() != "" || s.Position() != 1 || len(s.replica.checkpoints) != 0 {
		t.Errorf("%d chains, life %q, position %d", n, s.Life(), s.Position())
	}
	if value, err := s.get(keyLife); value != nil || err != nil {
		t.Errorf("life %q (%v)", value, err)
	}
	same(t, "journal", storedEntries(t, s), nil)
}

func storedChains(t testing.TB, s *Store) (found []uint64) {
	t.Helper()
	if err := s.each(t.Context(), tagChain, []byte{tagChain}, func(it *pebble.Iterator) error {
		pos, err := parsePositionKey(it.Key(), tagChain)
		found = append(found, pos)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return found
}
