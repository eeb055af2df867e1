package reading

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

// The daily aggregates of a device-day are one entry. Its value has for each property with numbers,
// in order: the property (difference from the previous one) and the count as varints, then the
// lowest, the highest and the sum as frames hold numbers. An empty value means that the day could not
// be summarised, because it is damaged: its readings count.
//
// The entry describes the day's segments and is written with them. It says nothing about frames that
// are not sealed; while a device-day has any, its readings count. All sealed days from
// Store.aggregatedFrom on have their entries; a device-day without numbers has none.
//
// The keys hold the days of one device next to each other, for 64 days at a time, so that ten years
// are some sixty places, and retention deletes 64 days with one range delete.

// propertyTotal is the aggregate of all numbers of a property in a segment or a day.
type propertyTotal struct {
	property device.PropertyID
	total    Aggregate
}

// mergeTotals adds the totals of a later segment of the same day; both are sorted by property.
func mergeTotals(day, segment []propertyTotal) []propertyTotal {
	for i := range segment {
		at, found := slices.BinarySearchFunc(day, segment[i].property,
			func(t propertyTotal, p device.PropertyID) int { return int(int64(t.property) - int64(p)) })
		if found {
			day[at].total.merge(&segment[i].total)
		} else {
			day = slices.Insert(day, at, segment[i])
		}
	}
	return day
}

func encodeDayAggregates(totals []propertyTotal) (dst []byte) {
	before := device.PropertyID(0)
	for i := range totals {
		t := &totals[i]
		dst = binary.AppendUvarint(dst, uint64(t.property-before))
		dst = binary.AppendUvarint(dst, uint64(t.total.Count))
		for _, num := range []float64{t.total.Lowest, t.total.Highest, t.total.Sum} {
			dst = appendNumber(dst, num)
		}
		before = t.property
	}
	return dst
}

// decodeDayAggregates calls fn for each of the wanted properties (sorted; nil: all) of an entry.
func decodeDayAggregates(raw []byte, wanted []device.PropertyID, fn func(p device.PropertyID, a Aggregate)) error {
	property := uint64(0)
	for first := true; len(raw) > 0; first = false {
		step, n := binary.Uvarint(raw)
		if n <= 0 || !first && step == 0 || step > math.MaxUint32 {
			return ErrCorrupt
		}
		count, m := binary.Uvarint(raw[n:])
		if m <= 0 || count == 0 || count > uint64(msPerDay) {
			return ErrCorrupt
		}
		raw = raw[n+m:]
		if property += step; property > math.MaxUint32 {
			return ErrCorrupt
		}
		p := device.PropertyID(property)
		take := isWanted(p, wanted)
		var numbers [3]float64
		for i := range numbers {
			if !take {
				_, _, end, err := cutHead(raw)
				if err != nil {
					return err
				}
				raw = raw[end:]
				continue
			}
			v, end, err := cutValue(raw)
			if err != nil {
				return err
			}
			if v.kind != KindNumber {
				return ErrCorrupt
			}
			numbers[i], raw = v.num, raw[end:]
		}
		if take {
			fn(p, Aggregate{Count: int(count), Lowest: numbers[0], Highest: numbers[1], Sum: numbers[2], decimals: -1})
		}
	}
	return nil
}

// takeDays adds the daily aggregates of the days of r that have them, and returns the other days.
// complete is the first day from which on all sealed days have them.
func (g *aggregators) takeDays(r *rows, complete int32) (others []dayState, err error) {
	days := r.days
	if i, _ := find(days, complete); i > 0 {
		others = slices.Clone(days[:i])
		days = days[i:]
	}
	it := (*pebble.Iterator)(nil)
	if err := r.clone(&it); err != nil {
		return nil, err
	}
	defer closeInto(&err, it)
	var reader dayAggregatesReader
	for n, day := range days {
		if n%yieldEvery == 0 {
			if err := r.yieldOrStop(); err != nil {
				return nil, err
			}
		}
		hot, err := r.hasHot(day)
		if err != nil {
			return nil, err
		}
		begin := int64(day.day) * msPerDay
		if hot || !day.sealed || r.store.isDamaged(r.query.ref, day.day) ||
			r.query.curves.factIn(r.query.wanted, begin, begin+msPerDay-1) {
			others = append(others, day)
			continue
		}
		var raw []byte
		var found bool
		if day.missing {
			if err := r.fetch(day, days[n+1:]); err != nil {
				return nil, err
			}
			raw = r.fetched.aggregates[day.day]
			found = raw != nil
		} else if raw, found, err = reader.read(it, r.query.ref, day.day); err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		exceeds := false
		if raw != nil && r.query.curves != nil {
			if exceeds, err = r.query.curves.exceededIn(raw, r.query.wanted); err != nil {
				return nil, fmt.Errorf("reading: %s: %w", printKey(it.Key()), err)
			}
		}
		if len(raw) == 0 || exceeds {
			others = append(others, day)
			continue
		}
		if err := decodeDayAggregates(raw, r.query.wanted, func(p device.PropertyID, a Aggregate) {
			a.Time = begin
			g.byProperty[p] = append(g.byProperty[p], a)
		}); err != nil {
			return nil, fmt.Errorf("reading: %s: %w", printKey(it.Key()), err)
		}
	}
	return others, nil
}

// exceededIn reports whether a number of the wanted properties in an entry is above what it is clamped to.
func (c Curves) exceededIn(raw []byte, wanted []device.PropertyID) (exceeded bool, err error) {
	err = decodeDayAggregates(raw, wanted, func(p device.PropertyID, a Aggregate) {
		exceeded = exceeded || c[p].clamps(a.Highest)
	})
	return exceeded, err
}

// hasHot reports whether the device of r has frames that are not sealed on a day.
func (r *rows) hasHot(day dayState) (bool, error) {
	if !day.hot {
		return false, nil
	}
	r.active = r.active[:0]
	err := r.startHot(day)
	hot := len(r.active) > 0
	r.active = r.active[:0]
	return hot, err
}

// dayAggregatesReader finds the entries of one device, in ascending order of days.
type dayAggregatesReader struct {
	key    []byte
	placed bool // the iterator is at the first entry that is not before the last key
}

// read returns the entry of a day; found is false if there is none.
func (d *dayAggregatesReader) read(it *pebble.Iterator, ref device.Ref, day int32) (raw []byte, found bool, err error) {
	d.key = appendDayAggregatesKey(d.key[:0], ref, day)
	valid := d.placed && it.Valid()
	switch {
	case !d.placed:
		valid, d.placed = it.SeekGE(d.key), true
	case valid && bytes.Compare(it.Key(), d.key) < 0:
		// Usually the next entry is the one.
		if valid = it.Next(); valid && bytes.Compare(it.Key(), d.key) < 0 {
			valid = it.SeekGE(d.key)
		}
	}
	if !valid || !bytes.Equal(it.Key(), d.key) {
		return nil, false, iteratorError(it)
	}
	if raw, err = it.ValueAndErr(); err != nil {
		return nil, false, fmt.Errorf("reading: %s: %w", printKey(it.Key()), err)
	}
	return raw, true, nil
}

// setDayAggregates puts the entry of a device-day whose segments have those totals.
func setDayAggregates(b *pebble.Batch, ref device.Ref, day int32, totals []propertyTotal) error {
	key := appendDayAggregatesKey(nil, ref, day)
	if len(totals) == 0 {
		return b.Delete(key, nil)
	}
	return b.Set(key, encodeDayAggregates(totals), nil)
}

// eraseDayAggregates deletes all entries of a device.
func (s *Store) eraseDayAggregates(b *pebble.Batch, ref device.Ref) (err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{tagDay}, UpperBound: []byte{tagDay + 1}})
	if err != nil {
		return err
	}
	defer closeInto(&err, it)
	for ok := it.First(); ok; {
		if len(it.Key()) < dayLen {
			return fmt.Errorf("%w: %s", ErrCorrupt, printKey(it.Key()))
		}
		span := bytes.Clone(it.Key()[:dayLen])
		from := appendRef(bytes.Clone(span), ref)
		if err := b.DeleteRange(from, append(bytes.Clone(from), afterAnyMs), nil); err != nil {
			return err
		}
		ok = it.SeekGE(append(span, dayEnd...))
	}
	return it.Error()
}

var errNoEntry = errors.New("it has no daily aggregates")

// checkDayAggregates returns an error unless a device-day has the entry for the totals of its
// segments. A day before complete may have none.
func checkDayAggregates(db *pebble.DB, ref device.Ref, day, complete int32, totals []propertyTotal) (err error) {
	raw, closer, err := db.Get(appendDayAggregatesKey(nil, ref, day))
	if errors.Is(err, pebble.ErrNotFound) {
		if len(totals) > 0 && day >= complete {
			return errNoEntry
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer closeInto(&err, closer)
	if len(raw) > 0 && !bytes.Equal(raw, encodeDayAggregates(totals)) {
		return fmt.Errorf("%w: its daily aggregates differ from those of its readings", ErrCorrupt)
	}
	return nil
}
