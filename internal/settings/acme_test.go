package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/acme"
	"tilth/internal/tools/testkit"
)

func TestACMESettings(t *testing.T) {
	t.Setenv("TILTH_ACME_DOMAINS", "Console.farm.com,mqtt.farm.com")
	s, err := parseArgs(t, "--https-addr", ":443", "--acme-agree", "--acme-email", "ops@farm.com")
	if err != nil {
		t.Fatal(err)
	}
	if a := s.ACME; !slices.Equal(a.Names, []string{"console.farm.com", "mqtt.farm.com"}) ||
		a.Email != "ops@farm.com" ||
		a.Directory != acme.LetsEncrypt ||
		a.Roots != nil {
		t.Errorf("%+v", a)
	}
	certFile, _, _ := testkit.Certificate(t, t.TempDir(), time.Now())
	s, err = parseArgs(
		t,
		"--mqtt-tls-addr",
		":8883",
		"--acme-agree",
		"--acme-directory",
		"https://ca.lan/dir",
		"--acme-ca-file",
		certFile,
	)
	if err != nil || s.ACME.Directory != "https://ca.lan/dir" || s.ACME.Roots == nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestContradictoryACMESettings(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	https := []string{"--https-addr", ":443", "--acme-domains", "a.farm.com"}
	agreed := append(slices.Clone(https), "--acme-agree")
	with := func(to []string, args ...string) []string { return slices.Concat(to, args) }
	for want, args := range map[string][]string{
		"--acme-domains: nothing uses them":                         {"--acme-domains", "a.farm.com", "--acme-agree"},
		"--acme-domains: give these or --tls-cert":                  with(agreed, "--tls-cert", "c", "--tls-key", "k"),
		"--acme-domains: give these or --tls-cert and":              with(agreed, "--tls-key", "k"),
		"--acme-agree: needed for --acme-domains":                   https,
		"--acme-agree: needed for --acme-domains; say":              with(https, "--acme-agree=false"),
		`--acme-agree: "perhaps" in `:                               {"--config", settingsFile(t, "acme-agree: perhaps\n")},
		"--acme-agree: nothing uses it without --acme-domains":      {"--acme-agree"},
		"--acme-email: nothing uses it without --acme-domains":      {"--acme-email", "a@b.example"},
		`--acme-email: "foo" is not an e-mail address`:              with(agreed, "--acme-email", "foo"),
		`--acme-email: "Ada <a@b.example>" is not`:                  with(agreed, "--acme-email", "Ada <a@b.example>"),
		"--acme-directory: nothing uses it without --acme-domains":  {"--acme-directory", "https://ca.lan"},
		"--acme-ca-file: nothing uses it without --acme-domains":    {"--acme-ca-file", empty},
		`--acme-directory: "http://ca.lan" is not an https address`: with(agreed, "--acme-directory", "http://ca.lan"),
		`--acme-directory: "ca.lan" is not an https address`:        with(agreed, "--acme-directory", "ca.lan"),
		"--acme-ca-file: open ":                                     with(agreed, "--acme-ca-file", empty+"x"),
		"--acme-ca-file: " + empty + " holds no certificate":        with(agreed, "--acme-ca-file", empty),
		`--acme-domains: "*.farm.com"`:                              {"--https-addr", ":443", "--acme-agree", "--acme-domains", "*.farm.com"},
		`--acme-domains: "farm.local" is not a name that`:           {"--https-addr", ":443", "--acme-agree", "--acme-domains", "farm.local"},
	} {
		_, err := parseArgs(t, args...)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want one line that begins with %s", args, err, want)
		}
	}
}

// settingsFile writes a file with settings.
func settingsFile(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tilth.yaml")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
