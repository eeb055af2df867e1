package ingest

import "strings"

const mmPerInch = 25.4

// conversion turns a number of the unit that stations send into one of the unit that is stored.
type conversion func(sent float64) float64

func fahrenheitToCelsius(f float64) float64     { return (f - 32) / 1.8 }
func inchesOfMercuryToHPa(f float64) float64    { return f * 33.8638866667 }
func inchesOfMercuryToKPa(f float64) float64    { return f * 3.38638866667 }
func inchesToMM(f float64) float64              { return f * mmPerInch }
func milesAnHourToMetersASec(f float64) float64 { return f * 0.44704 }
func nauticalMilesToKM(f float64) float64       { return f * 1.852 }
func asSent(f float64) float64                  { return f }

// stationUnits are the fields that stations send in other units than those that are stored; N stands for a channel.
// It is a table, because names tell no units: tf_ch1 is a temperature, tf_batt1 a voltage, maxdailygust a speed.
// docs/weather-stations.md lists the fields that are stored as sent.
var stationUnits = unitTable([]unitList{
	{fahrenheitToCelsius, []string{
		"tempf", "tempNf", "tempinf", "indoortempf", "tf_chN", "tf_co2", "ptempf", "soiltempf", "soiltempNf",
		"soil_ec_tempN", "dewptf", "dewpointf", "feelslikef", "windchillf", "heatindexf", "bgt", "wbgt",
	}},
	{inchesOfMercuryToHPa, []string{"baromrelin", "baromabsin", "baromin", "absbaromin"}},
	{inchesOfMercuryToKPa, []string{"vpd"}}, // the platform's vaporPressureDeficit is in kPa
	{milesAnHourToMetersASec, []string{
		"windspeedmph", "windgustmph", "maxdailygust", "windspdmph_avg2m", "windspdmph_avg10m", "windgustmph_10m",
	}},
	{inchesToMM, []string{
		"rainratein", "rrain_piezo", // an hour
		"rainin", "eventrainin", "hourlyrainin", "dailyrainin", "weeklyrainin", "monthlyrainin", "yearlyrainin",
		"totalrainin", "last24hrainin", "24hourrainin",
		"erain_piezo", "hrain_piezo", "drain_piezo", "wrain_piezo", "mrain_piezo", "yrain_piezo", "last24hrain_piezo",
	}},
	{nauticalMilesToKM, []string{"visibility"}},
})

// unitList are the fields of a unit.
type unitList struct {
	unit   conversion
	fields []string
}

func unitTable(lists []unitList) map[string]conversion {
	table := map[string]conversion{}
	for _, list := range lists {
		for _, field := range list.fields {
			table[field] = list.unit
		}
	}
	return table
}

// conversionOf returns the conversion of a field; one that the table does not know is stored as sent.
func conversionOf(field string) conversion {
	if unit := stationUnits[field]; unit != nil {
		return unit
	}
	if unit := stationUnits[withoutChannel(field)]; unit != nil {
		return unit
	}
	return asSent
}

// withoutChannel replaces the last number in a field's name by N: tempNf for temp12f.
func withoutChannel(field string) string {
	const digits = "0123456789"
	end := strings.LastIndexAny(field, digits) + 1
	begin := len(strings.TrimRight(field[:end], digits))
	if begin == end || end-begin > 2 || field[begin] == '0' {
		return field
	}
	return field[:begin] + "N" + field[end:]
}
