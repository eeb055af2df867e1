package calibration_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/calibration"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// judge is an engine without rules. It remembers which properties changed.
type judge struct {
	*testkit.Stores
	changed []device.PropertyID
}

func (j *judge) Recalibrate(
	ctx context.Context, _ device.Ref, change func(ctx context.Context) ([]device.PropertyID, error), apply func(),
) error {
	err := j.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) (err error) {
		j.changed, err = change(ctx)
		return err
	})
	if err == nil {
		apply()
	}
	return err
}

// fixture is the service on real stores, with a mast whose dew point and its spread are computed.
type fixture struct {
	*testkit.Stores
	*judge
	readings *reading.Store
	service  *calibration.Service
	mast     *device.Product
	field    *testkit.Tenant
	devices  []*device.Device
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{Stores: testkit.NewStores(t)}
	w.readings, w.service = w.Readings, w.Calibrations
	w.mast = &device.Product{Name: "mast", OfflineAfter: testkit.OfflineAfter, Properties: []device.Property{
		{Identifier: "airTemperature", DataType: device.Number, AccessMode: "r", Precision: new(1)},
		{Identifier: "airHumidity", DataType: device.Number, AccessMode: "r", Max: new(100.0)},
		{
			Identifier: "dewPoint", DataType: device.Number, AccessMode: "r", Formula: "dewPoint",
			Inputs: []string{"airTemperature", "airHumidity"},
		},
	}}
	if err := w.Catalog.PutProduct(t.Context(), w.mast); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	w.field = w.Tenant(t, "field")
	for i := range 3 {
		w.devices = append(w.devices, w.Device(t, w.field.ID, w.mast, fmt.Sprint("M-", i+1)))
	}
	w.judge = &judge{Stores: w.Stores}
	w.service.Judge = w.judge
	return w
}

func (w *fixture) create(t *testing.T, name, property string, ago time.Duration, shift float64) {
	t.Helper()
	if _, err := w.service.Create(t.Context(), w.field.ID, name, "Ada", calibration.Form{
		Property: property, FromTime: w.Clock.Now().Add(-ago).UnixMilli(), Kind: calibration.Offset, Shift: &shift,
	}); err != nil {
		t.Fatal(err)
	}
}

// corrected is what 20 becomes at a time of the first device's property.
func (w *fixture) corrected(property string, ago time.Duration) float64 {
	curve := w.readings.Curves(testkit.Ref(w.devices[0]))[w.mast.Property(property).ID]
	v, _ := curve.Correct(w.Clock.Now().Add(-ago).UnixMilli(), reading.Number(20))
	return v.Float()
}

func TestDependentValues(t *testing.T) {
	w := newFixture(t)
	w.create(t, "M-1", "airTemperature", time.Hour, 1)
	if got := fmt.Sprint(
		w.changed,
	); got != fmt.Sprint(
		[]device.PropertyID{w.mast.Property("airTemperature").ID, w.mast.Property("dewPoint").ID},
	) {
		t.Errorf("changed %s", got)
	}
}

// A swap ends what corrects, from its time on; what corrects before stays, and the end cannot be undone.
func TestEnd(t *testing.T) {
	w := newFixture(t)
	w.create(t, "M-1", "airTemperature", time.Hour, 1)
	w.create(t, "M-1", "airHumidity", time.Hour, 90) // above the range
	end := func() {
		t.Helper()
		if err := w.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
			if err := w.service.End(ctx, w.field.ID, w.devices[0].ID, "Ada", w.Clock.Now()); err != nil {
				return err
			}
			if w.corrected("airTemperature", 0) != 21 {
				t.Error("ended before the swap is stored")
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	end()
	w.Clock.Advance(time.Minute)
	for _, restarted := range []bool{false, true} {
		if restarted {
			w.service.Judge = w.judge
			if err := w.service.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if before, since := w.corrected(
			"airTemperature",
			2*time.Minute,
		), w.corrected(
			"airTemperature",
			0,
		); before != 21 ||
			since != 20 || w.corrected("airHumidity", 2*time.Minute) != 100 ||
			w.corrected("airHumidity", 0) != 20 {
			t.Errorf("restarted %v: %v before, %v since", restarted, before, since)
		}
	}
	list, total, err := w.service.Page(t.Context(), w.field.ID, w.devices[0].ID, 0, 0, 10)
	if err != nil || total != 4 || !list[0].Swap || list[0].Kind != calibration.None {
		t.Fatalf("%+v (%v)", list, err)
	}
	if err := w.service.Undo(t.Context(), w.field.ID, list[0].ID, "Ada"); errs.As(err).Key != "calibration.bySwap" {
		t.Errorf("the end of a swap: %v", err)
	}
	// The next swap ends nothing.
	if err := w.DB.Tx(t.Context(), func(ctx context.Context, _ bun.IDB) error {
		return w.service.End(ctx, w.field.ID, w.devices[0].ID, "Ada", w.Clock.Now())
	}); err != nil {
		t.Fatal(err)
	}
	if _, total, err := w.service.Page(t.Context(), w.field.ID, w.devices[0].ID, 0, 0, 10); err != nil || total != 4 {
		t.Errorf("%d calibrations (%v)", total, err)
	}
}

// Of two calibrations of one time, made at once, one holds.
func TestSameTimeAtOnce(t *testing.T) {
	w := newFixture(t)
	at := w.Clock.Milli()
	var wait sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for i := range 4 {
		wait.Go(func() {
			_, err := w.service.Create(t.Context(), w.field.ID, "M-1", "Ada", calibration.Form{
				Property: "airTemperature", FromTime: at, Kind: calibration.Offset, Shift: new(float64(i)),
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			} else if errs.As(err).Key != "calibration.sameTime" {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if made != 1 {
		t.Errorf("%d were made", made)
	}
}

// past fails for some devices, and notes for which it is called.
type past struct {
	fails device.ID
	calls chan string
}

func (p *past) Recompute(_ context.Context, _ tenant.ID, d device.ID, from, _ int64) (int, int, error) {
	if p.calls <- fmt.Sprint(d, " since ", from); d == p.fails {
		return 0, 0, errors.New("damaged")
	}
	return 1, 0, nil
}

// A device whose values cannot be derived holds up no other one, and its wish stays.
func TestFailedDerivationHoldsUpNobody(t *testing.T) {
	w := newFixture(t)
	p := &past{w.devices[0].ID, make(chan string, 10)}
	w.service.Past = p
	for i := range 3 {
		w.create(t, fmt.Sprint("M-", i+1), "airTemperature", time.Hour, 1)
	}
	w.create(t, "M-2", "airTemperature", 2*time.Hour, 1)
	w.create(t, "M-2", "airTemperature", time.Minute, 1)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.service.Run(ctx, w.Log.Logger) }()
	hour := func(n int64) int64 { return w.Clock.Milli() - n*time.Hour.Milliseconds() }
	got := map[string]bool{}
	for range 3 {
		got[testkit.Receive(t, "a device", p.calls)] = true
	}
	for i, since := range []int64{hour(1), hour(2), hour(1)} {
		if want := fmt.Sprint(w.devices[i].ID, " since ", since); !got[want] {
			t.Errorf("%v lacks %s", got, want)
		}
	}
	testkit.Eventually(t, "one wish", func() bool {
		n, err := w.DB.Read(ctx).NewSelect().Table("rederivations").Count(ctx)
		return err == nil && n == 1
	})
	stop()
	if err := testkit.Receive(t, "the end", ended); err != nil {
		t.Error(err)
	}
}

// A product that clamps a property clamps it in all its devices, calibrated or not, until it no longer does.
func TestClampedProperties(t *testing.T) {
	w := newFixture(t)
	humidity := w.mast.Property("airHumidity")
	humidity.Max, humidity.Clamp = new(25.0), new(19.5)
	put := func() {
		t.Helper()
		if err := w.Catalog.PutProduct(t.Context(), w.mast); err != nil {
			t.Fatal(err)
		}
		w.Reload(t)
	}
	put()
	for _, restarted := range []bool{false, true} {
		if restarted {
			w.service.Judge = w.judge
			if err := w.service.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if air, rh := w.corrected("airTemperature", 0), w.corrected("airHumidity", 0); air != 20 || rh != 19.5 {
			t.Errorf("restarted %v: %v, %v", restarted, air, rh)
		}
	}
	w.create(t, "M-1", "airTemperature", time.Hour, 1)
	if air, rh := w.corrected("airTemperature", 0), w.corrected("airHumidity", 0); air != 21 || rh != 19.5 {
		t.Errorf("another property is calibrated: %v, %v", air, rh)
	}
	w.create(t, "M-1", "airHumidity", time.Hour, -2)
	if before, since := w.corrected("airHumidity", 2*time.Hour), w.corrected("airHumidity", 0); before != 19.5 ||
		since != 18 {
		t.Errorf("calibrated: %v before, %v since", before, since)
	}
	if c := w.readings.Curves(device.Ref{Tenant: w.field.ID, ID: 1e6}); c != nil {
		t.Errorf("a device that is not there: %v", c)
	}
	humidity.Clamp = nil
	put()
	if rh := w.corrected("airHumidity", 2*time.Hour); rh != 20 {
		t.Errorf("no longer clamped: %v", rh)
	}
	if c := w.readings.Curves(testkit.Ref(w.devices[1])); c != nil {
		t.Errorf("another device: %v", c)
	}
}

// Other decimals of a property count from the next reload on; calibrations of deleted devices are forgotten.
func TestCurvesFollowProducts(t *testing.T) {
	w := newFixture(t)
	w.create(t, "M-1", "airTemperature", time.Hour, 0.26)
	if got := w.corrected("airTemperature", 0); got != 20.3 {
		t.Errorf("%v", got)
	}
	w.mast.Properties[0].Precision = new(2)
	if err := w.Catalog.PutProduct(t.Context(), w.mast); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	if got := w.corrected("airTemperature", 0); got != 20.26 {
		t.Errorf("with two decimals: %v", got)
	}
	if err := w.Devices.Delete(t.Context(), w.field.ID, w.devices[0].ID); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	if got := w.corrected("airTemperature", 0); got != 20 || w.service.Holding(testkit.Ref(w.devices[0])) != nil {
		t.Errorf("of a deleted device: %v", got)
	}
}
