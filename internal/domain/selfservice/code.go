package selfservice

import (
	"crypto/rand"
	"strings"
)

// A claim code has codeSymbols symbols of Crockford's base 32 and a check symbol: the number that the
// symbols write, modulo 37.
const (
	codeSymbols  = 12
	codeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	checkSymbols = codeAlphabet + "*~$=U"
	codeGroup    = 4 // symbols between two hyphens
)

// Code is a claim code in its stored form: 13 symbols without hyphens.
type Code string

// NewCode makes a random code of 60 bits.
func NewCode() Code {
	var raw [codeSymbols]byte
	_, _ = rand.Read(raw[:]) // never fails (crypto/rand)
	for i := range raw {
		raw[i] = codeAlphabet[int(raw[i])%len(codeAlphabet)] // 32 divides 256: no symbol is likelier
	}
	return Code(raw[:]) + Code(checkOf(string(raw[:])))
}

// ParseCode reads a code as a person types it: in any case, with blanks and hyphens anywhere, I and L for
// 1, O for 0. isCode tells whether the text has the form of a code, right whether its check symbol is
// right.
func ParseCode(typed string) (c Code, isCode, right bool) {
	var b strings.Builder
	for _, r := range strings.ToUpper(typed) {
		switch {
		case r == '-' || r == '\u2013' || r == ' ' || r == '\u00a0' || r == '\t' || r == '\n' || r == '\r':
			continue
		case b.Len() > codeSymbols:
			return "", false, false
		case r == 'I' || r == 'L':
			r = '1'
		case r == 'O':
			r = '0'
		}
		known := codeAlphabet
		if b.Len() == codeSymbols {
			known = checkSymbols
		}
		if !strings.ContainsRune(known, r) {
			return "", false, false
		}
		b.WriteRune(r)
	}
	typed = b.String()
	if len(typed) != codeSymbols+1 {
		return "", false, false
	}
	return Code(typed), true, typed[codeSymbols:] == checkOf(typed[:codeSymbols])
}

// String gives the code as it is printed on labels: 7K3Q-9DMX-2B4F-7.
func (c Code) String() string {
	var b strings.Builder
	for i, r := range string(c) {
		if i > 0 && i%codeGroup == 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func checkOf(symbols string) string {
	n := 0
	for _, r := range symbols {
		n = (n*len(codeAlphabet) + strings.IndexRune(codeAlphabet, r)) % len(checkSymbols)
	}
	return checkSymbols[n : n+1]
}
