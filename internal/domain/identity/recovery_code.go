package identity

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

const (
	recoveryCodes      = 10
	recoveryCodeLength = 12 // symbols of five bits each
	recoveryCodeGroup  = 4
)

// recoveryAlphabet is Crockford's: it has no I, L, O and U.
const recoveryAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newRecoveryCode makes a recovery code as people see it.
func newRecoveryCode() string {
	b := make([]byte, recoveryCodeLength*5/8+1)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	symbols := base32.NewEncoding(recoveryAlphabet).WithPadding(base32.NoPadding).EncodeToString(b)
	groups := make([]string, 0, recoveryCodeLength/recoveryCodeGroup)
	for at := 0; at < recoveryCodeLength; at += recoveryCodeGroup {
		groups = append(groups, symbols[at:at+recoveryCodeGroup])
	}
	return strings.Join(groups, "-")
}

// cleanCode gives a code without what people type between its symbols, in capitals, with the
// symbols that its letters are taken for.
func cleanCode(typed string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '\u2010', '\u2011', '\u2013', ' ', '\u00a0', '\u202f', '\t', '\n', '\r':
			return -1
		case 'o', 'O':
			return '0'
		case 'i', 'I', 'l', 'L':
			return '1'
		}
		switch {
		case r >= 'a' && r <= 'z':
			return r + 'A' - 'a'
		case r >= '０' && r <= '９': // of a Chinese keyboard
			return r - '０' + '0'
		}
		return r
	}, typed)
}
