package device

import "testing"

func TestDidYouMean(t *testing.T) {
	station := &Product{Properties: []Property{
		{Identifier: "airTemperature"}, {Identifier: "airHumidity"}, {Identifier: "airPressure"},
		{Identifier: "batteryVoltage"}, {Identifier: "co2"}, {Identifier: "wind_speed"},
		{Identifier: "dewPoint", Formula: "dewPoint"},
		{Identifier: "soilMoisture1"}, {Identifier: "soilMoisture2"},
	}}
	for sent, want := range map[string]string{
		"temp":            "airTemperature",
		"Temperature":     "airTemperature",
		"hum":             "airHumidity",
		"RH":              "airHumidity",
		"pressure":        "airPressure",
		"batt":            "batteryVoltage",
		"air_temperature": "airTemperature",
		"AIR TEMPERATURE": "airTemperature",
		"airTemprature":   "airTemperature", // a letter is missing
		"airTempreature":  "airTemperature", // two are swapped
		"airTemprtr":      "",               // four are missing
		"WindSpeed":       "wind_speed",
		"co":              "co2", // one typo in a short name
		"c":               "",    // two
		"dewPoint":        "",    // the server computes it
		"dewpiont":        "",
		"soilMoisture":    "", // two come into question
		"soilMoisture3":   "",
		"xyz":             "",
		"":                "",
		"-_":              "",
	} {
		if got := station.DidYouMean(sent); got != want {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
	}
	// A property that has the very name goes before what many devices mean by it.
	exact := &Product{Properties: []Property{{Identifier: "airTemperature"}, {Identifier: "Temp"}}}
	if got := exact.DidYouMean("temp"); got != "Temp" {
		t.Errorf("temp: %q, want Temp", got)
	}
	// What the product does not measure is not offered.
	soil := &Product{Properties: []Property{{Identifier: "soilMoisture"}, {Identifier: "airTemperature", Formula: "x"}}}
	if got := soil.DidYouMean("temp"); got != "" {
		t.Errorf("temp: %q, want none", got)
	}
}
