package reading

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
	"tilth/internal/platform/db"
)

// Follow waits for a log that cannot be read, and goes on when it can.
func TestFollowTriesAgain(t *testing.T) {
	warnings := &waitRecorder{Handler: slog.DiscardHandler}
	log := NewFakeLog("life", 0)
	leader := openStore(t, Options{})
	lead(t, leader, log)
	s := openStore(t, Options{Logger: slog.New(warnings)})
	log.failReads(errors.New("the database is away"))
	stop := follow(t, s, log)
	warned := func(n int) func() bool {
		return func() bool {
			warnings.mu.Lock()
			defer warnings.mu.Unlock()
			return warnings.warnings >= n
		}
	}
	await(t, "warnings", warned(3))
	log.failReads(nil)
	mustAppend(t, leader, numberedBatch(0)...)
	await(t, "the entry", func() bool { return s.Position() == 1 })
	log.failReads(errors.New("the database is away again"))
	await(t, "more warnings", warned(5))
	log.failReads(nil)
	mustAppend(t, leader, numberedBatch(1)...)
	await(t, "the entry", func() bool { return s.Position() == 2 })
	stop()
	same(t, "first waits", warnings.waits[:3], []time.Duration{1e6, 2e6, 4e6})
}

// A log that is continued from an older moment has another life; who follows it must not go on.
func TestFollowEndsWithTheLife(t *testing.T) {
	log := NewFakeLog("life", 0)
	written(t, log, 4, Options{})
	s := openStore(t, Options{})
	ended := make(chan error, 1)
	go func() { ended <- s.Follow(t.Context(), log, time.Millisecond) }()
	await(t, "the entries", func() bool { return s.Position() == 4 })
	log.lose(2)
	log.mu.Lock()
	log.mark, log.begin = "another life", 2
	log.mu.Unlock()
	if err := <-ended; !errors.Is(err, ErrOtherLife) {
		t.Errorf("follow: %v", err)
	}
}

func TestFollowEndsWithTheStore(t *testing.T) {
	s := openStore(t, Options{})
	ended := make(chan error, 1)
	go func() { ended <- s.Follow(t.Context(), NewFakeLog("life", 0), time.Hour) }()
	await(t, "the life", func() bool { return s.Life() == "life" })
	if err := s.Follow(t.Context(), NewFakeLog("life", 0), time.Hour); err == nil {
		t.Error("the store follows twice")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("follow: %v", err)
	}
	if err := s.Follow(t.Context(), NewFakeLog("life", 0), time.Hour); !errors.Is(err, ErrClosed) {
		t.Errorf("follow: %v", err)
	}
	if _, err := s.Lead(t.Context(), NewFakeLog("life", 0).Own()); !errors.Is(err, ErrClosed) {
		t.Errorf("lead: %v", err)
	}
	if err := s.BeginLife("x"); !errors.Is(err, ErrClosed) {
		t.Errorf("begin: %v", err)
	}
}

// Entries of a later version, with a gap, or that continue something else are not applied.
func TestFollowRefusesEntries(t *testing.T) {
	for name, c := range map[string]struct {
		change func(entries []Entry) []Entry
		want   error
	}{
		"of a later version": {func(e []Entry) []Entry {
			e[2].Kind = 9
			e[2].Chain = e[2].ChainAfter(e[1].Chain)
			return e
		}, db.ErrNewer},
		"with a gap":                  {func(e []Entry) []Entry { return append(e[:2], e[3:]...) }, ErrGap},
		"with another chain":          {func(e []Entry) []Entry { e[2].Chain++; return e }, ErrDiverged},
		"with another body":           {func(e []Entry) []Entry { e[2].Body = e[1].Body; return e }, ErrDiverged},
		"with another kind":           {func(e []Entry) []Entry { e[2].Kind, e[2].Body = EntryErasure, []byte{1, 1}; return e }, ErrDiverged},
		"that continue another chain": {func(e []Entry) []Entry { e[2].Chain = e[2].ChainAfter(7); return e }, ErrDiverged},
	} {
		t.Run(name, func(t *testing.T) {
			log := NewFakeLog("life", 0)
			written(t, log, 6, Options{})
			log.entries = c.change(log.entries)
			s := openStore(t, Options{})
			if err := followEnds(t, s, log); !errors.Is(err, c.want) {
				t.Errorf("follow: %v", err)
			}
			if s.Position() != 2 || s.Broken() != nil {
				t.Errorf("position %d, broken %v", s.Position(), s.Broken())
			}
		})
	}
}

// A follower whose disk has failed ends, and nothing of the entry stays in the journal's queue.
func TestFollowEndsWhenTheDiskFails(t *testing.T) {
	log := NewFakeLog("life", 0)
	leader := written(t, log, 3, Options{})
	s := openStore(t, Options{})
	catchUp(t, s, log)
	s.fail(errors.New("the disk is full"))
	mustAppend(t, leader, numberedBatch(3)...)
	if err := followEnds(t, s, log); !errors.Is(err, ErrBroken) {
		t.Errorf("follow: %v", err)
	}
	if s.Position() != 3 || len(s.journal.slots) != 0 {
		t.Errorf("position %d, %d entries in the queue", s.Position(), len(s.journal.slots))
	}
}

// A consumer gets the batches that its journal lacks from the log, without a gap and in order, also
// after the log could not be read for a while.
func TestConsumeReadsMissingEntriesFromTheLog(t *testing.T) {
	for name, missing := range map[string][2]uint64{
		"in the middle": {3, 4}, "at the beginning": {1, 2}, "at the end": {5, 6}, "all": {1, 6},
	} {
		t.Run(name, func(t *testing.T) {
			log := NewFakeLog("life", 0)
			s := openStore(t, Options{RetryWait: time.Millisecond})
			lead(t, s, log)
			for n := range 6 {
				if n == 3 {
					erase(t, s, device.Ref{Tenant: 5, ID: 1})
					continue
				}
				mustAppend(t, s, numberedBatch(n)...)
			}
			from, end := appendJournalKey(nil, missing[0]), appendJournalKey(nil, missing[1]+1)
			if err := s.db.DeleteRange(from, end, nil); err != nil {
				t.Fatal(err)
			}
			log.failReads(errors.New("the database is away"))
			c := startConsumer(t, s, 0, nil)
			await(t, "the consumer", func() bool {
				log.mu.Lock()
				defer log.mu.Unlock()
				return log.reads > 3
			})
			log.failReads(nil)
			mustAppend(t, s, numberedBatch(6)...)
			await(t, "the consumer", s.allConsumed)
			c.stop()
			same(t, "positions", c.positions(), []uint64{1, 2, 3, 5, 6, 7})
			for _, from := range []uint64{0, 2, 5, 7} {
				var at []uint64
				if err := s.Backlog(t.Context(), from, func(pos uint64, batch []Arrival) error {
					at = append(at, pos)
					same(t, fmt.Sprint("backlog ", pos), batch, numberedBatch(int(pos)-1))
					return nil
				}); err != nil {
					t.Error(err)
				}
				want := slices.DeleteFunc(positions(from+1, 7), func(pos uint64) bool { return pos == 4 })
				same(t, fmt.Sprint("backlog from ", from), at, want)
			}
			for _, e := range c.entries {
				same(t, fmt.Sprint("batch ", e.pos), e.batch, numberedBatch(int(e.pos)-1))
			}
		})
	}
}

// Many missing entries are read piece by piece.
func TestConsumeReadsManyMissingEntries(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{Dir: "data", fs: vfs.NewMem()})
	lead(t, s, log)
	const n = 3*maxMissingEntries + 7
	for i := range n {
		mustAppend(t, s, numberedBatch(i)...)
	}
	if err := s.db.DeleteRange(appendJournalKey(nil, 0), appendJournalKey(nil, n+1), nil); err != nil {
		t.Fatal(err)
	}
	before := log.reads
	c := startConsumer(t, s, 5, nil)
	c.wait(n - 5)
	c.stop()
	same(t, "positions", c.positions(), positions(6, n))
	if reads := log.reads - before; reads != 4 {
		t.Errorf("%d reads of the log", reads)
	}
}

// What neither the journal nor the log holds is an error, and so is a position after the log's end.
func TestConsumeNeverSkipsInACluster(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := openStore(t, Options{})
	lead(t, s, log)
	for n := range 6 {
		mustAppend(t, s, numberedBatch(n)...)
	}
	log.drop(4)
	if err := s.db.DeleteRange(appendJournalKey(nil, 1), appendJournalKey(nil, 4), nil); err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, uint64, []Arrival) error {
		t.Error("a batch was skipped")
		return nil
	}
	if err := s.Consume(t.Context(), 0, nothing); !errors.Is(err, ErrGap) {
		t.Errorf("consume: %v", err)
	}
	skipped := func(pos uint64, _ []Arrival) error { return nothing(t.Context(), pos, nil) }
	if err := s.Backlog(t.Context(), 0, skipped); !errors.Is(err, ErrGap) {
		t.Errorf("backlog: %v", err)
	}
	stop := errors.New("stop")
	if err := s.Backlog(t.Context(), 4, func(uint64, []Arrival) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a failing callback: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Backlog(cancelled, 4, skipped); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := s.Consume(t.Context(), 7, nothing); !errors.Is(err, ErrGap) {
		t.Errorf("consume after the end: %v", err)
	}
	if s = reopen(t, s); s.Position() != 6 {
		t.Errorf("position %d", s.Position())
	}
}

// Run tells the log up to where entries are evaluated.
func TestRunForgetsEvaluatedEntries(t *testing.T) {
	log := NewFakeLog("life", 0)
	s := written(t, log, 6, Options{CheckpointEvery: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	forgot := func(pos uint64) func() bool {
		return func() bool {
			log.mu.Lock()
			defer log.mu.Unlock()
			return log.forgot == pos
		}
	}
	s.Trim(4)
	await(t, "the log to be told", forgot(4))
	s.Trim(6)
	await(t, "the log to be told again", forgot(6))
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
