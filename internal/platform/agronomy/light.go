package agronomy

// DailyLightIntegral returns the light of a day, mol/m², from the mean photon flux of each of its
// hours, µmol/m²/s (Korczynski 2002).
func DailyLightIntegral(hours []float64) float64 {
	sum := 0.
	for _, flux := range hours {
		sum += flux
	}
	return sum * 3600 / 1e6
}

// The photon flux, µmol/m²/s, of one lux in the light of a source (Thimijan and Heins 1983). It is
// precise to a tenth in the sun and useless under lamps of red and blue diodes, because lux weighs
// green.
const (
	LuxOfSunlight    = .0185
	LuxOfSodium      = .0122
	LuxOfMetalHalide = .0141
	LuxOfFluorescent = .0135
)

// PPFDFromLux returns the photon flux, µmol/m²/s, of an illuminance of lux (0..150,000), with the
// factor of its source.
func PPFDFromLux(lux, factor float64) (float64, bool) {
	return lux * factor, within(lux, 0, 150_000) && factor > 0
}

// PPFDFromRadiation returns the photon flux, µmol/m²/s, of a global radiation of watts W/m²
// (0..1500): 45 % of it is light that plants use, at 4.57 µmol/J (Meek 1984).
func PPFDFromRadiation(watts float64) (float64, bool) {
	return .45 * 4.57 * watts, within(watts, 0, 1500)
}
