package reading

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

func TestRangeIncludesBothBorders(t *testing.T) {
	s := openStore(t, Options{})
	for i := range int64(5) {
		mustAppend(t, s, arrival(1, 5, start+i, num(1, float64(i))))
		// Range must not return devices with adjacent keys.
		mustAppend(t, s, arrival(1, 4, start+i, num(1, -1)), arrival(1, 6, start+i, num(1, -1)))
	}
	for _, c := range []struct {
		from, to int64
		first, n int
	}{
		{start, start + 4, 0, 5}, {start + 1, start + 3, 1, 3}, {start + 2, start + 2, 2, 1},
		{start - 1000, start, 0, 1}, {start + 4, start + msPerDay, 4, 1},
		{start + 5, start + msPerDay, 0, 0}, {start - msPerDay, start - 1, 0, 0}, {start + 3, start + 1, 0, 0},
	} {
		var want []row
		for i := c.first; i < c.first+c.n; i++ {
			want = append(want, row{start + int64(i), []Field{num(1, float64(i))}})
		}
		same(t, "range", readRange(t, s, 1, 5, c.from, c.to, 1), want)
	}
}

func TestRangeAcrossMidnight(t *testing.T) {
	s := openStore(t, Options{})
	var want []row
	for _, at := range []int64{
		start - 50*msPerDay, start - 1, start, start + msPerDay - 1, start + msPerDay, start + 90*msPerDay,
	} {
		mustAppend(t, s, arrival(2, 9, at, num(3, float64(at))))
		want = append(want, row{at, []Field{num(3, float64(at))}})
	}
	// Days with readings of other devices only, whose keys are before and after.
	for day := int64(-60); day < 100; day += 7 {
		mustAppend(t, s, arrival(2, 8, start+day*msPerDay+5, num(3, 0)), arrival(3, 1, start+day*msPerDay+5, num(3, 0)))
	}
	same(t, "all", readRange(t, s, 2, 9, minTime, maxTime, 3), want)
	same(t, "part", readRange(t, s, 2, 9, start-1, start+msPerDay, 3), want[1:5])
}

func TestRangeGivesOnlyWantedProperties(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s,
		arrival(1, 1, start, num(1, 1), num(2, 2)),
		arrival(1, 1, start+1, num(2, 3)),
		arrival(1, 1, start+2, num(1, 4)))
	same(t, "one", readRange(t, s, 1, 1, start, start+2, 1),
		[]row{{start, []Field{num(1, 1)}}, {start + 2, []Field{num(1, 4)}}})
	same(t, "unsorted and repeated", readRange(t, s, 1, 1, start, start, 2, 1, 2),
		[]row{{start, []Field{num(1, 1), num(2, 2)}}})
	same(t, "none", readRange(t, s, 1, 1, start, start+2), nil)
	same(t, "unknown", readRange(t, s, 1, 1, start, start+2, 77), nil)
}

func TestRangeStopsOnCancelAndCallbackError(t *testing.T) {
	s := openStore(t, Options{})
	var batch []Arrival
	for i := range int64(3000) {
		batch = append(batch, arrival(1, 1, start+i, num(1, 1)))
	}
	mustAppend(t, s, batch...)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := s.Range(ctx, 1, 1, start, start+3000, []device.PropertyID{1}, func(int64, []Field) error {
		n++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || n > yieldEvery {
		t.Errorf("cancelled range: %v after %d frames", err, n)
	}
	stop := errors.New("enough")
	n = 0
	err = s.Range(t.Context(), 1, 1, start, start+3000, []device.PropertyID{1}, func(int64, []Field) error {
		n++
		return stop
	})
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("range with a failing callback: %v after %d frames", err, n)
	}
}

func TestRangeMemoryDoesNotGrowWithTheRange(t *testing.T) {
	s := openStore(t, Options{})
	for day := range int64(20) {
		var batch []Arrival
		for i := range int64(288) {
			batch = append(batch, arrival(1, 1, start+day*msPerDay+i*5*minute, num(1, float64(i)), num(2, 3)))
		}
		mustAppend(t, s, batch...)
	}
	n, first, last := 0, uint64(0), uint64(0)
	err := s.Range(t.Context(), 1, 1, start, start+20*msPerDay, []device.PropertyID{1, 2}, func(int64, []Field) error {
		switch n++; n {
		case 1:
			first = heap()
		case 20 * 288:
			last = heap()
		}
		return nil
	})
	// The readings take half a megabyte.
	if err != nil || last == 0 || last > first+100_000 {
		t.Errorf("%d frames: %d bytes at the first, %d at the last, %v", n, first, last, err)
	}
}

func TestAsOfLooksBackAcrossDays(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s,
		arrival(1, 1, start-20*msPerDay, num(1, 10), text(2, "dry")),
		arrival(1, 1, start-3*msPerDay, num(3, 30)),
		arrival(1, 1, start, num(1, 11)),
		arrival(1, 1, start+msPerDay, num(1, 12), text(2, "wet"), num(3, 31)),
		arrival(1, 2, start-msPerDay, num(1, 99)))
	props := []device.PropertyID{3, 1, 2, 77}
	old, mid := Last{1, start - 20*msPerDay, Number(10)}, Last{1, start, Number(11)}
	newest := Last{1, start + msPerDay, Number(12)}
	dry, third := Last{2, start - 20*msPerDay, Text("dry")}, Last{3, start - 3*msPerDay, Number(30)}
	for at, want := range map[int64][]Last{
		start - 20*msPerDay - 1: nil,
		start - 20*msPerDay:     {old, dry},
		start - 3*msPerDay - 1:  {old, dry},
		start - 1:               {old, dry, third},
		start:                   {mid, dry, third},
		start + msPerDay - 1:    {mid, dry, third},
		start + msPerDay:        {newest, {2, start + msPerDay, Text("wet")}, {3, start + msPerDay, Number(31)}},
		maxTime:                 {newest, {2, start + msPerDay, Text("wet")}, {3, start + msPerDay, Number(31)}},
	} {
		same(t, "as of", readAsOf(t, s, 1, 1, at, props...), want)
	}
}

func TestLateFramesDoNotReplaceLatest(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 1, start, num(1, 5), num(2, 6)))
	mustAppend(t, s, arrival(1, 1, start-1, num(1, 4), num(3, 7)))
	mustAppend(t, s, arrival(1, 1, start-399*msPerDay, num(1, 3)))
	check := func(s *Store) {
		t.Helper()
		same(t, "latest", s.Latest(t.Context(), 1, 1),
			[]Last{{1, start, Number(5)}, {2, start, Number(6)}, {3, start - 1, Number(7)}})
		same(t, "history", readRange(t, s, 1, 1, minTime, maxTime, 1), []row{
			{start - 399*msPerDay, []Field{num(1, 3)}},
			{start - 1, []Field{num(1, 4)}},
			{start, []Field{num(1, 5)}},
		})
		same(t, "as of", readAsOf(t, s, 1, 1, start-1, 1), []Last{{1, start - 1, Number(4)}})
	}
	check(s)
	check(reopen(t, s))
}

// The following tests, one for each method, read the same device id of another tenant, which has no
// readings.

func storeWithOtherTenant(t *testing.T) (s *Store, other tenant.ID) {
	s = openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start, num(1, 5)), arrival(3, 7, start, num(1, 6)))
	return s, 2
}

func TestLatestOfAForeignDeviceIsEmpty(t *testing.T) {
	s, other := storeWithOtherTenant(t)
	same(t, "latest", s.Latest(t.Context(), other, 7), nil)
	same(t, "own", s.Latest(t.Context(), 1, 7), []Last{{1, start, Number(5)}})
}

func TestAsOfOfAForeignDeviceIsEmpty(t *testing.T) {
	s, other := storeWithOtherTenant(t)
	same(t, "as of", readAsOf(t, s, other, 7, maxTime, 1), nil)
	same(t, "own", readAsOf(t, s, 1, 7, maxTime, 1), []Last{{1, start, Number(5)}})
}

func TestRangeOfAForeignDeviceIsEmpty(t *testing.T) {
	s, other := storeWithOtherTenant(t)
	same(t, "range", readRange(t, s, other, 7, minTime, maxTime, 1), nil)
	same(t, "own", readRange(t, s, 1, 7, minTime, maxTime, 1), []row{{start, []Field{num(1, 5)}}})
}

func TestSeriesOfAForeignDeviceIsEmpty(t *testing.T) {
	s, other := storeWithOtherTenant(t)
	for tid, want := range map[tenant.ID]int{other: 0, 1: 1, 3: 1} {
		series, err := s.Series(t.Context(), tid, 7, minTime, maxTime, []device.PropertyID{1}, 0)
		if err != nil || len(series) != want || len(series[1]) != want {
			t.Errorf("tenant %d: %v, %v, want %d", tid, series, err, want)
		}
	}
}

func TestEraseOfAForeignDeviceTouchesNothing(t *testing.T) {
	s, other := storeWithOtherTenant(t)
	if err := s.Erase(t.Context(), other, 7); err != nil {
		t.Fatal(err)
	}
	check := func(s *Store) {
		t.Helper()
		for tid, v := range map[tenant.ID]float64{1: 5, 3: 6} {
			same(t, "range", readRange(t, s, tid, 7, minTime, maxTime, 1), []row{{start, []Field{num(1, v)}}})
			same(t, "latest", s.Latest(t.Context(), tid, 7), []Last{{1, start, Number(v)}})
		}
	}
	check(s)
	check(reopen(t, s))
}

// TestDamageErrorNamesKey: reading damaged data returns an error, and neither panics nor returns a
// wrong value.
func TestDamageErrorNamesKey(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start+1, num(1, 5)))
	ctx, props := t.Context(), []device.PropertyID{1}
	read := map[string]func() error{
		"Range": func() error {
			return s.Range(ctx, 1, 7, start, start, props, func(int64, []Field) error { return nil })
		},
		"AsOf": func() error {
			_, err := s.AsOf(ctx, 1, 7, start, props)
			return err
		},
		"Series": func() error {
			_, err := s.Series(ctx, 1, 7, start, start, props, 0)
			return err
		},
	}
	check := func(what, names string) {
		t.Helper()
		for name, f := range read {
			if err := f(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), names) {
				t.Errorf("%s over %s: %v, want ErrCorrupt naming %q", name, what, err, names)
			}
		}
	}
	key := hotKey(1, 7, start)
	put := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.calendar.generation(20574) // as Append does
	put(s.db.Set(key, []byte{1, 0, headRaw, 1}, pebble.Sync))
	check("a truncated frame", "frame of tenant 1 device 7 at 2026-05-01T00:00:00.000Z")
	put(s.db.Merge(key, appendFrame(nil, []Field{num(2, 1)}), pebble.Sync))
	check("a truncated frame under a valid one", "frame of tenant 1 device 7")
	put(s.db.Delete(key, pebble.Sync))
	malformed := append(appendHotPrefix(nil, 20574, 0, device.Ref{Tenant: 1, ID: 7}), 0, 0, 0, 0, 0)
	put(s.db.Set(malformed, []byte{1, 0, 2}, pebble.Sync))
	err := s.Range(ctx, 1, 7, start-1, start+1, props, func(int64, []Field) error { return nil })
	if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "key 68") {
		t.Errorf("Range over a malformed key: %v", err)
	}
}
