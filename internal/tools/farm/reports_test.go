package farm

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

func collect(d *Device, from, to time.Time, every time.Duration) []Report {
	return slices.Collect(d.Reports(from, to, every))
}

func TestReportsArriveInOrderAndInRange(t *testing.T) {
	t.Parallel()
	from, to := demoNow.AddDate(0, 0, -20), demoNow
	for _, d := range testFarm(t).Devices() {
		var last time.Time
		count := 0
		every := max(d.HistoryInterval, 5*time.Minute)
		for r := range d.Reports(from, to, every) {
			if r.Sent.Before(last) {
				t.Fatalf("%s: %v after %v", d.Name, r.Sent, last)
			}
			if r.Sent.Before(from) || !r.Sent.Before(to) {
				t.Fatalf("%s: %v is out of range", d.Name, r.Sent)
			}
			if len(r.Values) == 0 {
				t.Fatalf("%s: an empty report", d.Name)
			}
			last = r.Sent
			count++
		}
		most := float64(to.Sub(from) / every)
		switch d.Name {
		case "SP-1299":
			assertNear(t, d.Name, float64(count), 0, 0)
		case "SP-1217", "SP-1204":
			assertBetween(t, d.Name, float64(count), .9*most, .99*most)
		default:
			assertBetween(t, d.Name, float64(count), .95*most, 1.01*most)
		}
	}
}

// Two adjacent ranges give the same reports as the whole, so that history and live reports join.
func TestReportsOfAdjacentRangesJoin(t *testing.T) {
	from, to := demoNow.AddDate(0, 0, -12), demoNow
	for _, name := range []string{"SP-1203", "SP-1288", "HB-SP-02", "CAM-0093"} {
		d := findDevice(t, testFarm(t), name)
		whole := collect(d, from, to, 10*time.Minute)
		var parts []Report
		for at := from; at.Before(to); at = at.Add(29 * time.Hour) {
			until := at.Add(29 * time.Hour)
			if until.After(to) {
				until = to
			}
			parts = append(parts, collect(d, at, until, 10*time.Minute)...)
		}
		if !reflect.DeepEqual(whole, parts) {
			t.Errorf("%s: %d reports in the whole, %d in the parts", name, len(whole), len(parts))
		}
	}
}

func TestReportsGoOnWithoutEnd(t *testing.T) {
	d := findDevice(t, testFarm(t), "WS-0417")
	count := 0
	for r := range d.Reports(demoNow, time.Time{}, d.LiveInterval) {
		if r.Sent.Before(demoNow) {
			t.Fatalf("a report of %v", r.Sent)
		}
		if count++; count == 1000 {
			assertBetween(t, "hours for a thousand reports", r.Sent.Sub(demoNow).Hours(), 2.7, 4.5)
			break
		}
	}
}

func TestRainOfAllReportsIsTheRain(t *testing.T) {
	d := findDevice(t, testFarm(t), "HB-WS-01")
	first, last := dayOf(2026, 7, 1), dayOf(2026, 7, 31)
	fallen := 0.
	for n := first; n < last; n++ {
		fallen += d.site.day(n).rain
	}
	from := time.Unix(int64(d.site.start(first)), 0)
	seen := map[time.Time]bool{}
	reported := 0.
	for r := range d.Reports(from, from.AddDate(0, 0, 30), time.Minute) {
		if !seen[r.Time] {
			reported += number(t, r.Values, "rainfall")
		}
		seen[r.Time] = true
	}
	if fallen < 30 {
		t.Fatalf("only %v mm fell in July, so that the test proves little", fallen)
	}
	// Some of it may be lost in a gap.
	assertBetween(t, "the reported share of the rain", reported/fallen, .85, 1.02)
}

func TestSomeReportsAreLateRepeatedOrLost(t *testing.T) {
	t.Parallel()
	late, twice, gaps := 0, 0, 0
	f := testFarm(t)
	for _, name := range []string{"WS-0417", "WS-0422", "GC-0032", "GC-0033"} {
		d := findDevice(t, f, name)
		times := map[int64]int{}
		for r := range d.Reports(demoNow.AddDate(0, 0, -30), demoNow, time.Minute) {
			times[r.Time.UnixMilli()]++
			if r.Sent.Sub(r.Time) > 10*time.Second {
				late++
			}
		}
		var sorted []int64
		for at, count := range times {
			sorted = append(sorted, at)
			if count == 2 {
				twice++
			}
			if count > 2 {
				t.Fatalf("%s: a report arrives %d times", name, count)
			}
		}
		slices.Sort(sorted)
		for i := 1; i < len(sorted); i++ {
			if sorted[i]-sorted[i-1] > 5*60000 {
				gaps++
			}
		}
	}
	assertBetween(t, "late reports", float64(late), 1000, 6000)
	assertBetween(t, "reports sent twice", float64(twice), 500, 1300)
	assertBetween(t, "gaps that nothing fills", float64(gaps), 1, 10)
}
