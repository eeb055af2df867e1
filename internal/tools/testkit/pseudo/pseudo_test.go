package pseudo

import (
	"slices"
	"strings"
	"testing"

	"tilth/internal/platform/text"
)

func TestRewrite(t *testing.T) {
	for in, want := range map[string]string{
		"Data centre":          "⟦Ðàţà çéñţŕé····⟧",
		"{name} above {value}": "⟦{name} àƀöṽé {value}···⟧",
		"{first} {rest}":       "{first} {rest}",
		"(":                    "(",
	} {
		if got := Rewrite(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestUntranslated(t *testing.T) {
	got := Untranslated("⟦Ţîɱé·⟧ 05:40 (UTC+3), Wind 3 °C at https://farm.example/x")
	if !slices.Equal(got, []string{"Wind", "at"}) {
		t.Error(got)
	}
}

// A test that registers the language finds it by its tag; menus and other tests do not.
func TestRegister(t *testing.T) {
	if Language.Valid() {
		t.Error("the language exists before a test registers it")
	}
	Register()
	Register()
	if !Language.Valid() || slices.Contains(text.Languages, Language) {
		t.Error("the language is not registered, or is one of the console's")
	}
	if l := text.Negotiate("qps-ploc"); l != Language {
		t.Error(l)
	}
	if s := text.Translate(
		Language,
		"signin.locked",
		map[string]string{"wait": "5"},
	); len(Untranslated(s)) > 0 ||
		!strings.HasPrefix(s, Open) {
		t.Error(s)
	}
}
