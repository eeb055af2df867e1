package farm

import "math"

// Sunlight in other units.
const (
	photonsPerWatt = 2.06 // µmol/s of photosynthetic light a W of global radiation
	luxPerPhoton   = 54   // lx a µmol/m²/s
)

// uvIndex of the light at an instant.
func (l sunlight) uvIndex() float64 {
	if l.clear == 0 {
		return 0
	}
	return 12.5 * math.Pow(l.height, 2.4) * l.global / l.clear
}
