package console_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/derivation"
	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console"
	"tilth/internal/platform/agronomy"
	"tilth/internal/tools/testkit"
)

// addDerived gives the station a dew point and chill units, which are counted with the parameters.
func addDerived(t *testing.T, w *fixture, parameters map[string]float64) {
	t.Helper()
	w.station.Properties = append(
		w.station.Properties,
		device.Property{
			Identifier: "dewPoint",
			DataType:   device.Number,
			AccessMode: "r",
			Formula:    "dewPoint",
			Inputs:     []string{"airTemperature", "relativeHumidity"},
		},
		device.Property{
			Identifier: "chill",
			DataType:   device.Number,
			AccessMode: "r",
			Formula:    "chillUnits",
			Inputs:     []string{"airTemperature"},
			Parameters: parameters,
		},
	)
	if err := w.Catalog.PutProduct(t.Context(), w.station); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
}

// The thing model says which properties are computed, from which inputs and with which parameters.
func TestTslOfDerivedProperties(t *testing.T) {
	w := newServer(t)
	addDerived(t, w, map[string]float64{"startMonth": 11})
	w.Run(t, []testkit.Scenario{{Name: "own", Call: w.get(tslPath + "?deviceName=WS-1"), Contains: []string{
		`"formula":"dewPoint"`,
		`"inputs":["airTemperature","relativeHumidity"]`,
		`"formula":"chillUnits"`,
		`"parameters":{"startDay":1,"startMonth":11}`,
	}}})
}

const derivedPath = "/admin-api/client/pc/device/get/derived"

// The account of a derived property's newest value is answered to its own tenant only.
func TestDerivedAccount(t *testing.T) {
	w := newServer(t, func(o *console.Options) {
		site := func(context.Context, device.Ref) (device.Site, error) {
			return device.Site{Zone: time.UTC, Place: agronomy.Place{}}, nil
		}
		o.Derivation = derivation.New(derivation.Options{Readings: o.Stores.Readings, Site: site})
	})
	addDerived(t, w, nil)
	of := func(name, sign string) testkit.Call {
		return w.get(derivedPath + "?deviceName=" + name + "&yeuSign=" + sign)
	}
	now := w.Clock.Now()
	w.Run(t, []testkit.Scenario{
		{Name: "an input is missing", Call: of("WS-1", "dewPoint"), Contains: []string{
			fmt.Sprintf(`"time":%d,"value":null`, now.UnixMilli()),
			`"reason":"missing"`,
			`"input":"relativeHumidity"`,
			`"kind":"instant"`,
			fmt.Sprintf(`"inputs":[{"identifier":"airTemperature","time":%d,"value":21.5}]`, now.UnixMilli()),
		}},
		{
			Name:     "no day has ended",
			Call:     of("WS-1", "chill"),
			Contains: []string{`"kind":"season"`, `"reason":"days"`, `"came":0,`, `"since":`, `"inputs":[]`},
		},
		{
			Name:     "nothing came",
			Call:     of("WS-2", "chill"),
			Contains: []string{`"time":null`, `"reason":"missing"`, `"input":"airTemperature"`, `"since":null`},
		},
		{
			Name:     "a measured property",
			Call:     of("WS-1", "airTemperature"),
			Code:     601,
			Contains: []string{"Attribute: “airTemperature” is not computed"},
		},
		{
			Name:     "an unknown property",
			Call:     of("WS-1", "dew"),
			Code:     601,
			Contains: []string{"Attribute: unknown: dew"},
		},
		{
			Name:     "none named",
			Call:     w.get(derivedPath + "?deviceName=WS-1"),
			Code:     601,
			Contains: []string{"Attribute: "},
		},
		{Name: "no such device", Call: of("WS-9", "dewPoint"), Code: 404},
		{Name: "another tenant's", Call: of(marker+"-1", "dewPoint"), Code: 404},
		{Name: "nobody's", Call: testkit.Call{Path: derivedPath + "?deviceName=WS-1&yeuSign=dewPoint"}, Code: 401},
	})
	w.measure(
		t,
		w.ws1,
		now.Add(time.Minute),
		map[string]reading.Value{"airTemperature": reading.Number(25), "relativeHumidity": reading.Number(60)},
	)
	w.Run(
		t,
		[]testkit.Scenario{
			{
				Name:     "a value",
				Call:     of("WS-1", "dewPoint"),
				Contains: []string{`"value":16.7}`, `"reason":null`, `"estimated":false`},
			},
		},
	)
}
