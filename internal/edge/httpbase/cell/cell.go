// Package cell keeps spreadsheets from taking texts for formulas.
package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// formulaSigns begin a formula; programs of East Asia take the wide and the small
	// ones for the same.
	formulaSigns = "=+-@＝＋－＠﹦﹢﹣﹫"
	// cellSeparators are where one program or another begins a new cell, whatever is
	// quoted: in most of Europe a list is parted by ;, and a quotation mark counts
	// at the start of a cell only, which is then another one.
	cellSeparators = ";|؛；\t\n\v\f\r\u0085\u2028\u2029"
)

// isIgnored tells whether a spreadsheet may pass over a character when it looks at
// what a cell begins with.
func isIgnored(r rune) bool {
	return r == '"' || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)
}

// startsWithSign tells whether a text begins with one of the signs.
func startsWithSign(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(formulaSigns, r)
}

// IsFormula tells whether a text that somebody types into a cell may become a
// formula.
func IsFormula(text string) bool { return startsWithSign(strings.TrimLeftFunc(text, isIgnored)) }

// AppendEscaped appends a text with an apostrophe right before each sign that a
// formula may begin with: at the start, and after whatever parts cells
// somewhere. Where apostrophes stand before such a sign there is one more of
// them then, so that who takes one away has the text again.
func AppendEscaped(dst []byte, text string) []byte {
	atCellStart := true // a cell, as far as was read
	for i, r := range text {
		switch {
		case strings.ContainsRune(cellSeparators, r):
			atCellStart = true
		case atCellStart && !isIgnored(r):
			atCellStart = false
			if startsWithSign(strings.TrimLeft(text[i:], "'")) {
				dst = append(dst, '\'')
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// AppendCSV appends a text as a cell of a table whose cells are parted by commas
// (RFC 4180), guarded.
func AppendCSV(dst []byte, text string) []byte {
	text = strings.ToValidUTF8(text, "\uFFFD")
	escaped := AppendEscaped(nil, text)
	if len(escaped) == len(text) && !strings.ContainsAny(text, `",`+cellSeparators) && strings.TrimSpace(text) == text {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for _, b := range escaped {
		if b == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, b)
	}
	return append(dst, '"')
}
