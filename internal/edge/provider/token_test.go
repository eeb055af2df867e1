package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	tokenA = "token-a-0123456789abcdef0123456789"
	tokenB = "token-b-0123456789abcdef0123456789"
)

func writeFile(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func expectAllows(t *testing.T, tokens *Tokens, token string, want bool) {
	t.Helper()
	got, err := tokens.Allows(token)
	if err != nil || got != want {
		t.Errorf("%q is valid: %v, want %v (%v)", token, got, want, err)
	}
}

// The first start makes the file, readable by its owner only; later starts leave it unchanged.
func TestTokenFileIsCreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "provider-token")
	if err := os.WriteFile(path+".new", []byte("half"), 0o600); err != nil { // from a start that was killed
		t.Fatal(err)
	}
	first, err := NewTokens("", path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info.Mode(), err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(raw))
	if len(token) < minTokenLength {
		t.Errorf("the generated token has %d characters", len(token))
	}
	second, err := NewTokens("  ", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tokens := range []*Tokens{first, second} {
		expectAllows(t, tokens, token, true)
		expectAllows(t, tokens, token+"x", false)
		expectAllows(t, tokens, "", false)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// The file is read again after it changed: a second token is added, the first is removed.
func TestTokenRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "provider-token")
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	writeFile(t, path, tokenA+"\n", at)
	tokens, err := NewTokens("", path)
	if err != nil {
		t.Fatal(err)
	}
	expectAllows(t, tokens, tokenA, true)
	expectAllows(t, tokens, tokenB, false)

	writeFile(t, path, tokenA+"\r\n\n"+tokenB+"\n", at) // another size
	expectAllows(t, tokens, tokenA, true)
	expectAllows(t, tokens, tokenB, true)

	writeFile(t, path, tokenB+"\n", at)
	expectAllows(t, tokens, tokenA, false)
	writeFile(t, path, tokenA+"\n", at.Add(time.Second)) // the same size, another time
	expectAllows(t, tokens, tokenA, true)
	expectAllows(t, tokens, tokenB, false)

	other := path + ".new"
	writeFile(t, other, tokenB+"\n", at.Add(time.Second)) // the same size and time, another file
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	expectAllows(t, tokens, tokenB, true)
	expectAllows(t, tokens, tokenA, false)

	// A file that cannot be used gives no access, and the error says why.
	for name, text := range map[string]string{
		"empty": "", "short": "short\n", "three": tokenA + "\n" + tokenB + "\n" + tokenA + "x\n",
		"spaces": tokenA + " " + tokenB + "\n", "large": tokenB + "\n" + strings.Repeat("\n", maxTokenFileSize),
	} {
		writeFile(t, path, text, at.Add(2*time.Second))
		if ok, err := tokens.Allows(tokenB); ok || err == nil || strings.Contains(err.Error(), tokenB) {
			t.Errorf("%s: access %v, %v", name, ok, err)
		}
	}
	// An invalid line is reported and does not affect the other one.
	for _, text := range []string{tokenB + "\nshort\n", "with space " + tokenA + "\n\n" + tokenB + "\n"} {
		writeFile(t, path, text, at.Add(3*time.Second))
		if ok, err := tokens.Allows(tokenB); !ok || err == nil || !strings.Contains(err.Error(), path+": line ") ||
			strings.Contains(err.Error(), "0123") {
			t.Errorf("%q: access %v, %v", text, ok, err)
		}
		if ok, _ := tokens.Allows("short"); ok {
			t.Error("a token that is too short is valid")
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if ok, err := tokens.Allows(tokenB); ok || err == nil {
		t.Errorf("without a file: access %v, %v", ok, err)
	}
	writeFile(t, path, tokenB+"\n", at)
	expectAllows(t, tokens, tokenB, true)
}

func TestTokenFromEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "provider-token")
	tokens, err := NewTokens(" "+tokenA+"\n", path)
	if err != nil {
		t.Fatal(err)
	}
	expectAllows(t, tokens, tokenA, true)
	expectAllows(t, tokens, tokenB, false)
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made although the environment has a token")
	}
	for _, env := range []string{"short", tokenA + "\n" + tokenB, tokenA + " " + tokenB} {
		if _, err := NewTokens(env, path); err == nil || strings.Contains(err.Error(), "0123") {
			t.Errorf("%q: %v", env, err)
		}
	}
}

// A wrong file stops the start.
func TestWrongTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "provider-token")
	writeFile(t, path, "short\n", time.Now())
	if _, err := NewTokens("", path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a short token: %v", err)
	}
	if _, err := NewTokens("", filepath.Join(t.TempDir(), "no", "such", "folder")); err == nil {
		t.Error("a missing folder is no error")
	}
}
