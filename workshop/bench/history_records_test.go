package bench

import (
	"strings"
	"testing"
	"time"
)

var someDay = time.Date(2026, 7, 9, 15, 4, 5, 0, time.UTC)

// someRecords returns 5 days of two devices, with a reading every hour, no two alike.
func someRecords(t *testing.T) *Records {
	t.Helper()
	r, err := NewRecords([]string{"A", "B"}, []string{"warmth", "rain"}, 5, time.Hour, someDay)
	if err != nil {
		t.Fatal(err)
	}
	for d := range r.Values {
		for p := range r.Values[d] {
			for n := range r.Values[d][p] {
				r.Values[d][p][n] = float64(d*1000+p*500+n*37%121) / 10
			}
		}
	}
	return r
}

func TestReadingsAreOffBucketBounds(t *testing.T) {
	for days := 5; days <= 30; days += 5 {
		r, err := NewRecords([]string{"A"}, []string{"p"}, days, time.Minute, someDay)
		if err != nil {
			t.Fatal(err)
		}
		last := r.Time(r.Count() - 1)
		s := r.all()
		if !last.Before(someDay) || someDay.Sub(last) > 12*24*time.Hour || r.Start.Truncate(24*time.Hour) != r.Start {
			t.Errorf("%d days: from %s to %s", days, r.Start, last)
		}
		if s.from%r.width() != 0 || (s.to-s.from+1) != r.width()*int64(r.buckets()) || r.buckets() > maxBuckets ||
			s.to-s.from >= int64(days)*24*3_600_000 {
			t.Errorf("%d days: %+v in buckets of %d", days, s, r.width())
		}
		for n := range r.Count() {
			if at := r.Time(n).UnixMilli(); at%r.width() == 0 || at > s.to {
				t.Fatalf("%d days: reading %d is on a bucket's bound", days, n)
			}
		}
	}
	for says, f := range map[string]func() (*Records, error){
		"no devices": func() (*Records, error) { return NewRecords(nil, []string{"p"}, 5, time.Minute, someDay) },
		"7 days":     func() (*Records, error) { return NewRecords([]string{"A"}, []string{"p"}, 7, time.Minute, someDay) },
		"a step":     func() (*Records, error) { return NewRecords([]string{"A"}, []string{"p"}, 5, 7*time.Minute, someDay) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// fillAnswer fills in the correct answer.
func fillAnswer(r *Records, device int, s span, a *answer) {
	first, end := r.within(s)
	for p := range r.Properties {
		for n := first; n < end; n++ {
			at, v := r.Time(n).UnixMilli(), r.Values[device][p][n]
			a.points[p] = append(a.points[p], point{at, v})
			a.buckets[p][(at-r.all().from)/r.width()].add(v)
		}
	}
}

func TestAnswersAreCompared(t *testing.T) {
	r := someRecords(t)
	a := newAnswer(2)
	fillAnswer(r, 1, r.all(), a)
	if err := r.checkPoints(1, r.all(), a); err != nil {
		t.Error(err)
	}
	if err := r.checkBuckets(1, a); err != nil {
		t.Error(err)
	}
	if r.checkPoints(0, r.all(), a) == nil || r.checkBuckets(0, a) == nil || r.checkPoints(1, r.day(2), a) == nil {
		t.Error("the answer of another device or day is accepted")
	}
	for what, spoil := range map[string]func(){
		"a time":   func() { a.points[1][3].Time++ },
		"a value":  func() { a.points[0][119].Value += 0.1 },
		"one less": func() { a.points[0] = a.points[0][1:] },
		"one more": func() { a.points[1] = append(a.points[1], point{}) },
	} {
		a.clear()
		fillAnswer(r, 1, r.all(), a)
		if spoil(); r.checkPoints(1, r.all(), a) == nil {
			t.Errorf("%s makes no difference", what)
		}
	}
	a.clear()
	fillAnswer(r, 1, r.all(), a)
	a.buckets[1][2].high++
	if r.checkBuckets(1, a) == nil {
		t.Error("a wrong bucket is accepted")
	}
	if a.clear(); r.checkBuckets(1, a) == nil || len(a.points[0]) != 0 {
		t.Error("clear leaves values")
	}
}

func TestDay(t *testing.T) {
	r := someRecords(t)
	first, end := r.within(r.day(7)) // the third of five
	if first != 48 || end != 72 {
		t.Errorf("%d to %d", first, end)
	}
	if first, end = r.within(r.all()); first != 0 || end != 120 {
		t.Errorf("%d to %d", first, end)
	}
	if first, end = r.within(span{0, r.all().to * 2}); first != 0 || end != 120 {
		t.Errorf("%d to %d", first, end)
	}
}
