// Package cell keeps spreadsheets from reading texts as formulas.
package cell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// formulaSigns are the characters that begin a formula; East Asian programs also accept the
	// wide and the small ones.
	formulaSigns = "=+-@＝＋－＠﹦﹢﹣﹫"
	// cellSeparators are the characters at which some program begins a new cell, even within
	// quotes. In most of Europe, lists are separated by ;, and a quotation mark counts only at the
	// start of a cell, which is then a different one.
	cellSeparators = ";|؛；\t\n\v\f\r\u0085\u2028\u2029"
)

// isIgnored tells whether a spreadsheet may ignore a character before the first one of a cell.
func isIgnored(r rune) bool {
	return r == '"' || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf)
}

// startsWithSign tells whether a text begins with one of the signs.
func startsWithSign(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(formulaSigns, r)
}

// IsFormula tells whether a text may become a formula if somebody types it into a cell.
func IsFormula(text string) bool { return startsWithSign(strings.TrimLeftFunc(text, isIgnored)) }

// AppendEscaped appends a text with an apostrophe right before each sign that may begin a formula:
// at the start of the text, and after each cell separator. If there are apostrophes before such a
// sign already, one more is added, so that a reader that removes one apostrophe has the original
// text.
func AppendEscaped(dst []byte, text string) []byte {
	atCellStart := true // the text so far ends at the start of a cell
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

// AppendCSV appends a text as a cell of a comma-separated table (RFC 4180), escaped against
// formulas.
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
