package farm

import (
	"math"
	"testing"
	"time"
)

func TestSlotsAreEvenWithJitter(t *testing.T) {
	for _, every := range []time.Duration{
		50 * time.Millisecond, 5 * time.Second, 10 * time.Second, time.Minute, 15 * time.Minute,
	} {
		s := newPlan(1, "device").slots(every)
		last := s.at(999)
		spread := 0.
		for k := int64(1000); k < 3000; k++ {
			now := s.at(k)
			if now <= last {
				t.Fatalf("every %v: slot %d is at %d, the one before at %d", every, k, now, last)
			}
			last = now
			spread = max(spread, math.Abs(float64(now-s.due(k))))
			if d := s.due(k+1) - s.due(k); d != every.Milliseconds() {
				t.Fatalf("every %v: %d ms", every, d)
			}
		}
		assertBetween(t, "the jitter", spread, .9*float64(s.jitter)-1, min(2000, float64(every.Milliseconds())/5))
	}
}

func TestDevicesAreSpreadOverTheInterval(t *testing.T) {
	var tenths [10]int
	for i := range 500 {
		s := newPlan(1, "device-"+string(rune('A'+i))).slots(10 * time.Second)
		tenths[s.offset/1000]++
	}
	for i, c := range tenths {
		if c < 25 {
			t.Errorf("only %d of 500 devices report in second %d", c, i)
		}
	}
}

func TestFirstSlot(t *testing.T) {
	s := newPlan(1, "device").slots(10 * time.Second)
	for _, ms := range []int64{-123456, 0, 1, 1790000000000, 1790000004321, 1790000009999} {
		k := s.first(ms)
		if s.due(k)+s.jitter < ms {
			t.Errorf("slot %d cannot be measured at or after %d", k, ms)
		}
		if s.due(k-1)+s.jitter >= ms {
			t.Errorf("slot %d could be measured at or after %d", k-1, ms)
		}
	}
}

// reportFates counts how the reports of many device-days arrive.
type reportFates struct {
	reports, lost, late, twice, onTime, batched float64
}

func sample(t *testing.T, devices, days int) reportFates {
	t.Helper()
	s := ankara(t)
	var f reportFates
	for i := range devices {
		p := newPlan(3, "device-"+string(rune('A'+i)))
		slots := p.slots(5 * time.Minute)
		start := int64(s.start(dayOf(2026, 1, 1)) * 1000)
		for k := slots.first(start); slots.due(k) < start+int64(days)*secondsADay*1000; k++ {
			ms := slots.at(k)
			f.reports++
			var sent []int64
			p.arrivals(s, ms, func(at int64) { sent = append(sent, at) })
			if len(sent) == 0 {
				f.lost++
				continue
			}
			if len(sent) > 2 || sent[0] < ms || float64(sent[len(sent)-1]-ms) > longestWait {
				t.Fatalf("a report of %d arrives at %v", ms, sent)
			}
			if len(sent) == 2 {
				f.twice++
			}
			switch _, gap := p.gapAt(s, ms); {
			case gap:
				f.batched++
			case sent[0] > ms:
				f.late++
			default:
				f.onTime++
			}
		}
	}
	return f
}

func TestFatesOfReports(t *testing.T) {
	f := sample(t, 40, 100)
	// .04 gaps a day of 1.5 hours on average are a quarter of a percent of the time.
	gaps := gapChance * 1.5 / 24
	assertBetween(t, "share in gaps", (f.batched+f.lost)/f.reports, gaps*.7, gaps*1.3)
	assertBetween(t, "share of the gaps that comes later", f.batched/(f.batched+f.lost), .45, .9)
	assertBetween(t, "share late", f.late/f.reports, .008, .012)
	assertBetween(t, "share sent twice", f.twice/f.reports, .004, .006)
	assertBetween(t, "share on time", f.onTime/f.reports, .98, .995)
}

func TestBatchesComeInOrderAfterTheGap(t *testing.T) {
	s := ankara(t)
	for i := range 400 {
		p := newPlan(8, "device-"+string(rune('A'+i)))
		for n := dayOf(2026, 1, 1); n < dayOf(2026, 2, 1); n++ {
			g, ok := p.gapOn(s, n)
			if !ok || g.lost || g.until-g.from < 600000 {
				continue
			}
			// No late or repeated report arrives meanwhile.
			for ms := g.from - 3*lateLongest; ms < g.from; ms += 500 {
				p.arrivals(s, ms, func(sent int64) {
					if sent >= g.from && sent < g.until {
						t.Fatalf("%d arrives at %d, in the gap from %d to %d", ms, sent, g.from, g.until)
					}
				})
			}
			var last int64
			for ms := g.from; ms < g.until; ms += 60000 {
				p.arrivals(s, ms, func(sent int64) {
					if sent < g.until || sent <= last || sent > g.until+60000 {
						t.Fatalf("%d arrives at %d, the gap ends at %d", ms, sent, g.until)
					}
					last = sent
				})
			}
			return
		}
	}
	t.Fatal("no gap in a month of 400 devices")
}

// Every report that arrives from a time on was measured at or after earliestRelevant.
func TestEarliestRelevant(t *testing.T) {
	s := ankara(t)
	far := 0
	for i := range 60 {
		p := newPlan(11, "device-"+string(rune('A'+i)))
		first := int64(s.start(dayOf(2026, 1, 10)) * 1000)
		for _, start := range []int64{first, first + 5*3600000, first + 13*3600000} {
			back := p.earliestRelevant(s, start)
			if start-back > longestWait || start-back < shortWait {
				t.Fatalf("%d ms back", start-back)
			}
			if start-back > shortWait {
				far++
			}
			for ms := start - longestWait; ms < back; ms += 20000 {
				p.arrivals(s, ms, func(sent int64) {
					if sent >= start {
						t.Fatalf("the report of %d arrives at %d, but the earliest relevant time is %d", ms, sent, back)
					}
				})
			}
		}
	}
	if far == 0 {
		t.Error("sixty devices have no gap, so that the test proves little")
	}
}
