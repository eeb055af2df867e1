package reading

import (
	"context"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// View is the store as it was at one moment, unaffected by later writes. It keeps the data that was
// replaced since on disk, so the caller should not hold it longer than needed.
type View struct {
	store    *Store
	snapshot *pebble.Snapshot
	days     []dayState
	position uint64
	closed   sync.Once
	err      error
}

// View returns the store as it is now. Close of the view ends it, and so does Close of the store.
func (s *Store) View() (*View, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	s.calendar.mu.RLock()
	defer s.calendar.mu.RUnlock()
	// Read before the snapshot, which therefore holds every entry up to this position.
	written, _, _ := s.journal.positions()
	v := &View{store: s, snapshot: s.db.NewSnapshot(), days: s.calendar.days, position: written}
	s.views.Lock()
	defer s.views.Unlock()
	s.views.open = append(s.views.open, v)
	return v, nil
}

// Position returns the last journal position that the view is certain to hold.
func (v *View) Position() uint64 { return v.position }

// Close ends the view; later calls return the result of the first.
func (v *View) Close() error {
	v.closed.Do(func() {
		s := v.store
		s.views.Lock()
		s.views.open = slices.DeleteFunc(s.views.open, func(o *View) bool { return o == v })
		s.views.Unlock()
		v.err = v.snapshot.Close()
	})
	return v.err
}

// closeViews closes all open views; nobody reads them any more.
func (s *Store) closeViews() (err error) {
	s.views.Lock()
	open := slices.Clone(s.views.open)
	s.views.Unlock()
	for _, v := range open {
		closeInto(&err, v)
	}
	return err
}

// rows is newRows of the view.
func (v *View) rows(ctx context.Context, ref device.Ref, from, to int64, props []device.PropertyID) (*rows, error) {
	bounds := pebble.IterOptions{LowerBound: []byte{tagSegment}, UpperBound: []byte{tagHot + 1}}
	base, err := v.snapshot.NewIterWithContext(ctx, &bounds)
	if err != nil {
		return nil, scanError("frames", err)
	}
	return v.store.rowsFromSnapshot(ctx, base, v.days, ref, from, to, props), nil
}

// Range is Store.Range as of the view.
func (v *View) Range(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	fn func(t int64, fields []Field) error) error {
	return v.store.rangeOver(ctx, v.rows, device.Ref{Tenant: t, ID: d}, from, to, props, fn)
}

// AsOf is Store.AsOf as of the view, without the values for which skip returns true. A property
// that was first measured after the view costs a search through the whole history.
func (v *View) AsOf(ctx context.Context, t tenant.ID, d device.ID, at int64, props []device.PropertyID,
	skip func(at int64, p device.PropertyID) bool) (found []Last, err error) {
	s := v.store
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	wanted := sortedProperties(props)
	ref := device.Ref{Tenant: t, ID: d}
	var missing []device.PropertyID
	for _, l := range s.latest.get(ref) {
		if _, ok := slices.BinarySearch(wanted, l.Property); ok {
			missing = append(missing, l.Property)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	r, err := v.rows(ctx, ref, minTime, at, missing)
	if err != nil {
		return nil, err
	}
	r.skip = skip
	return searchBack(r, nil)
}
