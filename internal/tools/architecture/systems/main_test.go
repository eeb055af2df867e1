package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTypeErrorsOn(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example\n\ngo 1.26\n",
		"a/lock.go":      "package a\n\nimport \"syscall\"\n\nfunc Lock(fd int) error { return syscall.Flock(fd, syscall.LOCK_EX) }\n",
		"b/b_unix.go":    "//go:build unix\n\npackage b\n\nfunc Free() int { return 1 }\n",
		"b/b_windows.go": "package b\n\nfunc Free() int { return \"\" }\n",
		"b/b_test.go":    "package b\n\nimport \"syscall\"\n\nvar _ = syscall.Getrusage\n",
		"c/c.go":         "package c\n\nimport (\n\t\"example/b\"\n\t\"syscall\"\n)\n\nvar _, _ = b.Free(), syscall.SIGTERM\n",
		"d/d_darwin.go":  "package d\n\nvar _ = syscall.Flock\n",
		"d/d.go":         "package d\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string][]string{
		"linux/arm64": nil,
		"windows/amd64": {
			"lock.go:5:42: undefined: syscall.Flock",
			"lock.go:5:60: undefined: syscall.LOCK_EX",
			"b_test.go:5:17: undefined: syscall.Getrusage",
			"b_windows.go:3:26: cannot use",
		},
		"darwin/arm64": {"d_darwin.go:3:9: undefined: syscall"},
	} {
		problems, err := typeErrorsOn(t.Context(), dir, system)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range want {
			if len(problems) != len(want) || !strings.Contains(problems[i], part) {
				t.Errorf("%s: %q is not among\n%s", system, part, strings.Join(problems, "\n"))
			}
		}
		if len(want) == 0 && len(problems) > 0 {
			t.Errorf("%s:\n%s", system, strings.Join(problems, "\n"))
		}
	}
	if problems, err := typeErrorsOn(t.Context(), dir, "windows"); err == nil {
		t.Errorf("\"windows\" without an architecture is accepted: %v", problems)
	}
	if problems, err := typeErrorsOn(t.Context(), t.TempDir(), "linux/amd64"); err == nil && len(problems) == 0 {
		t.Error("a folder without a module gives no error")
	}
}
