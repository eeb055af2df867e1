package agronomy

import "strings"

// mainQuantities says which quantities people look for first in what is measured in soil, air and
// water, the most important first.
var mainQuantities = []struct{ main, others []string }{
	{
		main:   []string{"soilMoisture"},
		others: []string{"soilTemperature", "soilConductivity", "soilPh", "availableWater"},
	},
	{
		main:   []string{"airTemperature"},
		others: []string{"airHumidity", "airPressure", "co2", "dewPoint", "vaporPressureDeficit"},
	},
	{
		main: []string{"waterLevel", "waterFlow"},
		others: []string{
			"waterTemperature", "waterPh", "conductivity", "conductivity25", "dissolvedOxygen",
			"oxygenSaturation", "turbidity",
		},
	},
}

// MainQuantities gives the quantities that people look for first in a device that measures the
// given identifier, the most important first; none if it is not known.
func MainQuantities(identifier string) []string {
	for _, medium := range mainQuantities {
		for _, list := range [][]string{medium.main, medium.others} {
			for _, quantity := range list {
				if IsQuantity(identifier, quantity) {
					return medium.main
				}
			}
		}
	}
	return nil
}

// IsQuantity reports whether an identifier is that of a quantity. Digits after the quantity's name,
// which say the depth or the number of a sensor, do not matter: soilMoisture10 is soilMoisture.
func IsQuantity(identifier, quantity string) bool {
	rest, found := strings.CutPrefix(identifier, quantity)
	return found && strings.Trim(rest, "0123456789") == ""
}
