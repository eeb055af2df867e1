package reading

import (
	"context"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// View is the store as it was at one moment, whatever is written since. It keeps
// what was replaced since from being removed from disk, so it is not to be held
// for longer than needed.
type View struct {
	store    *Store
	snapshot *pebble.Snapshot
	days     []dayState
	position uint64
	closed   sync.Once
	err      error
}

// View is the store as it is now. Close ends it; so does the store's Close.
func (s *Store) View() (*View, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	s.calendar.mu.RLock()
	defer s.calendar.mu.RUnlock()
	// Before the snapshot: every entry up to there is in it.
	written, _, _ := s.journal.positions()
	v := &View{store: s, snapshot: s.db.NewSnapshot(), days: s.calendar.days, position: written}
	s.views.Lock()
	defer s.views.Unlock()
	s.views.open = append(s.views.open, v)
	return v, nil
}

// Position is the last journal entry that the view surely holds.
func (v *View) Position() uint64 { return v.position }

// Close ends the view; further calls answer what the first one did.
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

// closeViews closes all that are open; nobody reads any more.
func (s *Store) closeViews() (err error) {
	s.views.Lock()
	open := slices.Clone(s.views.open)
	s.views.Unlock()
	for _, v := range open {
		closeInto(&err, v)
	}
	return err
}

// rows are newRows of the view.
func (v *View) rows(ctx context.Context, ref device.Ref, from, to int64, props []device.PropertyID) (*rows, error) {
	base, err := v.snapshot.NewIterWithContext(
		ctx,
		&pebble.IterOptions{LowerBound: []byte{tagSegment}, UpperBound: []byte{tagHot + 1}},
	)
	if err != nil {
		return nil, err
	}
	return v.store.rowsFromSnapshot(ctx, base, v.days, ref, from, to, props), nil
}

// Range is Store.Range as of the view.
func (v *View) Range(ctx context.Context, t tenant.ID, d device.ID, from, to int64, props []device.PropertyID,
	fn func(t int64, fields []Field) error) error {
	return v.store.rangeOver(ctx, v.rows, device.Ref{Tenant: t, ID: d}, from, to, props, fn)
}

// AsOf is Store.AsOf as of the view, of values that but does not leave out; a
// property that was measured first since then costs a search through the whole
// history.
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
