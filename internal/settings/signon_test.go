package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSignOn(t *testing.T) {
	s, err := parseArgs(t)
	if err != nil || s.SignOn != nil {
		t.Errorf("%+v %v", s.SignOn, err)
	}
	t.Setenv("TILTH_OIDC_CLIENT_SECRET", "the secret?")
	if _, err := parseArgs(t, "--oidc-issuer=https://login.example", "--oidc-client-id=tilth"); err == nil ||
		!strings.Contains(err.Error(), "one word") || strings.Contains(err.Error(), "secret?") {
		t.Errorf("%v", err)
	}
	t.Setenv("TILTH_OIDC_CLIENT_SECRET", "s3cret")
	s, err = parseArgs(
		t,
		"--oidc-issuer=https://login.example/realm",
		"--oidc-client-id=tilth",
		"--oidc-name=Farm Login",
	)
	if err != nil || s.SignOn.Issuer != "https://login.example/realm" || s.SignOn.ClientID != "tilth" ||
		s.SignOn.ClientSecret != "s3cret" || s.SignOn.Name() != "Farm Login" || s.SignOn.Creates {
		t.Errorf("%+v %v", s, err)
	}
	s, err = parseArgs(t, "--oidc-issuer=http://127.0.0.1:9000", "--oidc-client-id=tilth")
	if err != nil || s.SignOn.Name() != "127.0.0.1:9000" {
		t.Errorf("%+v %v", s, err)
	}
	for name, args := range map[string][]string{
		"--oidc-issuer":    {"--oidc-issuer=http://login.example", "--oidc-client-id=tilth"},
		"query":            {"--oidc-issuer=https://login.example?x", "--oidc-client-id=tilth"},
		"--oidc-client-id": {"--oidc-issuer=https://login.example"},
		"--oidc-name":      {"--oidc-issuer=https://login.example", "--oidc-client-id=tilth", "--oidc-name=" + strings.Repeat("x", 65)},
	} {
		if _, err := parseArgs(t, args...); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parseArgs(
		t,
	); err == nil ||
		!strings.Contains(err.Error(), "TILTH_OIDC_CLIENT_SECRET: nothing uses it") {
		t.Errorf("a secret alone: %v", err)
	}
	t.Setenv("TILTH_OIDC_CLIENT_SECRET", "")
	if _, err := parseArgs(t, "--oidc-issuer=https://login.example", "--oidc-client-id=tilth"); err == nil ||
		!strings.Contains(err.Error(), "TILTH_OIDC_CLIENT_SECRET") {
		t.Errorf("without a secret: %v", err)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = parseArgs(
		t,
		"--oidc-issuer=https://login.example",
		"--oidc-client-id=tilth",
		"--oidc-client-secret-file="+file,
	)
	if err != nil || s.SignOn.ClientSecret != "from-a-file" {
		t.Errorf("%+v %v", s, err)
	}
}
