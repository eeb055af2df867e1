package ingest

import "tilth/internal/domain/device"

// stationFields are the fields that properties take their values from, by identifier. Where there
// are several, protocols or models differ in the name; the first that a report has counts. The relative
// pressure is not among them: it depends on a setting of the station.
var stationFields = map[string][]string{
	"airTemperature":       {"tempf"},
	"airHumidity":          {"humidity"},
	"airPressure":          {"baromabsin", "absbaromin"},
	"windSpeed":            {"windspeedmph"},
	"windGust":             {"windgustmph"},
	"windDirection":        {"winddir"},
	"solarRadiation":       {"solarradiation"},
	"uvIndex":              {"uv", "UV"},
	"soilTemperature":      {"soiltempf"},
	"soilMoisture":         {"soilmoisture", "soilmoisture1"},
	"leafWetness":          {"leafwetness", "leafwetness_ch1"},
	"pm25":                 {"pm25_ch1"},
	"co2":                  {"co2"},
	"vaporPressureDeficit": {"vpd"},
	device.Rainfall:        rainCounterFields(), // see CountsRain
}

// stationOwnFields say something about the station or the message, not about the weather. They are
// never reported as unused.
var stationOwnFields = map[string]bool{
	"ID": true, "PASSWORD": true, "PASSKEY": true, "dateutc": true, "action": true, "realtime": true,
	"rtfreq": true, "softwaretype": true, "stationtype": true, "model": true, "freq": true, "interval": true,
	"runtime": true, "heap": true,
}

// fieldsOf returns the fields that a property takes its value from: the first that a report has.
func fieldsOf(p *device.Property) []string {
	switch {
	case p.Derived():
		return nil
	case p.Upload != "":
		return []string{p.Upload}
	}
	return stationFields[p.Identifier]
}
