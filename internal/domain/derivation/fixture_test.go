package derivation

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/agronomy"
)

// The properties of the test's product.
const (
	airT device.PropertyID = iota + 3
	airRH
	wind
	sun
	dew
	moist // needs dew
	flux  // needs sun
	light // needs flux
	et
	gdd
	hours
	portions
	battery
	dewHours // needs dew, which needs two inputs
	dewET    // needs dew
)

func number(f float64) *float64 { return &f }

func decimals(n int) *int { return &n }

func mastProduct() *device.Product {
	measured := func(id device.PropertyID, name string) device.Property {
		return device.Property{ID: id, Identifier: name, DataType: device.Number}
	}
	derived := func(id device.PropertyID, name, formula string, inputs ...string) device.Property {
		return device.Property{ID: id, Identifier: name, DataType: device.Number, Formula: formula, Inputs: inputs}
	}
	p := &device.Product{ID: 1, Name: "mast", Properties: []device.Property{
		derived(moist, "moist", "vaporPressureDeficit", "t", "rh", "dew"), // before the properties that it needs
		measured(airT, "t"),
		measured(airRH, "rh"),
		measured(wind, "wind"),
		measured(sun, "sun"),
		measured(battery, "battery"),
		derived(dew, "dew", "dewPoint", "t", "rh"),
		derived(flux, "flux", "ppfdOfRadiation", "sun"),
		derived(light, "light", "dailyLightIntegral", "flux"),
		derived(et, "et", "referenceEvapotranspiration", "t", "rh", "wind", "sun"),
		derived(gdd, "gdd", "growingDegreeDays", "t"),
		derived(hours, "hours", "chillHours", "t"),
		derived(portions, "portions", "chillPortions", "t"),
		derived(dewHours, "dewHours", "chillHours", "dew"),
		derived(dewET, "dewET", "referenceEvapotranspiration", "dew"),
	}}
	for i := range p.Properties {
		switch p.Properties[i].Formula {
		case "growingDegreeDays":
			p.Properties[i].Parameters = map[string]float64{"base": 0, startMonth: 10, startDay: 23}
		case "chillHours", "chillPortions":
			p.Properties[i].Parameters = map[string]float64{startMonth: 10, startDay: 24}
		case "dewPoint":
			p.Properties[i].Precision, p.Properties[i].Min = decimals(2), number(-20)
		}
	}
	return p
}

var derivedIDs = []device.PropertyID{dew, moist, flux, light, et, gdd, hours, portions, dewHours, dewET}

// berlin is a site where clocks go back on 25 October 2026.
var berlin = device.Site{
	Zone:  zone("Europe/Berlin"),
	Place: agronomy.Place{Latitude: number(52.5), Longitude: number(13.4), Elevation: number(34)},
}

func zone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// fixture is a store with an engine.
type fixture struct {
	testing.TB
	dir    string
	site   device.Site
	store  *reading.Store
	engine *Engine
	entry  *device.Entry
}

func newFixture(t testing.TB, p *device.Product) *fixture {
	t.Helper()
	w := &fixture{
		TB:    t,
		dir:   t.TempDir(),
		site:  berlin,
		entry: device.NewEntry(device.Ref{Tenant: 1, ID: 7}, "WS-1", p, false, false),
	}
	w.open()
	t.Cleanup(func() { w.store.Close() })
	return w
}

func (w *fixture) open() {
	w.Helper()
	var err error
	if w.store, err = reading.Open(w.Context(), reading.Options{Dir: w.dir}); err != nil {
		w.Fatal(err)
	}
	w.engine = w.newEngine()
}

func (w *fixture) newEngine() *Engine {
	site := func(context.Context, device.Ref) (device.Site, error) { return w.site, nil }
	return New(Options{Readings: w.store, Site: site})
}

func (w *fixture) restart() {
	w.Helper()
	if err := w.store.Close(); err != nil {
		w.Fatal(err)
	}
	w.open()
}

// send writes frames in one batch, as the ingest edge does.
func (w *fixture) send(frames ...reading.Frame) {
	w.Helper()
	var batch []reading.Arrival
	var entries []*device.Entry
	for _, f := range frames {
		f.Tenant, f.Device = w.entry.Tenant, w.entry.ID
		batch = append(batch, reading.Arrival{Frame: f, At: f.Time + 5})
		entries = append(entries, w.entry)
	}
	whole, failed, err := w.engine.DeriveBatch(w.Context(), batch, entries)
	if err == nil {
		err = w.store.Append(w.Context(), whole)
	}
	if err != nil || len(failed) > 0 {
		w.Fatal(err, failed)
	}
}

func frame(at time.Time, values ...any) reading.Frame {
	f := reading.Frame{Time: at.UnixMilli()}
	for i := 0; i < len(values); i += 2 {
		property, value := values[i].(device.PropertyID), reading.Number(toFloat(values[i+1]))
		f.Fields = append(f.Fields, reading.Field{Property: property, Value: value})
	}
	return f
}

func toFloat(x any) float64 {
	if i, ok := x.(int); ok {
		return float64(i)
	}
	return x.(float64)
}

type table map[int64]map[device.PropertyID]float64

func (w *fixture) read(props ...device.PropertyID) table {
	w.Helper()
	out := table{}
	collect := func(at int64, fields []reading.Field) error {
		out[at] = map[device.PropertyID]float64{}
		for _, f := range fields {
			out[at][f.Property] = f.Value.Float()
		}
		return nil
	}
	err := w.store.Range(w.Context(), w.entry.Tenant, w.entry.ID, 0, math.MaxInt64, props, collect)
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// expected computes from scratch, slowly, what the engine should derive from measured readings.
func (w *fixture) expected(measured table) table {
	p, out := w.entry.Product, table{}
	pl := compile(p)
	all := table{}
	for at, values := range measured {
		all[at] = maps.Clone(values)
	}
	keep := func(at int64, r *computation, v float64, ok bool) {
		if v, ok = r.roundAndCheck(v, ok); !ok {
			return
		}
		for _, t := range []table{out, all} {
			if t[at] == nil {
				t[at] = map[device.PropertyID]float64{}
			}
			t[at][r.property] = v
		}
	}
	times := slices.Sorted(maps.Keys(measured))
	newest := int64(math.MinInt64)
	for _, at := range times {
		for id := range measured[at] {
			if id != battery {
				newest = at
			}
		}
		for i := range pl.instants {
			r := &pl.instants[i]
			var x []float64
			fresh := false
			for _, id := range r.inputs {
				for u := at; u >= at-pl.maxInputAge; u-- { // backwards by milliseconds
					if v, ok := all[u][id]; ok {
						x = append(x, v)
						fresh = fresh || u == at
						break
					}
					if step := previous(times, u); step < u-1 {
						u = step + 1
					}
				}
			}
			if fresh && len(x) == len(r.inputs) {
				v, ok := r.formula.InstantValue(x, r.parameters, w.site.Place)
				keep(at, r, v, ok)
			}
		}
	}
	if newest == math.MinInt64 {
		return out
	}
	first := dayOf(times[0], w.site.Zone) - 400
	for d := dayOf(times[0], w.site.Zone); d < dayOf(newest, w.site.Zone); d++ {
		for i := range pl.days {
			r := &pl.days[i]
			if r.formula.Kind == agronomy.Daily {
				a, ok := w.dayFrom(all, d, r.inputs)
				if ok {
					v, ok := r.formula.DailyValue(a, r.parameters, w.site.Place)
					keep(d.lastMilli(w.site.Zone), r, v, ok)
				}
				continue
			}
			sum := r.formula.NewTally(r.parameters)
			hasReadings := false
			for e := max(first, r.seasonStart(d, w.site.Place)); e <= d; e++ {
				a, ok := w.dayFrom(all, e, r.inputs)
				if hasReadings = ok; ok {
					sum.Add(a)
				} else {
					sum.Add(nil)
				}
			}
			v, ok := sum.Value()
			keep(d.lastMilli(w.site.Zone), r, v, ok && hasReadings)
		}
	}
	return out
}

func previous(times []int64, at int64) int64 {
	i, _ := slices.BinarySearch(times, at)
	if i == 0 {
		return math.MinInt64 / 2
	}
	return times[i-1]
}

func (w *fixture) dayFrom(all table, d civilDay, inputs []device.PropertyID) (*agronomy.Day, bool) {
	begin, end := d.begin(w.site.Zone), (d + 1).begin(w.site.Zone)
	year, month, date := d.date()
	a := &agronomy.Day{YearDay: time.Date(year, month, date, 0, 0, 0, 0, time.UTC).YearDay()}
	for _, id := range inputs {
		var list []agronomy.Reading
		for _, at := range slices.Sorted(maps.Keys(all)) {
			if v, ok := all[at][id]; ok && at >= begin && at < end {
				list = append(list, agronomy.Reading{At: at - begin, Value: v})
			}
		}
		if len(list) == 0 {
			return nil, false
		}
		a.Inputs = append(a.Inputs, agronomy.NewSeries(list, int((end-begin+3_599_999)/3_600_000)))
	}
	return a, true
}

func (w *fixture) checkDerived(what string, measured table) {
	w.Helper()
	got, want := w.read(derivedIDs...), w.expected(measured)
	for _, at := range slices.Sorted(maps.Keys(union(got, want))) {
		if !maps.Equal(got[at], want[at]) {
			w.Fatalf("%s: at %s: %v, want %v",
				what, time.UnixMilli(at).In(w.site.Zone), formatValues(got[at]), formatValues(want[at]))
		}
	}
}

func union(a, b table) table {
	u := maps.Clone(a)
	maps.Copy(u, b)
	return u
}

func formatValues(values map[device.PropertyID]float64) string {
	names := map[device.PropertyID]string{
		dew:      "dew",
		moist:    "moist",
		flux:     "flux",
		light:    "light",
		et:       "et",
		gdd:      "gdd",
		hours:    "hours",
		portions: "portions",
		dewHours: "dewHours",
		dewET:    "dewET",
	}
	text := ""
	for _, id := range slices.Sorted(maps.Keys(values)) {
		text += fmt.Sprintf("%s=%v ", names[id], values[id])
	}
	return text
}

// weather invents some days of readings. A mast sends the values of one time in one frame or in
// several; if rough is set, there are outages and values that no formula accepts.
func weather(rng *rand.Rand, days int, rough bool) []reading.Frame {
	start := time.Date(2026, 10, 23, 0, 0, 0, 0, berlin.Zone)
	every := time.Duration(5+rng.IntN(20)) * time.Minute
	outages, faults := 1<<30, 1<<30
	if rough {
		outages, faults = 50, 40
	}
	var frames []reading.Frame
	end := start.AddDate(0, 0, days)
	next := func(at time.Time) time.Time { return at.Add(every + time.Duration(rng.IntN(5000))*time.Millisecond) }
	for at := start.Add(time.Duration(rng.IntN(600)) * time.Second); at.Before(end); at = next(at) {
		if rng.IntN(outages) == 0 {
			at = at.Add(time.Duration(rng.IntN(5*3600)) * time.Second)
		}
		h := float64(at.Hour()) + float64(at.Minute())/60
		warm := 9 - 7*math.Cos((h-3)*math.Pi/12) + rng.Float64()
		rh := 50 + 40*rng.Float64()
		if rng.IntN(faults) == 0 {
			rh = .5 // a broken sensor
		}
		round := func(v float64) float64 { return math.Round(v*10) / 10 }
		radiation := math.Round(max(0, 600*math.Sin((h-6)*math.Pi/12)))
		breeze := round(3 * rng.Float64())
		all := frame(at, airT, round(warm), airRH, round(rh), wind, breeze, sun, radiation, battery, 3.6)
		if rng.IntN(3) > 0 {
			frames = append(frames, all)
			continue
		}
		for n, f := range all.Fields { // in frames of their own, at one time or at several
			part := reading.Frame{Time: all.Time, Fields: []reading.Field{f}}
			if rng.IntN(2) == 0 {
				part.Time += int64(n) * 1700
			}
			frames = append(frames, part)
		}
	}
	return frames
}

func tableOf(frames []reading.Frame) table {
	t := table{}
	for _, f := range frames {
		if t[f.Time] == nil {
			t[f.Time] = map[device.PropertyID]float64{}
		}
		for _, x := range f.Fields {
			t[f.Time][x.Property] = x.Value.Float()
		}
	}
	return t
}
