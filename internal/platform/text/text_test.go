package text

import (
	"regexp"
	"slices"
	"testing"
)

func TestNegotiate(t *testing.T) {
	for header, want := range map[string]Language{
		"":                        English,
		"tr-tr":                   Turkish,
		"zh-CN,zh;q=0.9":          Chinese,
		"xx-XX, ru-RU;q=0.8":      Russian,
		"xx":                      English,
		"EN-GB":                   English,
		"zh-Hant-TW;q=0.5, en-us": Chinese,
	} {
		if got := Negotiate(header); got != want {
			t.Errorf("Negotiate(%q) = %s, want %s", header, got, want)
		}
	}
}

var variable = regexp.MustCompile(`\{\w+\}`)

// Every language has the same keys, each with the same variables.
func TestLocalesAgree(t *testing.T) {
	for _, l := range Languages[1:] {
		for key, en := range descriptorOf(English).sentences {
			other, ok := descriptorOf(l).sentences[key]
			if !ok || other == "" {
				t.Errorf("%s lacks %s", l, key)
				continue
			}
			a, b := variable.FindAllString(en, -1), variable.FindAllString(other, -1)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(a, b) {
				t.Errorf("%s: %s has variables %v, English has %v", l, key, b, a)
			}
		}
		for key := range descriptorOf(l).sentences {
			if _, ok := descriptorOf(English).sentences[key]; !ok {
				t.Errorf("%s has %s, English has not", l, key)
			}
		}
	}
}

func TestTranslate(t *testing.T) {
	got := Translate(Turkish, "signin.locked", map[string]string{"wait": "15 dk"})
	if got != "Çok fazla hatalı deneme. 15 dk sonra yeniden deneyin" {
		t.Error(got)
	}
	if got := Translate("xx", "error.404", nil); got != "This resource does not exist" {
		t.Errorf("unknown language: %s", got)
	}
	if !HasKey("error.404") || HasKey("error.none") {
		t.Error("HasKey is wrong")
	}
}

// A full stop at the end of a value replaces the sentence's own.
func TestTranslateAvoidsDoubleStop(t *testing.T) {
	for _, c := range []struct {
		l           Language
		email, time string
		want        string
	}{
		{Russian, "a@x.", "Вкл.", "Новый адрес эл. почты учётной записи «ada»: a@x. Время: Вкл."},
		{Russian, "a@x", "05:40", "Новый адрес эл. почты учётной записи «ada»: a@x. Время: 05:40."},
		{English, "a@x...", "noon.", "The email address of the account “ada” is now a@x... Time: noon."},
		{Chinese, "a@x。", "A.Ş.", "账号“ada”的邮箱地址已改为 a@x。时间：A.Ş.。"},
	} {
		args := map[string]string{"user": "ada", "email": c.email, "time": c.time}
		if got := Translate(c.l, "mail.emailBody", args); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"İRRIGATIÖN Işık": "irrigatiön işik",
		"Шёлк ЁЖ":         "шелк еж",
		"ＷＳ－０１":           "ws-01",
		"Straße":          "straße",
		"i̇":              "i",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
	if got := FoldASCII("Ada.İ@X"); got != "ada.İ@x" {
		t.Errorf("FoldASCII: %q", got)
	}
	if got := ContainsPattern(`50%_\Ş`); got != `%50\%\_\\ş%` {
		t.Errorf("ContainsPattern: %q", got)
	}
}
