package ingest

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

const maxText = 1024 // characters of a text value

// readValue turns the JSON text of a value into a value of property p, or returns why that is not
// possible. Values are kept as they come: the rules and the screens round to the property's
// precision.
func readValue(p *device.Property, raw []byte) (reading.Value, device.Reason) {
	if p.Derived() {
		return reading.Value{}, device.ReasonDerived
	}
	switch p.DataType {
	case device.Number:
		f, reason := readNumber(raw)
		if reason != "" {
			return reading.Value{}, reason
		}
		if !p.InRange(f) {
			return reading.Value{}, device.ReasonOutOfRange
		}
		return reading.Number(f), ""
	case device.Boolean:
		return readBoolean(raw)
	case device.Text:
		return readText(raw)
	}
	return reading.Value{}, device.ReasonWrongType
}

// readNumber reads a JSON number, or a string with a decimal number, which many loggers send.
func readNumber(raw []byte) (float64, device.Reason) {
	if raw[0] == '"' {
		raw = bytes.TrimSpace(stringBytes(raw))
	}
	if f, ok := shortDecimal(raw); ok {
		return f, ""
	}
	// Allow only these characters: ParseFloat also accepts hexadecimal numbers, NaN and infinity.
	if !isDecimal(raw) {
		return 0, device.ReasonWrongType
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if errors.Is(err, strconv.ErrRange) || math.IsInf(f, 0) {
		return 0, device.ReasonOutOfRange
	}
	if err != nil {
		return 0, device.ReasonWrongType
	}
	return f + 0, "" // -0 becomes 0
}

// powersOfTen are the powers of ten that shortDecimal divides by; a float holds each exactly.
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortDecimal reads what sensors usually send: at most 15 digits with a decimal point, or 16
// without. With a point, digits and power of ten are exact, so the division is the only rounding;
// without one, the conversion is. So the result is the nearest float. ok is false if ParseFloat is
// needed.
func shortDecimal(text []byte) (_ float64, ok bool) {
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > len(powersOfTen) || !isDigit(digits[0]) || !isDigit(digits[len(digits)-1]) {
		return 0, false
	}
	number, point := int64(0), len(digits)
	for i, b := range digits {
		switch {
		case isDigit(b):
			number = number*10 + int64(b-'0')
		case b == '.' && point == len(digits):
			point = i + 1
		default:
			return 0, false
		}
	}
	f := float64(number) / powersOfTen[len(digits)-point]
	if len(digits) < len(text) && f != 0 { // -0 becomes 0
		f = -f
	}
	return f, true
}

func isDecimal(text []byte) bool {
	for _, b := range text {
		switch {
		case '0' <= b && b <= '9', b == '+', b == '-', b == '.', b == 'e', b == 'E':
		default:
			return false
		}
	}
	return len(text) > 0
}

func readBoolean(raw []byte) (reading.Value, device.Reason) {
	text := raw
	if raw[0] == '"' {
		text = stringBytes(raw)
	}
	switch string(text) {
	case "true", "1":
		return reading.Boolean(true), ""
	case "false", "0":
		return reading.Boolean(false), ""
	}
	if raw[0] != '"' { // 1.0, 0e0
		if f, reason := readNumber(raw); reason == "" && (f == 0 || f == 1) {
			return reading.Boolean(f == 1), ""
		}
	}
	return reading.Value{}, device.ReasonWrongType
}

func readText(raw []byte) (reading.Value, device.Reason) {
	if raw[0] != '"' {
		return reading.Value{}, device.ReasonWrongType
	}
	s := unquote(raw)
	if len(s) > maxText && utf8.RuneCountInString(s) > maxText {
		return reading.Value{}, device.ReasonTooLong
	}
	return reading.Text(s), ""
}
