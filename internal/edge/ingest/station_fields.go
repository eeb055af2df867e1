package ingest

import (
	"strings"

	"tilth/internal/domain/device"
)

// rainfall is the identifier of the property with the rain since the report before.
const rainfall = "rainfall"

const mmPerInch = 25.4

// rainCounterFields are the fields that count rain, the one that is reset most seldom first.
var rainCounterFields = []string{"totalrainin", "yearlyrainin", "dailyrainin"}

// rainCounters are the readings of the rainCounterFields.
var rainCounters = []device.PropertyID{device.RainTotal, device.RainYearly, device.RainDaily}

// stationFields are the fields that properties take their values from, by identifier. Where there
// are several, protocols or models differ in the name; the first that a report has counts.
var stationFields = map[string][]string{
	"airTemperature":  {"tempf"},
	"airHumidity":     {"humidity"},
	"airPressure":     {"baromabsin", "absbaromin"}, // not the relative one: it depends on a setting of the station
	"windSpeed":       {"windspeedmph"},
	"windGust":        {"windgustmph"},
	"windDirection":   {"winddir"},
	"solarRadiation":  {"solarradiation"},
	"uvIndex":         {"uv", "UV"},
	"soilTemperature": {"soiltempf"},
	"soilMoisture":    {"soilmoisture", "soilmoisture1"},
	"leafWetness":     {"leafwetness"},
	"pm25":            {"pm25_ch1"},
	"co2":             {"co2"},
	rainfall:          rainCounterFields,
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

// rainCounterOf returns the reading of a rain counter that a property is derived from. ok is false
// if the property takes the field as it is.
func rainCounterOf(p *device.Property, field string) (_ device.PropertyID, ok bool) {
	if !derivesRain(p) {
		return 0, false
	}
	for i, name := range rainCounterFields {
		if name == field {
			return rainCounters[i], true
		}
	}
	return 0, false
}

// derivesRain tells whether a property is the rain between two reports of a counter.
func derivesRain(p *device.Property) bool {
	return p.Identifier == rainfall && p.Upload == "" && !p.Derived() && p.DataType == device.Number
}

// convertUnit converts a number from the unit that the name of its field tells: °F to °C, inches of
// mercury to hPa, inches of rain to mm, miles an hour to m/s. Others stay.
func convertUnit(field string, f float64) float64 {
	switch inches := strings.HasSuffix(field, "in"); {
	case inches && strings.Contains(field, "baro"):
		return f * 33.8638866667
	case inches && strings.Contains(field, "rain"):
		return f * mmPerInch
	case strings.Contains(field, "mph"):
		return f * 0.44704
	case strings.HasSuffix(field, "f"), strings.HasPrefix(field, "tf_"):
		return (f - 32) / 1.8
	}
	return f
}
