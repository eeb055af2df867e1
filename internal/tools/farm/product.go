package farm

import "time"

// accuracy is how accurately a product measures a property.
type accuracy struct {
	sigma float64 // standard deviation of the sensor's noise
	share bool    // sigma is a share of the value instead of in its unit
	step  float64 // readings are multiples of it; 0: of the last decimal
}

// product is a device model of the simulator. Units, bounds and decimals come from the thing models
// in farm.yaml.
type product struct {
	history, live time.Duration
	accuracy      map[string]accuracy
	measure       func(d *Device, since, m moment, f *frame)
}

var products = map[string]*product{
	"weather-mast": {
		history: time.Minute, live: 10 * time.Second, measure: measureMast,
		accuracy: map[string]accuracy{
			"airTemperature": {sigma: .05}, "airHumidity": {sigma: .6}, "airPressure": {sigma: .1},
			"windSpeed": {sigma: .1}, "windDirection": {sigma: 4}, "rainfall": {step: tipSize},
			"solarRadiation": {sigma: .01, share: true}, "leafWetness": {sigma: 2},
			"batteryVoltage": {sigma: .01},
		},
	},
	"soil-probe": {
		history: 10 * time.Minute, live: time.Minute, measure: measureProbe,
		accuracy: map[string]accuracy{
			"soilTemperature10": {sigma: .05}, "soilTemperature30": {sigma: .05}, "soilTemperature60": {sigma: .05},
			"soilMoisture10": {sigma: .15}, "soilMoisture30": {sigma: .15}, "soilMoisture60": {sigma: .15},
			"soilConductivity10": {sigma: .01}, "soilConductivity30": {sigma: .01}, "soilConductivity60": {sigma: .01},
			"batteryVoltage": {sigma: .01},
		},
	},
	"greenhouse-climate": {
		history: time.Minute, live: 10 * time.Second, measure: measureGreenhouse,
		accuracy: map[string]accuracy{
			"airTemperature": {sigma: .05}, "airHumidity": {sigma: .6}, "co2": {sigma: 8},
			"ppfd": {sigma: .008, share: true},
		},
	},
	"water-station": {
		history: 5 * time.Minute, live: time.Minute, measure: measureWater,
		accuracy: map[string]accuracy{
			"waterLevel": {sigma: .005}, "waterTemperature": {sigma: .05}, "waterPh": {sigma: .02},
			"conductivity": {sigma: .005}, "dissolvedOxygen": {sigma: .03},
			"turbidity": {sigma: .03, share: true}, "batteryVoltage": {sigma: .01},
		},
	},
	"light-station": {
		history: time.Minute, live: 10 * time.Second, measure: measureLight,
		accuracy: map[string]accuracy{
			"ppfd": {sigma: .008, share: true}, "illuminance": {sigma: .02, share: true, step: 10},
			"solarRadiation": {sigma: .01, share: true}, "batteryVoltage": {sigma: .01},
		},
	},
	"field-camera": {
		history: 15 * time.Minute, live: time.Minute, measure: measureCamera,
		accuracy: map[string]accuracy{
			"boxTemperature": {sigma: .1}, "signalStrength": {sigma: 2}, "batteryVoltage": {sigma: .01},
		},
	},
}

func measureMast(d *Device, since, m moment, f *frame) {
	air := d.site.air(m, d.hollow)
	wind := d.site.windAt(m)
	// The temperature varies over the field.
	temperature := air.temperature + d.warmer + .15*d.draught.smooth(m.seconds, 40*60)
	humidity := min(100, relativeHumidity(temperature, air.dewPoint))
	f.number("airTemperature", temperature)
	f.number("airHumidity", humidity)
	f.number("airPressure", d.site.pressureAt(m))
	speed := f.number("windSpeed", wind.speed*d.exposure)
	f.number("windGust", max(speed, wind.gust*d.exposure))
	f.number("windDirection", wind.direction)
	f.number("rainfall", d.site.rainfall(since, m, d.caught))
	f.number("solarRadiation", d.site.sunlight(m, d.lag).global)
	f.number("leafWetness", d.site.leafWetness(m, humidity))
	d.measureBattery(m, f)
}

func measureProbe(d *Device, _, m moment, f *frame) {
	var theta [layers]float64
	for i, name := range []string{"soilTemperature10", "soilTemperature30", "soilTemperature60"} {
		f.number(name, d.site.soilTemperature(m, probeDepth[i], d.plot.exposure)+d.warmer)
	}
	for i, name := range []string{"soilMoisture10", "soilMoisture30", "soilMoisture60"} {
		theta[i] = d.plot.moisture(m, i)
		f.number(name, theta[i])
	}
	for i, name := range []string{"soilConductivity10", "soilConductivity30", "soilConductivity60"} {
		f.number(name, d.plot.conductivity(theta[i]))
	}
	d.measureBattery(m, f)
}

func measureGreenhouse(d *Device, _, m moment, f *frame) {
	h := d.greenhouse.at(m)
	sun := d.site.sunlight(m, d.lag)
	f.number("airTemperature", h.temperature)
	f.number("airHumidity", h.humidity())
	f.number("co2", h.co2)
	f.number("ppfd", photonsPerWatt*sun.global*transmission*h.shade())
	f.number("ventOpening", 100*h.vent)
	f.boolean("heating", h.heating)
}

func measureWater(d *Device, _, m moment, f *frame) {
	w := d.tank.at(m)
	f.number("waterLevel", w.level)
	f.number("waterTemperature", w.temperature+d.warmer)
	f.number("waterPh", w.ph)
	f.number("conductivity", w.conductivity)
	f.number("dissolvedOxygen", w.oxygen)
	f.number("turbidity", w.turbidity)
	f.number("waterFlow", w.flow)
	f.boolean("pumpRunning", w.pumping)
	d.measureBattery(m, f)
}

func measureLight(d *Device, _, m moment, f *frame) {
	sun := d.site.sunlight(m, d.lag)
	f.number("ppfd", photonsPerWatt*sun.global)
	f.number("illuminance", luxPerPhoton*photonsPerWatt*sun.global)
	f.number("uvIndex", sun.uvIndex())
	f.number("solarRadiation", sun.global)
	d.measureBattery(m, f)
}

func measureCamera(d *Device, _, m moment, f *frame) {
	// The box warms slowly, so that single clouds have no effect.
	sun := d.site.clearSky(m.day, d.site.sunHeight(m.day, m.hour)) * cloudTransmission(m.day.cloud, m.day.cloud)
	f.number("boxTemperature", d.site.air(m, d.hollow).temperature+3*d.warmer+2.5+.011*sun)
	air := 3*d.signal.smooth(m.seconds, 3*3600) + 1.5*d.signal.smooth(m.seconds, 20*60)
	f.number("signalStrength", d.reception+air-4*d.site.showerNear(m))
	d.measureBattery(m, f)
}

func (d *Device) measureBattery(m moment, f *frame) {
	v, _ := d.battery.volts(m)
	f.number("batteryVoltage", v)
}
