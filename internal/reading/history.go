package reading

import (
	"cmp"
	"context"
	"slices"

	"tilth/internal/device"
	"tilth/internal/tenant"
)

// Range calls fn for every frame of a device with from <= t <= to (epoch ms),
// oldest first, that holds at least one of props; fields are those of props it
// holds, sorted by property, and valid during the call only. Memory does not
// grow with the range. It ends with fn's error, with ctx, or with the store.
func (s *Store) Range(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	fn func(t int64, fields []Field) error) (err error) {
	if len(props) == 0 || from > to {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	props = sortedProperties(props)
	scan, err := s.newScan(ctx, t, d, from, to)
	if err != nil {
		return err
	}
	defer closeInto(&err, scan)
	fields := make([]Field, 0, len(props))
	for ok := scan.first(); ok; ok = scan.next() {
		at, found, err := scan.wanted(fields[:0], props)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		if err := fn(at, found); err != nil {
			return err
		}
	}
	return scan.failed()
}

// AsOf is the newest value with a time <= at (epoch ms) of each of props,
// sorted by property; a property without one is left out. Where the newest
// value of all qualifies, as it does for a recent time, the disk is not asked.
func (s *Store) AsOf(ctx context.Context, t tenant.ID, d device.ID, at int64, props []device.PropertyID) (found []Last, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	wanted := sortedProperties(props)
	var missing []device.PropertyID
	// Every property ever measured has a newest value, so one without needs no
	// search through the whole history.
	for _, l := range s.latest.get(device.Ref{Tenant: t, ID: d}) {
		if _, ok := slices.BinarySearch(wanted, l.Property); !ok {
			continue
		}
		if l.Time <= at {
			found = append(found, l)
		} else {
			missing = append(missing, l.Property)
		}
	}
	if len(missing) > 0 {
		if found, err = s.searchBack(ctx, t, d, at, missing, found); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b Last) int { return cmp.Compare(a.Property, b.Property) })
	return found, nil
}

// searchBack goes back from at until each of missing is found.
func (s *Store) searchBack(ctx context.Context, t tenant.ID, d device.ID, at int64, missing []device.PropertyID, found []Last) (_ []Last, err error) {
	scan, err := s.newScan(ctx, t, d, minTime, at)
	if err != nil {
		return nil, err
	}
	defer closeInto(&err, scan)
	var fields []Field
	for ok := scan.last(); ok && len(missing) > 0; ok = scan.previous() {
		var when int64
		if when, fields, err = scan.wanted(fields[:0], missing); err != nil {
			return nil, err
		}
		for _, f := range fields {
			found = append(found, Last{Property: f.Property, Time: when, Value: f.Value})
			i, _ := slices.BinarySearch(missing, f.Property)
			missing = slices.Delete(missing, i, i+1)
		}
	}
	return found, scan.failed()
}
