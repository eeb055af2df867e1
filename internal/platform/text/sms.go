package text

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// The letters of GSM 03.38, and those that take two places in it. One letter
// outside turns the whole message into UCS-2.
const (
	gsmAlphabet = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmExtended = "^{}\\[~]|€"
)

// How many characters one part holds, and each part of a longer message.
const (
	gsmSingle, gsmPart = 160, 153
	ucsSingle, ucsPart = 70, 67
)

// SMSParts is how many parts a text takes as SMS, which is what is paid for.
func SMSParts(s string) int {
	n, gsm := 0, true
	for _, r := range s {
		switch {
		case strings.ContainsRune(gsmAlphabet, r):
			n++
		case strings.ContainsRune(gsmExtended, r):
			n += 2
		default:
			gsm = false
		}
	}
	one, each := gsmSingle, gsmPart
	if !gsm {
		n, one, each = len(utf16.Encode([]rune(s))), ucsSingle, ucsPart
	}
	if n <= one {
		return 1
	}
	return (n + each - 1) / each
}

// IsGSM tells whether a text is of letters of GSM 03.38 alone, of which one
// part holds more than twice as many.
func IsGSM(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune(gsmAlphabet, r) && !strings.ContainsRune(gsmExtended, r) {
			return false
		}
	}
	return true
}

// smsPunctuation is what every SMS has in place of signs that people read elsewhere: one
// of them would turn a message of Latin letters into UCS-2.
var smsPunctuation = strings.NewReplacer(nbsp, " ", "\u202f", " ", minus, "-")

// smsLetters are the letters besides that GSM 03.38 lacks and plain ones say as well.
var smsLetters = strings.NewReplacer(
	"°C", "C", "°F", "F", "°", " deg", "²", "2", "³", "3", "₂", "2", "µ", "u", "μ", "u", "·", "*",
	"–", "-", "—", "-", "“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "…", "...", "≥", ">=", "≤", "<=", "≠", "!=",
)

// FoldSMS is a message in plain signs where those say the same. Letters it folds
// in English alone; other languages keep their own, which Turkish without them
// would turn into other words.
func FoldSMS(l Language, s string) string {
	if s = smsPunctuation.Replace(s); l == English {
		return smsLetters.Replace(s)
	}
	return s
}

// TranslateSMS is the sentence of key in one part: the value of the named variable
// is shortened until it fits, since a name may be long.
func TranslateSMS(l Language, key string, args map[string]string, shorten string) string {
	short := map[string]string{}
	for name, value := range args {
		short[name] = value
	}
	short[shorten] = SingleLine(args[shorten])
	for length := len([]rune(short[shorten])); ; length-- {
		short[shorten] = Shorten(short[shorten], length)
		if s := Translate(l, key, short); length <= 1 || SMSParts(s) == 1 {
			return s
		}
	}
}

// SingleLine is s as one line: control characters and runs of white space become one
// space each.
func SingleLine(s string) string {
	return strings.Join(
		strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }),
		" ",
	)
}

// TrimLines is s in the lines that it has, each by itself as Line makes it; empty ones
// are left out.
func TrimLines(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = SingleLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Shorten cuts s to at most so many characters, three dots included.
func Shorten(s string, limit int) string {
	letters := []rune(s)
	if len(letters) <= limit {
		return s
	}
	const dots = "..."
	keep := max(limit-len(dots), 1)
	// Never between a letter and what belongs to it.
	for keep > 1 && (unicode.In(letters[keep], unicode.Mn, unicode.Me, unicode.Variation_Selector) || letters[keep] == '\u200d' || letters[keep-1] == '\u200d') {
		keep--
	}
	return strings.TrimRight(string(letters[:keep]), " \n") + dots
}
