package tenant

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tilth/internal/platform/errs"
)

// MaxNameLength is how long names that people give may be, in characters.
const MaxNameLength = 64

// ParseName is a name that people give to something of their tenant, as it is kept:
// trimmed, of 1 to MaxNameLength characters, and good to be shown. What is wrong is
// refused (601) naming field; required is the sentence for what shows nothing.
func ParseName(typed, field, required string) (string, error) {
	name := strings.TrimSpace(typed)
	switch {
	case !strings.ContainsFunc(name, isVisible):
		return "", errs.New(errs.Refused, required)
	case utf8.RuneCountInString(name) > MaxNameLength:
		return "", errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(MaxNameLength)).WithField(field)
	case !IsDisplayable(name):
		return "", errs.New(errs.Refused, "invalid.format").WithField(field)
	}
	return name, nil
}

// IsDisplayable tells whether a name can stand on a screen, in a mail or in a log
// as it is: something of it is to be seen, it stays on its line, and it does
// not turn the writing around it. Joiners within words, which Persian and the
// faces of emoji need, are fine.
func IsDisplayable(name string) bool {
	return utf8.ValidString(name) && strings.ContainsFunc(name, isVisible) && !strings.ContainsFunc(name, BreaksLayout)
}

// BreaksLayout tells whether a character breaks a line or turns the writing around,
// so that it has no place in a name or an address.
func BreaksLayout(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// brailleBlank is a pattern of no dots: a symbol by the tables, and empty.
const brailleBlank = '\u2800'

// isVisible tells whether a character leaves a mark by itself. Some letters do not:
// the fillers of Hangul.
func isVisible(r rune) bool {
	return r != brailleBlank && !unicode.IsSpace(r) && !unicode.In(
		r,
		unicode.Cc,
		unicode.Cf,
		unicode.Zl,
		unicode.Zp,
		unicode.M,
		unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector,
	)
}
