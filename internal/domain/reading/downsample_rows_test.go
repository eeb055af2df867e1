package reading

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tilth/internal/domain/device"
)

// manyProperties is the number of properties in the tests below: numbers, booleans and texts, some
// of them rare.
const manyProperties = 70

// manyFields returns the fields of a device's nth frame.
func manyFields(rng *rand.Rand, n int) (fields []Field) {
	for p := device.PropertyID(1); p <= manyProperties; p++ {
		switch {
		case p == 7:
			fields = append(fields, boolean(p, rng.IntN(10) == 0))
		case p == 8 && n%3 == 0:
			fields = append(fields, Field{p, Text(strings.Repeat("long ", n%200) + fmt.Sprint(n/5))})
		case p == 9 && n%400 == 0: // never more than the limit
			fields = append(fields, Field{p, Text(fmt.Sprint("seldom ", n/800))})
		case p == 10 && n%500 == 1:
			fields = append(fields, num(p, float64(n)))
		case p > 10 && p != 20:
			fields = append(fields, num(p, float64(rng.IntN(10_000))/10))
		}
	}
	return fields
}

// appendManyProperties appends that many frames of a device, one per second, and seals the days.
func appendManyProperties(t *testing.T, s *Store, from int64, frames int) map[int64][]Field {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	all := map[int64][]Field{}
	var batch []Arrival
	for n := range frames {
		at := from + int64(n)*1000
		all[at] = manyFields(rng, n)
		batch = append(batch, arrival(1, 1, at, all[at]...))
		if len(batch) == 1000 || n == frames-1 {
			mustAppend(t, s, batch...)
			batch = nil
		}
	}
	seal(t, s, afterAllDays)
	return all
}

// Range and Columns return all of many properties, although a segment is decoded in bands.
func TestRangeAndColumnsOfManyProperties(t *testing.T) {
	s := openStore(t, Options{})
	const frames = 6000
	want := appendManyProperties(t, s, start, frames)
	var props []device.PropertyID
	for p := device.PropertyID(manyProperties); p > 0; p-- {
		props = append(props, p)
	}
	from, to := start+7_000, start+5_900_000
	rows := 0
	err := s.Range(t.Context(), 1, 1, from, to, props, func(at int64, fields []Field) error {
		rows++
		if !slices.Equal(fields, want[at]) {
			t.Fatalf("at %d: %v, want %v", at, fields, want[at])
		}
		return nil
	})
	if err != nil || rows != 5894 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	got := map[int64][]Field{}
	err = s.Columns(t.Context(), 1, 1, from, to, props, func(c *Columns) error {
		for i := range c.Columns {
			c.Columns[i].Values(func(n int, v Value) bool {
				if v.Kind() != KindNone {
					got[c.Times[n]] = append(got[c.Times[n]], Field{c.Columns[i].Property, v})
				}
				return true
			})
		}
		return nil
	})
	if err != nil || len(got) != rows {
		t.Fatalf("%d rows by columns, %v", len(got), err)
	}
	for at, fields := range got {
		if !slices.Equal(fields, want[at]) {
			t.Fatalf("by columns, at %d: %v, want %v", at, fields, want[at])
		}
	}
	if last, err := s.AsOf(t.Context(), 1, 1, start+100_500, props); err != nil || len(last) != 63 {
		t.Errorf("%d newest values, %v", len(last), err)
	}
}

// DownsampleRows keeps the same readings of each property as Downsample.
func TestDownsampleRows(t *testing.T) {
	s := openStore(t, Options{})
	appendManyProperties(t, s, start+msPerDay-3_000_000, 6000) // half of them at the end of a day
	var late []Arrival
	for n := range 50 {
		late = append(late, arrival(1, 1, start+msPerDay-1_000_500+int64(n)*1000, num(11, 5000), num(20, 1)))
	}
	mustAppend(t, s, late...)
	all := []device.PropertyID{11, 9, 7, 10, 8, 20, 6}
	for p := device.PropertyID(21); p <= manyProperties; p++ {
		all = append(all, p)
	}
	for _, c := range []struct {
		props    []device.PropertyID
		from, to int64
		points   int
	}{
		{all, start, start + 2*msPerDay, 100},
		{all, start + msPerDay - 2_000_000, start + msPerDay + 999_000, 500},
		{all, start, start + 2*msPerDay, 5000},
		{all, start - 20*msPerDay, start + 10*msPerDay, 101}, // buckets of half hours
		{all[:3], start, start + 2*msPerDay, 200},
		{all[4:5], start, start + 2*msPerDay, 1000},
		{[]device.PropertyID{9, 10}, start, start + 2*msPerDay, 100}, // all readings stay
		{[]device.PropertyID{6}, start, start + 2*msPerDay, 100},     // no readings
	} {
		want, err := s.Downsample(t.Context(), 1, 1, c.from, c.to, c.props, c.points)
		if err != nil {
			t.Fatal(err)
		}
		got, before, bucket := map[device.PropertyID][]Point{}, int64(-1), int64(-1)
		begin := func(b int64) { bucket = b }
		collect := func(at int64, fields []Field) error {
			if at <= before || len(fields) == 0 ||
				!slices.IsSortedFunc(fields, func(a, b Field) int { return int(a.Property) - int(b.Property) }) {
				t.Fatalf("at %d after %d: %v", at, before, fields)
			}
			before = at
			for _, f := range fields {
				got[f.Property] = append(got[f.Property], Point{at, f.Value})
			}
			return nil
		}
		err = s.DownsampleRows(t.Context(), 1, 1, c.from, c.to, c.props, c.points, begin, collect)
		if err != nil {
			t.Fatal(err)
		}
		widest := int64(0)
		for p, o := range want {
			widest = max(widest, o.Bucket)
			same(t, fmt.Sprintf("property %d of %d, %d points", p, len(c.props), c.points), got[p], o.Points())
		}
		if len(got) != len(want) || bucket != widest {
			t.Errorf("%d properties, buckets of %d; want %d, %d", len(got), bucket, len(want), widest)
		}
	}
}
