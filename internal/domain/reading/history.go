package reading

import (
	"cmp"
	"context"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// Range calls fn for every frame of a device with from <= t <= to (epoch ms) that holds at least
// one of props, oldest first. fields are the frame's fields of props, sorted by property, valid
// only during the call. Memory does not grow with the range. It stops on an error of fn, or when
// ctx or the store ends.
func (s *Store) Range(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	fn func(t int64, fields []Field) error) error {
	return s.rangeOver(ctx, s.newRows, device.Ref{Tenant: t, ID: d}, from, to, props, fn)
}

// opener begins to read a device's frames from the store or from a view.
type opener func(ctx context.Context, ref device.Ref, from, to int64, props []device.PropertyID) (*rows, error)

func (s *Store) rangeOver(ctx context.Context, open opener, ref device.Ref, from, to int64, props []device.PropertyID,
	fn func(t int64, fields []Field) error) error {
	if len(props) == 0 || from > to {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	r, err := open(ctx, ref, from, to, sortedProperties(props))
	if err != nil {
		return err
	}
	return r.each(fn)
}

// AsOf returns the newest value with a time <= at (epoch ms) of each of props, sorted by property;
// it leaves out a property without one. If the latest value qualifies, as it does for a recent
// time, AsOf does not read the disk. Only times count here, so a reading stamped ahead is the
// newest once at is past its time.
func (s *Store) AsOf(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	at int64,
	props []device.PropertyID,
) (found []Last, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	wanted := sortedProperties(props)
	curves := s.CurvesFor(ctx, device.Ref{Tenant: t, ID: d})
	var missing []device.PropertyID
	// Every property that was ever measured has a latest value, so a property without one needs no
	// search through the whole history.
	for _, l := range s.latest.get(device.Ref{Tenant: t, ID: d}) {
		if _, ok := slices.BinarySearch(wanted, l.Property); !ok {
			continue
		}
		if l.newestTime <= at && l.Time == l.newestTime && l.Value.kind != KindNone {
			l.Value, _ = curves[l.Property].Correct(l.Time, l.Value)
			found = append(found, l.Last)
		} else {
			missing = append(missing, l.Property)
		}
	}
	if len(missing) > 0 {
		r, err := s.newRows(ctx, device.Ref{Tenant: t, ID: d}, minTime, at, missing)
		if err != nil {
			return nil, err
		}
		return searchBack(r, found)
	}
	slices.SortFunc(found, func(a, b Last) int { return cmp.Compare(a.Property, b.Property) })
	return found, nil
}

// searchBack adds to found the newest values of the wanted properties of r, sorts found by
// property, and closes r.
func searchBack(r *rows, found []Last) (_ []Last, err error) {
	defer closeInto(&err, r)
	for len(r.days) > 0 && len(r.query.wanted) > 0 {
		day := r.days[len(r.days)-1]
		r.days = r.days[:len(r.days)-1]
		newest, err := r.newestOnDay(day)
		if err != nil {
			return nil, err
		}
		for _, l := range newest {
			i, _ := slices.BinarySearch(r.query.wanted, l.Property)
			r.query.wanted = slices.Delete(r.query.wanted, i, i+1)
		}
		found = append(found, newest...)
	}
	slices.SortFunc(found, func(a, b Last) int { return cmp.Compare(a.Property, b.Property) })
	return found, nil
}

// newestOnDay returns the newest value of each wanted property on one day.
func (r *rows) newestOnDay(day dayState) (newest []Last, err error) {
	removed := map[Last]bool{} // values that newer sources removed; Value is empty
	// offer considers the newest value that a source has of a property. The caller asks newer
	// sources first. offer returns false if the value does not count and the source's previous one
	// is wanted.
	offer := func(l Last) bool {
		if r.skip != nil && r.skip(l.Time, l.Property) {
			return false
		}
		at := Last{Property: l.Property, Time: l.Time}
		if l.Value.kind == KindNone || removed[at] {
			removed[at] = true
			return false
		}
		compare := func(l Last, p device.PropertyID) int { return cmp.Compare(l.Property, p) }
		i, known := slices.BinarySearchFunc(newest, l.Property, compare)
		switch {
		case !known:
			newest = slices.Insert(newest, i, l)
		case l.Time > newest[i].Time: // at equal times the source that came first is newer
			newest[i] = l
		}
		return true
	}
	if err := r.yieldOrStop(); err != nil {
		return nil, err
	}
	if day.hot {
		for g := int(day.newest); g >= int(day.oldest); g-- {
			if err := r.newestHot(day.day, uint16(g), offer); err != nil {
				return nil, err
			}
		}
	}
	if day.sealed {
		err = r.newestSealed(day, offer)
	}
	return newest, err
}

func (r *rows) newestHot(day int32, generation uint16, offer func(Last) bool) error {
	if len(r.hot) == 0 {
		r.hot = append(r.hot, &hotSource{})
	}
	h := r.hot[0]
	if err := r.clone(&h.it); err != nil {
		return err
	}
	h.begin(&r.query, day, generation)
	missing := slices.Clone(r.query.wanted)
	ok, err := h.last()
	for ; err == nil && ok && len(missing) > 0; ok, err = h.previous() {
		if r.frameCount++; r.frameCount%yieldEvery == 0 {
			if err := r.yieldOrStop(); err != nil {
				return err
			}
		}
		if r.frame, err = h.fields(r.frame[:0]); err != nil {
			return err
		}
		for _, f := range r.frame {
			i, open := slices.BinarySearch(missing, f.Property)
			if open && offer(Last{Property: f.Property, Time: h.time, Value: f.Value}) {
				missing = slices.Delete(missing, i, i+1)
			}
		}
	}
	return err
}

func (r *rows) newestSealed(day dayState, offer func(Last) bool) error {
	if err := r.placeSegment(day, nil); err != nil {
		return err
	}
	missing := slices.Clone(r.query.wanted)
	ok, err := r.segment.lastSegment()
	if err != nil {
		again := false
		if again, err = r.orRemote(day, err); again {
			ok, err = r.segment.lastSegment()
		}
	}
	for ; err == nil && ok && len(missing) > 0; ok, err = r.segment.previousSegment() {
		for _, c := range r.segment.block.columns {
			i, open := slices.BinarySearch(missing, c.property)
			if !open {
				continue
			}
			for n := len(c.rows) - 1; n >= 0; n-- {
				at := r.segment.block.times[c.rows[n]]
				if at <= r.query.to && offer(Last{Property: c.property, Time: at, Value: c.value(n)}) {
					missing = slices.Delete(missing, i, i+1)
					break
				}
			}
		}
	}
	return err
}
