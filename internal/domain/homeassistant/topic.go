package homeassistant

import (
	"fmt"
	"strings"
)

// segment writes a name as a part of a topic. Home Assistant reads A-Z, a-z, 0-9, _ and - only; any
// other byte becomes _ and its two hex digits. So does an underscore before two such digits, which would
// read as such a byte: no two names become the same.
func segment(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_' && i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2]), !isPlain(c):
			fmt.Fprintf(&b, "_%02x", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// isHex tells whether c is a hex digit as segment writes it.
func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
