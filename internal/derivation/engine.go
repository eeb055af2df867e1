package derivation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"

	"tilth/internal/device"
	"tilth/internal/reading"
)

// Options say what an Engine works with; all are needed.
type Options struct {
	Readings *reading.Store
	// Site tells where a device stands. It is asked once, again when the device's
	// product was read anew, and after Forget.
	Site func(context.Context, device.Ref) (device.Site, error)
}

// Engine computes what is derived from frames that are about to be written.
// What it knows of a device is a consequence of the stored readings: it may
// forget at any time. Safe for concurrent use; calls for one device must come in
// the order of writing, each after the batch before was written or forgotten.
type Engine struct {
	opts   Options
	redone int // mostRedone, but for tests

	mu      sync.Mutex
	devices map[device.Ref]*state
	seasons seasons
}

// New makes an engine.
func New(o Options) *Engine {
	return &Engine{opts: o, redone: mostRedone, devices: map[device.Ref]*state{}, seasons: seasons{}}
}

// state is what the engine knows of a device.
type state struct {
	ref     device.Ref
	product *device.Product
	plan    *plan
	site    device.Site
	newest  int64          // of the readings that are needed; math.MinInt64: none
	today   int64          // end of the newest's day, exclusive
	last    []reading.Last // of the plan's watched properties, by property
	tallies map[device.PropertyID]tally
}

// Keep forgets, after a change of structure, the devices of which nothing is
// derived any more: what they send is not seen here. Of the others Derive sees
// itself whether product or site are what they were.
func (e *Engine) Keep(derives func(device.Ref) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for ref := range e.devices {
		if !derives(ref) {
			delete(e.devices, ref)
			e.seasons.forget(ref)
		}
	}
}

// Forget forgets a device: of what Derive was told last, nobody knows whether
// it was written, or the device stands elsewhere now.
func (e *Engine) Forget(ref device.Ref) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.devices, ref)
	e.seasons.forget(ref)
}

// Extra is a frame of derived values that goes with a device's frames.
type Extra struct {
	Before int // index of the frame that it comes before; their number: after all
	reading.Arrival
}

// Derive completes the frames of one device that are about to be written
// together, in the order of arrival: values of their own instants are added to
// them, others come as extra frames (values of days, and values that late frames
// change). A value that is no longer to be had is taken away. Frames must be
// written with the extras in one batch; when that fails, Forget must follow.
//
// It reads the store only where a day ends or frames are late.
func (e *Engine) Derive(ctx context.Context, entry *device.Entry, frames []*reading.Arrival) ([]Extra, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.state(ctx, entry)
	if err != nil {
		return nil, err
	}
	w := work{engine: e, ctx: ctx, state: s, frames: frames}
	if err := w.run(); err != nil {
		delete(e.devices, s.ref)
		e.seasons.forget(s.ref)
		return nil, fmt.Errorf("derivation: device %d: %w", s.ref.ID, err)
	}
	if w.taken {
		// The value before it is the newest now; the store knows it.
		delete(e.devices, s.ref)
	}
	return w.extras, nil
}

func (e *Engine) state(ctx context.Context, entry *device.Entry) (*state, error) {
	if s := e.devices[entry.Ref]; s != nil {
		same, err := e.isSame(ctx, s, entry)
		if same {
			return s, nil
		}
		delete(e.devices, entry.Ref)
		if err != nil {
			return nil, err
		}
	}
	e.seasons.forget(entry.Ref)
	s, err := e.load(ctx, entry)
	if err != nil {
		return nil, err
	}
	e.devices[entry.Ref] = s
	return s, nil
}

// isSame tells whether what is known of a device still holds. Every change of
// structure but of secrets reads all products anew, mostly as they were; a season
// need not be added up again for that.
func (e *Engine) isSame(ctx context.Context, s *state, entry *device.Entry) (bool, error) {
	if s.product == entry.Product {
		return true, nil
	}
	if !reflect.DeepEqual(s.product, entry.Product) {
		return false, nil
	}
	site, err := e.site(ctx, entry)
	if err != nil || !sameSite(site, s.site) {
		return false, err
	}
	s.product = entry.Product
	return true, nil
}

func (e *Engine) site(ctx context.Context, entry *device.Entry) (device.Site, error) {
	site, err := e.opts.Site(ctx, entry.Ref)
	if err != nil {
		return device.Site{}, fmt.Errorf("derivation: site of device %d: %w", entry.ID, err)
	}
	return site, nil
}

func sameSite(a, b device.Site) bool {
	return a.Zone.String() == b.Zone.String() && reflect.DeepEqual(a.Place, b.Place)
}

// load makes a device's state of what is stored.
func (e *Engine) load(ctx context.Context, entry *device.Entry) (*state, error) {
	site, err := e.site(ctx, entry)
	if err != nil {
		return nil, err
	}
	s := &state{
		ref: entry.Ref, product: entry.Product, plan: compile(entry.Product), site: site,
		newest: math.MinInt64, tallies: map[device.PropertyID]tally{},
	}
	// Of a value that was taken away the one before counts, which Latest hides.
	if s.last, err = e.opts.Readings.AsOf(ctx, entry.Tenant, entry.ID, math.MaxInt64, s.plan.watched); err != nil {
		return nil, fmt.Errorf("derivation: newest values of device %d: %w", entry.ID, err)
	}
	for _, l := range s.last {
		if _, measured := slices.BinarySearch(s.plan.measured, l.Property); measured {
			s.newest = max(s.newest, l.Time)
		}
	}
	s.setToday()
	return s, nil
}

func (s *state) setToday() {
	if s.newest != math.MinInt64 {
		s.today = (dayOf(s.newest, s.site.Zone) + 1).begin(s.site.Zone)
	}
}

// find finds a property among newest values, which are by property.
func find(last []reading.Last, p device.PropertyID) (at int, known bool) {
	return slices.BinarySearchFunc(last, p, func(l reading.Last, p device.PropertyID) int { return int(l.Property) - int(p) })
}

// note takes in a watched value that is not older than the one before.
func (s *state) note(p device.PropertyID, at int64, v reading.Value) {
	i, known := find(s.last, p)
	l := reading.Last{Property: p, Time: at, Value: v}
	switch {
	case !known:
		s.last = slices.Insert(s.last, i, l)
	case at >= s.last[i].Time:
		s.last[i] = l
	}
}

// work is one call of Derive or Redo.
type work struct {
	engine *Engine
	ctx    context.Context
	state  *state
	now    int64 // of Redo, epoch ms
	frames []*reading.Arrival
	extras []Extra
	taken  bool    // a value was taken away
	merged []point // frames and extras by time, once something asks for it
	places *places // of frames and extras, once something is added

	most    int   // changes at a time; 0: all
	stopped bool  // there were as many
	next    int64 // then the first time that was not looked at, epoch ms
}

// point is what is about to be written of one instant.
type point struct {
	time   int64
	fields []reading.Field
}

func (w *work) run() error {
	s := w.state
	before, late := s.newest, false
	var touched []int64 // times of frames that hold something that is needed
	newest := s.newest
	for _, f := range w.frames {
		if !s.plan.touches(f.Fields) {
			continue
		}
		late = late || f.Time <= newest
		newest = max(newest, f.Time)
		touched = append(touched, f.Time)
	}
	if len(touched) == 0 {
		return nil
	}
	if late {
		changed, err := w.again(touched)
		if err != nil {
			return err
		}
		touched = append(touched, changed...)
	} else {
		for _, f := range w.frames {
			if s.plan.touches(f.Fields) {
				w.instant(f)
			}
		}
	}
	s.newest = newest
	if len(s.plan.days) > 0 && (late || before == math.MinInt64 || newest >= s.today) {
		if err := w.days(before, touched); err != nil {
			return err
		}
	}
	if newest >= s.today {
		s.setToday()
	}
	slices.SortStableFunc(w.extras, func(a, b Extra) int {
		if a.Before != b.Before {
			return a.Before - b.Before
		}
		return int(a.Time - b.Time)
	})
	return nil
}

// add puts a derived value where it belongs: into the frame of its instant, else
// into an extra one.
func (w *work) add(at int64, f reading.Field) {
	w.taken = w.taken || f.Value.Kind() == reading.KindNone
	if w.places == nil {
		w.places = placesOf(w.frames)
	}
	w.merge(at, f)
	if i, there := w.places.frames[at]; there {
		w.frames[i].Fields = put(w.frames[i].Fields, f)
		return
	}
	if i, there := w.places.extras[at]; there {
		w.extras[i].Fields = put(w.extras[i].Fields, f)
		return
	}
	before := w.places.before(at)
	w.places.extras[at] = len(w.extras)
	w.extras = append(w.extras, Extra{Before: before, Arrival: reading.Arrival{
		Frame: reading.Frame{Tenant: w.state.ref.Tenant, Device: w.state.ref.ID, Time: at, Fields: []reading.Field{f}},
		At:    w.receivedAt(before),
	}})
}

// places tells where a time is among the frames and extras of a work, whose
// frames are by arrival.
type places struct {
	frames map[int64]int // the last of each time
	extras map[int64]int
	newest []int64 // time until each frame
}

func placesOf(frames []*reading.Arrival) *places {
	p := &places{frames: make(map[int64]int, len(frames)), extras: map[int64]int{}, newest: make([]int64, len(frames))}
	newest := int64(math.MinInt64)
	for i, f := range frames {
		newest = max(newest, f.Time)
		p.frames[f.Time], p.newest[i] = i, newest
	}
	return p
}

// before is the index of the first frame that is newer than a time, or behind the
// last.
func (p *places) before(at int64) int {
	i, _ := slices.BinarySearch(p.newest, at+1)
	return i
}

// receivedAt is when the frame of an index came, or the last one.
func (w *work) receivedAt(index int) int64 {
	if len(w.frames) == 0 {
		return w.now
	}
	return w.frames[min(index, len(w.frames)-1)].At
}

// put gives fields with f among them, in order.
func put(fields []reading.Field, f reading.Field) []reading.Field {
	i, known := slices.BinarySearchFunc(fields, f.Property, byProperty)
	if known {
		fields = slices.Clone(fields)
		fields[i] = f
		return fields
	}
	return slices.Insert(fields[:len(fields):len(fields)], i, f)
}

func byProperty(f reading.Field, p device.PropertyID) int { return int(f.Property) - int(p) }

// merge keeps merged true to what is added.
func (w *work) merge(at int64, f reading.Field) {
	if w.merged == nil {
		return
	}
	i, there := slices.BinarySearchFunc(w.merged, at, byTime)
	if !there {
		w.merged = slices.Insert(w.merged, i, point{time: at})
	}
	w.merged[i].fields = put(w.merged[i].fields, f)
}

func byTime(p point, at int64) int { return cmp.Compare(p.time, at) }

// pending is what is about to be written, by time; of one instant what came
// later replaces.
func (w *work) pending() []point {
	if w.merged != nil {
		return w.merged
	}
	for _, f := range w.frames {
		w.merged = append(w.merged, point{f.Time, f.Fields})
	}
	for _, x := range w.extras {
		w.merged = append(w.merged, point{x.Time, x.Fields})
	}
	slices.SortStableFunc(w.merged, func(a, b point) int { return cmp.Compare(a.time, b.time) })
	n := 0
	for _, p := range w.merged {
		if n > 0 && w.merged[n-1].time == p.time {
			for _, f := range p.fields {
				w.merged[n-1].fields = put(w.merged[n-1].fields, f)
			}
			continue
		}
		w.merged[n] = p
		n++
	}
	w.merged = w.merged[:n]
	return w.merged
}

// errStopped ends a pass over the readings before its end.
var errStopped = errors.New("derivation: stopped")

// rows calls fn with every instant from..to that holds any of props, oldest
// first: as stored, under what is about to be written.
func (w *work) rows(from, to int64, props []device.PropertyID, fn func(at int64, fields []reading.Field)) error {
	pending := w.pending()
	begin, _ := slices.BinarySearchFunc(pending, from, byTime)
	pending = pending[begin:]
	wanted := slices.Clone(props)
	slices.Sort(wanted)
	upTo := func(at int64) {
		for len(pending) > 0 && pending[0].time <= at {
			if pending[0].time < at {
				fn(pending[0].time, only(pending[0].fields, wanted))
			}
			pending = pending[1:]
		}
	}
	s := w.state
	err := w.engine.opts.Readings.Range(w.ctx, s.ref.Tenant, s.ref.ID, from, to, props, func(at int64, fields []reading.Field) error {
		var over []reading.Field
		if i := slices.IndexFunc(pending, func(p point) bool { return p.time >= at }); i >= 0 && pending[i].time == at {
			over = pending[i].fields
		}
		upTo(at)
		if over != nil {
			fields = slices.Clone(fields)
			for _, f := range only(over, wanted) {
				fields = put(fields, f)
			}
		}
		fn(at, fields)
		if w.stopped {
			return errStopped
		}
		return nil
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	if to < math.MaxInt64 {
		upTo(to + 1)
	}
	return err
}

// only are the fields that are among wanted, which is sorted.
func only(fields []reading.Field, wanted []device.PropertyID) (some []reading.Field) {
	for _, f := range fields {
		if _, ok := slices.BinarySearch(wanted, f.Property); ok {
			some = append(some, f)
		}
	}
	return some
}
