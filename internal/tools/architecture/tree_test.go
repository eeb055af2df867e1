package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is one Go file of the repository.
type source struct {
	path  string // from the root, with slashes: internal/domain/device/store.go
	dir   string // internal/domain/device
	lines int
	file  *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) isGenerated() bool { return ast.IsGenerated(s.file) }

// imports returns the paths that the file imports.
func (s source) imports() (paths []string) {
	for _, i := range s.file.Imports {
		paths = append(paths, strings.Trim(i.Path.Value, `"`))
	}
	return paths
}

// sourceTree is a set of parsed Go files.
type sourceTree struct {
	fset  *token.FileSet
	files []source
}

func (x *sourceTree) add(t *testing.T, path, text string) {
	t.Helper()
	file, err := parser.ParseFile(x.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	x.files = append(x.files, source{path: path, dir: dirOf(path), lines: strings.Count(text, "\n"), file: file})
}

func dirOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

// production returns the files that become part of a program, by folder.
func (x *sourceTree) production() map[string][]source {
	by := map[string][]source{}
	for _, s := range x.files {
		if !s.isTest() && s.dir != "internal/tools/testkit" && s.dir != "internal/tools/architecture" {
			by[s.dir] = append(by[s.dir], s)
		}
	}
	return by
}

// repoRoot returns the repository's root, the folder that contains the product's go.mod.
func repoRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// parseRepository parses every Go file below cmd, internal, workshop and api, and web/embed.go.
func parseRepository(t *testing.T) *sourceTree {
	t.Helper()
	x := &sourceTree{fset: token.NewFileSet()}
	base := repoRoot(t)
	for _, top := range []string{"cmd", "internal", "workshop", "api", "web/embed.go"} {
		err := filepath.WalkDir(filepath.Join(base, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(base, path)
			if err != nil {
				return err
			}
			x.add(t, filepath.ToSlash(rel), string(text))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(x.files) < 50 {
		t.Fatalf("parsed only %d files: the walk is wrong", len(x.files))
	}
	return x
}

// parseExample parses a made-up repository: file paths and their text.
func parseExample(t *testing.T, files map[string]string) *sourceTree {
	t.Helper()
	x := &sourceTree{fset: token.NewFileSet()}
	paths := make([]string, 0, len(files))
	for path := range files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		x.add(t, path, files[path])
	}
	return x
}

// expectNone fails the test for every violation.
func expectNone(t *testing.T, violations []string) {
	t.Helper()
	for _, v := range violations {
		t.Error(v)
	}
}

// expectViolations fails the test unless the violations are those wanted. Each wanted text is a
// part of one violation.
func expectViolations(t *testing.T, violations []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(violations, func(v string) bool { return strings.Contains(v, w) }) {
			t.Errorf("the rule does not find: %s", w)
		}
	}
	if len(violations) != len(want) {
		t.Errorf("%d violations, want %d:\n%s", len(violations), len(want), strings.Join(violations, "\n"))
	}
}
