package text

import (
	"strings"
	"testing"
	"unicode"
)

// For every letter of the console's scripts, folding twice changes nothing more, and upper and
// lower case fold alike.
func TestFoldEveryLetter(t *testing.T) {
	for r := rune(0x20); r <= 0x4ff; r++ {
		if !unicode.In(r, unicode.Latin, unicode.Cyrillic) {
			continue
		}
		once := Fold(string(r))
		if again := Fold(once); again != once {
			t.Errorf("%q folds to %q and that to %q", r, once, again)
		}
		if upper := Fold(string(unicode.ToUpper(r))); upper != Fold(string(unicode.ToLower(unicode.ToUpper(r)))) {
			t.Errorf("%q: upper case folds to %q", r, upper)
		}
	}
}

// The four Turkish letters i fold to one.
func TestFoldTurkish(t *testing.T) {
	for _, s := range []string{"ISPARTA", "İSPARTA", "ısparta", "isparta", "Isparta", "i\u0307sparta"} {
		if got := Fold(s); got != "isparta" {
			t.Errorf("Fold(%q) = %q", s, got)
		}
	}
}

// A pattern contains no unescaped wildcards of the query.
func TestContainsEscapes(t *testing.T) {
	for query, want := range map[string]string{
		"":      "%%",
		"%":     `%\%%`,
		"_":     `%\_%`,
		`\`:     `%\\%`,
		"A_b%":  `%a\_b\%%`,
		"İZMİR": "%izmir%",
		"％":     `%\%%`, // the full-width sign becomes the plain one, and is escaped
	} {
		if got := ContainsPattern(query); got != want {
			t.Errorf("ContainsPattern(%q) = %q, want %q", query, got, want)
		}
	}
}

func TestFoldASCIIKeepsOtherLetters(t *testing.T) {
	all := "ÀİıЯß漢"
	if got := FoldASCII("AZ" + all + "az09"); got != "az"+all+"az09" {
		t.Error(got)
	}
}

func TestLanguages(t *testing.T) {
	if len(Languages) < 4 || Languages[0] != English {
		t.Errorf("%v: English must be the first", Languages)
	}
	for _, l := range Languages {
		if !l.Valid() {
			t.Errorf("%s is not valid", l)
		}
		if got := Negotiate(strings.ToUpper(string(l))); got != l {
			t.Errorf("Negotiate(%s) = %s", l, got)
		}
	}
	for _, l := range []Language{"", "en", "EN-US", "xx-xx"} {
		if l.Valid() {
			t.Errorf("%q is valid", l)
		}
	}
}

// Translate does not replace variables within values, and returns a key that does not exist.
func TestTranslateVariables(t *testing.T) {
	if got := Translate(English, "invalid.unknown", map[string]string{"value": "50%{x}"}); got != "unknown: 50%{x}" {
		t.Error(got)
	}
	if got := Translate(English, "no.such.key", map[string]string{"value": "x"}); got != "no.such.key" {
		t.Error(got)
	}
	got := Translate(English, "field", map[string]string{"field": "{reason}", "reason": "{field}"})
	if got != "{reason}: {field}" {
		t.Errorf("%q: Translate replaced a variable within a value", got)
	}
}
