package console

import (
	"testing"
	"time"

	"tilth/internal/domain/reading"
)

// A range may begin after the midnight that ends its day: in St John's, until 2011, clocks went from a
// minute after midnight back to the day before.
func TestOnTimesBeginInAnHourThatComesTwice(t *testing.T) {
	zone, err := time.LoadLocation("America/St_Johns")
	if err != nil {
		t.Fatal(err)
	}
	minute := time.Minute.Milliseconds()
	from := time.Date(2010, 11, 7, 3, 0, 0, 0, time.UTC).UnixMilli() // 23:30 for the second time
	o := newOnTimes(0, 0, zone)
	if err := o.add(reading.Phase{From: from, To: from + 150*minute, State: reading.SwitchOn}); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, d := range o.data.Days {
		sum += d.Sum.On
	}
	if sum != 150*minute || o.data.Total.On != sum {
		t.Errorf("%d ms by day, %d in all, want %d", sum, o.data.Total.On, 150*minute)
	}
}

// An answer has at most so many phases; the sums are of all.
func TestOnTimesWithTooManyPhases(t *testing.T) {
	minute := time.Minute.Milliseconds()
	o := newOnTimes(0, 0, time.UTC)
	for i := range int64(maxSwitchPhases + 1) {
		state := reading.SwitchOff
		if i%2 == 0 {
			state = reading.SwitchOn
		}
		if err := o.add(reading.Phase{From: i * minute, To: (i + 1) * minute, State: state}); err != nil {
			t.Fatal(err)
		}
		if has := o.data.Phases != nil; has != (i < maxSwitchPhases) {
			t.Fatalf("after %d phases: %t", i+1, has)
		}
	}
	half := maxSwitchPhases / 2
	if sum := o.data.Total; sum.On != int64(half+1)*minute || sum.Off != int64(half)*minute || sum.Starts != half ||
		sum.Stops != half {
		t.Errorf("%+v", sum)
	}
}
