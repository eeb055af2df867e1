package tenant_test

import (
	"strings"
	"testing"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// ParseName accepts names that show something, stay on one line, and do not change the writing
// direction.
func TestParseName(t *testing.T) {
	for typed, want := range map[string]string{
		"North":                       "North",
		" \tNorth field\n":            "North field",
		"Участок №1":                  "Участок №1",
		"北田":                          "北田",
		"می\u200cخواهم":               "می\u200cخواهم", // Persian, with a non-joiner within the word
		"👩\u200d🌾":                    "👩\u200d🌾",      // a farmer, joined from two emoji
		"☀\ufe0f":                     "☀\ufe0f",       // with a variation selector
		"e\u0301":                     "e\u0301",       // a letter with a combining mark
		"ㅤa":                          "ㅤa",
		strings.Repeat("ş", 64):       strings.Repeat("ş", 64),
		" " + strings.Repeat("x", 64): strings.Repeat("x", 64),
	} {
		if got, err := tenant.ParseName(typed, "groupName", "scene.nameRequired"); err != nil || got != want {
			t.Errorf("%q: %q, %v", typed, got, err)
		}
	}
	for typed, want := range map[string]string{
		"": "scene.nameRequired", " \t\r\n": "scene.nameRequired",
		"\u200b": "scene.nameRequired", "\ufeff": "scene.nameRequired", "\u2060": "scene.nameRequired", "\u00ad": "scene.nameRequired",
		"\u3164": "scene.nameRequired", "\u115f\uffa0": "scene.nameRequired", "\u2800": "scene.nameRequired", "\u200d\u200c": "scene.nameRequired",
		"\u034f": "scene.nameRequired", "\u0307": "scene.nameRequired", "\ufe0f": "scene.nameRequired", "\u180e": "scene.nameRequired",
		"\u200b \u200b": "scene.nameRequired", "\U000e0041": "scene.nameRequired", "\x00": "scene.nameRequired", "\u202e": "scene.nameRequired",
		strings.Repeat("ş", 65): "groupName: invalid.long",
		"a\x00b":                "groupName: invalid.format", "a\nb": "groupName: invalid.format", "a\u2028b": "groupName: invalid.format",
		"a\u2029b": "groupName: invalid.format", "a\xffb": "groupName: invalid.format",
		"a\u202ab": "groupName: invalid.format", "a\u202eb": "groupName: invalid.format", "a\u2066b": "groupName: invalid.format",
		"a\u2069b": "groupName: invalid.format", "a\u200fb": "groupName: invalid.format", "a\u061cb": "groupName: invalid.format",
	} {
		got, err := tenant.ParseName(typed, "groupName", "scene.nameRequired")
		if !errs.Is(err, errs.Refused) || err.Error() != want || got != "" {
			t.Errorf("%+q: %q, %v, want %s", typed, got, err, want)
		}
	}
}
