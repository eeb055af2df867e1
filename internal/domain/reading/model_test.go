package reading

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// model is the expected content of the store, as plain maps.
type model map[device.Ref]*modelDevice

// modelDevice is one device: its values by time, and all values that were sent of each property, in
// order.
type modelDevice struct {
	valuesByTime map[int64]map[device.PropertyID]Value
	sent         map[device.PropertyID][]Newest
}

func (m model) append(batch []Arrival) {
	for _, a := range batch {
		ref := device.Ref{Tenant: a.Tenant, ID: a.Device}
		if m[ref] == nil {
			m[ref] = &modelDevice{
				valuesByTime: map[int64]map[device.PropertyID]Value{},
				sent:         map[device.PropertyID][]Newest{},
			}
		}
		d := m[ref]
		if d.valuesByTime[a.Time] == nil {
			d.valuesByTime[a.Time] = map[device.PropertyID]Value{}
		}
		for _, f := range a.Fields {
			d.valuesByTime[a.Time][f.Property] = f.Value
			sent := Newest{Last{f.Property, a.Time, f.Value}, min(a.Time, a.At)}
			d.sent[f.Property] = append(d.sent[f.Property], sent)
		}
	}
}

// value returns a device's value, if it has one.
func (m model) value(ref device.Ref, at int64, p device.PropertyID) (v Value, ok bool) {
	if m[ref] != nil {
		v, ok = m[ref].valuesByTime[at][p]
	}
	return v, ok
}

// newest returns, for each property, the value with the greatest Order, and of those with the
// greatest time; with the value that is stored at that time.
func (m model) newest(ref device.Ref) (all []Newest) {
	if m[ref] == nil {
		return nil
	}
	for p, sent := range m[ref].sent {
		n := slices.MaxFunc(sent, func(a, b Newest) int {
			return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Time, b.Time))
		})
		if n.Value = m[ref].valuesByTime[n.Time][p]; n.Value.kind != KindNone {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b Newest) int { return cmp.Compare(a.Property, b.Property) })
	return all
}

func (m model) times(ref device.Ref) []int64 {
	if m[ref] == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(m[ref].valuesByTime))
}

func (m model) rows(ref device.Ref, from, to int64, props []device.PropertyID) []row {
	var rows []row
	for _, at := range m.times(ref) {
		if at < from || at > to {
			continue
		}
		var fields []Field
		for _, p := range slices.Sorted(maps.Keys(m[ref].valuesByTime[at])) {
			if slices.Contains(props, p) {
				fields = append(fields, Field{p, m[ref].valuesByTime[at][p]})
			}
		}
		if len(fields) > 0 {
			rows = append(rows, row{at, fields})
		}
	}
	return rows
}

// aggregates returns those of the whole steps that overlap from..to.
func (m model) aggregates(
	ref device.Ref, from, to int64, step Step, props []device.PropertyID,
) map[device.PropertyID][]Aggregate {
	if from > to {
		return nil
	}
	from, to = clampTime(from), clampTime(to)
	to += step.ms() - 1 - floorMod(to, step.ms())
	return aggregatesFromRows(m.rows(ref, from-floorMod(from, step.ms()), to, props), step)
}

func (m model) asOf(ref device.Ref, at int64, props []device.PropertyID) []Last {
	newest := map[device.PropertyID]Last{}
	for _, r := range m.rows(ref, minTime, at, props) {
		for _, f := range r.Fields {
			newest[f.Property] = Last{f.Property, r.Time, f.Value}
		}
	}
	return slices.SortedFunc(maps.Values(newest), func(a, b Last) int { return cmp.Compare(a.Property, b.Property) })
}

var modelTimes = []int64{
	start - 40*msPerDay, start - 1, start, start + 1, start + msPerDay - 1, start + msPerDay,
	start + 3*msPerDay + 77, -1, 0, -5*msPerDay + 3, start + 400*msPerDay,
}

var modelProps = []device.PropertyID{1, 2, 3, 11, 400}

// coverage returns the days of a zone that hold readings.
func (m model) coverage(ref device.Ref, from, to int64, zone *time.Location) (days []CoveredDay) {
	for _, at := range m.times(ref) {
		if at < from || at > to {
			continue
		}
		day := CoveredDay{First: at}
		day.Year, day.Month, day.Day = time.UnixMilli(at).In(zone).Date()
		if n := len(days); n == 0 || days[n-1].String() != day.String() {
			days = append(days, day)
		}
		days[len(days)-1].Last = at
		days[len(days)-1].Frames++
	}
	return days
}

// check compares all that the store returns with the model.
func (m model) check(t *testing.T, s *Store, rng *rand.Rand) {
	t.Helper()
	for tid := range tenant.ID(modelTenants) {
		for d := range device.ID(modelDevices) {
			ref := device.Ref{Tenant: tid + 1, ID: d + 1}
			what := fmt.Sprintf("tenant %d device %d", ref.Tenant, ref.ID)
			from := modelTimes[rng.IntN(len(modelTimes))]
			to := modelTimes[rng.IntN(len(modelTimes))] + int64(rng.IntN(3)) - 1
			if rng.IntN(3) == 0 {
				from, to = minTime-1, maxTime+1
			}
			props := slices.Clone(modelProps[:1+rng.IntN(len(modelProps))])
			rng.Shuffle(len(props), func(i, j int) { props[i], props[j] = props[j], props[i] })
			same(t, what+" range", readRange(t, s, ref.Tenant, ref.ID, from, to, props...),
				m.rows(ref, from, to, props))
			step := []Step{Hour, Day}[rng.IntN(2)]
			sameAggregates(t, what+" aggregates", readAggregates(t, s, ref.Tenant, ref.ID, from, to, step, props...),
				m.aggregates(ref, from, to, step, props))
			same(t, what+" as of", readAsOf(t, s, ref.Tenant, ref.ID, to, props...), m.asOf(ref, to, props))
			zone := coverageZones[rng.IntN(len(coverageZones))]
			same(t, what+" coverage "+zone.String(), readCoverage(t, s, ref.Tenant, ref.ID, from, to, zone),
				m.coverage(ref, from, to, zone))
			same(t, what+" newest", s.Newest(t.Context(), ref.Tenant, ref.ID), m.newest(ref))
		}
	}
}

const (
	modelTenants = 2
	modelDevices = 3
)

func randomReading(rng *rand.Rand) Arrival {
	at := modelTimes[rng.IntN(len(modelTimes))] + int64(rng.IntN(4))*minute
	p := modelProps[rng.IntN(len(modelProps))]
	v := Number(float64(rng.IntN(100)) / 10)
	if p == 11 {
		v = Text(fmt.Sprint("state ", rng.IntN(5)))
	}
	a := arrival(1+tenant.ID(rng.IntN(modelTenants)), 1+device.ID(rng.IntN(modelDevices)), at, Field{p, v})
	if rng.IntN(3) == 0 {
		a.At -= int64(rng.IntN(5)) * minute // stamped ahead
	}
	return a
}

// TestOrderRepetitionAndBatchesDoNotMatter: a set of readings arrives in any order, some of them
// repeatedly, in arbitrary frames and batches, across restarts, flushes and compactions. The store
// holds the set.
func TestOrderRepetitionAndBatchesDoNotMatter(t *testing.T) {
	for range 12 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 1))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			want := model{}
			var all []Arrival
			for range 150 {
				// Each instant of a property has one value, even if it is drawn again.
				a := randomReading(rng)
				ref := device.Ref{Tenant: a.Tenant, ID: a.Device}
				if v, ok := want.value(ref, a.Time, a.Fields[0].Property); ok {
					a.Fields[0].Value = v
				}
				want.append([]Arrival{a})
				all = append(all, a)
			}
			sent := slices.Concat(all, all[:len(all)/2])
			rng.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
			s := replay(t, rng, joinFrames(rng, sent), nil)
			want.check(t, s, rng)
			want.check(t, reopen(t, s), rng)
		})
	}
}

// TestLastSentValueWins: values of one instant replace each other in the order of arrival, whenever
// files are flushed.
func TestLastSentValueWins(t *testing.T) {
	for range 12 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 2))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			var sent []Arrival
			for range 250 {
				sent = append(sent, randomReading(rng))
			}
			want := model{}
			s := replay(t, rng, joinFrames(rng, sent), want)
			want.check(t, s, rng)
		})
	}
}

// joinFrames merges some arrivals of one device, time and arrival into one frame, with their fields
// in any order.
func joinFrames(rng *rand.Rand, sent []Arrival) []Arrival {
	var frames []Arrival
	for _, a := range sent {
		i := slices.IndexFunc(frames, func(f Arrival) bool {
			return f.Tenant == a.Tenant && f.Device == a.Device && f.Time == a.Time && f.At == a.At
		})
		if i >= 0 && i == len(frames)-1 ||
			i >= 0 && rng.IntN(2) == 0 && !slices.ContainsFunc(frames[i+1:], func(f Arrival) bool {
				return f.Device == a.Device && f.Time == a.Time
			}) {
			frames[i].Fields = append(slices.Clone(frames[i].Fields), a.Fields...)
			continue
		}
		frames = append(frames, a)
	}
	return frames
}

// replay appends frames in batches of any size, with flushes, compactions, checkpoints, restarts
// and crashes in between. It updates the model and compares it, unless it is nil.
func replay(t *testing.T, rng *rand.Rand, frames []Arrival, m model) *Store {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem(), memTableBytes: 64 << 10})
	for len(frames) > 0 {
		n := 1 + rng.IntN(min(len(frames), 12))
		mustAppend(t, s, frames[:n]...)
		if m != nil {
			m.append(frames[:n])
		}
		frames = frames[n:]
		var err error
		switch rng.IntN(16) {
		case 0, 1:
			err = s.db.Flush()
		case 2:
			err = s.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false)
		case 3:
			s.Trim(rng.Uint64N(s.Stats().Position + 1))
			err = s.checkpoint(t.Context())
		case 4:
			s = reopen(t, s)
		case 5:
			s = crash(t, s)
		case 6:
			if m != nil {
				m.check(t, s, rng)
			}
		}
		if rng.IntN(3) == 0 {
			now := time.UnixMilli(modelTimes[rng.IntN(len(modelTimes))] + 2*msPerDay)
			err = errors.Join(err, s.Seal(t.Context(), now))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestConcurrentWritersLoseNothing(t *testing.T) {
	s := openStore(t, Options{})
	const writers, batches = 8, 30
	failed := make(chan error, writers)
	for w := range writers {
		go func() {
			var err error
			for n := 0; n < batches && err == nil; n++ {
				// All writers write the same frames, each with its own property.
				f := num(device.PropertyID(w), float64(n))
				err = s.Append(t.Context(), []Arrival{arrival(1, 1, start+int64(n), f)})
			}
			failed <- err
		}()
	}
	for range writers {
		select {
		case err := <-failed:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a writer hangs")
		}
	}
	rows := readRange(t, s, 1, 1, minTime, maxTime, 0, 1, 2, 3, 4, 5, 6, 7)
	if len(rows) != batches {
		t.Fatalf("%d frames, want %d", len(rows), batches)
	}
	for i, r := range rows {
		if r.Time != start+int64(i) || len(r.Fields) != writers {
			t.Errorf("frame %d: %v", i, r)
		}
	}
	if p := s.Stats().Position; p != writers*batches {
		t.Errorf("position %d, want %d", p, writers*batches)
	}
}
