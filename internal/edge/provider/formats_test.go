package provider

import (
	"strings"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
)

func TestFieldFormats(t *testing.T) {
	long := strings.Repeat("ş", 64)
	for name, c := range map[string]struct {
		is        func(string) bool
		good, bad []string
	}{
		"name":       {isName, []string{"North field", "北区", "Ada's"}, []string{"", "a\x00b", "a\nb"}},
		"userName":   {identity.IsUserName, []string{"ada", "ada@farm", "李建国", long}, []string{"", "a b", "a\tb", "a\u200bb", "\u3164", long + "x"}},
		"deviceName": {isDeviceName, []string{"WS-0001", "温室_1", "a:b.c", long}, []string{"", "a b", "a,b", "a/b", "a+b", "a#b", long + "x"}},
		"identifier": {isIdentifier, []string{"airTemperature", "soil-moisture_10", "温度", "a.b:c"}, []string{"", "a b", "a,b", "a/b", "a\"b", long + "x"}},
		"secret": {isSecret, []string{"01234567890123456789", strings.Repeat("x", 128)},
			[]string{"0123456789012345678", strings.Repeat("x", 129), "0123456789 0123456789", "0123456789\n0123456789"}},
		"address": {isAddress, []string{"https://farm.example/a.png?x=1;y", "http://127.0.0.1:8080/a", "/icons/a.svg", "img/a.png", "https://[::1]/a", "https://…"},
			[]string{"//evil.example/a", "javascript:alert(1)", "data:image/png;base64,AA", "https://u:p@a.example/", "https://a b/", "https:///x",
				"\\\\evil.example\\a", "/a'b", "/a b", "https://a;b/", "https://*/a", "ftp://a.example/", "https://a.example/" + strings.Repeat("x", 1000), "http://%zz"}},
		"elementData": {isElementData, []string{"https://camera.example/a.m3u8", "/cameras/a.m3u8", "<iframe src='https://a.example'></iframe>"},
			[]string{"//camera.example/a.m3u8", "a.m3u8", "camera", "javascript:alert(1)", "<" + strings.Repeat("x", maxElementData)}},
		"host": {isHost, []string{"farm.example", "localhost", "127.0.0.1", "::1", "a-b.c_d.example", "xn--80ak6aa92e.com"},
			[]string{"", "Farm.example", "farm.example:80", "farm example", "a..b", "-a.example", "a.example.", "http://a.example", "ферма.example", "[::1]"}},
		"email": {identity.IsEmail, []string{"ada@example.com", "a.b+c@d-e.example.com"}, []string{"", "ada", "ada@", "@b.c", "a@b", "a b@c.de", "a@b..c", "a@b.c\n", "a<b@c.de", "a@b@c.de",
			"a..b@c.de", ".a@c.de", "a(b)@c.de", "a:b@c.de", "a@[c.de", "a@b\u202ec.de"}},
		"mobile": {func(s string) bool { return identity.E164(s) != "" }, []string{"+905551112233", "905551112233", "13812345678"}, []string{"", "0555", "+0555", "+9055511122334455", "5", "+90 555"}},
	} {
		for _, s := range c.good {
			if !c.is(s) {
				t.Errorf("%s %q is refused", name, s)
			}
		}
		for _, s := range c.bad {
			if c.is(s) {
				t.Errorf("%s %q is accepted", name, s)
			}
		}
	}
	for in, want := range map[string]string{"13812345678": "+8613812345678", "+13812345678": "+13812345678", "905551112233": "+905551112233"} {
		if got := identity.E164(in); got != want {
			t.Errorf("mobile %q is stored as %q, want %q", in, got, want)
		}
	}
	got := joinWords([]string{"a"}) + "; " + joinWords([]string{"a", "b"}) + "; " + joinWords([]string{"a", "b", "c"})
	if got != "a; a and b; a, b and c" {
		t.Error(got)
	}
}

func TestGeneratedSecrets(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		s, p := device.GenerateSecret(false), newPassword()
		if !isSecret(s) || len(s) < 32 ||
			strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			t.Fatalf("secret %q", s)
		}
		if len(p) != 19 || strings.ContainsAny(p, "ilouILOU") || strings.Count(p, "-") != 3 {
			t.Fatalf("password %q", p)
		}
		if seen[s] || seen[p] {
			t.Fatal("made twice")
		}
		seen[s], seen[p] = true, true
	}
}
