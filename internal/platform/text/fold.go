package text

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fold makes texts comparable regardless of case in every script: NFKC, lower case, all four
// Turkish i as i, and ё as е. The folded text is stored beside names, and queries are folded too;
// the console folds in the same way.
func Fold(s string) string {
	s = norm.NFKC.String(s)
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range strings.ToLower(s) {
		switch r {
		case 'ı', 'İ':
			b.WriteRune('i')
		case '\u0307': // the combining dot that lower-casing İ leaves
		case 'ё':
			b.WriteRune('е')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// FoldASCII folds texts that are compared by their Latin letters only: user names, serials, email
// addresses.
func FoldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ContainsPattern returns the LIKE pattern (ESCAPE '\') that matches a column of folded text
// containing the folded query.
func ContainsPattern(query string) string { return "%" + likeEscaper.Replace(Fold(query)) + "%" }
