package comparator

import (
	"bytes"
	"math"
	"strconv"
)

// MaxDecimals is the greatest number of decimals to which numbers are rounded.
const MaxDecimals = len(powersOfTen) - 1

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// exactUnits bounds the rounding: below it a float64 tells units of the last decimal apart well
// enough. Greater numbers are compared unrounded.
const exactUnits = 1 << 48

// rounded is x in units of the last decimal. Its shortest decimal form is rounded half away from
// zero: 1.005 to two decimals is 101.
func rounded(x float64, decimals int) float64 {
	size := math.Abs(x) * powersOfTen[decimals]
	units, rest := math.Modf(size)
	up := rest > 0.5
	// Near a half the binary number does not tell on which side the decimal one is: it and the
	// product are each off by up to 2^-53 of the size.
	if math.Abs(rest-0.5) <= size*0x1p-51 {
		up = digitAt(math.Abs(x), decimals) >= '5'
	}
	if up {
		units++
	}
	return math.Copysign(units, x)
}

// digitAt is the digit of x, which is not negative, after the given number of decimals.
func digitAt(x float64, decimals int) byte {
	var room [32]byte
	digits := strconv.AppendFloat(room[:0], x, 'f', -1, 64)
	point := bytes.IndexByte(digits, '.')
	if at := point + 1 + decimals; point >= 0 && at < len(digits) {
		return digits[at]
	}
	return '0'
}
