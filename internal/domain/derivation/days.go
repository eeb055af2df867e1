package derivation

import (
	"math"
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/agronomy"
)

// dayReadings holds the readings of a day that is over.
type dayReadings struct {
	series map[device.PropertyID]*agronomy.Series // by input; inputs without readings are missing
	stored map[device.PropertyID]reading.Value    // stored values of the day
}

// deriveDays computes the values of days that are over: days that ended with these frames, and days
// with late frames. before is the time of the newest reading before these frames.
func (w *derivationRun) deriveDays(before int64, touched []int64) error {
	s := w.state
	today := dayOf(s.newest, s.site.Zone)
	changed := map[civilDay]*dayReadings{}
	for _, at := range touched {
		if d := dayOf(at, s.site.Zone); d < today {
			changed[d] = nil
		}
	}
	if before != math.MinInt64 {
		for d := dayOf(before, s.site.Zone); d < today; d++ {
			changed[d] = nil
		}
	}
	if len(changed) == 0 {
		return nil
	}
	list := make([]civilDay, 0, len(changed))
	for d := range changed {
		list = append(list, d)
	}
	slices.Sort(list)
	inputs := s.plan.dayInputs()
	for _, d := range list {
		loaded, err := w.load(d, inputs)
		if err != nil {
			return err
		}
		changed[d] = loaded
		w.engine.seasons.replace(s.ref, d, loaded)
	}
	for i := range s.plan.days {
		r := &s.plan.days[i]
		if r.formula.Kind == agronomy.Season {
			if err := w.deriveSeason(r, changed, list[0], today-1); err != nil {
				return err
			}
			continue
		}
		for _, d := range list {
			v, ok := s.daily(r, d, changed[d])
			w.addIfChanged(r, d, changed[d].stored[r.property], v, ok)
		}
	}
	return nil
}

// dayInputs returns the properties from which daily and season values are computed.
func (pl *plan) dayInputs() (all []device.PropertyID) {
	for _, r := range pl.days {
		all = append(all, r.inputs...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// load reads a day's readings of inputs, and the day's stored values.
func (w *derivationRun) load(d civilDay, inputs []device.PropertyID) (*dayReadings, error) {
	s, zone := w.state, w.state.site.Zone
	begin, last := d.begin(zone), d.lastMilli(zone)
	props := slices.Clone(inputs)
	for _, r := range s.plan.days {
		props = append(props, r.property)
	}
	out := &dayReadings{series: map[device.PropertyID]*agronomy.Series{}, stored: map[device.PropertyID]reading.Value{}}
	gathered := make([]agronomy.SeriesBuilder, len(inputs))
	measured := make([]bool, len(inputs))
	err := w.forEachRow(begin, last, props, func(at int64, fields []reading.Field) {
		for _, f := range fields {
			if f.Value.Kind() != reading.KindNumber {
				continue
			}
			if i, input := slices.BinarySearch(inputs, f.Property); input {
				gathered[i].Add(agronomy.Reading{At: at - begin, Value: f.Value.Float()})
				measured[i] = true
			} else if at == last {
				out.stored[f.Property] = f.Value
			}
		}
	})
	for i := range gathered {
		if measured[i] {
			series := gathered[i].Series(d.hours(zone))
			out.series[inputs[i]] = &series
		}
	}
	return out, err
}

// daily returns the value of a daily computation on a day.
func (s *deviceState) daily(r *computation, d civilDay, of *dayReadings) (float64, bool) {
	a := s.newDay(d)
	for _, id := range r.inputs {
		series := of.series[id]
		if series == nil {
			return 0, false
		}
		a.Inputs = append(a.Inputs, *series)
	}
	v, ok := r.formula.DailyValue(a, r.parameters, s.site.Place)
	return r.roundAndCheck(v, ok)
}

func (s *deviceState) newDay(d civilDay) *agronomy.Day {
	year, _, _ := d.date()
	return &agronomy.Day{YearDay: int(d-newCivilDay(year, 1, 1)) + 1}
}

// addIfChanged adds a day's value if it differs from the stored one.
func (w *derivationRun) addIfChanged(r *computation, d civilDay, stored reading.Value, v float64, ok bool) {
	at := d.lastMilli(w.state.site.Zone)
	switch exists := stored.Kind() != reading.KindNone; {
	case ok && !(exists && stored.Float() == v):
		w.add(at, reading.Field{Property: r.property, Value: reading.Number(v)})
	case !ok && exists:
		w.add(at, reading.Field{Property: r.property})
	}
}

// seasonTally is the state of a season's sum.
type seasonTally struct {
	sum     agronomy.Tally
	start   civilDay // first day of the season
	through civilDay // the newest day in the sum
}

// deriveSeason computes the values of a season for the days from..to: all days with changed
// readings and all later ones. loaded holds the days that have been read.
func (w *derivationRun) deriveSeason(r *computation, loaded map[civilDay]*dayReadings, from, to civilDay) error {
	s := w.state
	stored, err := w.storedOf(r, loaded, from, to)
	if err != nil {
		return err
	}
	t, known := s.tallies[r.property]
	if !known || t.through != from-1 {
		start := r.seasonStart(from, s.site.Place)
		t = seasonTally{sum: r.formula.NewTally(r.parameters), start: start, through: start - 1}
	}
	for d := t.through + 1; d <= to; d++ {
		if start := r.seasonStart(d, s.site.Place); start != t.start {
			t = seasonTally{sum: r.formula.NewTally(r.parameters), start: start}
		}
		series, err := w.seriesOf(d, r.inputs[0], loaded)
		if err != nil {
			return err
		}
		if series == nil {
			t.sum.Add(nil)
		} else {
			a := s.newDay(d)
			a.Inputs = []agronomy.Series{*series}
			t.sum.Add(a)
		}
		t.through = d
		if d >= from {
			v, ok := t.sum.Value()
			v, ok = r.roundAndCheck(v, ok && series != nil)
			w.addIfChanged(r, d, stored[d], v, ok)
		}
	}
	s.tallies[r.property] = t
	return nil
}

// storedOf returns the stored values of a computation on the days from..to.
func (w *derivationRun) storedOf(
	r *computation,
	loaded map[civilDay]*dayReadings,
	from, to civilDay,
) (map[civilDay]reading.Value, error) {
	stored := map[civilDay]reading.Value{}
	whole := true
	for d := from; d <= to && whole; d++ {
		if whole = loaded[d] != nil; whole {
			stored[d] = loaded[d].stored[r.property]
		}
	}
	if whole {
		return stored, nil
	}
	zone := w.state.site.Zone
	err := w.forEachRow(
		from.begin(zone),
		to.lastMilli(zone),
		[]device.PropertyID{r.property},
		func(at int64, fields []reading.Field) {
			if d := dayOf(at, zone); at == d.lastMilli(zone) {
				stored[d] = valueOf(fields, r.property)
			}
		},
	)
	return stored, err
}

// seriesOf returns one input's readings of a day; nil if there are none.
func (w *derivationRun) seriesOf(
	d civilDay,
	input device.PropertyID,
	loaded map[civilDay]*dayReadings,
) (*agronomy.Series, error) {
	if of := loaded[d]; of != nil {
		return of.series[input], nil
	}
	known := w.engine.seasons.get(w.state.ref, input)
	if series, ok := known[d]; ok {
		return series, nil
	}
	of, err := w.load(d, []device.PropertyID{input})
	if err != nil {
		return nil, err
	}
	known[d] = of.series[input]
	return known[d], nil
}

// maxCachedSeasons bounds the memory of the season cache to about 11 MB.
const maxCachedSeasons = 64

// seasonCache holds days that are over for devices whose seasons were summed up anew. A device that
// sends buffered readings frame by frame then does not cause its season to be read for each frame.
type seasonCache map[seasonKey]map[civilDay]*agronomy.Series

type seasonKey struct {
	ref   device.Ref
	input device.PropertyID
}

// get returns the known days of a device's input.
func (c seasonCache) get(ref device.Ref, input device.PropertyID) map[civilDay]*agronomy.Series {
	key := seasonKey{ref, input}
	if c[key] == nil {
		if len(c) >= maxCachedSeasons {
			for other := range c { // an arbitrary one
				delete(c, other)
				break
			}
		}
		c[key] = map[civilDay]*agronomy.Series{}
	}
	return c[key]
}

// replace stores a day that has been read again.
func (c seasonCache) replace(ref device.Ref, d civilDay, of *dayReadings) {
	for key, days := range c {
		if key.ref == ref {
			days[d] = of.series[key.input]
		}
	}
}

func (c seasonCache) forget(ref device.Ref) {
	for key := range c {
		if key.ref == ref {
			delete(c, key)
		}
	}
}
