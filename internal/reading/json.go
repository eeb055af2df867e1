package reading

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends v to dst as MarshalJSON writes it; long answers are made
// of it, without an allocation a value. A number that is none (the store holds
// none such) is null.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.kind {
	case KindNumber:
		return appendJSONNumber(dst, v.num)
	case KindBoolean:
		return strconv.AppendBool(dst, v.Bool())
	case KindText:
		return appendJSONText(dst, v.text)
	default:
		return append(dst, "null"...)
	}
}

// shortDigits is below the largest number of digits of which any two texts are
// different float64s.
const shortDigits = 1e15

// appendJSONNumber writes the shortest text from which f is read back. Numbers
// of few decimals, which is what devices send, are found by trying, several
// times as fast as the general way.
func appendJSONNumber(dst []byte, f float64) []byte {
	if f == 0 && math.Signbit(f) {
		return append(dst, "-0"...)
	}
	for decimals, p := range &pow10 {
		scaled := f * p
		if !(math.Abs(scaled) < shortDigits) {
			break
		}
		digits := math.RoundToEven(scaled)
		if off := math.Abs(scaled - digits); off > 0.01 && scaled < 1e12 && scaled > -1e12 {
			continue // too far off to be a matter of rounding, found out without dividing
		}
		if digits/p == f {
			return appendDecimal(dst, int64(digits), decimals)
		}
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	// As encoding/json does, which does as browsers do.
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is e-9
		dst = dst[:n-1]
	}
	return dst
}

// appendDigits writes digits / 10^decimals in as few characters as can be.
func appendDigits(dst []byte, digits int64, decimals int) []byte {
	for decimals > 0 && digits%10 == 0 {
		digits /= 10
		decimals--
	}
	return appendDecimal(dst, digits, decimals)
}

// appendDecimal writes digits with a point before the last decimals of them.
func appendDecimal(dst []byte, digits int64, decimals int) []byte {
	if digits < 0 {
		dst, digits = append(dst, '-'), -digits
	}
	var text [21]byte
	i, rest := len(text), uint64(digits)
	for {
		i--
		text[i] = byte('0' + rest%10)
		rest /= 10
		if decimals--; decimals == 0 {
			i--
			text[i] = '.'
		} else if decimals < 0 && rest == 0 {
			return append(dst, text[i:]...)
		}
	}
}

func appendJSONText(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf-1 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(strings.ToValidUTF8(s, string(utf8.RuneError))) // a string never fails
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
