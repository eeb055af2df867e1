package ingest

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tilth/internal/domain/device"
)

// longestNormalized is how long a name in a normalized payload may become before an object in it is
// not looked at any more; water_temperature_current is the longest that is taken.
const longestNormalized = 32

// common is the property that takes a value of the normalized payload, and its unit.
type common struct {
	identifier string
	units      []string // a property with another unit does not take it; one without a unit does
}

var celsius = []string{"°C", "℃"}

// normalizedNames are the names of The Things Stack's normalized payload whose values have the unit
// that properties here have. A soil's temperature, moisture and ec may have a depth.
//
// Source: lib/payload.json of The Things Network's device repository.
var normalizedNames = map[string]common{
	"air_temperature":           {"airTemperature", celsius},
	"air_relativeHumidity":      {"airHumidity", []string{"%"}},
	"air_pressure":              {"airPressure", []string{"hPa", "mbar"}},
	"air_co2":                   {"co2", []string{"ppm"}},
	"air_lightIntensity":        {"illuminance", []string{"lx", "lux"}},
	"wind_speed":                {"windSpeed", []string{"m/s"}},
	"wind_direction":            {"windDirection", []string{"°"}},
	"soil_temperature":          {"soilTemperature", celsius},
	"soil_moisture":             {"soilMoisture", []string{"%"}},
	"soil_ec":                   {"soilConductivity", []string{"dS/m", "mS/cm"}},
	"soil_pH":                   {"soilPh", []string{"pH"}},
	"water_temperature_current": {"waterTemperature", celsius},
	"battery":                   {"batteryVoltage", []string{"V"}},
}

// readNormalized reads a normalized payload: a list of measurements, each with a time or of the
// present. If the decoded payload is there too, names that no property takes are passed over, since
// the decoded one has the same values.
func (r *uplinkReader) readNormalized(present *uplinkFrame, list []byte, decodedToo bool) {
	c := cursor{text: list}
	for c.enter(); c.more(); {
		measurement := c.value()
		if measurement[0] != '{' {
			continue
		}
		depth := depthOf(measurement)
		r.readElement(present, "normalized_payload", measurement, func(f *uplinkFrame, name string, value []byte) {
			p := r.normalizedProperty(name, depth)
			switch {
			case p == nil && !decodedToo && name != "soil_depth":
				r.part.refuse(name, device.ReasonUnknown)
			case p != nil && !f.has(p): // of several depths that no property tells apart, the first
				r.renamed = true
				r.set(f, p, value)
			}
		})
	}
}

// normalizedProperty finds the property that takes a name of the normalized payload; depth is that of
// the soil measurement, or empty.
func (r *uplinkReader) normalizedProperty(name, depth string) *device.Property {
	known := normalizedNames[name]
	if p := r.property(name); known.fits(p) {
		return p
	}
	if p := r.entry.Product.Property(known.identifier + depth); depth != "" && known.fits(p) {
		return p
	}
	if p := r.entry.Product.Property(known.identifier); known.fits(p) {
		return p
	}
	return nil
}

// fits tells whether a property measures in the unit of the value.
func (n common) fits(p *device.Property) bool {
	if p == nil || p.Derived() {
		return false
	}
	return p.ElementUnit == "" || n.units == nil || slices.Contains(n.units, p.ElementUnit)
}

// depthOf is the depth in cm of a soil measurement, as in soilMoisture30; empty if it tells none.
func depthOf(measurement []byte) string {
	c := cursor{text: measurement}
	for c.enter(); c.more(); {
		key, soil := c.key(), c.value()
		if !keyIs(key, "soil") || soil[0] != '{' {
			continue
		}
		members := cursor{text: soil}
		for members.enter(); members.more(); {
			key, value := members.key(), members.value()
			if f, reason := readNumber(value); keyIs(key, "depth") && reason == "" {
				return string(appendFloat(f))
			}
		}
	}
	return ""
}

// camelCase joins the words of a text: "Air Temperature" is airTemperature.
func camelCase(text string) string {
	var b strings.Builder
	apart := func(x rune) bool { return !unicode.IsLetter(x) && !unicode.IsDigit(x) }
	for i, word := range strings.FieldsFunc(text, apart) {
		word = strings.ToLower(word)
		if first, size := utf8.DecodeRuneInString(word); i > 0 {
			b.WriteRune(unicode.ToUpper(first))
			word = word[size:]
		}
		b.WriteString(word)
	}
	return b.String()
}

// isTimeName tells whether an element of a list has its time under a name.
func isTimeName(name []byte) bool {
	for _, known := range []string{"time", "timestamp", "ts", "date", "datetime"} {
		if strings.EqualFold(string(name), known) {
			return true
		}
	}
	return false
}

// elementTimeLayouts are the forms of times in words; those without a zone are in UTC.
var elementTimeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// readElementTime reads the time of an element of a list: seconds or milliseconds since 1970, or a
// date and time. It returns epoch milliseconds; ok is false if it cannot be the time of a reading.
func readElementTime(raw []byte) (at int64, ok bool) {
	if f, reason := readNumber(raw); reason == "" {
		// Milliseconds of this age are at least a hundred times the seconds.
		if f < latestTime/1000 {
			f *= 1000
		}
		at = int64(math.Round(min(f, latestTime)))
		return at, plausibleTime(at)
	}
	if raw[0] != '"' {
		return 0, false
	}
	text := strings.TrimSpace(unquote(raw))
	for _, layout := range elementTimeLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), plausibleTime(t.UnixMilli())
		}
	}
	return 0, false
}

func appendFloat(f float64) []byte { return strconv.AppendFloat(nil, f, 'g', -1, 64) }
