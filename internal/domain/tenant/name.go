package tenant

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tilth/internal/platform/errs"
)

// MaxNameLength limits the length, in characters, of names that people give.
const MaxNameLength = 64

// ParseName reads a name that a person typed and gives it as it is stored: trimmed, of 1 to
// MaxNameLength characters, and displayable. It refuses (601) another name, naming field; required
// is the text key for a name without a visible character.
func ParseName(typed, field, required string) (string, error) {
	if !strings.ContainsFunc(typed, isVisible) {
		return "", errs.New(errs.Refused, required)
	}
	return ParseLine(typed, field, MaxNameLength)
}

// ParseLine reads a text of one line that a person typed, which may be empty, and gives it as it is
// stored: trimmed, of at most longest characters, and displayable. It refuses (601) another one, naming
// field.
func ParseLine(typed, field string, longest int) (string, error) {
	line := strings.TrimSpace(typed)
	switch {
	case line == "":
		return "", nil
	case utf8.RuneCountInString(line) > longest:
		return "", errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(longest)).WithField(field)
	case !IsDisplayable(line):
		return "", errs.New(errs.Refused, "invalid.format").WithField(field)
	}
	return line, nil
}

// MaxTextLength limits the length, in characters, of descriptions, remarks and notes.
const MaxTextLength = 500

// ParseText reads a text of any number of lines that a person typed, which may be empty, and gives it as it is
// stored: trimmed, and of at most MaxTextLength characters. It refuses (601) another one, naming field.
func ParseText(typed, field string) (string, error) {
	text := strings.TrimSpace(typed)
	switch {
	case utf8.RuneCountInString(text) > MaxTextLength:
		return "", errs.New(errs.Refused, "invalid.long", "limit", strconv.Itoa(MaxTextLength)).WithField(field)
	case strings.ContainsFunc(text, isControl):
		return "", errs.New(errs.Refused, "invalid.format").WithField(field)
	}
	return text, nil
}

// isControl tells whether r is a control character other than line breaks and tabs.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// IsDisplayable tells whether a screen, a mail or a log can show a name as it is: it has a visible
// character, stays on one line, and does not change the writing direction. Joiners within words,
// which Persian and composed emoji need, are allowed.
func IsDisplayable(name string) bool {
	return utf8.ValidString(name) && strings.ContainsFunc(name, isVisible) && !strings.ContainsFunc(name, BreaksLayout)
}

// BreaksLayout tells whether a character breaks a line or changes the writing direction; names and
// addresses must not contain it.
func BreaksLayout(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// brailleBlank is the Braille pattern without dots: Unicode classes it as a symbol, but it shows
// nothing.
const brailleBlank = '\u2800'

// isVisible tells whether a character shows anything by itself. Some letters do not: the Hangul
// fillers.
func isVisible(r rune) bool {
	invisible := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.M,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	return r != brailleBlank && !unicode.IsSpace(r) && !invisible
}
