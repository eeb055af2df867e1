package reading

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit/race"
)

// rowsOfColumns converts the result of Columns to rows and checks it.
func rowsOfColumns(t *testing.T, s *Store, from, to int64, props ...device.PropertyID) (rows []row) {
	t.Helper()
	err := s.Columns(t.Context(), 1, 7, from, to, props, func(c *Columns) error {
		if len(c.Times) == 0 || len(c.Times) > segmentRows || len(c.Columns) == 0 {
			t.Errorf("%d times, %d columns", len(c.Times), len(c.Columns))
		}
		begin := len(rows)
		for _, at := range c.Times {
			rows = append(rows, row{Time: at})
		}
		for i := range c.Columns {
			var json []byte
			c.Columns[i].Values(func(n int, v Value) bool {
				if n > 0 {
					json = append(json, ',')
				}
				json = v.AppendJSON(json)
				if v.Kind() != KindNone {
					r := &rows[begin+n]
					r.Fields = append(r.Fields, Field{c.Columns[i].Property, v})
				}
				return true
			})
			if got := c.Columns[i].AppendJSON([]byte("x")); string(got) != "x"+string(json) {
				t.Errorf("column as JSON: %.200s\nwant %.200s", got[1:], json)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestColumnsEqualRange compares Columns with Range: over sealed days, hot days and both, for any
// range and any properties.
func TestColumnsEqualRange(t *testing.T) {
	for range race.Cases(3) {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		s := openStore(t, Options{})
		const days = 4
		appendRandomDays(t, s, rng, days)
		compare := func(what string) {
			for range 15 {
				from := start + rng.Int64N(days*msPerDay) - msPerDay/2
				to := from + rng.Int64N(days*msPerDay)
				props := []device.PropertyID{9}
				for _, p := range rng.Perm(8)[:1+rng.IntN(7)] {
					props = append(props, device.PropertyID(p+1))
				}
				same(t, fmt.Sprintf("seed %d, %s, %v from %d to %d", seed, what, props, from-start, to-start),
					rowsOfColumns(t, s, from, to, props...), readRange(t, s, 1, 7, from, to, props...))
			}
		}
		compare("not sealed")
		seal(t, s, time.UnixMilli(start+(days-1)*msPerDay+2*60*minute))
		compare("sealed")
		for range 20 {
			mustAppend(t, s, arrival(1, 7, start+rng.Int64N(days*msPerDay), num(3, -1), text(4, "late")))
		}
		compare("with late readings")
	}
}

// TestColumnsEmptyCancelledClosed: fn is not called for an empty range, for no properties, and for
// another tenant's device; Columns returns the errors of fn, of the context and of Close.
func TestColumnsEmptyCancelledClosed(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, arrival(1, 7, start, num(1, 1)), arrival(2, 8, start, num(1, 1)))
	seal(t, s, afterAllDays)
	never := func(*Columns) error { return errors.New("called") }
	one := []device.PropertyID{1}
	other := []device.PropertyID{2}
	for _, err := range []error{
		s.Columns(t.Context(), 1, 7, start+1, start, one, never),
		s.Columns(t.Context(), 1, 7, start, start, nil, never),
		s.Columns(t.Context(), 1, 7, start, start, other, never),
		s.Columns(t.Context(), 1, 8, start, start, one, never),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := s.Columns(t.Context(), 1, 7, start, start, one, never); err == nil || err.Error() != "called" {
		t.Errorf("a failing callback: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Columns(ctx, 1, 7, start, start, one, never); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_ = s.Close()
	if err := s.Columns(t.Context(), 1, 7, start, start, one, never); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestAppendDigitsEqualsAppendJSONNumber compares the fast way for digits with the general one.
func TestAppendDigitsEqualsAppendJSONNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	check := func(digits int64, decimals int) {
		f := float64(digits) / pow10[decimals]
		if got, want := appendDigits(nil, digits, decimals), appendJSONNumber(nil, f); string(got) != string(want) {
			t.Errorf("%d / 10^%d: %s, want %s", digits, decimals, got, want)
		}
	}
	for decimals := range maxDecimals + 1 {
		for _, digits := range []int64{
			0, 1, -1, 9, 10, -10, 99, 100, 1000, -1005, 1_000_000, -20_000_000, 123_456_789, 999_999_999_999_999,
		} {
			check(digits, decimals)
		}
		for range 500 {
			check(rng.Int64N(1<<(1+rng.IntN(48)))*int64(1-2*rng.IntN(2)), decimals)
		}
	}
	if got := appendDigits(nil, maxExact-1, 0); string(got) != fmt.Sprint(int64(math.Pow(2, 53)-1)) {
		t.Errorf("%s", got)
	}
}
