// Package pseudo is a language for tests, made from the English sentences: each is in brackets, a
// third longer, its letters accented, its variables kept. Whatever is still in plain letters was
// never translated. No server knows this language.
package pseudo

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tilth/internal/platform/text"
)

// Language is the tag of the language: the one that IETF's registry leaves to private use.
const Language text.Language = "qps-ploc"

// Open begins every sentence that has letters. It is no square bracket, because a sheet of a
// spreadsheet cannot have one in its name.
const Open = "⟦"

const (
	closing = "⟧"

	plain  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	accent = "ÀƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽàƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž"
)

var (
	accented = pairs()
	variable = regexp.MustCompile(`\{\w+\}`)
	// Signs that no language translates.
	signs = regexp.MustCompile(`https?://\S+|UTC|°C|W/m²`)
	word  = regexp.MustCompile(`[A-Za-z]+`)
)

func pairs() *strings.Replacer {
	var list []string
	letters := []rune(accent)
	for i, r := range []rune(plain) {
		list = append(list, string(r), string(letters[i]))
	}
	return strings.NewReplacer(list...)
}

var register = sync.OnceFunc(func() { text.RegisterForTest(Language, Rewrite) })

// Register makes Language valid for the rest of the test binary.
func Register() { register() }

// Languages returns the languages of the console and, after registering it, this one.
func Languages() []text.Language {
	Register()
	return append(slices.Clone(text.Languages), Language)
}

// Rewrite writes an English sentence in the language. A sentence without letters, such as the mere
// order of its variables, stays as it is.
func Rewrite(sentence string) string {
	var b strings.Builder
	letters, at := 0, 0
	add := func(words string) {
		letters += len(word.FindAllString(words, -1))
		b.WriteString(accented.Replace(words))
	}
	for _, v := range variable.FindAllStringIndex(sentence, -1) {
		add(sentence[at:v[0]])
		b.WriteString(sentence[v[0]:v[1]])
		at = v[1]
	}
	add(sentence[at:])
	if letters == 0 {
		return sentence
	}
	fill := (len([]rune(variable.ReplaceAllString(sentence, ""))) + 2) / 3
	return Open + b.String() + strings.Repeat("·", fill) + closing
}

// Untranslated returns the words in plain letters of a text, except the given data, such as names,
// and signs that no language translates.
func Untranslated(s string, data ...string) []string {
	for _, d := range data {
		s = strings.ReplaceAll(s, d, " ")
	}
	return word.FindAllString(signs.ReplaceAllString(s, " "), -1)
}
