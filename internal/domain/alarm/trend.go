package alarm

import (
	"context"
	"math"
	"slices"
	"time"

	"tilth/internal/domain/reading"
)

// A Trend is by how much a number rose or fell over a span that suits its quantity.
type Trend struct {
	Change float64 // not 0; in the property's unit, rounded to its decimals
	Span   time.Duration
}

const (
	// The two ends of a span from which its change is made, as parts of it: the shortest that has
	// enough readings. Short ones follow what is measured more closely.
	shortestEnd, longestEnd = 8, 2
	endLeast                = 3  // fewer readings at either end make no trend
	endMost                 = 32 // of more readings at an end, every second, third ... counts
	trendLate               = 2  // a newest reading that is older than this part of the span makes no trend
	deviationOfMedian       = 1.4826
)

// Range calls fn for a device's readings, as reading.Store does.
type Range func(
	ctx context.Context, from, to int64, fn func(at int64, fields []reading.Field) error,
) error

// TrendAt gives the trend of a number over a span up to its newest reading, rounded to decimals. It is
// nil where the span is 0, where either end of it has too few readings or the newest is old, and where
// the change is not more than the scatter of the readings or is 0 when rounded.
//
// It compares the end of the span with its beginning, by the median of the slopes between each
// reading of one and each of the other (Theil and Sen, of those pairs that lie about a span apart).
// So single outliers and the noise of either end do not count, and neither does the time of day in a
// span of a day, which bends the line that is closest to all readings. What is read does not grow with
// what lies between the ends.
func TrendAt(ctx context.Context, readings Range, span time.Duration, decimals int, newest, now int64) (*Trend, error) {
	ms := span.Milliseconds()
	if ms == 0 || now-newest > ms/trendLate {
		return nil, nil
	}
	for part := int64(shortestEnd); part >= longestEnd; part /= 2 {
		last, err := endOf(ctx, readings, newest, ms/part)
		if err != nil {
			return nil, err
		}
		first, err := endOf(ctx, readings, newest-ms, ms/part)
		if err != nil {
			return nil, err
		}
		if len(last) >= endLeast && len(first) >= endLeast {
			return trendBetween(first, last, span, decimals), nil
		}
	}
	return nil, nil
}

// endOf reads the numbers of the time of a length up to a moment.
func endOf(ctx context.Context, readings Range, to, length int64) ([]point, error) {
	var all []point
	err := readings(ctx, to-length+1, to, func(at int64, fields []reading.Field) error {
		if v := fields[0].Value; v.Kind() == reading.KindNumber {
			all = append(all, point{float64(at), v.Float()})
		}
		return nil
	})
	step := (len(all) + endMost - 1) / endMost
	if step < 2 {
		return all, err
	}
	var some []point
	for i := 0; i < len(all); i += step {
		some = append(some, all[i])
	}
	return some, err
}

// trendBetween makes the trend of two ends, both oldest first.
func trendBetween(first, last []point, span time.Duration, decimals int) *Trend {
	slopes := make([]float64, 0, len(first)*len(last))
	for _, a := range first {
		for _, b := range last {
			slopes = append(slopes, (b.v-a.v)/(b.t-a.t))
		}
	}
	change := median(slopes) * float64(span.Milliseconds())
	if math.Abs(change) <= scatter(first, last) {
		return nil
	}
	unit := math.Pow10(decimals)
	rounded := math.Round(change*unit) / unit
	if rounded == 0 {
		return nil
	}
	return &Trend{Change: rounded, Span: span}
}

// scatter is the standard deviation of readings around their neighbours: of each from the middle of
// the two beside it, which a steady rise or fall leaves at 0.
func scatter(ends ...[]point) float64 {
	var off []float64
	for _, points := range ends {
		for i := 1; i < len(points)-1; i++ {
			off = append(off, math.Abs(points[i].v-(points[i-1].v+points[i+1].v)/2))
		}
	}
	return median(off) * deviationOfMedian / math.Sqrt(1.5)
}

// median sorts all, which must not be empty.
func median(all []float64) float64 {
	slices.Sort(all)
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}
