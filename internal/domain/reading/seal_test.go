package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

var afterAllDays = time.UnixMilli(start + 300*msPerDay)

func seal(t testing.TB, s *Store, now time.Time) {
	t.Helper()
	if err := s.Seal(t.Context(), now); err != nil {
		t.Fatal(err)
	}
}

// keysUnder counts the keys with a tag.
func keysUnder(t testing.TB, s *Store, tag byte) (n int) {
	t.Helper()
	if err := s.each(t.Context(), tag, []byte{tag}, func(*pebble.Iterator) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSealMovesFramesIntoSegments(t *testing.T) {
	s := openStore(t, Options{})
	for day := range int64(3) {
		for m := range int64(100) {
			mustAppend(t, s,
				arrival(1, 7, start+day*msPerDay+m*minute, num(1, float64(m)), text(2, "ok")),
				arrival(2, 9, start+day*msPerDay+m*minute, num(1, 1)))
		}
	}
	before := readRange(t, s, 1, 7, minTime, maxTime, 1, 2)
	// The third day ended less than an hour ago.
	seal(t, s, time.UnixMilli(start+3*msPerDay+59*minute))
	if hot, segments := keysUnder(t, s, tagHot), keysUnder(t, s, tagSegment); hot != 200 || segments != 4 {
		t.Errorf("%d hot frames and %d segments, want 200 and 4", hot, segments)
	}
	same(t, "after", readRange(t, s, 1, 7, minTime, maxTime, 1, 2), before)
	seal(t, s, time.UnixMilli(start+3*msPerDay+60*minute))
	if hot, segments := keysUnder(t, s, tagHot), keysUnder(t, s, tagSegment); hot != 0 || segments != 6 {
		t.Errorf("%d hot frames and %d segments, want 0 and 6", hot, segments)
	}
	same(t, "all sealed", readRange(t, s, 1, 7, minTime, maxTime, 1, 2), before)
	seal(t, s, afterAllDays) // nothing to do
	same(t, "reopened", readRange(t, reopen(t, s), 1, 7, minTime, maxTime, 1, 2), before)
}

// TestLateFramesAreMergedIntoSegments: late frames before, between and after the sealed ones, and
// late properties of sealed frames; the last value wins.
func TestLateFramesAreMergedIntoSegments(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start+10*minute, num(1, 1), num(2, 2)), arrival(1, 7, start+20*minute, num(1, 3)))
	seal(t, s, afterAllDays)
	mustAppend(t, s,
		arrival(1, 7, start+10*minute, num(2, 20), num(3, 30)),
		arrival(1, 7, start, num(1, 0)),
		arrival(1, 7, start+30*minute, num(1, 4)))
	want := []row{
		{start, []Field{num(1, 0)}}, {start + 10*minute, []Field{num(1, 1), num(2, 20), num(3, 30)}},
		{start + 20*minute, []Field{num(1, 3)}}, {start + 30*minute, []Field{num(1, 4)}},
	}
	same(t, "hot over segments", readRange(t, s, 1, 7, minTime, maxTime, 1, 2, 3), want)
	same(t, "as of", readAsOf(t, s, 1, 7, start+15*minute, 1, 2, 3), []Last{
		{1, start + 10*minute, Number(1)},
		{2, start + 10*minute, Number(20)},
		{3, start + 10*minute, Number(30)},
	})
	seal(t, s, afterAllDays)
	same(t, "sealed again", readRange(t, s, 1, 7, minTime, maxTime, 1, 2, 3), want)
	if hot, segments := keysUnder(t, s, tagHot), keysUnder(t, s, tagSegment); hot != 0 || segments != 1 {
		t.Errorf("%d hot frames and %d segments: the segment that began later still exists", hot, segments)
	}
}

// A damaged segment keeps its own day from being sealed, but no other day. Failed attempts leave no
// extra generations for readers.
func TestDamagedSegmentDoesNotBlockOtherDays(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start, num(1, 1)))
	seal(t, s, afterAllDays)
	var key []byte
	cloneKey := func(it *pebble.Iterator) error { key = bytes.Clone(it.Key()); return nil }
	if err := s.each(t.Context(), tagSegment, []byte{tagSegment}, cloneKey); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Set(key, []byte{9}, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s,
		arrival(1, 7, start+minute, num(1, 2)),
		arrival(1, 7, start+msPerDay, num(1, 3)),
		arrival(1, 7, start+2*msPerDay, num(1, 4)))
	failToSeal := func() {
		t.Helper()
		if err := s.Seal(t.Context(), afterAllDays); !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
	}
	for range 20 {
		failToSeal()
	}
	days := s.calendar.now()
	if len(days) != 3 || !days[0].hot || days[0].newest != 2 || days[1].hot || days[2].hot {
		t.Errorf("%+v", days)
	}
	mustAppend(t, s, arrival(1, 7, start+2*minute, num(1, 5)))
	failToSeal()
	if d := s.calendar.now()[0]; d.oldest != 1 || d.newest != 3 {
		t.Errorf("with another late reading: %+v", d)
	}
	// Once the segment is deleted, Seal packs all later readings.
	if err := s.db.Delete(key, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	seal(t, s, afterAllDays)
	same(t, "after", readRange(t, s, 1, 7, start, start+msPerDay-1, 1),
		[]row{{start + minute, []Field{num(1, 2)}}, {start + 2*minute, []Field{num(1, 5)}}})
	if hot := keysUnder(t, s, tagHot); hot != 0 {
		t.Errorf("%d hot frames", hot)
	}
}

// TestDayOfManyFramesIsSeveralSegments: the size of a segment bounds the memory, and a short range
// reads only the segments that it overlaps.
func TestDayOfManyFramesIsSeveralSegments(t *testing.T) {
	s := openStore(t, Options{})
	const frames = 2*segmentRows + 10
	batch := make([]Arrival, frames)
	for i := range batch {
		batch[i] = arrival(1, 7, start+int64(i)*1000, num(1, float64(i)))
	}
	mustAppend(t, s, batch...)
	seal(t, s, afterAllDays)
	if n := keysUnder(t, s, tagSegment); n != 3 {
		t.Fatalf("%d segments, want 3", n)
	}
	for _, c := range [][2]int64{
		{0, frames}, {segmentRows - 2, segmentRows + 2}, {segmentRows, segmentRows}, {segmentRows - 1, segmentRows - 1},
		{2 * segmentRows, frames}, {5, 6}, {frames, frames + 5},
	} {
		rows := readRange(t, s, 1, 7, start+c[0]*1000, start+c[1]*1000, 1)
		want := min(c[1], frames-1) - c[0] + 1
		if int64(len(rows)) != max(want, 0) || len(rows) > 0 && rows[0].Fields[0].Value.Float() != float64(c[0]) {
			t.Errorf("%v: %d rows, want %d", c, len(rows), want)
		}
		series, err := s.Series(t.Context(), 1, 7, start+c[0]*1000, start+c[1]*1000, []device.PropertyID{1}, 0)
		if err != nil || int64(len(series[1])) != max(want, 0) {
			t.Errorf("%v: %d points, want %d: %v", c, len(series[1]), want, err)
		}
	}
	// Sealing again with an earlier frame moves the borders of all segments.
	mustAppend(t, s, arrival(1, 7, start+500, num(1, -1)))
	seal(t, s, afterAllDays)
	if rows := readRange(t, s, 1, 7, minTime, maxTime, 1); len(rows) != frames+1 || keysUnder(t, s, tagSegment) != 3 {
		t.Errorf("%d rows in %d segments after one more", len(rows), keysUnder(t, s, tagSegment))
	}
}

func TestAsOfReadsAllSources(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s,
		arrival(1, 7, start+5, num(1, 1), num(2, 1)),
		arrival(1, 7, start+msPerDay, num(1, 9)),
		arrival(1, 7, start+40*msPerDay, num(1, 0), num(2, 0)))
	seal(t, s, time.UnixMilli(start+3*msPerDay))
	mustAppend(t, s, arrival(1, 7, start+5, num(2, 2)), arrival(1, 7, start+3, num(1, 7)))
	same(t, "as of", readAsOf(t, s, 1, 7, start+10, 1, 2), []Last{{1, start + 5, Number(1)}, {2, start + 5, Number(2)}})
	same(t, "before the newer", readAsOf(t, s, 1, 7, start+4, 1, 2), []Last{{1, start + 3, Number(7)}})
	same(t, "next day", readAsOf(t, s, 1, 7, start+39*msPerDay, 1, 2),
		[]Last{{1, start + msPerDay, Number(9)}, {2, start + 5, Number(2)}})
}

// TestEraseAndExpireDeleteSegments: Erase and Expire leave no readings, and sealing restores none.
func TestEraseAndExpireDeleteSegments(t *testing.T) {
	s := openStore(t, Options{Retention: 10 * 24 * time.Hour})
	for day := range int64(20) {
		mustAppend(t, s, arrival(1, 7, start+day*msPerDay, num(1, 1)), arrival(1, 8, start+day*msPerDay, num(1, 1)))
	}
	seal(t, s, time.UnixMilli(start+15*msPerDay))
	mustAppend(t, s, arrival(1, 7, start+2*msPerDay+1, num(1, 1)))
	if err := s.Erase(t.Context(), 1, 7); err != nil {
		t.Fatal(err)
	}
	seal(t, s, afterAllDays)
	if rows := readRange(t, s, 1, 7, minTime, maxTime, 1); len(rows) != 0 {
		t.Errorf("%d frames after Erase", len(rows))
	}
	if err := s.Expire(t.Context(), time.UnixMilli(start+20*msPerDay)); err != nil {
		t.Fatal(err)
	}
	if rows := readRange(t, s, 1, 8, minTime, maxTime, 1); len(rows) != 10 || rows[0].Time != start+10*msPerDay {
		t.Errorf("%d frames after Expire", len(rows))
	}
	if n := keysUnder(t, s, tagSegment); n != 10 {
		t.Errorf("%d segments after Expire", n)
	}
}

// TestSealingUnderLoad: writers, readers and sealing run at once; each reader sees every frame
// acknowledged before, once and in order.
func TestSealingUnderLoad(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewMem(), memTableBytes: 256 << 10})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const frames = 2000
	var mu sync.Mutex
	acknowledged := 0
	var work sync.WaitGroup
	fail := func(err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
			cancel()
		}
	}
	work.Go(func() {
		defer cancel()
		for n := 0; n < frames && ctx.Err() == nil; n++ {
			// Alternating between two days, not in order of time.
			at := start + int64(n%2)*msPerDay + int64((n*7)%frames)*1000
			one, other := arrival(1, 7, at, num(1, float64(n))), arrival(1, device.ID(8+n%5), at, num(1, 1))
			fail(s.Append(ctx, []Arrival{one, other}))
			mu.Lock()
			acknowledged = n + 1
			mu.Unlock()
		}
	})
	work.Go(func() {
		for ctx.Err() == nil {
			fail(s.Seal(ctx, afterAllDays))
		}
	})
	for ctx.Err() == nil {
		mu.Lock()
		least := acknowledged
		mu.Unlock()
		seen, before := 0, int64(math.MinInt64)
		fail(s.Range(ctx, 1, 7, minTime, maxTime, []device.PropertyID{1}, func(at int64, _ []Field) error {
			if at <= before {
				return fmt.Errorf("%d after %d", at, before)
			}
			before = at
			seen++
			return nil
		}))
		if ctx.Err() == nil && seen < least {
			t.Fatalf("%d frames read, %d were acknowledged before", seen, least)
		}
	}
	work.Wait()
	seal(t, s, afterAllDays)
	if rows := readRange(t, s, 1, 7, minTime, maxTime, 1); len(rows) != frames {
		t.Errorf("%d frames, want %d", len(rows), frames)
	}
	if n := keysUnder(t, s, tagHot); n != 0 {
		t.Errorf("%d hot frames left", n)
	}
}

// The counters of rain gauges have the highest numbers that properties can have. Their values stay
// beside others in frames, the journal, segments, aggregates and the latest values.
func TestRainCountersAreKept(t *testing.T) {
	s := openStore(t, Options{})
	counters := []device.PropertyID{device.RainTotal, device.RainYearly, device.RainDaily, device.RainPiezoDaily}
	for i, counter := range counters {
		mustAppend(t, s, arrival(1, 7, start+int64(i)*minute, num(1, 21.5), num(2, 0.25), num(counter, 1.04)))
	}
	check := func(where string, s *Store) {
		t.Helper()
		if got := len(readRange(t, s, 1, 7, minTime, maxTime, counters...)); got != len(counters) {
			t.Errorf("%s: %d frames with counters", where, got)
		}
		for i, counter := range counters {
			n, ok := s.NewestOf(t.Context(), 1, 7, counter)
			if !ok || n.Time != start+int64(i)*minute || n.Value != Number(1.04) {
				t.Errorf("%s: newest of %d: %+v", where, counter, n)
			}
		}
		sums, err := s.Aggregates(
			t.Context(),
			1,
			7,
			start,
			start+msPerDay,
			[]device.PropertyID{1, device.RainDaily},
			Day,
		)
		if err != nil || sums[1][0].Count != 4 || sums[device.RainDaily][0].Sum != 1.04 {
			t.Errorf("%s: aggregates %+v, %v", where, sums, err)
		}
	}
	check("appended", s)
	s = reopen(t, s)
	check("read back from the journal", s)
	seal(t, s, afterAllDays)
	check("sealed", s)
	check("reopened", reopen(t, s))
}
