package reading

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// stretchesOf returns the stretches of device 1 of tenant 1 with the properties 1 and 2.
func stretchesOf(s AggregateReader, from, to int64) *Stretches {
	return &Stretches{
		Store:      s,
		Device:     device.Ref{Tenant: 1, ID: 1},
		From:       from,
		To:         to,
		Properties: []device.PropertyID{1, 2},
		Zone:       time.UTC,
	}
}

// The chosen resolution is the finest that the readings themselves allow, whatever the range and
// whether its days are sealed.
func TestChooseResolution(t *testing.T) {
	const days = 40
	s := openStore(t, Options{})
	rng := rand.New(rand.NewPCG(3, 4))
	var times [2][]int64 // of each property's readings
	for day := range int64(days) {
		var batch []Arrival
		for range rng.IntN(60) {
			at := start + day*msPerDay + rng.Int64N(msPerDay)/1000*1000
			p := rng.IntN(2)
			if slices.Contains(times[p], at) {
				continue
			}
			times[p] = append(times[p], at)
			batch = append(batch, arrival(1, 1, at, num(device.PropertyID(p+1), 1)))
			// readings of other tenants, devices and properties do not count, nor do texts
			batch = append(batch, arrival(2, 1, at, num(1, 1)), arrival(1, 2, at+1, num(1, 1)))
			batch = append(batch, arrival(1, 1, at+1, num(3, 1), text(device.PropertyID(2-p), "calm")))
		}
		mustAppend(t, s, batch...)
		if day == days/2 {
			s.Trim(s.Stats().Position)
			if err := s.Seal(t.Context(), time.UnixMilli(start+day*msPerDay)); err != nil {
				t.Fatal(err)
			}
		}
	}
	most := func(from, to int64, by steps) (n int) {
		first, _ := by.bounds(from)
		_, end := by.bounds(to)
		for _, list := range times {
			begins := map[int64]bool{}
			for _, at := range list {
				if at >= first && at < end {
					begin, _ := by.bounds(at)
					begins[begin] = true
				}
			}
			n = max(n, len(begins))
		}
		return n
	}
	chosen := map[Resolution]int{}
	for range 600 {
		from := start + rng.Int64N(days*msPerDay)
		to := from + rng.Int64N(msPerDay<<rng.IntN(7))
		if rng.IntN(4) == 0 { // far beyond the days with readings
			from, to = from-3000*msPerDay, to+3000*msPerDay
		}
		points := 1 + rng.IntN(1<<rng.IntN(11))
		q, hours := stretchesOf(s, from, to), steps(Hour)
		if rng.IntN(2) == 0 { // days begin within an hour
			q.Zone = tenant.Zone("Asia/Kathmandu")
			hours = &zoneHours{zoneDays{zone: q.Zone}}
		}
		want := ByDay
		if most(from, to, Step(time.Millisecond)) <= points {
			want = ByReading
		} else if most(from, to, hours) <= points {
			want = ByHour
		}
		got, err := q.ChooseResolution(t.Context(), points)
		if err != nil || got != want {
			t.Errorf("%d to %d, %d points, %s: %q (%v), want %q", from, to, points, q.Zone, got, err, want)
		}
		chosen[got]++
	}
	for _, r := range []Resolution{ByReading, ByHour, ByDay} {
		if chosen[r] < 20 {
			t.Errorf("%s was chosen only %d times", r, chosen[r])
		}
	}
}

// Stretches of any length have together what one read of the whole range has, also after hours were
// read to choose them.
func TestStretchesTogether(t *testing.T) {
	s := openStore(t, Options{})
	kathmandu := tenant.Zone("Asia/Kathmandu")
	var batch []Arrival
	for n := range int64(300) {
		batch = append(batch, arrival(1, 1, start+n*37*minute, num(1, float64(n)), num(2, -float64(n))))
	}
	mustAppend(t, s, batch...)
	from, to := start+90*minute, start+6*msPerDay+7*minute
	props := []device.PropertyID{1, 2}
	for _, steps := range []int{0, 1, 5} {
		for _, by := range []Resolution{ByHour, ByDay} {
			q := stretchesOf(s, from, to)
			q.Zone, q.Steps = kathmandu, steps
			if by == ByHour {
				if chosen, err := q.ChooseResolution(t.Context(), 200); err != nil || chosen != ByHour {
					t.Fatalf("%q (%v)", chosen, err)
				}
			}
			got, stretches := map[device.PropertyID][]Aggregate{}, 0
			if err := q.Each(t.Context(), by, func(of map[device.PropertyID][]Aggregate) error {
				stretches++
				for p, list := range of {
					got[p] = append(got[p], list...)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			step := Hour
			if by == ByDay {
				step = Day
			}
			want, err := s.ZoneAggregates(t.Context(), 1, 1, from, to, props, step, kathmandu)
			if err != nil {
				t.Fatal(err)
			}
			sameAggregates(t, string(by), got, want)
			if steps == 1 && by == ByDay && stretches != 7 {
				t.Errorf("%d stretches of a day", stretches)
			}
		}
	}
}

// Without readings, and without numeric properties, there is nothing to read.
func TestStretchesOfNothing(t *testing.T) {
	s := openStore(t, Options{})
	none := stretchesOf(s, start, start+msPerDay)
	for _, q := range []*Stretches{none, {Store: s, From: start, To: start + msPerDay, Zone: time.UTC}} {
		if got, err := q.ChooseResolution(t.Context(), 1); err != nil || got != ByReading {
			t.Errorf("%q (%v)", got, err)
		}
		err := q.Each(t.Context(), ByDay, func(of map[device.PropertyID][]Aggregate) error {
			t.Errorf("a stretch of nothing: %v", of)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		mustAppend(t, s, arrival(1, 1, start+minute, text(1, "calm"))) // for the second query
	}
}
