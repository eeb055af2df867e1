package derivation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

var noon = time.Date(2026, 10, 23, 12, 0, 0, 0, berlin.Zone)

func secondsAfterNoon(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }

func (w *fixture) latest(id device.PropertyID) string {
	for _, l := range w.store.Latest(w.Context(), w.entry.Tenant, w.entry.ID) {
		if l.Property == id {
			return fmt.Sprintf("%v at %ds", l.Value, (l.Time-noon.UnixMilli())/1000)
		}
	}
	return "none"
}

// step is a batch and the newest dew point after it.
type step struct {
	frames []reading.Frame
	want   string
}

func TestInstants(t *testing.T) {
	for name, steps := range map[string][]step{
		"one frame": {
			{[]reading.Frame{frame(noon, airT, 25, airRH, 60)}, "16.7 at 0s"},
		},
		"two frames of one instant": {
			{[]reading.Frame{frame(noon, airT, 25)}, "none"},
			{[]reading.Frame{frame(noon, airRH, 60)}, "16.7 at 0s"},
		},
		"inputs at different times": {
			{[]reading.Frame{frame(noon, airT, 25)}, "none"},
			{[]reading.Frame{frame(secondsAfterNoon(600), airRH, 60)}, "16.7 at 600s"},
		},
		"inputs too far apart": {
			{[]reading.Frame{frame(noon, airT, 25)}, "none"},
			{[]reading.Frame{frame(noon.Add(10*time.Minute+time.Millisecond), airRH, 60)}, "none"},
			{[]reading.Frame{frame(secondsAfterNoon(300), airT, 25)}, "16.7 at 600s"}, // late, and close enough
		},
		"an instant without inputs": {
			{[]reading.Frame{frame(noon, airT, 25, airRH, 60)}, "16.7 at 0s"},
			{[]reading.Frame{frame(secondsAfterNoon(60), battery, 3.6)}, "16.7 at 0s"},
		},
		"a broken sensor": {
			{[]reading.Frame{frame(noon, airT, 25, airRH, 60)}, "16.7 at 0s"},
			{[]reading.Frame{frame(secondsAfterNoon(60), airT, 25, airRH, .5)}, "16.7 at 0s"},
		},
		"a value that is removed": {
			{[]reading.Frame{frame(noon, airT, 25, airRH, 60)}, "16.7 at 0s"},
			{[]reading.Frame{frame(noon, airRH, .5)}, "none"},
		},
		"a value outside the property's bounds": {
			{[]reading.Frame{frame(noon, airT, 10, airRH, 5)}, "none"},
		},
		"late readings count for later ones": {
			{[]reading.Frame{frame(noon, airT, 20)}, "none"},
			{[]reading.Frame{frame(secondsAfterNoon(60), airRH, 50)}, "9.26 at 60s"},
			{[]reading.Frame{
				frame(secondsAfterNoon(30), airT, 25), frame(secondsAfterNoon(90), airT, 30),
			}, "18.45 at 90s"},
			{[]reading.Frame{frame(secondsAfterNoon(120), airRH, 60)}, "21.39 at 120s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, mastProduct())
			for i, s := range steps {
				w.send(s.frames...)
				value, at := strings.Split(s.want, " ")[0], s.want[strings.LastIndex(s.want, " ")+1:]
				if got := w.latest(dew); !strings.HasPrefix(got, value) || !strings.HasSuffix(got, at) {
					t.Errorf("step %d: dew point %s, want %s", i, got, s.want)
				}
			}
		})
	}
}

// Values that depend on a removed derived value use the previous one.
func TestDependentValuesAfterRemoval(t *testing.T) {
	w := newFixture(t, mastProduct())
	var all []reading.Frame
	for _, f := range []reading.Frame{
		frame(noon, airT, 20, airRH, 50),
		frame(secondsAfterNoon(60), airT, 21, airRH, 55),
		frame(secondsAfterNoon(60), airRH, 5),
		frame(secondsAfterNoon(70), airT, 12),
	} {
		w.send(f)
		all = append(all, f)
		w.checkDerived(fmt.Sprint(len(all), " frames"), tableOf(all))
	}
	if w.latest(moist) == "none" {
		t.Error("no dependent value was derived")
	}
}

// A day's values are at its last millisecond. They are written with the frame that ends the day,
// before that frame.
func TestDayValuesComeWithNextDaysFrame(t *testing.T) {
	w := newFixture(t, mastProduct())
	w.site.Zone = time.UTC
	w.engine = w.newEngine()
	start := time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC)
	for at := start; at.Before(start.AddDate(0, 0, 1)); at = at.Add(10 * time.Minute) {
		w.send(frame(at, sun, 100, airT, 5))
	}
	if got := w.read(light); len(got) != 0 {
		t.Fatalf("a day that is not over has values: %v", got)
	}
	a := reading.Arrival{Frame: frame(start.AddDate(0, 0, 1), sun, 0), At: 99}
	b := reading.Arrival{Frame: frame(start.Add(23*time.Hour+55*time.Minute), sun, 100), At: 98}
	a.Tenant, a.Device, b.Tenant, b.Device = 1, 7, 1, 7
	whole, _, err := w.engine.DeriveBatch(t.Context(), []reading.Arrival{b, a}, []*device.Entry{w.entry, w.entry})
	if err != nil || len(whole) != 3 {
		t.Fatalf("%d frames, %v", len(whole), err)
	}
	last := start.AddDate(0, 0, 1).UnixMilli() - 1
	if x := whole[1]; x.Time != last || x.At != 99 || x.Tenant != 1 || x.Device != 7 ||
		valueOf(x.Fields, light).Float() != 17.8 {
		t.Errorf("extra %+v", x)
	}
	// The batch was not written: the engine must forget it.
	w.engine.ForgetBatch([]*device.Entry{w.entry, nil})
	w.send(b.Frame, a.Frame)
	if got := w.read(light); len(got) != 1 || got[last][light] != 17.8 {
		t.Errorf("%v", got)
	}
}

// The engine does not mix the readings of two tenants' devices with the same number.
func TestSameDeviceIDInTwoTenants(t *testing.T) {
	w := newFixture(t, mastProduct())
	w.send(frame(noon, airT, 25))
	other := device.NewEntry(device.Ref{Tenant: 2, ID: 7}, "WS-1", w.entry.Product, false, false)
	mine := w.entry
	w.entry = other
	w.send(frame(secondsAfterNoon(60), airRH, 60))
	if got := w.latest(dew); got != "none" {
		t.Errorf("derived from another tenant's temperature: %s", got)
	}
	w.entry = mine
	w.send(frame(secondsAfterNoon(60), airRH, 60))
	if got := w.latest(dew); got == "none" {
		t.Error("nothing was derived from its own temperature")
	}
}

// A device that cannot be read does not keep the batch from being written: its frames stay as they
// were measured, and the next batch tries again.
func TestUnreadableDeviceDoesNotFailBatch(t *testing.T) {
	w := newFixture(t, mastProduct())
	siteErr := errors.New("this row is damaged")
	w.engine = New(Options{Readings: w.store, Site: func(_ context.Context, r device.Ref) (device.Site, error) {
		if r == w.entry.Ref {
			return w.site, siteErr
		}
		return w.site, nil
	}})
	other := device.NewEntry(device.Ref{Tenant: 2, ID: 8}, "WS-2", w.entry.Product, false, false)
	complete := func(ctx context.Context) ([]reading.Arrival, []DeviceFailure, error) {
		mine, theirs := frame(noon, airT, 25, airRH, 60), frame(noon, airT, 25, airRH, 60)
		mine.Tenant, mine.Device, theirs.Tenant, theirs.Device = 1, 7, 2, 8
		batch := []reading.Arrival{{Frame: mine, At: 1}, {Frame: theirs, At: 1}}
		return w.engine.DeriveBatch(ctx, batch, []*device.Entry{w.entry, other})
	}
	whole, failed, err := complete(t.Context())
	if err != nil || len(failed) != 1 || failed[0].Ref != w.entry.Ref || !errors.Is(failed[0].Err, siteErr) {
		t.Fatalf("%v, %v", failed, err)
	}
	if len(whole) != 2 || len(whole[0].Fields) != 2 || valueOf(whole[1].Fields, dew).Float() != 16.7 {
		t.Errorf("%+v", whole)
	}
	siteErr = nil
	whole, failed, err = complete(t.Context())
	if err != nil || len(failed) > 0 || valueOf(whole[0].Fields, dew).Float() != 16.7 {
		t.Errorf("once the site can be read: %+v, %v, %v", whole, failed, err)
	}
	// After a failure the engine must forget the device.
	siteErr = errors.New("this row is damaged again")
	p := *w.entry.Product
	w.entry = device.NewEntry(w.entry.Ref, w.entry.Name, &p, false, false)
	if _, failed, err = complete(t.Context()); err != nil || len(failed) != 1 || w.engine.devices[w.entry.Ref] != nil {
		t.Errorf("%v, %v", failed, err)
	}
	siteErr = nil
	// An error that every device would get fails the batch.
	if err := w.store.Append(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := complete(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.engine.ForgetBatch([]*device.Entry{w.entry, other})
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := complete(t.Context()); !errors.Is(err, reading.ErrClosed) {
		t.Errorf("%v", err)
	}
}

// A civil day begins at midnight, or where clocks jump over midnight.
func TestCivilDays(t *testing.T) {
	for _, c := range []struct {
		zone, day, begin string
		hours            int
	}{
		{"Europe/Berlin", "2026-10-25", "2026-10-25T00:00:00+02:00", 25},
		{"Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00", 23},
		{"Asia/Shanghai", "2026-07-01", "2026-07-01T00:00:00+08:00", 24},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", 23}, // there is no midnight on that day
	} {
		z := zone(c.zone)
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		d := newCivilDay(day.Date())
		if got := time.UnixMilli(d.begin(z)).In(z).Format(time.RFC3339); got != c.begin || d.hours(z) != c.hours {
			t.Errorf("%s %s begins %s and has %d hours, want %s and %d",
				c.zone, c.day, got, d.hours(z), c.begin, c.hours)
		}
		if dayOf(d.begin(z), z) != d || dayOf(d.lastMilli(z), z) != d || dayOf(d.begin(z)-1, z) != d-1 {
			t.Errorf("%s %s: its first and last milliseconds belong to other days", c.zone, c.day)
		}
	}
	if s := seasonStartOf(newCivilDay(2027, 2, 28), 10, 1); s != newCivilDay(2026, 10, 1) {
		t.Errorf("the season begins on day %d", s)
	}
	if s := seasonStartOf(newCivilDay(2027, 3, 5), 2, 31); s != newCivilDay(2027, 2, 28) {
		t.Errorf("the season of a short month begins on day %d", s)
	}
}

// BenchmarkDerive derives the values of a mast's frames that arrive in order.
func BenchmarkDerive(b *testing.B) {
	w := newFixture(b, mastProduct())
	at := noon.UnixMilli()
	entries := []*device.Entry{w.entry}
	b.ReportAllocs()
	for b.Loop() {
		f := frame(time.UnixMilli(at), airT, 20.5, airRH, 60, wind, 2, sun, 300, battery, 3.6)
		f.Tenant, f.Device = 1, 7
		at++ // all on one day
		if _, _, err := w.engine.DeriveBatch(b.Context(), []reading.Arrival{{Frame: f, At: at}}, entries); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLateFrames derives the values of one message from a logger that was offline for long.
// Its frames are so far apart that each is recomputed separately.
func BenchmarkLateFrames(b *testing.B) {
	const frames = 6900
	w := newFixture(b, mastProduct())
	w.send(frame(noon, airT, 12, airRH, 50))
	begin := noon.Add(-frames * 21 * time.Minute)
	entries := make([]*device.Entry, frames)
	for i := range entries {
		entries[i] = w.entry
	}
	for b.Loop() {
		batch := make([]reading.Arrival, frames)
		for i := range batch {
			f := frame(begin.Add(time.Duration(i)*21*time.Minute), airT, 12.5, airRH, 50)
			f.Tenant, f.Device = w.entry.Tenant, w.entry.ID
			batch[i] = reading.Arrival{Frame: f, At: noon.UnixMilli()}
		}
		if _, _, err := w.engine.DeriveBatch(b.Context(), batch, entries); err != nil {
			b.Fatal(err)
		}
		w.engine.ForgetBatch(entries)
	}
}

// A change of products or devices reloads all products. The engine reloads only devices whose
// product or site has changed.
func TestStateIsKeptForUnchangedProduct(t *testing.T) {
	w := newFixture(t, mastProduct())
	w.send(frame(noon, airT, 25, airRH, 60))
	first := w.engine.devices[w.entry.Ref]
	replace := func(change func(p *device.Product)) *deviceState {
		t.Helper()
		p := mastProduct()
		change(p)
		w.entry = device.NewEntry(w.entry.Ref, w.entry.Name, p, false, false)
		w.send(frame(secondsAfterNoon(len(w.read(airT))), airT, 25, airRH, 60))
		return w.engine.devices[w.entry.Ref]
	}
	if s := replace(func(*device.Product) {}); s != first {
		t.Error("an unchanged product: the state was reloaded")
	}
	other := replace(func(p *device.Product) { p.OfflineAfter = time.Hour })
	if other == first {
		t.Error("a changed product: the state was not reloaded")
	}
	w.site.Zone = time.UTC
	if replace(func(p *device.Product) { p.OfflineAfter = time.Hour }) == other {
		t.Error("a changed zone: the state was not reloaded")
	}
	known := w.engine.devices[w.entry.Ref]
	w.engine.Retain(func(ref device.Ref) bool { return ref == w.entry.Ref })
	if w.engine.devices[w.entry.Ref] != known {
		t.Error("Retain forgot a device with derived properties")
	}
	// The engine does not see the frames of a device without formulas.
	w.engine.Retain(func(device.Ref) bool { return false })
	f := frame(secondsAfterNoon(600), airT, 30)
	f.Tenant, f.Device = w.entry.Tenant, w.entry.ID
	if err := w.store.Append(t.Context(), []reading.Arrival{{Frame: f, At: 1}}); err != nil {
		t.Fatal(err)
	}
	w.send(frame(secondsAfterNoon(601), airRH, 60))
	if got := w.latest(dew); got != "21.39 at 601s" {
		t.Errorf("dew point %s", got)
	}
}
