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

// makeTree is a repository with sources of tilth and a program that was built from them.
func makeTree(t *testing.T) (root, built string) {
	t.Helper()
	root = t.TempDir()
	for file, text := range map[string]string{
		"go.mod": "module tilth\n", "web/embed.go": "package web\n", "api/openapi.yaml": "{}\n", "internal/app/a.go": "package app\n",
		"cmd/tilth/main.go": "package main\n\nfunc main() {}\n", "internal/app/a_test.go": "package app\n", "internal/app/testdata/x": "x",
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

// touch sets when a file was changed, from now.
func touch(t *testing.T, path string, after time.Duration) {
	t.Helper()
	at := time.Now().Add(after)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// The program that the variable names is used only if it is there, is tilth, and
// is as new as what it is built from.
func TestBinaryMustMatchSources(t *testing.T) {
	root, built := makeTree(t)
	refused := func(file, want string) {
		t.Helper()
		if err := checkBinary(
			file,
			root,
		); err == nil || !strings.HasPrefix(err.Error(), BinaryEnv) ||
			!strings.Contains(err.Error(), want) {
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
	refused("tilth", "an absolute path is wanted")
	refused(filepath.Join(root, "none"), "make build builds it: ")
	refused(filepath.Join(root, "go.mod"), "no program that Go built")
	refused(os.Args[0], "and not tilth")

	for _, other := range []string{"internal/app/a_test.go", "internal/app/testdata/x", "Makefile"} {
		if err := os.WriteFile(filepath.Join(root, other), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		touch(t, filepath.Join(root, other), time.Hour)
	}
	accepted()
	source := filepath.Join(root, "internal", "app", "a.go")
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

// A program that does not compile fails with what the compiler says.
func TestBuildReportsCompilerErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wrong.go")
	if err := os.WriteFile(file, []byte("package main\n\nfunc main() { nothing() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Build(
		t.Context(),
		file,
		filepath.Join(t.TempDir(), "wrong"),
	); err == nil ||
		!strings.Contains(err.Error(), "undefined: nothing") {
		t.Error(err)
	}
}

// Tests build as make does; only the version, which make may be told, is left out.
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
		`(?m)^\t\. scripts/environment\.sh && go build -ldflags '(.*) -X tilth/internal/app\.Version=\$\(VERSION\)' -o \$@ \./cmd/tilth$`,
	)
	if made := []string{all, "-ldflags", linked}; !slices.Equal(made, buildFlags) {
		t.Errorf("make builds with %q, tests with %q", made, buildFlags)
	}
}
