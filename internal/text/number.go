package text

import (
	"math"
	"strconv"
	"strings"
)

const (
	commonDecimals = 6    // of a number without a precision: no sensor measures finer
	mostDecimals   = 12   // of one with
	longest        = 1e15 // beyond, a number is written with an exponent
)

// Number writes f with so many decimals, rounded half away from zero as rules
// are judged; nil: as many as it has.
func Number(l Language, f float64, decimals *int) string {
	if math.Abs(f) >= longest {
		return power(l, f)
	}
	keep := commonDecimals
	if decimals != nil {
		keep = min(max(*decimals, 0), mostDecimals)
	}
	digits := rounded(f, keep)
	if decimals == nil && strings.ContainsRune(digits, '.') {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	return written(l, digits)
}

// Count writes a whole number.
func Count(l Language, n int) string { return written(l, strconv.Itoa(n)) }

// Figures writes a number that comes as digits with a point, such as a limit in
// an error; what is none stays as it is.
func Figures(l Language, digits string) string {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.Abs(f) >= longest || strings.Trim(digits, "+-.0123456789") != "" {
		return digits
	}
	return written(l, strconv.FormatFloat(f, 'f', -1, 64))
}

// Args are what a refusal says, with its limits written as numbers of the
// language; the map is the caller's own.
func Args(l Language, said map[string]string) map[string]string {
	args := make(map[string]string, len(said)+1)
	for name, value := range said {
		switch name {
		case "limit", "low", "high":
			value = Figures(l, value)
		}
		args[name] = value
	}
	return args
}

// written puts a language's marks into digits with a point.
func written(l Language, digits string) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits = minus, digits[1:]
	}
	if strings.Trim(digits, "0.") == "" {
		sign = "" // what rounds to nothing is 0, never −0
	}
	mark := formOf(l)
	whole, part, fraction := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + mark.thousands + whole[i:]
	}
	if fraction {
		whole += mark.decimals + part
	}
	return sign + whole
}

// power is a number that is too long to be read by its digits: 1.5E20.
func power(l Language, f float64) string {
	digits := strconv.FormatFloat(f, 'E', 5, 64)
	mantissa, exponent, _ := strings.Cut(digits, "E")
	mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	return written(l, mantissa) + "E" + strings.TrimPrefix(exponent, "+")
}

// rounded goes by the decimals that people see: 1.005 is what it says, not the
// binary number a little below.
func rounded(f float64, keep int) string {
	exact := strconv.FormatFloat(f, 'f', -1, 64)
	whole, part, _ := strings.Cut(exact, ".")
	if len(part) <= keep {
		return strconv.FormatFloat(f, 'f', keep, 64)
	}
	sign := ""
	if whole[0] == '-' {
		sign, whole = "-", whole[1:]
	}
	digits := []byte(whole + part[:keep])
	if part[keep] >= '5' {
		digits = raised(digits)
	}
	s := sign + string(digits[:len(digits)-keep])
	if keep > 0 {
		s += "." + string(digits[len(digits)-keep:])
	}
	return s
}

// raised is the number in digits plus one.
func raised(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}
