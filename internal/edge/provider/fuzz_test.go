package provider

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
)

// addSeeds adds every file of testdata.
func addSeeds(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatalf("no files %s: %v", pattern, err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(raw)
		}
	}
}

// Every file is either read or refused with a reason, quickly, and every error is on a line of the
// file.
func FuzzParse(f *testing.F) {
	addSeeds(f, "testdata/*.yaml", "testdata/*/*.yaml")
	f.Add([]byte("a: [b: {c: |\n  d\n}]"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var wrong fileErrors
		start := time.Now()
		file := wrong.parse(raw)
		if took := time.Since(start); took > 5*time.Second {
			t.Fatalf("%d bytes took %s", len(raw), took)
		}
		if file == nil && len(wrong.lines) == 0 {
			t.Fatal("not read, and no error says why")
		}
		if file != nil {
			wrong.validate(file, identity.PasswordMin)
		}
		lines := bytes.Count(raw, []byte("\n")) + bytes.Count(raw, []byte("\r")) + 1
		for _, e := range wrong.lines {
			if e.Line < 0 || e.Line > lines || e.Message == "" {
				t.Fatalf("line %d of %d: %q", e.Line, lines, e.Message)
			}
		}
	})
}

// Every file is accepted or refused with errors of the file, never with a fault of the server.
// Applying an accepted file again changes nothing.
func FuzzApply(f *testing.F) {
	p := newFixture(f)
	p.applyBase(f)
	addSeeds(f, "testdata/refused/*.yaml", "testdata/wrong/*.yaml")
	f.Add(
		[]byte(
			"tenants: [{name: north, hosts: [a.example], users: [{userName: ada, nickname: A}], scenes: [B], devices: [{deviceName: N-1, scene: B}]}]",
		),
	)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.Contains(raw, []byte("user")) && bytes.Contains(raw, []byte("password")) {
			t.Skip("hashing takes too long")
		}
		before := p.dump(t)
		out, err := p.service.Apply(t.Context(), raw, true)
		var wrong *FileError
		switch {
		case errors.As(err, &wrong):
			if after := p.dump(t); after != before {
				t.Fatalf("a wrong file changed\n%s\nto\n%s", before, after)
			}
		case err != nil:
			t.Fatalf("%v", err)
		default:
			again, err := p.service.Apply(t.Context(), raw, true)
			if err != nil {
				t.Fatalf("again: %v", err)
			}
			if len(again.Created)+len(again.Changed) != 0 ||
				again.Unchanged != out.Unchanged+len(out.Created)+len(out.Changed) {
				t.Fatalf("again %+v, first %+v", again, out)
			}
		}
	})
}

// An accepted address is safe in a page's policy.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://farm.example/a.png", "/a", "//a", "javascript:x", "https://a;b", "http://[::1]:80/", "\\\\a", "https://a@b/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !isAddress(s) {
			return
		}
		lower := strings.ToLower(s)
		if strings.HasPrefix(lower, "//") || strings.ContainsAny(s, "\"'<>\\ \t\r\n") {
			t.Fatalf("%q is accepted", s)
		}
		scheme, rest, ok := strings.Cut(lower, "://")
		if !ok || strings.ContainsAny(scheme, "/?#") {
			return // a path
		}
		host, _, _ := strings.Cut(rest, "/")
		host, _, _ = strings.Cut(host, "?")
		host, _, _ = strings.Cut(host, "#")
		if scheme != "http" && scheme != "https" || host == "" || strings.ContainsAny(host, ",;*@") {
			t.Fatalf("%q is accepted", s)
		}
	})
}
