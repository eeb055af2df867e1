package tenant_test

import (
	"strings"
	"testing"

	"tilth/internal/domain/tenant"
)

// Origin gives the source of an address as a policy names it.
func TestOrigin(t *testing.T) {
	for address, want := range map[string]string{
		"https://cdn.example/logo.png":               "https://cdn.example",
		"http://cdn.example:8080/a?b=c;d#e,f":        "http://cdn.example:8080",
		"HTTPS://CDN.Example/A":                      "https://cdn.example",
		"https://Ферма.example/лого.png":             "https://xn--80ajvps.example",
		"https://农场.example":                         "https://xn--j7qu0l.example",
		"https://farm_a.example/x":                   "https://farm_a.example",
		"https://127.0.0.1:8443/x":                   "https://127.0.0.1:8443",
		"https://cdn.example/%0d%0aSet-Cookie:":      "https://cdn.example",
		"/logo.svg":                                  "",
		"img/logo.svg":                               "",
		"/a;script-src *,b":                          "",
		"https://[::1]/x":                            "", // a policy cannot name it
		"https://…":                                  "",
		"https://a!b.example/":                       "",
		"https://a$b.example/":                       "",
		"https://-a.example/":                        "",
		"https://a..b/":                              "",
		"https://" + strings.Repeat("a.", 200) + "b": "",
	} {
		if got := tenant.Origin(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

// hostileAddresses are addresses that no page may load.
var hostileAddresses = []string{
	"javascript:alert(1)",
	"JaVaScRiPt:alert(1)",
	" javascript:alert(1)",
	"java\tscript:alert(1)",
	"java\nscript:alert(1)",
	"\x01javascript:alert(1)",
	"data:text/html,<script>alert(1)</script>",
	"data:image/svg+xml;base64,AAAA",
	"vbscript:x",
	"blob:https://a.example/x",
	"file:///etc/passwd",
	"ftp://a.example/x",
	"//evil.example/x.png",
	"///evil.example/x.png",
	"\\\\evil.example\\x",
	"/\\evil.example/x",
	"https:\\\\evil.example",
	"https:evil.example/x",
	"https:///x",
	"https://",
	"http://",
	"https://user:secret@a.example/x",
	"https://a.example@evil.example/x",
	"https://a.example;script-src *",
	"https://a.example/;script-src 'unsafe-inline'",
	"https://a.example, https://b.example",
	"https://*",
	"https://*.example/x",
	"https://a.example/\r\nSet-Cookie: a=b",
	"https://a.example\nContent-Security-Policy: x",
	"https://a.example/\x00",
	"https://a.example/\x7F",
	"https://a.example/\u0085",
	"https://a.example/\u2028",
	"https://a.example/\u202Egnp.exe",
	"https://a\u200Bb.example/",
	"https://a.example/\xFF",
	`https://a.example/"onerror="alert(1)`,
	"https://a.example/'onerror='alert(1)",
	"https://a.example/<script>",
	"https://a.example/`x`",
	"https://a.example/a b",
	"https://a%3bb.example/",
	"https://a%20b.example/",
	"https://%zz",
	"https://a.example:x/",
	"'self'",
	"\"'unsafe-inline'",
	"https://a.example/" + strings.Repeat("x", 1_000),
}

func TestHostileAddresses(t *testing.T) {
	for _, a := range hostileAddresses {
		if tenant.Loadable(a) {
			t.Errorf("%q may be loaded", a)
		}
		if got := tenant.Origin(a); got != "" {
			t.Errorf("the origin of %q is %q", a, got)
		}
		shown := tenant.Branding{Title: "T", Content: "C", Logo: a, Background: "/b.png", Favicon: a}.Sanitized()
		if shown != (tenant.Branding{Title: "T", Content: "C", Background: "/b.png"}) {
			t.Errorf("%q passes Sanitized: %+v", a, shown)
		}
	}
	for _, a := range []string{"https://a.example/x.png?a=1;b", "/x.svg", "x.svg", "http://127.0.0.1:8080/x", "https://[::1]/x", "https://…"} {
		if !tenant.Loadable(a) {
			t.Errorf("%q may not be loaded", a)
		}
	}
	if tenant.Loadable("") {
		t.Error("an empty address may be loaded")
	}
}

// The origin of any address contains no separator of a policy.
func FuzzOrigin(f *testing.F) {
	for _, a := range append(hostileAddresses, "https://cdn.example:8080/x", "https://农场.example") {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, address string) {
		o := tenant.Origin(address)
		if o == "" {
			return
		}
		rest, ok := strings.CutPrefix(o, "https://")
		if !ok {
			rest, ok = strings.CutPrefix(o, "http://")
		}
		if !ok || rest == "" || strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") != "" ||
			strings.Count(rest, ":") > 1 ||
			len(rest) > 259 {
			t.Errorf("the origin of %q is %q", address, o)
		}
		if !tenant.Loadable(address) {
			t.Errorf("%q has an origin, but may not be loaded", address)
		}
	})
}
