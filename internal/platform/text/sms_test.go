package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Example texts, and the limits of a part.
func TestSMSParts(t *testing.T) {
	for s, want := range map[string]int{
		"":                            1,
		strings.Repeat("a", 160):      1,
		strings.Repeat("a", 161):      2,
		strings.Repeat("a", 306):      2,
		strings.Repeat("a", 307):      3,
		strings.Repeat("€", 80):       1, // two places each
		strings.Repeat("€", 81):       2,
		strings.Repeat("ş", 70):       1,
		strings.Repeat("ş", 71):       2,
		strings.Repeat("ş", 134):      2,
		strings.Repeat("ş", 135):      3,
		"ş" + strings.Repeat("a", 70): 2, // one letter turns the whole message into UCS-2
		strings.Repeat("Çöü", 53):     1, // in the GSM alphabet
		strings.Repeat("ç", 71):       2, // lower case: not in the GSM alphabet
		strings.Repeat("🌱", 35):       1, // two units each
		strings.Repeat("🌱", 36):       2,
		`Greenfield: Serious alarm "Frost". North mast: Air temperature -2.4 C (limit < -2 C). Nov 21, 05:40`:                      1,
		"Greenfield: критическая тревога «Заморозки». Северная мачта: Температура воздуха -2,4 °C (условие: < -2 °C). 21.11 05:40": 2,
	} {
		if got := SMSParts(s); got != want {
			t.Errorf("%q: %d parts, want %d", s, got, want)
		}
	}
}

// The SMS of a code takes one part in every language, whatever the tenant's title, and always
// contains the code and a part of the title.
func TestCodeSMSFitsOnePart(t *testing.T) {
	for _, title := range []string{
		"Greenfield", "Yeşilova Tarım İşletmesi",
		strings.Repeat("Şeker ", 12), strings.Repeat("农", 64), strings.Repeat("~", 64), strings.Repeat("👩‍🌾", 20), "Green\r\nfield\t\x00 Co.", strings.Repeat("e\u0301", 40), "{code}",
	} {
		for _, l := range Languages {
			s := codeSMS(l, title, "123456")
			if SMSParts(s) != 1 || !strings.Contains(s, "123456") || !utf8.ValidString(s) ||
				strings.ContainsAny(s, "\r\n\t\x00") {
				t.Errorf("%s: %q takes %d parts", l, s, SMSParts(s))
			}
			first, _, _ := strings.Cut(title, " ")
			isPlain := len([]rune(title)) < 25 && !strings.ContainsRune(title, '\n')
			if isPlain && !strings.Contains(s, first) {
				t.Errorf("%s: %q does not contain the title", l, s)
			}
		}
	}
	long := codeSMS(Russian, "Опытное хозяйство Приозёрное", "004217")
	if !strings.HasPrefix(long, "Опытное хоз") || !strings.Contains(long, "...: код 004217, действует 10 минут") {
		t.Error(long)
	}
	if s := codeSMS(Chinese, "绿野", "004217"); s != "【绿野】短信验证码004217，10分钟内有效，请勿告诉他人" {
		t.Error(s)
	}
}

func codeSMS(l Language, title, code string) string {
	return TranslateSMS(l, "sms.code", map[string]string{"title": title, "code": code, "minutes": "10"}, "title")
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		s     string
		limit int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcdef", 5, "ab..."}, {"ab cdef", 6, "ab..."}, {"abc", 0, "a..."},
		{"ab\ncdef", 6, "ab..."}, {"ae\u0301fghijk", 5, "a..."}, {"a👩‍🌾bcdefgh", 5, "a..."},
	} {
		if got := Shorten(c.s, c.limit); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.s, c.limit, got, c.want)
		}
	}
}

func TestIsGSM(t *testing.T) {
	for s, want := range map[string]bool{
		"": true, "Çöü £€ {~}\n": true, "ç": false, "23 °C": false, "农": false, "a\u00a0b": false,
	} {
		if got := IsGSM(s); got != want {
			t.Errorf("%q: %t", s, got)
		}
	}
}
