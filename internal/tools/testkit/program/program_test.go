package program

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// makeTree makes a repository with sources of tilth, and a program built from them.
func makeTree(t *testing.T) (root, built string) {
	t.Helper()
	root = t.TempDir()
	for file, text := range map[string]string{
		"go.mod": "module tilth\n", "web/embed.go": "package web\n", "api/openapi.yaml": "{}\n", "internal/server/a.go": "package app\n",
		"cmd/tilth/main.go": "package main\n\nfunc main() {}\n", "internal/server/a_test.go": "package app\n", "internal/server/testdata/x": "x",
	} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		touch(t, path, -time.Hour)
	}
	built = filepath.Join(root, "tilth")
	t.Chdir(root)
	if err := Build(t.Context(), "./cmd/tilth", built); err != nil {
		t.Fatal(err)
	}
	return root, built
}

// touch sets the modification time of a file to now plus after.
func touch(t *testing.T, path string, after time.Duration) {
	t.Helper()
	at := time.Now().Add(after)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// Tests use the program that BinaryEnv names only if it exists, is tilth, and is newer than its
// sources.
func TestBinaryMustMatchSources(t *testing.T) {
	root, built := makeTree(t)
	refused := func(file, want string) {
		t.Helper()
		err := checkBinary(file, root)
		if err == nil || !strings.HasPrefix(err.Error(), BinaryEnv) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
	accepted := func() {
		t.Helper()
		if err := checkBinary(built, root); err != nil {
			t.Error(err)
		}
	}
	accepted()
	refused("tilth", "the path must be absolute")
	refused(filepath.Join(root, "none"), "run make build: ")
	refused(filepath.Join(root, "go.mod"), "not a Go program")
	refused(os.Args[0], ", not tilth")

	for _, other := range []string{"internal/server/a_test.go", "internal/server/testdata/x", "Makefile"} {
		if err := os.WriteFile(filepath.Join(root, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		touch(t, filepath.Join(root, other), time.Hour)
	}
	accepted()
	source := filepath.Join(root, "internal", "server", "a.go")
	touch(t, source, time.Hour)
	refused(built, "it is older than "+source)
	touch(t, source, -time.Hour)
	accepted()
	page := filepath.Join(root, "web", "dist", "index.html")
	if err := os.Mkdir(filepath.Dir(page), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	touch(t, page, time.Hour)
	refused(built, "it is older than "+page)
}

// If a program does not compile, the error contains the compiler's message.
func TestBuildReportsCompilerErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wrong.go")
	if err := os.WriteFile(file, []byte("package main\n\nfunc main() { nothing() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Build(t.Context(), file, filepath.Join(t.TempDir(), "wrong"))
	if err == nil || !strings.Contains(err.Error(), "undefined: nothing") {
		t.Error(err)
	}
}

// Tests build with make's flags, except for the version, which make sets.
func TestFlagsMatchMakefile(t *testing.T) {
	root, err := repoRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	read := func(file, pattern string) string {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(pattern).FindSubmatch(text); found != nil {
			return string(found[1])
		}
		return ""
	}
	all := read("scripts/environment.sh", `GOFLAGS=".* (\S+)"`)
	linked := read(
		"Makefile",
		`(?m)^\t\. scripts/environment\.sh && go build -ldflags '(.*) -X tilth/internal/server\.Version=\$\(VERSION\)' -o \$@ \./cmd/tilth$`,
	)
	if made := []string{all, "-ldflags", linked}; !slices.Equal(made, buildFlags) {
		t.Errorf("make builds with %q, tests with %q", made, buildFlags)
	}
}
