package farm

import "math"

// Sunlight in other units.
const (
	photonsPerWatt = 2.06 // µmol/s of photosynthetic light for 1 W of global radiation
	luxPerPhoton   = 54   // lx for 1 µmol/m²/s
)

// uvIndex returns the UV index of the light.
func (l sunlight) uvIndex() float64 {
	if l.clear == 0 {
		return 0
	}
	return 12.5 * math.Pow(l.height, 2.4) * l.global / l.clear
}
