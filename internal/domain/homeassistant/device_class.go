package homeassistant

import (
	"slices"

	"tilth/internal/domain/device"
	"tilth/internal/platform/agronomy"
)

// The device classes of Home Assistant that properties have, and the units that it takes for each. A
// property whose unit it does not take has no class: Home Assistant would refuse it. Those that only new
// releases know are left out, since older ones would refuse them, too.
var deviceClasses = []struct {
	class      string
	units      []string // as Home Assistant writes them
	quantities []string // nil: every quantity with one of the units
}{
	// A difference of temperatures is none: its zero moves with the unit.
	{class: "temperature", units: []string{"°C", "°F", "K"}, quantities: []string{
		"airTemperature", "soilTemperature", "waterTemperature", "leafTemperature", "boxTemperature", "dewPoint",
		"frostPoint", "wetBulbTemperature", "heatIndex", "temperature",
	}},
	{class: "humidity", units: []string{"%"}, quantities: []string{"airHumidity", "relativeHumidity", "humidity"}},
	{class: "moisture", units: []string{"%"}, quantities: []string{"soilMoisture"}},
	{class: "battery", units: []string{"%"}, quantities: []string{"battery", "batteryLevel"}},
	{
		class: "atmospheric_pressure",
		units: []string{"hPa", "kPa", "Pa", "mbar", "bar", "inHg", "mmHg", "psi"},
		quantities: []string{
			"airPressure", "seaLevelPressure",
		},
	},
	{class: "pressure", units: []string{"kPa", "hPa", "Pa"}, quantities: []string{"vaporPressureDeficit"}},
	{
		class:      "wind_speed",
		units:      []string{"m/s", "km/h", "kn", "mph", "ft/s"},
		quantities: []string{"windSpeed", "windGust"},
	},
	{class: "precipitation", units: []string{"mm", "cm", "in"}, quantities: []string{"rainfall", "rain"}},
	{class: "precipitation_intensity", units: []string{"mm/h", "mm/d", "in/h", "in/d"}},
	{class: "irradiance", units: []string{"W/m²", "BTU/(h⋅ft²)"}},
	{class: "illuminance", units: []string{"lx"}},
	{class: "carbon_dioxide", units: []string{"ppm"}, quantities: []string{"co2"}},
	{class: "pm25", units: []string{"µg/m³"}, quantities: []string{"pm25"}},
	{class: "pm10", units: []string{"µg/m³"}, quantities: []string{"pm10"}},
	{class: "ph", units: []string{""}, quantities: []string{"waterPh", "soilPh", "ph"}},
	{class: "conductivity", units: []string{"S/cm", "mS/cm", "µS/cm"}},
	{class: "distance", units: []string{"m", "cm", "mm", "km", "ft", "in"}, quantities: []string{"waterLevel"}},
	{class: "volume_flow_rate", units: []string{"m³/h", "L/min", "ft³/min", "gal/min"}},
	{class: "voltage", units: []string{"V", "mV"}},
	{class: "signal_strength", units: []string{"dBm", "dB"}},
}

// unitSpellings are other spellings of units than Home Assistant's. It has no unit of pH.
var unitSpellings = map[string]string{
	"℃": "°C", "℉": "°F", "%RH": "%", "W/m2": "W/m²", "lux": "lx", "pH": "", "l/min": "L/min", "m3/h": "m³/h",
	"μg/m³": "µg/m³", "ug/m3": "µg/m³", "μS/cm": "µS/cm", "uS/cm": "µS/cm",
}

// directions are quantities whose mean is no mean of their numbers.
var directions = []string{"windDirection"}

// classOf gives how Home Assistant takes a property with a unit: the unit as it writes it, the device
// class and the state class, each empty if there is none.
func classOf(p *device.Property, unit string) (shown, class, state string) {
	shown = unit
	if other, ok := unitSpellings[unit]; ok {
		shown = other
	}
	isOf := func(quantity string) bool {
		return agronomy.IsQuantity(p.Identifier, quantity) || p.Formula == quantity
	}
	for i := range deviceClasses {
		c := &deviceClasses[i]
		if slices.Contains(c.units, shown) && (c.quantities == nil || slices.ContainsFunc(c.quantities, isOf)) {
			class = c.class
			break
		}
	}
	if class == "" {
		shown = unit
	}
	if !slices.ContainsFunc(directions, isOf) {
		state = "measurement"
	}
	return shown, class, state
}
