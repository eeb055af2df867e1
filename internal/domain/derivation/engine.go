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

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// Options configures an Engine; all fields are required.
type Options struct {
	Readings *reading.Store
	// Site returns a device's site. The engine calls it once, again after the device's product was
	// reloaded, and after Forget.
	Site func(context.Context, device.Ref) (device.Site, error)
}

// Engine computes the derived values of frames that are about to be written. Its state of a device
// follows from the stored readings, so it may forget it at any time. It is safe for concurrent use;
// calls for one device must come in the order of writing, each after the previous batch was written
// or forgotten.
type Engine struct {
	opts          Options
	maxRecomputed int // the constant maxRecomputed; tests set less

	mu      sync.Mutex
	devices map[device.Ref]*deviceState
	seasons seasonCache
}

// New creates an engine.
func New(o Options) *Engine {
	return &Engine{
		opts:          o,
		maxRecomputed: maxRecomputed,
		devices:       map[device.Ref]*deviceState{},
		seasons:       seasonCache{},
	}
}

// deviceState is the engine's state of a device.
type deviceState struct {
	ref     device.Ref
	product *device.Product
	plan    *plan
	site    device.Site
	newest  int64          // time of the newest reading that the plan needs; math.MinInt64: none
	today   int64          // end of the day of newest, exclusive
	last    []reading.Last // newest values of the plan's watched properties, by property
	tallies map[device.PropertyID]seasonTally
}

// Retain forgets the devices that have no derived properties any more. The caller calls it after a
// change of products or devices, because Derive does not see those devices again. For the others
// Derive itself checks whether product and site have changed.
func (e *Engine) Retain(derives func(device.Ref) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for ref := range e.devices {
		if !derives(ref) {
			delete(e.devices, ref)
			e.seasons.forget(ref)
		}
	}
}

// Forget forgets a device. The caller calls it if it is unknown whether the frames of the last
// Derive were written, or if the device has moved.
func (e *Engine) Forget(ref device.Ref) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.devices, ref)
	e.seasons.forget(ref)
}

// Extra is a frame of derived values that goes with a device's frames.
type Extra struct {
	Before int // index of the frame before which it is inserted; the number of frames: after all
	reading.Arrival
}

// Derive completes the frames of one device that are about to be written together, in the order of
// arrival. It adds values of the frames' own instants to them and returns others as extra frames
// (values of days, and values that late frames change). It removes a value that can no longer be
// computed. The caller must write frames and extras in one batch, and call Forget if that fails.
//
// Derive reads the store only when a day ends or frames are late.
func (e *Engine) Derive(ctx context.Context, entry *device.Entry, frames []*reading.Arrival) ([]Extra, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	// With the lock: whoever changes the curves forgets the device afterwards, and with it what follows here.
	// Values are derived from corrected numbers, and written beside the numbers as they arrived.
	corrected := correct(frames, e.opts.Readings.Curves(entry.Ref))
	if corrected == nil {
		return e.derive(ctx, entry, frames)
	}
	extras, err := e.derive(ctx, entry, corrected)
	if err != nil {
		return nil, err
	}
	for i, f := range frames {
		for _, field := range corrected[i].Fields {
			if _, measured := slices.BinarySearchFunc(f.Fields, field.Property, byProperty); !measured {
				f.Fields = withField(f.Fields, field)
			}
		}
	}
	return extras, nil
}

// correct returns copies of frames with corrected numbers; nil if none is corrected.
func correct(frames []*reading.Arrival, curves reading.Curves) []*reading.Arrival {
	if curves == nil {
		return nil
	}
	corrected, some := make([]*reading.Arrival, len(frames)), false
	for i, f := range frames {
		own := *f
		own.Fields = curves.Correct(f.Time, f.Fields)
		some = some || len(f.Fields) > 0 && &own.Fields[0] != &f.Fields[0]
		corrected[i] = &own
	}
	if !some {
		return nil
	}
	return corrected
}

// derive is Derive for frames of corrected numbers. The caller holds mu.
func (e *Engine) derive(ctx context.Context, entry *device.Entry, frames []*reading.Arrival) ([]Extra, error) {
	s, err := e.state(ctx, entry)
	if err != nil {
		return nil, err
	}
	w := derivationRun{engine: e, ctx: ctx, state: s, frames: frames}
	if err := w.run(); err != nil {
		delete(e.devices, s.ref)
		e.seasons.forget(s.ref)
		return nil, fmt.Errorf("derivation: device %d: %w", s.ref.ID, err)
	}
	if w.removed {
		// The value before the removed one is the newest now, and only the store knows it.
		delete(e.devices, s.ref)
	}
	return w.extras, nil
}

func (e *Engine) state(ctx context.Context, entry *device.Entry) (*deviceState, error) {
	if s := e.devices[entry.Ref]; s != nil {
		same, err := e.isCurrent(ctx, s, entry)
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

// isCurrent reports whether the state of a device is still valid. Every change of products or
// devices, except of secrets, reloads all products, mostly unchanged; the engine need not sum up a
// season again for that.
func (e *Engine) isCurrent(ctx context.Context, s *deviceState, entry *device.Entry) (bool, error) {
	if s.product == entry.Product {
		return true, nil
	}
	if !reflect.DeepEqual(s.product, entry.Product) {
		return false, nil
	}
	site, err := e.site(ctx, entry)
	if err != nil || !equalSites(site, s.site) {
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

func equalSites(a, b device.Site) bool {
	return a.Zone.String() == b.Zone.String() && reflect.DeepEqual(a.Place, b.Place)
}

// load creates a device's state from the stored readings.
func (e *Engine) load(ctx context.Context, entry *device.Entry) (*deviceState, error) {
	site, err := e.site(ctx, entry)
	if err != nil {
		return nil, err
	}
	s := &deviceState{
		ref: entry.Ref, product: entry.Product, plan: compile(entry.Product), site: site,
		newest: math.MinInt64, tallies: map[device.PropertyID]seasonTally{},
	}
	// AsOf and not Latest: Latest hides the value before a removed one, which counts here.
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

func (s *deviceState) setToday() {
	if s.newest != math.MinInt64 {
		s.today = (dayOf(s.newest, s.site.Zone) + 1).begin(s.site.Zone)
	}
}

// findLast finds a property in newest values, which are sorted by property.
func findLast(last []reading.Last, p device.PropertyID) (at int, known bool) {
	compare := func(l reading.Last, p device.PropertyID) int { return int(l.Property) - int(p) }
	return slices.BinarySearchFunc(last, p, compare)
}

// setLast sets the newest value of a watched property, unless it is older than the known one.
func (s *deviceState) setLast(p device.PropertyID, at int64, v reading.Value) {
	i, known := findLast(s.last, p)
	l := reading.Last{Property: p, Time: at, Value: v}
	switch {
	case !known:
		s.last = slices.Insert(s.last, i, l)
	case at >= s.last[i].Time:
		s.last[i] = l
	}
}

// derivationRun is one call of Derive or Recompute.
type derivationRun struct {
	engine      *Engine
	ctx         context.Context
	state       *deviceState
	now         int64 // now of Recompute, epoch ms
	frames      []*reading.Arrival
	extras      []Extra
	removed     bool         // a value was removed
	pendingRows []pendingRow // frames and extras by time, once needed
	frameIndex  *frameIndex  // of frames and extras, once a value is added

	maxChanges int   // most changes at a time; 0: all
	stopped    bool  // maxChanges was reached
	resumeAt   int64 // if stopped: the first time that was not computed, epoch ms
}

// pendingRow holds the fields that are about to be written at one instant.
type pendingRow struct {
	time   int64
	fields []reading.Field
}

func (w *derivationRun) run() error {
	s := w.state
	before, late := s.newest, false
	var touched []int64 // times of frames that the plan needs
	newest := s.newest
	for _, f := range w.frames {
		if !s.plan.needs(f.Fields) {
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
		changed, err := w.recomputeLate(touched)
		if err != nil {
			return err
		}
		touched = append(touched, changed...)
	} else {
		for _, f := range w.frames {
			if s.plan.needs(f.Fields) {
				w.deriveInstant(f)
			}
		}
	}
	s.newest = newest
	if len(s.plan.days) > 0 && (late || before == math.MinInt64 || newest >= s.today) {
		if err := w.deriveDays(before, touched); err != nil {
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

// add puts a derived value into the frame of its instant, or into an extra frame.
func (w *derivationRun) add(at int64, f reading.Field) {
	w.removed = w.removed || f.Value.Kind() == reading.KindNone
	if w.frameIndex == nil {
		w.frameIndex = newFrameIndex(w.frames)
	}
	w.merge(at, f)
	if i, there := w.frameIndex.frames[at]; there {
		w.frames[i].Fields = withField(w.frames[i].Fields, f)
		return
	}
	if i, there := w.frameIndex.extras[at]; there {
		w.extras[i].Fields = withField(w.extras[i].Fields, f)
		return
	}
	before := w.frameIndex.before(at)
	w.frameIndex.extras[at] = len(w.extras)
	w.extras = append(w.extras, Extra{Before: before, Arrival: reading.Arrival{
		Frame: reading.Frame{Tenant: w.state.ref.Tenant, Device: w.state.ref.ID, Time: at, Fields: []reading.Field{f}},
		At:    w.receivedAt(before),
	}})
}

// frameIndex finds a time among the frames and extras of a run. The frames are in the order of
// arrival.
type frameIndex struct {
	frames map[int64]int // index of the last frame of each time
	extras map[int64]int
	newest []int64 // newest time up to and including each frame
}

func newFrameIndex(frames []*reading.Arrival) *frameIndex {
	p := &frameIndex{
		frames: make(map[int64]int, len(frames)),
		extras: map[int64]int{},
		newest: make([]int64, len(frames)),
	}
	newest := int64(math.MinInt64)
	for i, f := range frames {
		newest = max(newest, f.Time)
		p.frames[f.Time], p.newest[i] = i, newest
	}
	return p
}

// before returns the index of the first frame that is newer than a time, or the number of frames.
func (p *frameIndex) before(at int64) int {
	i, _ := slices.BinarySearch(p.newest, at+1)
	return i
}

// receivedAt returns the arrival of the frame at index, or of the last frame.
func (w *derivationRun) receivedAt(index int) int64 {
	if len(w.frames) == 0 {
		return w.now
	}
	return w.frames[min(index, len(w.frames)-1)].At
}

// withField returns fields with f inserted in order.
func withField(fields []reading.Field, f reading.Field) []reading.Field {
	i, known := slices.BinarySearchFunc(fields, f.Property, byProperty)
	if known {
		fields = slices.Clone(fields)
		fields[i] = f
		return fields
	}
	return slices.Insert(fields[:len(fields):len(fields)], i, f)
}

func byProperty(f reading.Field, p device.PropertyID) int { return int(f.Property) - int(p) }

// merge adds f to pendingRows, if these exist already.
func (w *derivationRun) merge(at int64, f reading.Field) {
	if w.pendingRows == nil {
		return
	}
	i, there := slices.BinarySearchFunc(w.pendingRows, at, byTime)
	if !there {
		w.pendingRows = slices.Insert(w.pendingRows, i, pendingRow{time: at})
	}
	w.pendingRows[i].fields = withField(w.pendingRows[i].fields, f)
}

func byTime(p pendingRow, at int64) int { return cmp.Compare(p.time, at) }

// pending returns what is about to be written, by time; of one instant, later fields replace
// earlier ones.
func (w *derivationRun) pending() []pendingRow {
	if w.pendingRows != nil {
		return w.pendingRows
	}
	for _, f := range w.frames {
		w.pendingRows = append(w.pendingRows, pendingRow{f.Time, f.Fields})
	}
	for _, x := range w.extras {
		w.pendingRows = append(w.pendingRows, pendingRow{x.Time, x.Fields})
	}
	slices.SortStableFunc(w.pendingRows, func(a, b pendingRow) int { return cmp.Compare(a.time, b.time) })
	n := 0
	for _, p := range w.pendingRows {
		if n > 0 && w.pendingRows[n-1].time == p.time {
			for _, f := range p.fields {
				w.pendingRows[n-1].fields = withField(w.pendingRows[n-1].fields, f)
			}
			continue
		}
		w.pendingRows[n] = p
		n++
	}
	w.pendingRows = w.pendingRows[:n]
	return w.pendingRows
}

// errStopped ends a pass over the readings early.
var errStopped = errors.New("derivation: stopped")

// forEachRow calls fn with every instant from..to that holds any of props, oldest first. Pending
// values replace stored ones.
func (w *derivationRun) forEachRow(
	from, to int64,
	props []device.PropertyID,
	fn func(at int64, fields []reading.Field),
) error {
	pending := w.pending()
	begin, _ := slices.BinarySearchFunc(pending, from, byTime)
	pending = pending[begin:]
	wanted := slices.Clone(props)
	slices.Sort(wanted)
	upTo := func(at int64) {
		for len(pending) > 0 && pending[0].time <= at {
			if pending[0].time < at {
				fn(pending[0].time, pick(pending[0].fields, wanted))
			}
			pending = pending[1:]
		}
	}
	merge := func(at int64, fields []reading.Field) error {
		var newer []reading.Field
		i := slices.IndexFunc(pending, func(p pendingRow) bool { return p.time >= at })
		if i >= 0 && pending[i].time == at {
			newer = pending[i].fields
		}
		upTo(at)
		if newer != nil {
			fields = slices.Clone(fields)
			for _, f := range pick(newer, wanted) {
				fields = withField(fields, f)
			}
		}
		fn(at, fields)
		if w.stopped {
			return errStopped
		}
		return nil
	}
	ref := w.state.ref
	err := w.engine.opts.Readings.Range(w.ctx, ref.Tenant, ref.ID, from, to, props, merge)
	if errors.Is(err, errStopped) {
		return nil
	}
	if to < math.MaxInt64 {
		upTo(to + 1)
	}
	return err
}

// pick returns the fields that are among wanted, which is sorted.
func pick(fields []reading.Field, wanted []device.PropertyID) (picked []reading.Field) {
	for _, f := range fields {
		if _, ok := slices.BinarySearch(wanted, f.Property); ok {
			picked = append(picked, f)
		}
	}
	return picked
}
