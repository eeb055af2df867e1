package reading

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends v to dst as MarshalJSON writes it, without an allocation per value, for long
// responses. NaN and infinite numbers (the store holds none) become null.
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

// maxExactDigits bounds the digits up to which two different texts are different float64s.
const maxExactDigits = 1e15

// appendJSONNumber writes the shortest text from which f is read back.
func appendJSONNumber(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	// The same format as encoding/json and browsers use.
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

// appendJSONNumbers writes numbers separated by commas. It tries each number first with the number
// of decimals of an earlier one.
func appendJSONNumbers(dst []byte, numbers []float64) []byte {
	lastDecimals := 0
	for i, f := range numbers {
		if i > 0 {
			dst = append(dst, ',')
		}
		scaled := f * pow10[lastDecimals]
		digits := math.RoundToEven(scaled)
		if digits != 0 && math.Abs(scaled) < maxExactDigits && digits/pow10[lastDecimals] == f {
			dst = appendDigits(dst, int64(digits), lastDecimals)
			continue
		}
		begin := len(dst)
		dst = appendJSONNumber(dst, f)
		if point := bytes.IndexByte(dst[begin:], '.'); point >= 0 {
			lastDecimals = min(len(dst)-begin-point-1, maxDecimals)
		}
	}
	return dst
}

// AppendTimes appends times to dst as JSON, separated by commas: the first time, then the
// difference of each other time from the previous one.
func AppendTimes(dst []byte, times []int64) []byte {
	before, step := int64(0), int64(0)
	from, to := 0, 0 // the previous step in dst
	for i, at := range times {
		if i > 0 {
			dst = append(dst, ',')
		}
		if at-before == step && to > from {
			dst = append(dst, dst[from:to]...)
		} else {
			step, from = at-before, len(dst)
			dst = strconv.AppendInt(dst, step, 10)
			to = len(dst)
		}
		before = at
	}
	return dst
}

// appendDigits writes digits / 10^decimals in as few characters as possible.
func appendDigits(dst []byte, digits int64, decimals int) []byte {
	for decimals > 0 && digits%10 == 0 {
		digits /= 10
		decimals--
	}
	return appendDecimal(dst, digits, decimals)
}

// appendDecimal writes digits with a point before the last decimals digits. The history of a month
// is 200,000 of these; through strconv its answer takes a fifth longer, through floats twice as long.
func appendDecimal(dst []byte, digits int64, decimals int) []byte {
	if digits < 0 {
		dst, digits = append(dst, '-'), -digits
	}
	rest := uint64(digits)
	if rest < 1e7 { // seven digits and a point are put together in a register
		text, size := uint64(0), 1
		if decimals > 0 {
			for range decimals {
				text = text<<8 | ('0' + rest%10)
				rest /= 10
			}
			text, size = text<<8|'.', decimals+2
		}
		for rest >= 100 {
			pair := rest % 100
			text = text<<16 | ('0'+pair%10)<<8 | ('0' + pair/10)
			rest /= 100
			size += 2
		}
		if rest >= 10 {
			text = text<<8 | ('0' + rest%10)
			rest /= 10
			size++
		}
		text = text<<8 | ('0' + rest)
		end := len(dst)
		dst = slices.Grow(dst, 8)[:end+8]
		binary.LittleEndian.PutUint64(dst[end:], text)
		return dst[:end+size]
	}
	var text [21]byte
	i := len(text)
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
			quoted, _ := json.Marshal(
				strings.ToValidUTF8(s, string(utf8.RuneError)),
			) // marshalling a string never fails
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
