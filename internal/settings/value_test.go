package settings

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"tilth/internal/domain/notify"
)

// The error for an unreadable value names the setting and its place; the value does not count as
// missing.
func TestUnreadableValues(t *testing.T) {
	for name, row := range map[string]struct{ value, want string }{
		"digest-after":     {"ten", `"ten" in PLACE is not a whole number`},
		"notices-an-hour":  {"dozen", `"dozen" in PLACE is not a whole number`},
		"screens-a-user":   {"few", `"few" in PLACE is not a whole number`},
		"password-min":     {"long", `"long" in PLACE is not a whole number`},
		"screens-a-tenant": {"many", `"many" in PLACE is not a whole number`},
		"device-burst":     {"1.5", `"1.5" in PLACE is not a whole number`},
		"message-limit":    {"1MB", `"1MB" in PLACE is not a whole number`},
		"device-rate":      {"many", `"many" in PLACE is not a number`},
		"retention":        {"400", `"400" in PLACE is not a time such as 36h or 400d`},
		"audit-retention":  {"three years", `"three years" in PLACE is not a time such as 36h or 400d`},
		"demo-pages":       {"perhaps", `"perhaps" in PLACE is not true or false`},
		"https-redirect":   {"yes", `"yes" in PLACE is not true or false`},
		"acme-agree":       {"2", `"2" in PLACE is not true or false`},
		"mqtt-per-address": {"''", `"" in PLACE is not a whole number`},
	} {
		t.Run(name, func(t *testing.T) {
			file, variable := tempFile(t, name+": "+row.value+"\n"), Variable(name)
			want := "--" + name + ": " + row.want
			if _, err := parseArgs(
				t,
				"--config",
				file,
			); err == nil ||
				err.Error() != strings.Replace(want, "PLACE", file, 1) {
				t.Errorf("file: %v", err)
			}
			t.Setenv(variable, strings.Trim(row.value, "'"))
			if _, err := parseArgs(t); err == nil || err.Error() != strings.Replace(want, "PLACE", variable, 1) {
				t.Errorf("environment: %v", err)
			}
			flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
			AddFlags(flags)
			err := ExplainFlagError(nil, flags.Parse([]string{"--" + name + "=" + strings.Trim(row.value, "'")}))
			if err == nil || err.Error() != strings.Replace(want, " in PLACE", "", 1) {
				t.Errorf("flag: %v", err)
			}
		})
	}
}

// A list in place of one value is an error, and so is the reverse.
func TestListAndScalarSettings(t *testing.T) {
	for text, want := range map[string]string{
		"http-addr: [a, b]":           "--http-addr: in FILE it is a list; it takes one value",
		"digest-after: [10]":          "--digest-after: in FILE it is a list; it takes one value",
		"trusted-proxies: {a: b}":     "--trusted-proxies: in FILE it has settings below it, which it does not take",
		"trusted-proxies: [[a], b]":   "--trusted-proxies: in FILE each item of the list must be a text",
		"trusted-proxies: 10":         `--trusted-proxies: "10" is no network`,
		"webhook-private: [10, '::']": `--webhook-private: "10" is no network`,
	} {
		file := tempFile(t, text+"\n")
		_, err := parseArgs(t, "--config", file)
		if err == nil || err.Error() != strings.Replace(want, "FILE", file, 1) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A flag, the environment and a file accept the same forms of a value.
func TestFormsOfValues(t *testing.T) {
	for name, row := range map[string]struct {
		value string
		is    func(*Server) bool
	}{
		"retention":       {"400d", func(s *Server) bool { return s.Retention == 400*24*time.Hour }},
		"audit-retention": {"1d12h", func(s *Server) bool { return s.AuditRetention == 36*time.Hour }},
		"message-limit":   {"0x800", func(s *Server) bool { return s.MessageLimit == 2048 }},
		"device-rate":     {"2.5", func(s *Server) bool { return s.DeviceRate == 2.5 }},
		"mails-a-day": {"0", func(s *Server) bool {
			return s.Notifications.PerDay[notify.KindEmail] == 0 && s.Notifications.PerDay[notify.KindSMS] == 500
		}},
		"digest-after": {"0", func(s *Server) bool { return s.Notifications.DigestAfter == 0 }},
		"demo-pages":   {"false", func(s *Server) bool { return !s.DemoPages }},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(of string, args ...string) {
				t.Helper()
				if s, err := parseArgs(t, args...); err != nil || !row.is(s) {
					t.Errorf("%s: %+v %v", of, s, err)
				}
			}
			check("flag", "--"+name+"="+row.value)
			check("file", "--config", tempFile(t, name+": "+row.value+"\n"))
			t.Setenv(Variable(name), row.value)
			check("environment")
		})
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"36h": 36 * time.Hour, "400d": 9600 * time.Hour, "1d12h30m": 36*time.Hour + 30*time.Minute, "0d": 0, "-1h": -time.Hour,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "1d-1h", "1d24h", "100001d", "99999999999d", "1dd", "1w", "400"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}
