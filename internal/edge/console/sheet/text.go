package sheet

import (
	"strconv"
	"unicode/utf8"
)

// appendText writes a text as the content of an XML element or attribute. Characters that XML does
// not have are escaped as spreadsheets escape them, _x0007_; the underscore of a text that looks
// like such an escape is escaped, too.
func appendText(b []byte, s string) []byte {
	begin := 0
	replace := func(at, size int, by string) {
		b = append(append(b, s[begin:at]...), by...)
		begin = at + size
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				replace(i, size, string(utf8.RuneError))
			case r == 0xfffe || r == 0xffff:
				replace(i, size, escapeRune(r))
			}
			i += size
			continue
		}
		switch {
		case c == '&':
			replace(i, 1, "&amp;")
		case c == '<':
			replace(i, 1, "&lt;")
		case c == '>':
			replace(i, 1, "&gt;")
		case c == '"':
			replace(i, 1, "&quot;")
		case c < ' ' && c != '\n' && c != '\t': // also a carriage return: XML would turn it into a line feed
			replace(i, 1, escapeRune(rune(c)))
		case c == '_' && looksEscaped(s[i:]):
			replace(i, 1, escapeRune('_'))
		}
		i++
	}
	return append(b, s[begin:]...)
}

func escapeRune(r rune) string {
	const digits = "0123456789ABCDEF"
	return "_x" + string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]}) + "_"
}

// looksEscaped tells whether s begins like an escaped character. The underscore at its end is not
// checked, because it may begin the next escape.
func looksEscaped(s string) bool {
	if len(s) < 6 || s[1] != 'x' {
		return false
	}
	_, err := strconv.ParseUint(s[2:6], 16, 16)
	return err == nil
}

// truncate shortens a text to what a cell holds.
func truncate(s string) string {
	if len(s) <= maxText {
		return s // each byte is at most one unit
	}
	units := 0
	for i, r := range s {
		units++
		if r > 0xffff {
			units++
		}
		if units > maxText {
			return s[:i]
		}
	}
	return s
}
