package alarm

import (
	"slices"
	"time"

	"tilth/internal/domain/tenant"
)

// lengthOf is the index of the shortest of Stated that is not below a time (ms). It is len(Stated)
// where all are below.
func lengthOf(ms int64) int {
	i, _ := slices.BinarySearchFunc(Stated[:], ms, func(t time.Duration, ms int64) int {
		return int(t.Milliseconds() - ms)
	})
	return i
}

// durationTally counts episodes by lengthOf.
type durationTally [len(Stated) + 1]int

// longest is the greatest length of any; -1: there are none.
func (t *durationTally) longest() int {
	for i := len(t) - 1; i >= 0; i-- {
		if t[i] > 0 {
			return i
		}
	}
	return -1
}

// longerThan counts those above a length.
func (t *durationTally) longerThan(length int) (n int) {
	for _, one := range t[length+1:] {
		n += one
	}
	return n
}

// episodeTally counts the episodes of a rule, on one device or on several.
type episodeTally struct {
	all, byDay durationTally
	nights     map[int64]int // the greatest length of an episode in each night, by nightOf
}

func (t *episodeTally) add(length int, atNight bool, night int64) {
	t.all[length]++
	if !atNight {
		t.byDay[length]++
		return
	}
	if t.nights == nil {
		t.nights = map[int64]int{}
	}
	t.nights[night] = max(t.nights[night], length)
}

// longerThan counts the episodes above a length. If all were at night, it counts their nights, too.
func (t *episodeTally) longerThan(length int) (n, nights int) {
	n = t.all.longerThan(length)
	if t.byDay.longerThan(length) > 0 {
		return n, 0
	}
	for _, longest := range t.nights {
		if longest > length {
			nights++
		}
	}
	return n, nights
}

// nightOf names the night of an instant (epoch ms) by the day on which it began, since a night lasts
// over midnight.
func nightOf(at int64, zone *time.Location) int64 {
	begin, _ := tenant.DayBounds(at-12*time.Hour.Milliseconds(), zone)
	return begin
}
