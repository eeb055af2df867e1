package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// units are the parts of units that are written otherwise in a language, as the
// console has them in web/src/lib/format/unit.ts; what is not here is written alike.
var units = map[Language]map[string]string{
	Russian: {
		"mm":   "мм",
		"cm":   "см",
		"m":    "м",
		"km":   "км",
		"m²":   "м²",
		"m³":   "м³",
		"ha":   "га",
		"ms":   "мс",
		"s":    "с",
		"min":  "мин",
		"h":    "ч",
		"d":    "сут",
		"g":    "г",
		"kg":   "кг",
		"mg":   "мг",
		"µg":   "мкг",
		"t":    "т",
		"L":    "л",
		"l":    "л",
		"mL":   "мл",
		"mol":  "моль",
		"µmol": "мкмоль",
		"Pa":   "Па",
		"hPa":  "гПа",
		"kPa":  "кПа",
		"bar":  "бар",
		"mbar": "мбар",
		"W":    "Вт",
		"kW":   "кВт",
		"Wh":   "Вт·ч",
		"kWh":  "кВт·ч",
		"J":    "Дж",
		"MJ":   "МДж",
		"V":    "В",
		"mV":   "мВ",
		"A":    "А",
		"mA":   "мА",
		"Hz":   "Гц",
		"mS":   "мСм",
		"dS":   "дСм",
		"µS":   "мкСм",
		"lx":   "лк",
		"klx":  "клк",
		"dB":   "дБ",
		"dBm":  "дБм",
		"°C":   "°C",
		"%":    "%",
		"°":    "°",
	},
	Turkish: {"s": "sn", "min": "dk", "h": "sa", "d": "gün"},
}

// Unit writes a unit as people of the language do. In Russian one with an
// unknown part stays whole: half Latin, half Cyrillic reads as neither.
func Unit(l Language, unit string) string {
	known := units[l]
	unit = SingleLine(unit)
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
		case piece != "" && l == Russian:
			return unit
		}
		b.WriteString(piece + separator)
	}
	return b.String()
}

// NumberWithUnit joins a number and its unit so that no line breaks between them.
func NumberWithUnit(l Language, f float64, decimals *int, unit string) string {
	digits, unit := Number(l, f, decimals), Unit(l, unit)
	switch unit {
	case "":
		return digits
	case "°":
		return digits + unit
	case "%", "‰":
		form := formatOf(l)
		if form.percentFirst { // the sign before both: −%5
			figures, negative := strings.CutPrefix(digits, minus)
			if negative {
				return minus + unit + figures
			}
			return unit + digits
		}
		return digits + form.percentGap + unit
	}
	return digits + nbsp + unit
}

// UnitUnlessInName is the unit of a value that stands beside its name: none where the
// name says it, since nobody says pH 7.67 pH.
func UnitUnlessInName(l Language, name, unit string) string {
	if unit = SingleLine(unit); unit == "" || namesUnit(name, unit) || namesUnit(name, Unit(l, unit)) {
		return ""
	}
	return unit
}

// namesUnit tells whether a unit is one of a name's words: in "Water pH" and 水体pH值,
// and not in "Wind at 2 m", where it belongs to a number.
func namesUnit(name, unit string) bool {
	for at := 0; ; {
		found := strings.Index(name[at:], unit)
		if found < 0 {
			return false
		}
		before, after := name[:at+found], name[at+found+len(unit):]
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		previous, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(before, unicode.IsSpace))
		// A letter alone may be any word, unless it ends the name or is in brackets.
		standalone := utf8.RuneCountInString(unit) > 1 || !unicode.IsLetter(rune(unit[0])) || after == "" ||
			strings.ContainsRune(")）]", next)
		if standalone && !isWordRune(last) && !isWordRune(next) && !unicode.IsDigit(previous) {
			return true
		}
		at += found + len(unit)
	}
}

// isWordRune tells whether a letter or a figure beside a word is a part of it, as a
// Chinese one is not.
func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}
