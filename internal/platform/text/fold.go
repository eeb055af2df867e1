package text

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Fold makes texts comparable regardless of case in every script: NFKC, lower
// case, all four Turkish i as i, and ё as е. Stored beside names and applied
// to queries; the console folds in the same way.
func Fold(s string) string {
	s = norm.NFKC.String(s)
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range strings.ToLower(s) {
		switch r {
		case 'ı', 'İ':
			b.WriteRune('i')
		case '\u0307': // the dot that lower-casing İ leaves behind
		case 'ё':
			b.WriteRune('е')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// FoldASCII folds what is compared by its Latin letters only: user names,
// serials, e-mail addresses.
func FoldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// ContainsPattern makes the LIKE pattern (ESCAPE '\') for a column that holds folded
// text and contains the folded query.
func ContainsPattern(query string) string { return "%" + likeEscaper.Replace(Fold(query)) + "%" }
