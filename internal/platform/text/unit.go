package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// units lists the parts of units that a language writes differently, as web/src/lib/format/unit.ts
// does for the console. Other parts stay unchanged.
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

// Unit writes a unit in the language. In Russian, a unit with an unknown part stays unchanged as a
// whole, because a mix of Latin and Cyrillic is hard to read.
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

// NumberWithUnit joins a number and its unit without a possible line break between them.
func NumberWithUnit(l Language, f float64, decimals *int, unit string) string {
	digits, unit := Number(l, f, decimals), Unit(l, unit)
	switch unit {
	case "":
		return digits
	case "°":
		return digits + unit
	case "%", "‰":
		form := formatOf(l)
		if form.percentFirst { // the minus precedes both: −%5
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

// UnitUnlessInName returns the unit of a value that is shown beside its name; empty if the name
// contains the unit, to avoid "pH 7.67 pH".
func UnitUnlessInName(l Language, name, unit string) string {
	if unit = SingleLine(unit); unit == "" || namesUnit(name, unit) || namesUnit(name, Unit(l, unit)) {
		return ""
	}
	return unit
}

// namesUnit reports whether a unit is one of a name's words: as in "Water pH" and 水体pH值, but not in
// "Wind at 2 m", where it belongs to a number.
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
		// A single letter may be any word, unless it ends the name or is in brackets.
		standalone := utf8.RuneCountInString(unit) > 1 || !unicode.IsLetter(rune(unit[0])) || after == "" ||
			strings.ContainsRune(")）]", next)
		if standalone && !isWordRune(last) && !isWordRune(next) && !unicode.IsDigit(previous) {
			return true
		}
		at += found + len(unit)
	}
}

// isWordRune reports whether a letter or digit beside a word belongs to it; a Chinese character
// does not.
func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}
