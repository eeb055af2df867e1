package bench

import (
	"fmt"
	"time"
)

// Records are the readings that a history run writes into every store: for each device and property
// one reading at each step, without gaps.
type Records struct {
	Devices    []string
	Properties []string
	Start      time.Time     // beginning of the range, at midnight
	Days       int           // length of the range; a multiple of 5
	Step       time.Duration // between readings
	// Values are by device, property and reading.
	Values [][][]float64
}

const (
	// maxBuckets is the most buckets in the query for about a thousand points: each bucket has a
	// lowest and a highest value.
	maxBuckets = 480
	// readingOffset is how long after the beginning of its step a reading is. Bounds of buckets are
	// at full minutes, so that no reading is on a bound and stores cannot differ in the bucket that
	// they count it in.
	readingOffset = 5 * time.Second
)

// NewRecords makes Records without values that end before now. days must be a multiple of 5 and the
// step a multiple of a minute that divides a day.
func NewRecords(devices, properties []string, days int, step time.Duration, now time.Time) (*Records, error) {
	const day = 24 * time.Hour
	switch {
	case len(devices) == 0 || len(properties) == 0:
		return nil, fmt.Errorf("no devices, or none of their properties")
	case days < 5 || days%5 != 0:
		return nil, fmt.Errorf("%d days: a multiple of 5 is needed", days)
	case step < time.Minute || step%time.Minute != 0 || day%step != 0:
		return nil, fmt.Errorf("a step of %s: full minutes that fill a day are needed", step)
	}
	r := &Records{Devices: devices, Properties: properties, Days: days, Step: step}
	r.Start = now.UTC().Truncate(day).Add(-time.Duration(days) * day)
	// Some stores align buckets to 1970; the range must begin at such a bound.
	for r.Start.UnixMilli()%r.width() != 0 {
		r.Start = r.Start.Add(-day)
	}
	r.makeValues()
	return r, nil
}

func (r *Records) makeValues() {
	r.Values = make([][][]float64, len(r.Devices))
	for d := range r.Devices {
		r.Values[d] = make([][]float64, len(r.Properties))
		for p := range r.Properties {
			r.Values[d][p] = make([]float64, r.Count())
		}
	}
}

// Count returns how many readings a property of a device has.
func (r *Records) Count() int { return r.Days * int(24*time.Hour/r.Step) }

// Total returns how many values there are in all.
func (r *Records) Total() int { return len(r.Devices) * len(r.Properties) * r.Count() }

// Time returns the time of reading number n.
func (r *Records) Time(n int) time.Time { return r.Start.Add(time.Duration(n)*r.Step + readingOffset) }

// width returns the length of a bucket in ms. As in tilth, it is a multiple of half an hour from 75
// minutes on.
func (r *Records) width() int64 {
	const halfHour = 1_800_000
	width := int64(r.Days) * 24 * 3_600_000 / maxBuckets
	if width >= halfHour*5/2 {
		width = (width + halfHour - 1) / halfHour * halfHour
	}
	return width
}

// buckets returns the number of buckets; together they are as long as the range.
func (r *Records) buckets() int { return int(int64(r.Days) * 24 * 3_600_000 / r.width()) }

// span is a range of time; both ends are included, epoch ms.
type span struct{ from, to int64 }

func (r *Records) all() span {
	from := r.Start.UnixMilli()
	return span{from, from + int64(r.Days)*24*3_600_000 - 1}
}

func (r *Records) day(n int) span {
	from := r.Start.AddDate(0, 0, n%r.Days).UnixMilli()
	return span{from, from + 24*3_600_000 - 1}
}

// bucket is the lowest and the highest reading within a range of time.
type bucket struct {
	low, high float64
	filled    bool
}

func (b *bucket) add(v float64) {
	if !b.filled {
		*b = bucket{v, v, true}
		return
	}
	b.low, b.high = min(b.low, v), max(b.high, v)
}

// answer is a store's response, by property. It is reused, so that no store's time includes
// allocating memory.
type answer struct {
	points     [][]point
	buckets    [][]bucket
	aggregates [][]aggregate // only of questions about years
}

func newAnswer(properties int) *answer {
	a := &answer{points: make([][]point, properties), buckets: make([][]bucket, properties)}
	for i := range a.buckets {
		a.buckets[i] = make([]bucket, maxBuckets)
	}
	return a
}

func (a *answer) clear() {
	for i := range a.points {
		a.points[i] = a.points[i][:0]
		clear(a.buckets[i])
	}
	for _, list := range a.aggregates {
		for n := range list {
			list[n] = missingAggregate
		}
	}
}

// checkPoints returns an error if an answer differs from a device's readings in a span.
func (r *Records) checkPoints(device int, s span, a *answer) error {
	first, end := r.within(s)
	for p, name := range r.Properties {
		got := a.points[p]
		if len(got) != end-first {
			return fmt.Errorf("%s of %s: %d readings, %d were written", name, r.Devices[device], len(got), end-first)
		}
		for n, want := range r.Values[device][p][first:end] {
			if at := r.Time(first + n).UnixMilli(); got[n] != (point{at, want}) {
				return fmt.Errorf(
					"%s of %s: %v at %d, written was %v at %d",
					name,
					r.Devices[device],
					got[n].Value,
					got[n].Time,
					want,
					at,
				)
			}
		}
	}
	return nil
}

// checkBuckets returns an error if an answer in buckets over the whole range differs.
func (r *Records) checkBuckets(device int, a *answer) error {
	from, width := r.Start.UnixMilli(), r.width()
	for p, name := range r.Properties {
		want := make([]bucket, r.buckets())
		for n, v := range r.Values[device][p] {
			want[(r.Time(n).UnixMilli()-from)/width].add(v)
		}
		for n := range want {
			if a.buckets[p][n] != want[n] {
				return fmt.Errorf(
					"%s of %s: bucket %d is %+v, written was %+v",
					name,
					r.Devices[device],
					n,
					a.buckets[p][n],
					want[n],
				)
			}
		}
	}
	return nil
}

// within returns the indexes of the readings in a span; end is not included.
func (r *Records) within(s span) (first, end int) {
	step, begin := r.Step.Milliseconds(), r.Time(0).UnixMilli()
	first = max(0, int((s.from-begin+step-1)/step))
	return first, min(r.Count(), int((s.to-begin)/step)+1)
}
