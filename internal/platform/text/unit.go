package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit writes a unit in the language. Where the language has another script, a unit with an unknown
// part stays unchanged as a whole, because a mix of scripts is hard to read.
func Unit(l Language, unit string) string {
	known := descriptorOf(l).units
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
		case piece != "" && descriptorOf(l).unitsWhole:
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
		form := descriptorOf(l)
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
