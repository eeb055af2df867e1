package text

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// The characters of GSM 03.38, and those that take two places in it. One other character turns the
// whole message into UCS-2.
const (
	gsmAlphabet = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
		"¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmExtended = "^{}\\[~]|€"
)

// How many characters a message of one part holds, and each part of a longer message.
const (
	gsmSingle, gsmPart = 160, 153
	ucsSingle, ucsPart = 70, 67
)

// SMSParts returns how many parts a text takes as SMS; each part is charged.
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

// IsGSM reports whether a text has only characters of GSM 03.38. One part holds more than twice as
// many of these.
func IsGSM(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune(gsmAlphabet, r) && !strings.ContainsRune(gsmExtended, r) {
			return false
		}
	}
	return true
}

// smsPunctuation replaces characters that would turn a message of Latin letters into UCS-2.
var smsPunctuation = strings.NewReplacer(nbsp, " ", "\u202f", " ", minus, "-")

// smsLetters replaces other characters that GSM 03.38 lacks and that plain ones can express.
var smsLetters = strings.NewReplacer(
	"°C", "C", "°F", "F", "°", " deg", "²", "2", "³", "3", "₂", "2", "µ", "u", "μ", "u", "·", "*",
	"–", "-", "—", "-", "“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "…", "...", "≥", ">=", "≤", "<=", "≠", "!=",
)

// FoldSMS returns a message with characters replaced by plain ones of the same meaning. It never
// folds letters: Turkish without its own would read as other words.
func FoldSMS(l Language, s string) string {
	if s = smsPunctuation.Replace(s); descriptorOf(l).smsPlain {
		return smsLetters.Replace(s)
	}
	return s
}

// TranslateSMS returns the sentence of key in one part: it shortens the value of the named
// variable, such as a long name, until the text fits.
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

// SingleLine returns s as one line: runs of control characters and white space become one space
// each.
func SingleLine(s string) string {
	return strings.Join(
		strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }),
		" ",
	)
}

// TrimLines applies SingleLine to each line of s and leaves out empty lines.
func TrimLines(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = SingleLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Shorten cuts s to at most limit characters, three dots included.
func Shorten(s string, limit int) string {
	letters := []rune(s)
	if len(letters) <= limit {
		return s
	}
	const dots = "..."
	keep := max(limit-len(dots), 1)
	// Never cut between a letter and its combining characters or joiners.
	const joiner = '\u200d'
	for keep > 1 && (unicode.In(letters[keep], unicode.Mn, unicode.Me, unicode.Variation_Selector) ||
		letters[keep] == joiner || letters[keep-1] == joiner) {
		keep--
	}
	return strings.TrimRight(string(letters[:keep]), " \n") + dots
}
