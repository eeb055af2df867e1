package reading

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/device"
)

const testRetention = 30 * 24 * time.Hour

func TestExpireDeletesWholeDays(t *testing.T) {
	s := openStore(t, Options{Retention: testRetention})
	oldest := start - 30*msPerDay
	for d := range device.ID(2) {
		mustAppend(t, s, arrival(1, d+1, oldest-400*msPerDay, num(1, 1)), arrival(1, d+1, oldest-1, num(1, 2)),
			arrival(1, d+1, oldest, num(1, 3)), arrival(1, d+1, start, num(1, 4)))
	}
	mustAppend(t, s, arrival(1, 3, oldest-1, num(1, 5)))
	expire := func(now int64) {
		t.Helper()
		if err := s.Expire(t.Context(), time.UnixMilli(now)); err != nil {
			t.Fatal(err)
		}
	}
	kept := []row{{oldest, []Field{num(1, 3)}}, {start, []Field{num(1, 4)}}}
	expire(start - 1)
	same(t, "a moment before midnight", readRange(t, s, 1, 1, minTime, maxTime, 1),
		append([]row{{oldest - 1, []Field{num(1, 2)}}}, kept...))
	expire(start)
	for _, d := range []device.ID{1, 2} {
		same(t, "at midnight", readRange(t, s, 1, d, minTime, maxTime, 1), kept)
	}
	expire(start + msPerDay - 1)
	same(t, "at the end of the day", readRange(t, s, 1, 1, minTime, maxTime, 1), kept)
	same(t, "the latest value of a silent device stays", s.Latest(t.Context(), 1, 3),
		[]Last{{1, oldest - 1, Number(5)}})
	mustAppend(t, s, arrival(1, 1, oldest-3*msPerDay, num(1, 6)))
	expire(start)
	same(t, "a late reading", readRange(t, s, 1, 1, minTime, maxTime, 1), kept)
	s = reopen(t, s)
	same(t, "after a restart", readRange(t, s, 1, 1, minTime, maxTime, 1), kept)
	same(t, "latest after a restart", s.Latest(t.Context(), 1, 3), []Last{{1, oldest - 1, Number(5)}})
}

// Expire deletes nothing on a machine that starts with a clock far ahead; newer readings confirm
// the clock.
func TestClockFarAheadExpiresNothing(t *testing.T) {
	s := openStore(t, Options{Retention: testRetention})
	mustAppend(t, s, arrival(1, 1, start-10*msPerDay, num(1, 1)), arrival(1, 1, start, num(1, 2)))
	ahead := start + 2*365*msPerDay
	expire := func() int {
		t.Helper()
		if err := s.Expire(t.Context(), time.UnixMilli(ahead)); err != nil {
			t.Fatal(err)
		}
		return len(readRange(t, s, 1, 1, minTime, maxTime, 1))
	}
	if n := expire(); n != 2 {
		t.Errorf("%d readings are left of 2", n)
	}
	mustAppend(t, s, arrival(1, 1, ahead-31*msPerDay, num(1, 3)))
	if n := expire(); n != 0 { // the retention is a month
		t.Errorf("%d readings are left", n)
	}
}

func TestRunExpiresByTheInjectedClock(t *testing.T) {
	var now atomic.Int64
	now.Store(start)
	s := openStore(t, Options{Retention: testRetention, Now: func() time.Time { return time.UnixMilli(now.Load()) }})
	mustAppend(t, s, arrival(1, 1, start-20*msPerDay, num(1, 1)), arrival(1, 1, start, num(1, 2)))
	run := func() func() {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		return func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("run: %v", err)
			}
		}
	}
	run()()
	if n := len(readRange(t, s, 1, 1, minTime, maxTime, 1)); n != 2 {
		t.Errorf("%d frames, want both: none is beyond the retention yet", n)
	}
	now.Add(11 * msPerDay)
	defer run()()
	await(t, "the older frame to go", func() bool { return len(readRange(t, s, 1, 1, minTime, maxTime, 1)) == 1 })
}

// Readings do not confirm the machine's clock for Run, because devices without a clock use the
// server's. The retention clock counts, not Now.
func TestRunExpiresByRetentionClock(t *testing.T) {
	ahead := func() time.Time { return time.UnixMilli(start + 2*365*msPerDay) }
	s := openStore(t, Options{
		Retention:      testRetention,
		Now:            ahead,
		RetentionClock: func() time.Time { return time.UnixMilli(start + msPerDay) },
	})
	mustAppend(t, s,
		arrival(1, 1, start-40*msPerDay, num(1, 0)),
		arrival(1, 1, start-10*msPerDay, num(1, 1)),
		arrival(1, 1, start, num(1, 2)),
		arrival(1, 1, ahead().UnixMilli(), num(1, 3)))
	remaining := func() int { return len(readRange(t, s, 1, 1, minTime, maxTime, 1)) }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	await(t, "the oldest reading to go", func() bool { return remaining() < 4 })
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
	if n := remaining(); n != 3 {
		t.Errorf("%d readings are left of 3", n)
	}
}
