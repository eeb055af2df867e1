package reading

import (
	"slices"
	"sync"

	"tilth/internal/domain/device"
)

// Point is one reading of one property.
type Point struct {
	Time  int64 // epoch milliseconds
	Value Value
}

// Downsampled holds the readings of one property that a chart draws.
type Downsampled struct {
	Times  []int64 // epoch milliseconds, ascending
	Bucket int64   // length of a bucket, ms; 0: Times has all the readings, or all the changes

	// The values at the times.
	numbers []float64 // while all of them are numbers
	values  []Value   // otherwise
}

// Points returns the readings, oldest first.
func (o *Downsampled) Points() []Point {
	points := make([]Point, len(o.Times))
	for i := range points {
		points[i] = o.point(i)
	}
	return points
}

func (o *Downsampled) point(i int) Point { return Point{Time: o.Times[i], Value: o.Value(i)} }

// Value returns the reading at Times[i].
func (o *Downsampled) Value(i int) Value {
	if len(o.values) > 0 {
		return o.values[i]
	}
	return Number(o.numbers[i])
}

// AppendJSON appends the readings at Times[from:to] to dst as JSON, separated by commas.
func (o *Downsampled) AppendJSON(dst []byte, from, to int) []byte {
	if len(o.values) == 0 {
		return appendJSONNumbers(dst, o.numbers[from:to])
	}
	for i, v := range o.values[from:to] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = v.AppendJSON(dst)
	}
	return dst
}

// downsampledPool holds empty Downsampled whose memory is reused; maxPooledReadings is the largest
// capacity that one may have.
var downsampledPool = sync.Pool{New: func() any { return new(Downsampled) }}

const maxPooledReadings = 1 << 13

// Release returns the memory of results to the pool. The caller must not read any of them
// afterwards.
func Release(results map[device.PropertyID]Downsampled) {
	for p, o := range results {
		if len(o.values) == 0 && cap(o.Times) <= maxPooledReadings && cap(o.numbers) <= maxPooledReadings {
			downsampledPool.Put(&Downsampled{Times: o.Times[:0], numbers: o.numbers[:0]})
		}
		delete(results, p)
	}
}

// grow makes room for that many more readings, of numbers or of other values.
func (o *Downsampled) grow(more int, numbers bool) {
	if more <= 0 {
		return
	}
	if o.Times == nil && numbers && more <= maxPooledReadings {
		spare := downsampledPool.Get().(*Downsampled)
		o.Times, o.numbers = spare.Times, spare.numbers
	}
	if cap(o.Times)-len(o.Times) < more {
		o.Times = slices.Grow(o.Times, more)
	}
	if numbers && len(o.values) == 0 {
		o.numbers = slices.Grow(o.numbers, more)
	} else {
		o.values = slices.Grow(o.values, more)
	}
}

func (o *Downsampled) add(p Point) {
	if p.Value.kind == KindNumber {
		o.addNumber(numberPoint{p.Time, p.Value.num})
		return
	}
	if len(o.values) == 0 { // the first value that is not a number
		for _, num := range o.numbers {
			o.values = append(o.values, Number(num))
		}
		o.numbers = o.numbers[:0]
	}
	o.Times, o.values = append(o.Times, p.Time), append(o.values, p.Value)
}

func (o *Downsampled) addNumber(n numberPoint) {
	o.Times = append(o.Times, n.time)
	if len(o.values) == 0 {
		o.numbers = append(o.numbers, n.value)
	} else {
		o.values = append(o.values, Number(n.value))
	}
}
