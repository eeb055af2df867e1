package agronomy

import (
	"strings"
	"time"
)

const (
	oneHour = time.Hour
	oneDay  = 24 * time.Hour
)

// spans says for each quantity, in its usual unit, how much a chart's value axis spans at least, and
// over what time its trend is told.
//
// A change of the size of least matters in the field; a smaller one is mostly noise of the sensor,
// which should not fill a chart.
//
// Soil and water change over days, so that an hour of theirs is noise and the time of the day shows
// more than the weather; air changes within the hour; pressure is told over three hours, as weather
// services do. A trend of 0 is none: sums, sunlight, directions, gusts, and what a machine sets rise
// and fall from one minute to the next or only ever rise.
var spans = map[string]struct {
	unit  string
	least float64
	trend time.Duration
}{
	"airTemperature":   {"°C", 5, oneHour},
	"airHumidity":      {"%", 10, oneHour},
	"airPressure":      {"hPa", 10, 3 * oneHour},
	"windSpeed":        {"m/s", 5, 0},
	"windGust":         {"m/s", 5, 0},
	"windDirection":    {"°", 90, 0},
	"rainfall":         {"mm", 2, 0},
	"solarRadiation":   {"W/m²", 100, 0},
	"ppfd":             {"µmol/m²/s", 200, 0},
	"illuminance":      {"lx", 10_000, 0},
	"uvIndex":          {"", 2, 0},
	"leafWetness":      {"%", 20, oneHour},
	"leafTemperature":  {"°C", 5, oneHour},
	"soilTemperature":  {"°C", 5, oneDay},
	"soilMoisture":     {"%", 5, oneDay},
	"soilConductivity": {"mS/cm", 0.5, oneDay},
	"soilPh":           {"pH", 1, oneDay},
	"co2":              {"ppm", 100, oneHour},
	"pm25":             {"µg/m³", 20, oneHour},
	"ammonia":          {"ppm", 5, oneHour},
	"ventOpening":      {"%", 20, 0},
	"waterLevel":       {"m", 0.5, oneDay},
	"waterTemperature": {"°C", 5, oneDay},
	"waterPh":          {"pH", 1, oneDay},
	"conductivity":     {"mS/cm", 0.5, oneDay},
	"dissolvedOxygen":  {"mg/L", 2, 6 * oneHour},
	"turbidity":        {"NTU", 10, 6 * oneHour},
	"waterFlow":        {"m³/h", 5, 0},
	"batteryVoltage":   {"V", 0.5, 0},
	"signalStrength":   {"dBm", 20, 0},
	"boxTemperature":   {"°C", 5, 0},

	"dewPoint":                    {"°C", 5, oneHour},
	"frostPoint":                  {"°C", 5, oneHour},
	"vaporPressureDeficit":        {"kPa", 0.5, oneHour},
	"absoluteHumidity":            {"g/m³", 5, oneHour},
	"airDensity":                  {"kg/m³", 0.05, oneHour},
	"wetBulbTemperature":          {"°C", 5, oneHour},
	"deltaT":                      {"°C", 5, oneHour},
	"heatIndex":                   {"°C", 5, oneHour},
	"seaLevelPressure":            {"hPa", 10, 3 * oneHour},
	"growingDegreeDays":           {"°C·d", 50, 0},
	"chillHours":                  {"h", 24, 0},
	"chillUnits":                  {"CU", 24, 0},
	"chillPortions":               {"CP", 5, 0},
	"dailyLightIntegral":          {"mol/m²/d", 5, 0},
	"referenceEvapotranspiration": {"mm", 2, 0},
	"availableWater":              {"%", 20, oneDay},
	"conductivity25":              {"mS/cm", 0.5, oneDay},
	"oxygenSaturation":            {"%", 20, 6 * oneHour},
	"leafWetnessHours":            {"h", 6, 0},
	"ppfdOfIlluminance":           {"µmol/m²/s", 200, 0},
	"ppfdOfRadiation":             {"µmol/m²/s", 200, 0},
}

// LeastSpan returns how much the value axis of a quantity spans at least, in the unit; false if the
// quantity is unknown or has another unit. Digits after a quantity's name, which say the depth or
// the number of a sensor, do not matter: soilMoisture10 is soilMoisture.
func LeastSpan(quantity, unit string) (float64, bool) {
	known, ok := spans[spansKey(quantity)]
	return known.least, ok && known.unit == unit
}

// TrendSpan returns over what time the trend of a quantity is told; 0 if it has none, is unknown, or
// has another unit. Digits after its name do not matter.
func TrendSpan(quantity, unit string) time.Duration {
	if known := spans[spansKey(quantity)]; known.unit == unit {
		return known.trend
	}
	return 0
}

func spansKey(quantity string) string {
	if _, ok := spans[quantity]; ok {
		return quantity
	}
	return strings.TrimRight(quantity, "0123456789")
}
