package text

import (
	"math"
	"strconv"
	"strings"
)

const (
	nbsp = "\u00a0"
	// minus is the sign that people read; SMS and machines use a hyphen.
	minus = "\u2212"

	defaultDecimals = 6    // for a number without a precision: no sensor is more precise
	maxDecimals     = 12   // for a number with a precision
	maxPlainNumber  = 1e15 // from here on a number is written with an exponent
)

// Number writes f with that many decimals, rounded half away from zero, as rules are evaluated;
// nil: with as many as it has.
func Number(l Language, f float64, decimals *int) string {
	if math.Abs(f) >= maxPlainNumber {
		return scientific(l, f)
	}
	keep := defaultDecimals
	if decimals != nil {
		keep = min(max(*decimals, 0), maxDecimals)
	}
	digits := roundDigits(f, keep)
	if decimals == nil && strings.ContainsRune(digits, '.') {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	return localizeDigits(l, digits)
}

// Count writes a whole number.
func Count(l Language, n int) string { return localizeDigits(l, strconv.Itoa(n)) }

// FormatDigits writes a number given as digits with a point, such as a limit in an error. A text
// that is not a number stays unchanged.
func FormatDigits(l Language, digits string) string {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.Abs(f) >= maxPlainNumber || strings.Trim(digits, "+-.0123456789") != "" {
		return digits
	}
	return localizeDigits(l, strconv.FormatFloat(f, 'f', -1, 64))
}

// LocalizeArgs returns the arguments of a refusal with its limits written as numbers of the
// language. The result is a new map.
func LocalizeArgs(l Language, raw map[string]string) map[string]string {
	args := make(map[string]string, len(raw)+1)
	for name, value := range raw {
		switch name {
		case "limit", "low", "high":
			value = FormatDigits(l, value)
		}
		args[name] = value
	}
	return args
}

// localizeDigits writes digits with a point in a language's notation.
func localizeDigits(l Language, digits string) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits = minus, digits[1:]
	}
	if strings.Trim(digits, "0.") == "" {
		sign = "" // a number that rounds to zero is 0, never −0
	}
	format := descriptorOf(l)
	whole, part, fraction := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + format.thousands + whole[i:]
	}
	if fraction {
		whole += format.decimals + part
	}
	return sign + whole
}

// scientific writes a number that is too long for its digits to be read: 1.5E20.
func scientific(l Language, f float64) string {
	digits := strconv.FormatFloat(f, 'E', 5, 64)
	mantissa, exponent, _ := strings.Cut(digits, "E")
	mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	return localizeDigits(l, mantissa) + "E" + strings.TrimPrefix(exponent, "+")
}

// roundDigits rounds by the decimal digits that people see: 1.005 counts as such, not as the binary
// number slightly below.
func roundDigits(f float64, keep int) string {
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
		digits = incrementDigits(digits)
	}
	s := sign + string(digits[:len(digits)-keep])
	if keep > 0 {
		s += "." + string(digits[len(digits)-keep:])
	}
	return s
}

// incrementDigits returns the number in digits plus one.
func incrementDigits(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}
