package agronomy

import "strings"

// leastSpans says for each quantity how much a chart's value axis spans at least, in the
// quantity's usual unit. A change of this size matters in the field; a smaller one is mostly
// noise of the sensor, which should not fill a chart.
var leastSpans = map[string]struct {
	unit string
	span float64
}{
	"airTemperature":   {"°C", 5},
	"airHumidity":      {"%", 10},
	"airPressure":      {"hPa", 10},
	"windSpeed":        {"m/s", 5},
	"windGust":         {"m/s", 5},
	"windDirection":    {"°", 90},
	"rainfall":         {"mm", 2},
	"solarRadiation":   {"W/m²", 100},
	"ppfd":             {"µmol/m²/s", 200},
	"illuminance":      {"lx", 10_000},
	"uvIndex":          {"", 2},
	"leafWetness":      {"%", 20},
	"leafTemperature":  {"°C", 5},
	"soilTemperature":  {"°C", 5},
	"soilMoisture":     {"%", 5},
	"soilConductivity": {"mS/cm", 0.5},
	"soilPh":           {"pH", 1},
	"co2":              {"ppm", 100},
	"pm25":             {"µg/m³", 20},
	"ammonia":          {"ppm", 5},
	"ventOpening":      {"%", 20},
	"waterLevel":       {"m", 0.5},
	"waterTemperature": {"°C", 5},
	"waterPh":          {"pH", 1},
	"conductivity":     {"mS/cm", 0.5},
	"dissolvedOxygen":  {"mg/L", 2},
	"turbidity":        {"NTU", 10},
	"waterFlow":        {"m³/h", 5},
	"batteryVoltage":   {"V", 0.5},
	"signalStrength":   {"dBm", 20},
	"boxTemperature":   {"°C", 5},

	"dewPoint":                    {"°C", 5},
	"frostPoint":                  {"°C", 5},
	"vaporPressureDeficit":        {"kPa", 0.5},
	"absoluteHumidity":            {"g/m³", 5},
	"airDensity":                  {"kg/m³", 0.05},
	"wetBulbTemperature":          {"°C", 5},
	"deltaT":                      {"°C", 5},
	"heatIndex":                   {"°C", 5},
	"seaLevelPressure":            {"hPa", 10},
	"growingDegreeDays":           {"°C·d", 50},
	"chillHours":                  {"h", 24},
	"chillUnits":                  {"CU", 24},
	"chillPortions":               {"CP", 5},
	"dailyLightIntegral":          {"mol/m²/d", 5},
	"referenceEvapotranspiration": {"mm", 2},
	"availableWater":              {"%", 20},
	"conductivity25":              {"mS/cm", 0.5},
	"oxygenSaturation":            {"%", 20},
	"leafWetnessHours":            {"h", 6},
	"ppfdOfIlluminance":           {"µmol/m²/s", 200},
	"ppfdOfRadiation":             {"µmol/m²/s", 200},
}

// LeastSpan returns how much the value axis of a quantity spans at least, in the unit; false if the
// quantity is unknown or has another unit. Digits after a quantity's name, which say the depth or
// the number of a sensor, do not matter: soilMoisture10 is soilMoisture.
func LeastSpan(quantity, unit string) (float64, bool) {
	known, ok := leastSpans[quantity]
	if !ok {
		known, ok = leastSpans[strings.TrimRight(quantity, "0123456789")]
	}
	return known.span, ok && known.unit == unit
}
