package farm

import (
	"math"
	"testing"
)

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

// FAO-56, examples 8, 17, 18 and 20, and one of our own.
func TestExtraterrestrialRadiation(t *testing.T) {
	near(t, "Ra at 20° S on 3 September", extraterrestrial(radians(-20), 246), 32.19, .01)
	near(t, "Ra at Bangkok in April", extraterrestrial(radians(13+44./60), 105), 38.06, .01)
	near(t, "Ra at Uccle in July", extraterrestrial(radians(50.8), 187), 41.09, .01)
	near(t, "Ra in the polar night", extraterrestrial(radians(80), 355), 0, 1e-9)
}

func TestReferenceEvapotranspiration(t *testing.T) {
	uccle := evaporationDay{
		high: 21.5, low: 12.3, vapor: 1.409, wind: 2.078, radiation: 22.07,
		latitude: radians(50.8), elevation: 100, yearDay: 187,
	}
	near(t, "Uccle", uccle.evapotranspiration(), 3.880, .01)

	ra := extraterrestrial(radians(45+43./60), 196)
	lyon := evaporationDay{
		high: 26.6, low: 14.8, vapor: saturationPressure(14.8), wind: 2,
		radiation: .16 * math.Sqrt(26.6-14.8) * ra,
		latitude:  radians(45 + 43./60), elevation: 200, yearDay: 196,
	}
	near(t, "Lyon", lyon.evapotranspiration(), 4.560, .01)

	ankara := evaporationDay{
		high: 31, low: 15, wind: 2.1, radiation: 26.5,
		vapor:    (saturationPressure(15)*.78 + saturationPressure(31)*.24) / 2,
		latitude: radians(39.9), elevation: 938, yearDay: 196,
	}
	near(t, "Ankara", ankara.evapotranspiration(), 6.430, .01)
}

func TestEvapotranspirationGrowsWithSunAndWind(t *testing.T) {
	d := evaporationDay{
		high: 28, low: 14, vapor: 1.2, wind: 1, radiation: 15,
		latitude: radians(40), elevation: 900, yearDay: 180,
	}
	calm := d.evapotranspiration()
	d.wind = 4
	windy := d.evapotranspiration()
	d.radiation = 28
	bright := d.evapotranspiration()
	if calm >= windy || windy >= bright {
		t.Errorf("calm %v, windy %v, bright %v mm", calm, windy, bright)
	}
}

func TestStandardPressure(t *testing.T) {
	near(t, "at the sea", standardPressure(0), 101.3, .001)
	near(t, "at 938 m", standardPressure(938), 90.6, .1)
}
