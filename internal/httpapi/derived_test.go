package httpapi_test

import (
	"testing"

	"tilth/internal/device"
	"tilth/internal/testkit"
)

// The thing model tells what is computed, from what, and with which parameters.
func TestTslOfDerivedProperties(t *testing.T) {
	w := newServer(t)
	w.station.Properties = append(w.station.Properties,
		device.Property{Identifier: "dewPoint", DataType: device.Number, AccessMode: "r", Formula: "dewPoint", Inputs: []string{"airTemperature", "relativeHumidity"}},
		device.Property{Identifier: "chill", DataType: device.Number, AccessMode: "r", Formula: "chillUnits", Inputs: []string{"airTemperature"},
			Parameters: map[string]float64{"startMonth": 11}},
	)
	if err := w.Catalog.PutProduct(t.Context(), w.station); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	w.Run(t, []testkit.Scenario{{Name: "own", Call: w.get(tslPath + "?deviceName=WS-1"), Contains: []string{
		`"formula":"dewPoint"`, `"inputs":["airTemperature","relativeHumidity"]`, `"formula":"chillUnits"`, `"parameters":{"startDay":1,"startMonth":11}`,
	}}})
}
