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
	path  string // from the root, with slashes: internal/device/store.go
	dir   string // internal/device
	lines int
	file  *ast.File
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) generated() bool { return ast.IsGenerated(s.file) }

// imports are the paths that the file imports.
func (s source) imports() (paths []string) {
	for _, i := range s.file.Imports {
		paths = append(paths, strings.Trim(i.Path.Value, `"`))
	}
	return paths
}

// tree is Go files, parsed.
type tree struct {
	fset  *token.FileSet
	files []source
}

func (x *tree) add(t *testing.T, path, text string) {
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

// production are the files that become part of the program, by folder.
func (x *tree) production() map[string][]source {
	by := map[string][]source{}
	for _, s := range x.files {
		if !s.test() && s.dir != "internal/testkit" && s.dir != "internal/architecture" {
			by[s.dir] = append(by[s.dir], s)
		}
	}
	return by
}

// root is the repository's: where go.mod is.
func root(t *testing.T) string {
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

// repository parses every Go file below cmd, internal, api and web, without
// what npm brought.
func repository(t *testing.T) *tree {
	t.Helper()
	x := &tree{fset: token.NewFileSet()}
	base := root(t)
	for _, top := range []string{"cmd", "internal", "api", "web/embed.go"} {
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
		t.Fatalf("only %d files: the walk went wrong", len(x.files))
	}
	return x
}

// example parses a made-up repository: file paths and their text.
func example(t *testing.T, files map[string]string) *tree {
	t.Helper()
	x := &tree{fset: token.NewFileSet()}
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

// none fails the test for every breach.
func none(t *testing.T, breaches []string) {
	t.Helper()
	for _, b := range breaches {
		t.Error(b)
	}
}

// found fails the test unless the breaches are those wanted, each named by a
// part of its words.
func found(t *testing.T, breaches []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(breaches, func(b string) bool { return strings.Contains(b, w) }) {
			t.Errorf("the rule does not see: %s", w)
		}
	}
	if len(breaches) != len(want) {
		t.Errorf("%d breaches, want %d:\n%s", len(breaches), len(want), strings.Join(breaches, "\n"))
	}
}
