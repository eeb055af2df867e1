package console_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const aggregatesPath = "/admin-api/client/pc/device/get/columns/aggregated-data"

// Hours and days of sealed and of unsealed readings, over a range of years; a text has none.
func TestAggregates(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	begin := now.Add(-48 * time.Hour).Truncate(time.Hour)
	for h := range 4 {
		for m := range 6 {
			w.measure(
				t,
				w.ws2,
				begin.Add(time.Duration(h)*time.Hour+time.Duration(m)*10*time.Minute),
				map[string]reading.Value{
					"airTemperature": reading.Number(float64(10*h+m) / 10), "note": reading.Text("calm"),
				},
			)
		}
	}
	ask := func(extra string) wire.AggregatedData {
		t.Helper()
		path := rangePath(aggregatesPath, "WS-2", "airTemperature,note", now.AddDate(-20, 0, 0), now) + extra
		return testkit.Ask[wire.AggregatedData](t, w.Contract, w.get(path))
	}
	hours := fmt.Sprintf(`{"aggregates":[{"count":[6,6,6,6],"high":[0.5,1.5,2.5,3.5],"identifier":"airTemperature",`+
		`"low":[0,1,2,3],"mean":[0.25,1.25,2.25,3.25],"sum":[1.5,7.5,13.5,19.5],"times":[%d,3600000,3600000,3600000]}],`+
		`"resolution":"hour"}`, begin.UnixMilli())
	for _, sealed := range []bool{false, true} {
		if sealed {
			if err := w.readings.Seal(t.Context(), now.Add(48*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		if got := asJSON(t, ask("&resolution=hour")); got != hours {
			t.Errorf("sealed %t:\n%s, want\n%s", sealed, got, hours)
		}
		days := ask("&resolution=day")
		if days.Resolution != wire.ByDay || days.Aggregates == nil {
			t.Fatalf("%s", asJSON(t, days))
		}
		total := 0
		for _, n := range (*days.Aggregates)[0].Count {
			total += n
		}
		at := time.UnixMilli((*days.Aggregates)[0].Times[0]).In(w.field.TimeZone)
		if total != 24 || at.Hour() != 0 || at.Minute() != 0 {
			t.Errorf("sealed %t: %s", sealed, asJSON(t, days))
		}
		raw := ask("&resolution=raw")
		if points := joinPieces(t, *raw.Readings); len(points["airTemperature"]) != 24 || len(points["note"]) != 24 {
			t.Errorf("raw: %s", asJSON(t, raw))
		}
		if auto := ask(""); asJSON(t, auto) != asJSON(t, raw) {
			t.Errorf("auto: %s", asJSON(t, auto))
		}
	}
}

// The finest resolution that has at most as many values as asked for.
func TestAggregatesChooseResolution(t *testing.T) {
	w := newServer(t)
	from := w.createMonthDevice(t, 6)
	to := from.AddDate(0, 0, 6).Add(-time.Minute)
	for _, c := range []struct {
		to     time.Time
		points string
		want   wire.AggregatedDataResolution
	}{
		{from.Add(90 * time.Minute), "", wire.ByReading},
		{from.Add(3 * time.Hour), "&points=100", wire.ByHour},
		{to, "", wire.ByHour},
		{to, "&points=20000", wire.ByReading},
		{to, "&points=100", wire.ByDay},
	} {
		path := rangePath(aggregatesPath, "MONTH", "t1", from, c.to) + c.points
		if got := testkit.Ask[wire.AggregatedData](t, w.Contract, w.get(path)); got.Resolution != c.want {
			t.Errorf("to %s%s: %s, want %s", c.to, c.points, got.Resolution, c.want)
		}
	}
}

func TestAggregatesRefuse(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	good := rangePath(aggregatesPath, "WS-2", "airTemperature", now.Add(-time.Hour), now)
	for name, path := range map[string]string{
		"no range":          aggregatesPath + "?deviceName=WS-2&yeuSignList=airTemperature",
		"reverse range":     rangePath(aggregatesPath, "WS-2", "airTemperature", now, now.Add(-time.Hour)),
		"unknown attribute": rangePath(aggregatesPath, "WS-2", "nothing", now.Add(-time.Hour), now),
		"no attribute":      fmt.Sprintf("%s?deviceName=WS-2&startTime=1&endTime=2", aggregatesPath),
		"wrong resolution":  good + "&resolution=week",
		"few points":        good + "&points=99",
		"many points":       good + "&points=20001",
	} {
		if a := w.Do(t, w.get(path)); a.Code != 601 {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	if a := w.Do(
		t,
		w.get(good),
	); a.Code != 200 ||
		string(a.Body) != `{"code":200,"data":{"resolution":"raw","readings":[]},"msg":""}` {
		t.Errorf("without readings: %s", a.Body)
	}
}

// A range of years is read in stretches, and no hour and no day is answered twice.
func TestAggregatesOfYears(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	for day := range 800 {
		at := now.AddDate(0, 0, -day).Truncate(24 * time.Hour)
		w.measure(t, w.ws2, at, map[string]reading.Value{"airTemperature": reading.Number(float64(day))})
	}
	for _, resolution := range []string{"hour", "day"} {
		path := rangePath(
			aggregatesPath,
			"WS-2",
			"airTemperature",
			now.AddDate(-5, 0, 0),
			now,
		) + "&resolution=" + resolution
		got := testkit.Ask[wire.AggregatedData](t, w.Contract, w.get(path))
		var times []int64
		for _, piece := range *got.Aggregates {
			at := int64(0)
			for _, step := range piece.Times {
				at += step
				times = append(times, at)
			}
		}
		if len(*got.Aggregates) < 2 || len(times) != 800 || !slices.IsSorted(times) {
			t.Errorf("by %s: %d pieces, %d times", resolution, len(*got.Aggregates), len(times))
		}
	}
}

// countingReadings counts how often hours are read.
type countingReadings struct {
	console.Readings
	hours *int
}

func (c countingReadings) ZoneAggregates(
	ctx context.Context,
	t tenant.ID,
	d device.ID,
	from, to int64,
	props []device.PropertyID,
	step reading.Step,
	zone *time.Location,
) (map[device.PropertyID][]reading.Aggregate, error) {
	if step == reading.Hour {
		*c.hours++
	}
	return c.Readings.ZoneAggregates(ctx, t, d, from, to, props, step, zone)
}

// The first stretch of hours, from which the resolution is chosen, is not read again for the answer.
// All properties are read together, in stretches of 2000 hours if there are eight.
func TestAggregatesReadHoursOnce(t *testing.T) {
	hours := 0
	w := newServer(t, func(o *console.Options) { o.Readings = countingReadings{o.Stores.Readings, &hours} })
	to := w.createMonthDevice(t, 1)
	const days = 100
	from := to.AddDate(0, 0, -days)
	p := w.Catalog.ProductByName("month")
	d, err := w.Devices.Get(t.Context(), w.field.ID, "MONTH")
	if err != nil {
		t.Fatal(err)
	}
	var batch []reading.Arrival
	for at := from; at.Before(to); at = at.Add(48 * time.Minute) {
		var fields []reading.Field
		for i := range p.Properties {
			value := reading.Number(float64(at.Minute() + i))
			fields = append(fields, reading.Field{Property: p.Properties[i].ID, Value: value})
		}
		frame := reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: at.UnixMilli(), Fields: fields}
		batch = append(batch, reading.Arrival{Frame: frame, At: at.UnixMilli()})
	}
	if err := w.readings.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	path := rangePath(aggregatesPath, "MONTH", strings.Join(monthSigns, ","), from, to.Add(-time.Minute))
	ask := func(more string) (got wire.AggregatedData, reads int) {
		hours = 0
		got = testkit.Ask[wire.AggregatedData](t, w.Contract, w.get(path+more))
		return got, hours
	}
	want, reads := ask("&resolution=hour")
	if n := len(*want.Aggregates); n != 2*len(monthSigns) || reads != 2 {
		t.Errorf("%d pieces of %d reads", n, reads)
	}
	for points, atMost := range map[int]int{
		2450: 2, // the first stretch has 2500 readings of a property, and is kept
		2600: 3, // both stretches are needed to know, and the first is kept
	} {
		got, reads := ask(fmt.Sprint("&points=", points))
		if reads > atMost || asJSON(t, got) != asJSON(t, want) {
			t.Errorf("%d points: %s after %d reads", points, got.Resolution, reads)
		}
	}
	if got, reads := ask("&points=4500"); got.Resolution != wire.ByReading || reads != 2 {
		t.Errorf("%s after %d reads", got.Resolution, reads)
	}
}
