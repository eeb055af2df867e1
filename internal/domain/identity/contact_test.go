package identity

import (
	"strings"
	"testing"

	"tilth/internal/platform/errs"
)

func TestE164(t *testing.T) {
	for typed, want := range map[string]string{
		"+905551112233": "+905551112233", "905551112233": "+905551112233", "13800138000": "+8613800138000",
		"+8613800138000": "+8613800138000", "+13800138000": "+13800138000", "19912345678": "+8619912345678",
		"12345678901": "+12345678901", // no Chinese mobile number: their second digit is 3 to 9
		"+12":         "+12", "+123456789012345": "+123456789012345",
		"": "", "+1": "", "+0905551112233": "", "++905551112233": "", "+1234567890123456": "", "+90 555 111 22 33": "",
		"+90555111223x": "", "+９０5551112233": "", "13800138000\n": "", "tel:+905551112233": "",
	} {
		if got := E164(typed); got != want {
			t.Errorf("E164(%q) = %q, want %q", typed, got, want)
		}
	}
}

func TestNickname(t *testing.T) {
	for typed, want := range map[string]string{
		" Ada ": "Ada", "Çağla İ.": "Çağla İ.", "农夫": "农夫", "👩‍🌾": "👩‍🌾", strings.Repeat("ş", 64): strings.Repeat("ş", 64), "<b>": "<b>",
	} {
		if got, err := parseNickname(typed); err != nil || got != want {
			t.Errorf("%q: %q %v", typed, got, err)
		}
	}
	for typed, key := range map[string]string{
		"": "profile.nicknameRequired", " \t\r\n": "profile.nicknameRequired", strings.Repeat("ş", 65): "invalid.long",
		"Ada\r\nBcc: eve@example.com": "invalid.format", "a\x00b": "invalid.format", "a\u202eb": "invalid.format",
		"a\u2028b": "invalid.format", "a\x7fb": "invalid.format", "a\xffb": "invalid.format", "a\u0085b": "invalid.format",
		"\u00ad": "profile.nicknameRequired", "\u3164": "profile.nicknameRequired",
	} {
		if _, err := parseNickname(typed); errs.As(err).Key != key || !errs.Is(err, errs.Refused) {
			t.Errorf("%q: %v, want %s", typed, err, key)
		}
	}
}

func TestEmail(t *testing.T) {
	for typed, want := range map[string]string{
		" ada@example.com ": "ada@example.com", "a.b+c@sub.example.org": "a.b+c@sub.example.org", "ş@örnek.tr": "ş@örnek.tr",
	} {
		if got, err := parseEmail(typed); err != nil || got != want {
			t.Errorf("%q: %q %v", typed, got, err)
		}
	}
	for _, typed := range []string{
		"ada", "ada@", "@example.com", "ada@example", "ada@@example.com", "Ada <ada@example.com>", "ada@example.com, eve@example.com",
		"ada@example.com\r\nBcc: eve@example.com", "ada@example.com;eve@example.com", `"a b"@example.com`, "a\x00@example.com", "a..b@example.com",
		".a@example.com", "a\u202e@example.com", strings.Repeat("a", 250) + "@example.com", "a@b..c", "<a@example.com>", "ada@example.com (x)",
	} {
		if _, err := parseEmail(typed); errs.As(err).Key != "profile.emailFormat" {
			t.Errorf("%q: %v", typed, err)
		}
	}
	for _, typed := range []string{"ada@10.0.0.1", "ada@[10.0.0.1]", "ada@[IPv6:::1]", "ada@0x7f.1", "ada@１２７.０.０.１"} {
		if _, err := parseEmail(typed); errs.As(err).Key != "invalid.mailHost" || errs.As(err).Field != "email" {
			t.Errorf("%q: %v", typed, err)
		}
	}
	if _, err := parseEmail("  "); errs.As(err).Key != "profile.emailRequired" {
		t.Error(err)
	}
}

func TestMasks(t *testing.T) {
	for number, want := range map[string]string{"+905551112233": "+90•••••233", "+1234": "•••", "": "•••"} {
		if got := MaskedMobile(number); got != want {
			t.Errorf("%s: %s", number, got)
		}
	}
	for address, want := range map[string]string{"ada@example.com": "a•••@example.com", "ş@örnek.tr": "ş•••@örnek.tr", "@x": "•••", "": "•••"} {
		if got := MaskedEmail(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
