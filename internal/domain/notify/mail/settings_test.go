package mail

import (
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for raw, want := range map[string]Settings{
		"smtp://mail.example.org?from=a@example.org":                               {Host: "mail.example.org", Port: 587, TLS: StartTLS},
		"smtp://me:pw@mail.example.org:2525?from=a@example.org":                    {Host: "mail.example.org", Port: 2525, TLS: StartTLS, User: "me", Password: "pw"},
		"smtp://me%40example.org:p%40%2F%26w@mail.example.org/?from=a@example.org": {Host: "mail.example.org", Port: 587, TLS: StartTLS, User: "me@example.org", Password: "p@/&w"},
		"smtp://mail.example.org:465?from=a@example.org":                           {Host: "mail.example.org", Port: 465, TLS: TLS},
		"smtp://mail.example.org?tls=tls&from=a@example.org":                       {Host: "mail.example.org", Port: 465, TLS: TLS},
		"smtp://mail.example.org:465?tls=starttls&from=a@example.org":              {Host: "mail.example.org", Port: 465, TLS: StartTLS},
		"smtp://10.0.0.7?tls=none&from=a@example.org":                              {Host: "10.0.0.7", Port: 25, TLS: NoTLS},
		"smtp://me:pw@localhost?tls=none&from=a@example.org":                       {Host: "localhost", Port: 25, TLS: NoTLS, User: "me", Password: "pw"},
		"smtp://me:pw@[::1]:26?tls=none&from=a@example.org":                        {Host: "::1", Port: 26, TLS: NoTLS, User: "me", Password: "pw"},
	} {
		want.From.Address = "a@example.org"
		if got, err := ParseURL(raw); err != nil || *got != want {
			t.Errorf("%s: %+v %v", raw, got, err)
		}
	}
	s, err := ParseURL("smtp://mail.example.org?from=Ye%C5%9Fil+%3Calerts%40example.org%3E")
	if err != nil || s.From.Name != "Yeşil" || s.From.Address != "alerts@example.org" || s.domain() != "example.org" ||
		s.address() != "mail.example.org:587" {
		t.Errorf("%+v %v", s, err)
	}
}

// The error about a wrong URL is one line that does not quote it.
func TestParseURLErrors(t *testing.T) {
	for raw, want := range map[string]string{
		"":                                                "smtp://user",
		"mail.example.org:25":                             "smtp://user",
		"https://me:s3cret@mail.example.org":              "smtp://user",
		"smtp://me:s3cret@?from=a@b.c":                    "smtp://user",
		"smtp://me:s3cret@host:port?from=a@b.c":           "smtp://user",
		"smtp://me:s3cret%zz@host?from=a@b.c":             "smtp://user",
		"smtp://me:s3cret@host/s3cret":                    "smtp://user",
		"smtp://me:s3cret@host?from=%zz":                  "smtp://user",
		"smtp://me:s3cret@host?from=a;b":                  "smtp://user",
		"smtp://me:s3#cret@host":                          "smtp://user",
		"smtp://me:s3cret@host:0?from=a@b.c":              "port",
		"smtp://me:s3cret@host:70000?from=a@b.c":          "port",
		"smtp://me:s3cret@host":                           "from is missing",
		"smtp://me:s3cret@host?from=s3cret":               "from is not",
		"smtp://me:s3cret@host?from=a@b.c%0d%0aBcc:x@y.z": "from is not",
		"smtp://me:s3cret@host?from=a@b.c&from=d@e.f":     "more than once",
		"smtp://me:s3cret@host?from=a@b.c&tls=maybe":      "tls must",
		"smtp://host?from=a@b.c&s3cret=1":                 "only from and tls",
		"smtp://me@host?from=a@b.c":                       "belong together",
		"smtp://:s3cret@host?from=a@b.c":                  "belong together",
		"smtp://me:s3cret@host?from=a@b.c&tls=none":       "without TLS",
		"smtp://me:s3cret@127.0.0.2?from=a@b.c&tls=none":  "without TLS",
	} {
		_, err := ParseURL(raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3") ||
			strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%s: %v, want one about %s", raw, err, want)
		}
	}
}
