package httpbase

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// NormalizeIntegers writes the whole numbers of a JSON text as integers: contracts take 1.0 and
// 10e-1 for integers, JSON decoders do not. The text must be valid or empty; everything else in it
// stays as it is.
func NormalizeIntegers(text []byte) []byte {
	var out []byte // nil until something changes
	kept := 0      // text up to here is in out
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			i = skipString(text, i)
		case c == '-' || c >= '0' && c <= '9':
			end := skipNumber(text, i)
			if whole, ok := asInteger(text[i:end]); ok {
				out = append(append(out, text[kept:i]...), whole...)
				kept = end
			}
			i = end
		default:
			i++
		}
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

func skipString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func skipNumber(text []byte, i int) int {
	for i < len(text) && strings.IndexByte("+-.0123456789Ee", text[i]) >= 0 {
		i++
	}
	return i
}

// asInteger writes a whole number that has a point or an exponent without them. It refuses numbers
// beyond 2^53, where a float no longer is the number that was written.
func asInteger(number []byte) (string, bool) {
	if !bytes.ContainsAny(number, ".eE") {
		return "", false
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return "", false
	}
	return strconv.FormatFloat(f, 'f', -1, 64), true
}
