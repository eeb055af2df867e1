package letter

import (
	"math"
	"strconv"
	"strings"

	"tilth/internal/text"
)

const (
	mostDecimals = 6    // of a number without a precision: no sensor measures finer
	longest      = 1e15 // beyond, a number is written with an exponent
)

// marks are how a language writes numbers: between thousands, before decimals.
var marks = map[text.Language][2]string{
	text.English: {",", "."}, text.Chinese: {",", "."}, text.Turkish: {".", ","}, text.Russian: {nbsp, ","},
}

const nbsp = "\u00a0"

// number writes f with so many decimals, rounded half away from zero as rules
// are judged; nil: as many as it has.
func number(l text.Language, f float64, decimals *int) string {
	if math.Abs(f) >= longest {
		return strconv.FormatFloat(f, 'g', 6, 64)
	}
	keep := mostDecimals
	if decimals != nil {
		keep = min(max(*decimals, 0), 12)
	}
	digits := rounded(f, keep)
	if decimals == nil && strings.ContainsRune(digits, '.') {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	if strings.Trim(digits, "0.") == "" {
		sign = "" // what rounds to nothing is 0, never -0
	}
	mark, ok := marks[l]
	if !ok {
		mark = marks[text.English]
	}
	whole, part, fraction := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + mark[0] + whole[i:]
	}
	if fraction {
		whole += mark[1] + part
	}
	return sign + whole
}

// rounded goes by the decimals that people see: 1.005 is what it says, not the
// binary number a little below.
func rounded(f float64, keep int) string {
	exact := strconv.FormatFloat(f, 'f', -1, 64)
	whole, part, _ := strings.Cut(exact, ".")
	if len(part) <= keep {
		return strconv.FormatFloat(f, 'f', keep, 64)
	}
	sign := ""
	if whole[0] == '-' {
		sign, whole = "-", whole[1:]
	}
	digits := []byte(whole + part[:keep])
	if part[keep] >= '5' {
		digits = raised(digits)
	}
	s := sign + string(digits[:len(digits)-keep])
	if keep > 0 {
		s += "." + string(digits[len(digits)-keep:])
	}
	return s
}

// raised is the number in digits plus one.
func raised(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}

// units are the parts of units that are written otherwise in a language, as the
// console writes them; what is not here is written alike.
var units = map[text.Language]map[string]string{
	text.Russian: {
		"mm": "мм", "cm": "см", "m": "м", "km": "км", "m²": "м²", "m³": "м³", "ha": "га",
		"ms": "мс", "s": "с", "min": "мин", "h": "ч", "d": "сут",
		"g": "г", "kg": "кг", "mg": "мг", "µg": "мкг", "t": "т", "L": "л", "l": "л", "mL": "мл", "mol": "моль", "µmol": "мкмоль",
		"Pa": "Па", "hPa": "гПа", "kPa": "кПа", "bar": "бар", "mbar": "мбар",
		"W": "Вт", "kW": "кВт", "Wh": "Вт·ч", "kWh": "кВт·ч", "J": "Дж", "MJ": "МДж",
		"V": "В", "mV": "мВ", "A": "А", "mA": "мА", "Hz": "Гц", "mS": "мСм", "dS": "дСм", "µS": "мкСм",
		"lx": "лк", "klx": "клк", "dB": "дБ", "dBm": "дБм", "°C": "°C", "%": "%", "°": "°",
	},
	text.Turkish: {"s": "sn", "min": "dk", "h": "sa", "d": "gün"},
}

// unitIn writes a unit as people of the language do. In Russian one with an
// unknown part stays whole: half Latin, half Cyrillic reads as neither.
func unitIn(l text.Language, unit string) string {
	known := units[l]
	if known == nil {
		return unit
	}
	var b strings.Builder
	for rest := unit; rest != ""; {
		at := strings.IndexAny(rest, "/·")
		piece, separator := rest, ""
		if at >= 0 {
			piece = rest[:at]
			separator = "/"
			if rest[at] != '/' {
				separator = "·"
			}
		}
		rest = rest[len(piece)+len(separator):]
		other, ok := known[piece]
		switch {
		case ok:
			piece = other
		case piece != "" && l == text.Russian:
			return unit
		}
		b.WriteString(piece + separator)
	}
	return b.String()
}

// measured joins a number and its unit so that no line breaks between them.
func measured(l text.Language, digits, unit string) string {
	unit = unitIn(l, text.Line(unit))
	switch {
	case unit == "":
		return digits
	case unit == "%" && l == text.Turkish:
		if rest, negative := strings.CutPrefix(digits, "-"); negative {
			return "-%" + rest
		}
		return "%" + digits
	case unit == "%" && l != text.Russian, unit == "°":
		return digits + unit
	}
	return digits + nbsp + unit
}
