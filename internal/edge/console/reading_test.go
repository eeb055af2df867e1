package console_test

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func TestDataLast(t *testing.T) {
	w := newServer(t)
	first := w.Clock.Milli()
	w.Clock.Advance(time.Minute)
	w.measure(
		t,
		w.ws1,
		w.Clock.Now(),
		map[string]reading.Value{"airTemperature": reading.Number(-3), "relativeHumidity": reading.Number(55.5)},
	)
	call := w.get(lastPath + "?deviceName=%20WS-1%20")
	call.Header = map[string]string{"Accept-Language": "tr-tr"}
	got := asJSON(t, testkit.Ask[wire.Latest](t, w.Contract, call))
	want := fmt.Sprintf(`{"airTemperature":{"name":"Hava sıcaklığı","precision":1,"time":%d,"unit":"°C","value":-3},`+
		`"heating":{"name":"Heating","time":%d,"unit":"","value":true},`+
		`"note":{"name":"note","time":%d,"unit":"","value":"note of WS-1"},`+
		`"relativeHumidity":{"name":"Bağıl nem","time":%d,"unit":"%%RH","value":55.5}}`, first+60_000, first, first, first+60_000)
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	w.Run(t, []testkit.Scenario{
		{Name: "never measured", Call: w.get(lastPath + "?deviceName=WS-2"), Contains: []string{`"data":{}`}},
		{Name: "unknown", Call: w.get(lastPath + "?deviceName=none"), Code: 404},
		{Name: "in another case", Call: w.get(lastPath + "?deviceName=ws-1"), Code: 404},
	})
}

// A property that the product no longer has is not shown; its readings are kept and shown again
// when it comes back.
func TestDataLastOfChangedProduct(t *testing.T) {
	w := newServer(t)
	whole := w.station.Properties
	w.station.Properties = whole[1:]
	put := func() {
		t.Helper()
		if err := w.Catalog.PutProduct(t.Context(), w.station); err != nil {
			t.Fatal(err)
		}
		w.Reload(t)
	}
	put()
	w.Run(
		t,
		[]testkit.Scenario{
			{
				Name:     "dropped",
				Call:     w.get(lastPath + "?deviceName=WS-1"),
				Contains: []string{"heating"},
				Lacks:    []string{"airTemperature"},
			},
		},
	)
	w.station.Properties = whole
	put()
	w.Run(
		t,
		[]testkit.Scenario{
			{
				Name:     "regained",
				Call:     w.get(lastPath + "?deviceName=WS-1"),
				Contains: []string{"airTemperature", "21.5"},
			},
		},
	)
}

func TestTsl(t *testing.T) {
	w := newServer(t)
	call := w.get(tslPath + "?deviceName=CAM-1")
	call.Header = map[string]string{"Accept-Language": "ru-ru"}
	got := testkit.Ask[wire.Tsl](t, w.Contract, call)
	if got.DeviceName != "CAM-1" || len(got.Propertie) != 5 {
		t.Fatalf("%s", asJSON(t, got))
	}
	for i, want := range []string{
		`{"accessMode":"r","dataType":"number","elementData":"","elementUnit":"°C","functionName":"Air temp.","identifier":"airTemperature","leastSpan":5,"max":70,"min":-50,"precision":1,"yeuName":"Температура воздуха","yeuUrl":"/icons/air.svg"}`,
		`{"accessMode":"r","dataType":"number","elementData":"","elementUnit":"%RH","functionName":"Humidity","identifier":"relativeHumidity","max":100,"min":0,"yeuName":"Относительная влажность","yeuUrl":""}`,
		`{"accessMode":"r","dataType":"number","elementData":"","elementUnit":"mm","functionName":"Rain","identifier":"rain","yeuName":"Rain","yeuUrl":""}`,
		`{"accessMode":"rw","dataType":"boolean","elementData":"","elementUnit":"","functionName":"Heating","identifier":"heating","yeuName":"Heating","yeuUrl":""}`,
		// The device's own elementData overrides its product's.
		`{"accessMode":"r","dataType":"text","elementData":"https://example.org/gate.m3u8","elementUnit":"","functionName":"","identifier":"note","yeuName":"note","yeuUrl":""}`,
	} {
		if g := asJSON(t, got.Propertie[i]); g != want {
			t.Errorf("%s\nwant %s", g, want)
		}
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "the product's own",
			Call:     w.get(tslPath + "?deviceName=WS-1"),
			Contains: []string{"https://example.org/a.m3u8"},
		},
		{Name: "unknown", Call: w.get(tslPath + "?deviceName=none"), Code: 404},
	})
}

func TestSeries(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	for i := range 400 {
		w.measure(t, w.ws2, now.Add(time.Duration(i-400)*time.Second), map[string]reading.Value{
			"airTemperature": reading.Number(float64(i%50) / 10), "heating": reading.Boolean(i >= 200),
		})
	}
	peak := now.Add(-33*time.Second - 500*time.Millisecond)
	w.measure(t, w.ws2, peak, map[string]reading.Value{"airTemperature": reading.Number(64)})

	all := testkit.Ask[wire.Series](t, w.Contract, w.get(w.series("WS-2", "heating,airTemperature,rain")))
	air, heating := all["airTemperature"], all["heating"]
	if len(all) != 3 || len(air) != 401 || len(heating) != 400 || all["rain"] == nil || len(all["rain"]) != 0 {
		t.Fatalf("%d series of %d, %d and %d points", len(all), len(air), len(heating), len(all["rain"]))
	}
	for i := 1; i < len(air); i++ {
		if air[i].Time <= air[i-1].Time {
			t.Fatalf("point %d is not later than the one before", i)
		}
	}
	if asJSON(t, heating[0]) != fmt.Sprintf(`{"time":%d,"value":false}`, now.Add(-400*time.Second).UnixMilli()) {
		t.Errorf("%s", asJSON(t, heating[0]))
	}

	// With a number of points, no peak is lost, and booleans keep their changes.
	few := testkit.Ask[wire.Series](t, w.Contract, w.get(w.series("WS-2", "airTemperature,heating")+"&points=100"))
	highest := 0.0
	for _, p := range few["airTemperature"] {
		highest = max(highest, p.Value.Float())
	}
	if n := len(few["airTemperature"]); n > 100 || n < 10 || highest != 64 {
		t.Errorf("%d points, the highest is %g", n, highest)
	}
	if h := few["heating"]; len(h) != 2 || h[0].Value.Bool() || !h[1].Value.Bool() ||
		h[1].Time != now.Add(-200*time.Second).UnixMilli() {
		t.Errorf("%s", asJSON(t, h))
	}
}

// The range includes both ends.
func TestSeriesEnds(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Now()
	for i := range 5 {
		w.measure(
			t,
			w.ws2,
			now.Add(time.Duration(i)*time.Millisecond),
			map[string]reading.Value{"rain": reading.Number(float64(i))},
		)
	}
	at := now.UnixMilli()
	for span, want := range map[[2]int64]int{
		{at + 1, at + 3}: 3, {at + 2, at + 2}: 1, {at - 9, at - 1}: 0, {0, at + 9}: -1,
	} {
		q := fmt.Sprintf("%s?deviceName=WS-2&yeuSignList=rain&startTime=%d&endTime=%d", seriesPath, span[0], span[1])
		if want < 0 {
			if a := w.Do(t, w.get(q)); a.Code != 601 {
				t.Errorf("%v: %s", span, a.Body)
			}
		} else if got := testkit.Ask[wire.Series](t, w.Contract, w.get(q)); len(got["rain"]) != want {
			t.Errorf("%v: %d points, want %d", span, len(got["rain"]), want)
		}
	}
}

// A range may be 30 days long, and names of attributes may have spaces around them; refusals are in
// TestRangeRefusals.
func TestSeriesRange(t *testing.T) {
	w := newServer(t)
	const month = 30 * 24 * 3600 * 1000
	q := rangeCall(w, seriesPath)
	w.Run(t, []testkit.Scenario{
		{Name: "30 days", Call: q("endTime", fmt.Sprint(1000+month))},
		{
			Name:     "attributes are trimmed",
			Call:     q("yeuSignList", " rain , heating "),
			Contains: []string{`"rain":[]`, `"heating":[]`},
		},
	})
}

func TestDiagnostics(t *testing.T) {
	w := newServer(t)
	call := w.get(countsPath + "?deviceName=WS-1")
	call.Header = map[string]string{"Accept-Language": "ru-ru"}
	got := asJSON(t, testkit.Ask[wire.Diagnostics](t, w.Contract, call))
	now := w.Clock.Milli()
	want := fmt.Sprintf(
		`{"clockAhead":1000,"days":[{"day":"2026-11-21","messages":1,"refused":1,"values":3}],"lastContact":%d,"lastRefusal":{"identifier":"id of WS-1","reason":"unknown","text":%q,"time":%d},"received":1,"refused":1,"values":3}`,
		now,
		"У модели нет такого параметра",
		now,
	)
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	quiet := asJSON(t, testkit.Ask[wire.Diagnostics](t, w.Contract, w.get(countsPath+"?deviceName=CAM-1")))
	if quiet != `{"clockAhead":0,"days":[],"received":0,"refused":0,"values":0}` {
		t.Errorf("%s", quiet)
	}
	// A refused message has no identifier. It counts for its day, and the day before is still
	// shown.
	w.Clock.Advance(24 * time.Hour)
	now = w.Clock.Milli()
	w.ada = w.Session(t, w.field.Ada).Access
	w.Diagnostics.Count(testkit.Ref(w.ws1), now, 0, []device.Refusal{{Time: now, Reason: device.ReasonUnreadable}}, 0)
	w.Run(t, []testkit.Scenario{
		{
			Name: "a whole message",
			Call: w.get(countsPath + "?deviceName=WS-1"),
			Contains: []string{
				`"identifier":""`,
				`"received":2`,
				"neither readable JSON",
				`{"day":"2026-11-21","messages":1,"refused":1,"values":3},{"day":"2026-11-22","messages":1,"refused":1,"values":0}`,
			},
		},
		{Name: "unknown", Call: w.get(countsPath + "?deviceName=none"), Code: 404},
	})
}
