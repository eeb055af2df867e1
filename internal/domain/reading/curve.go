package reading

import (
	"context"
	"math"
	"slices"

	"tilth/internal/domain/device"
)

// A calibration corrects what a sensor measured, and so does the clamp of a property. Readings stay on
// disk as they arrived; every reader corrects them with the curves of the device. So nothing is lost when
// a calibration is undone.

// Fact is a calibration of a property from a time on, until the next one.
type Fact struct {
	From int64 // epoch milliseconds
	// None says that the numbers count as they arrived. Otherwise a number becomes
	// True + (number - Raw) * Gain.
	None            bool
	Raw, True, Gain float64
}

// Curve is how the numbers of one property of a device are corrected. It does not change.
type Curve struct {
	Facts    []Fact // by From, which differ
	Decimals int    // to which a corrected number is rounded; negative: it is not rounded
	Min, Max float64
	Clamped  bool // numbers above Max are Max where no fact holds, too
}

// fact returns the fact of a time; nil: the number counts as it arrived.
func (c *Curve) fact(at int64) *Fact {
	i, found := slices.BinarySearchFunc(c.Facts, at, func(f Fact, at int64) int {
		switch {
		case f.From < at:
			return -1
		case f.From > at:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 || c.Facts[i].None {
		return nil
	}
	return &c.Facts[i]
}

// AppliesIn reports whether a number of a time in from..to (epoch ms) may be corrected.
func (c *Curve) AppliesIn(from, to int64) bool { return c.Clamped || c.factIn(from, to) }

// clamps reports whether a number without a fact is clamped.
func (c *Curve) clamps(num float64) bool { return c != nil && c.Clamped && num > c.Max }

// AppliesTo reports whether a number of a time in from..to (epoch ms) is corrected, if the highest of
// them arrived as highest.
func (c *Curve) AppliesTo(from, to int64, highest float64) bool {
	return c.clamps(highest) || c.factIn(from, to)
}

// factIn reports whether a fact holds at a time in from..to (epoch ms).
func (c *Curve) factIn(from, to int64) bool {
	if c.fact(from) != nil {
		return true
	}
	return slices.ContainsFunc(c.Facts, func(f Fact) bool { return !f.None && f.From > from && f.From <= to })
}

// Correct returns the corrected value of a time (epoch ms); applies is false if v counts as it arrived,
// as everything does that is no number.
func (c *Curve) Correct(at int64, v Value) (corrected Value, applies bool) {
	if c == nil || v.kind != KindNumber {
		return v, false
	}
	if f := c.fact(at); f != nil {
		return Number(c.correct(f, v.num)), true
	}
	if c.clamps(v.num) {
		return Number(c.Max), true
	}
	return v, false
}

// correct applies a fact to a number. What leaves the range of the property is at its edge, because the
// property has no other numbers.
func (c *Curve) correct(f *Fact, raw float64) float64 {
	corrected := f.True + (raw-f.Raw)*f.Gain
	if c.Decimals >= 0 && c.Decimals <= maxDecimals {
		if scaled := corrected * pow10[c.Decimals]; math.Abs(scaled) < maxExact {
			// A millionth of the last digit keeps halves from falling by an error of the arithmetic.
			corrected = math.Round(scaled+math.Copysign(1e-6, scaled)) / pow10[c.Decimals]
		}
	}
	return min(max(corrected, c.Min), c.Max)
}

// Curves are the curves of a device, by property. They do not change; devices of a product may share them.
type Curves map[device.PropertyID]*Curve

// ApplyIn reports whether a number of any of props (nil: of any property) at a time in from..to (epoch ms)
// may be corrected.
func (c Curves) ApplyIn(props []device.PropertyID, from, to int64) bool {
	for p, curve := range c {
		if (props == nil || slices.Contains(props, p)) && curve.AppliesIn(from, to) {
			return true
		}
	}
	return false
}

// factIn reports whether a fact of any of props (nil: of any property) holds at a time in from..to (epoch ms).
func (c Curves) factIn(props []device.PropertyID, from, to int64) bool {
	for p, curve := range c {
		if (props == nil || slices.Contains(props, p)) && curve.factIn(from, to) {
			return true
		}
	}
	return false
}

// Correct returns fields of a time (epoch ms) with corrected numbers: fields itself if none is corrected,
// otherwise a copy.
func (c Curves) Correct(at int64, fields []Field) []Field {
	own := false
	for i := range fields {
		v, applies := c[fields[i].Property].Correct(at, fields[i].Value)
		if !applies {
			continue
		}
		if !own {
			fields, own = slices.Clone(fields), true
		}
		fields[i].Value = v
	}
	return fields
}

// correctInPlace is Correct for fields that the caller may change.
func (c Curves) correctInPlace(at int64, fields []Field) {
	for i := range fields {
		fields[i].Value, _ = c[fields[i].Property].Correct(at, fields[i].Value)
	}
}

// correctBlock corrects the columns of a block.
func (c Curves) correctBlock(b *block) {
	if len(b.times) == 0 {
		return
	}
	first, last := b.times[0], b.times[len(b.times)-1]
	for i := range b.columns {
		curve := c[b.columns[i].property]
		if curve != nil && (curve.factIn(first, last) || curve.Clamped && b.columns[i].exceeds(curve.Max)) {
			curve.correctColumn(b.times, &b.columns[i])
		}
	}
}

// correctColumn corrects the values of a column. Digits stay digits if all numbers have few enough.
func (c *Curve) correctColumn(times []int64, col *column) {
	if col.numbers && c.correctDigits(times, col) {
		return
	}
	if col.numbers {
		col.values = slices.Grow(col.values[:0], len(col.digits))
		for i := range col.digits {
			col.values = append(col.values, col.value(i))
		}
		col.numbers = false
	}
	for i := range col.values {
		col.values[i], _ = c.Correct(times[col.rows[i]], col.values[i])
	}
}

// correctDigits is correctColumn for digits. It returns false, and changes nothing, if a number would need
// more digits than there are, or than the curve gives: a limit of the property may have any number of them.
func (c *Curve) correctDigits(times []int64, col *column) bool {
	decimals := max(c.Decimals, col.decimals)
	if c.Decimals < 0 || decimals > maxDecimals {
		return false
	}
	scale := pow10[decimals]
	corrected := func(i int) float64 {
		v, _ := c.Correct(times[col.rows[i]], col.value(i))
		return v.num
	}
	for i := range col.digits {
		n := corrected(i)
		if d := math.Round(n * scale); !(math.Abs(d) < maxExact) || d/scale != n {
			return false
		}
	}
	for i := range col.digits {
		col.digits[i] = int64(math.Round(corrected(i) * scale))
	}
	col.decimals = decimals
	return true
}

// exceeds reports whether a number of a column is above a limit.
func (c *column) exceeds(limit float64) bool {
	if c.numbers {
		scale := pow10[c.decimals]
		return slices.ContainsFunc(c.digits, func(d int64) bool { return float64(d)/scale > limit })
	}
	return slices.ContainsFunc(c.values, func(v Value) bool { return v.kind == KindNumber && v.num > limit })
}

// Curves returns the curves of a device; nil: it has none.
func (s *Store) Curves(ref device.Ref) Curves {
	s.curves.RLock()
	c, ofOthers := s.curves.byDevice[ref], s.curves.ofOthers
	s.curves.RUnlock()
	if c == nil && ofOthers != nil {
		return ofOthers(ref)
	}
	return c
}

// SetOtherCurves has f tell the curves of the devices without curves of their own; nil: they have none.
// f must be quick, and must not call the store.
func (s *Store) SetOtherCurves(f func(device.Ref) Curves) {
	s.curves.Lock()
	defer s.curves.Unlock()
	s.curves.ofOthers = f
}

// SetCurves sets the curves of a device. Readers that have begun go on with those of before. The caller
// must not change them any more; none: the device's readings count as they arrived.
func (s *Store) SetCurves(ref device.Ref, c Curves) {
	s.curves.Lock()
	defer s.curves.Unlock()
	if len(c) == 0 {
		delete(s.curves.byDevice, ref)
		return
	}
	if s.curves.byDevice == nil {
		s.curves.byDevice = map[device.Ref]Curves{}
	}
	s.curves.byDevice[ref] = c
}

type rawKey struct{}

// WithRaw makes readers that are given the context return numbers as they arrived.
func WithRaw(ctx context.Context) context.Context { return context.WithValue(ctx, rawKey{}, true) }

// CurvesFor returns the curves with which a reader that is given the context corrects; nil: it does not.
func (s *Store) CurvesFor(ctx context.Context, ref device.Ref) Curves {
	c := s.Curves(ref)
	if c == nil || ctx.Value(rawKey{}) != nil {
		return nil
	}
	return c
}
