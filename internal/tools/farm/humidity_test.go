package farm

import "testing"

func TestDewPoint(t *testing.T) {
	assertNear(t, "dew point", dewPoint(25, 60), 16.698, .02)
	assertNear(t, "dew point", dewPoint(-5, 80), -7.916, .02)
	assertNear(t, "dew point of saturated air", dewPoint(12.5, 100), 12.5, 1e-9)
}

func TestHumidityAndDewPointAreInverse(t *testing.T) {
	for temperature := -20.; temperature <= 40; temperature += 7 {
		for humidity := 10.; humidity <= 100; humidity += 15 {
			got := relativeHumidity(temperature, dewPoint(temperature, humidity))
			assertNear(t, "humidity", got, humidity, 1e-6)
		}
	}
}

func TestAbsoluteHumidity(t *testing.T) {
	assertNear(t, "absolute humidity", absoluteHumidity(25, dewPoint(25, 60)), 13.79, .02)
	assertNear(t, "absolute humidity", absoluteHumidity(30, dewPoint(30, 80)), 24.23, .02)
	assertNear(t, "saturated", saturationDensity(25), absoluteHumidity(25, 25), 1e-9)
}

func TestVaporPressureGrowsWithWarmth(t *testing.T) {
	last := 0.
	for temperature := -40.; temperature <= 50; temperature++ {
		e := vaporPressure(temperature)
		if e <= last {
			t.Fatalf("%v hPa at %v °C, %v a degree below", e, temperature, last)
		}
		last = e
	}
}
