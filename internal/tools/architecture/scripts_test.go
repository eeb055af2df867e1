package architecture

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// scripts returns the shell scripts of the repository and their text: the files in these folders
// whose first line names bash.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	all, base := map[string]string{}, repoRoot(t)
	for _, top := range []string{".ci", "deploy", "docs", "scripts"} {
		err := filepath.WalkDir(filepath.Join(base, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			first, _, _ := bytes.Cut(text, []byte("\n"))
			if bytes.HasPrefix(first, []byte("#!")) && bytes.Contains(first, []byte("bash")) {
				rel, err := filepath.Rel(base, path)
				if err != nil {
					return err
				}
				all[filepath.ToSlash(rel)] = string(text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// ignoredFailures finds commands of scripts whose failure has no effect. "set -e" does not end a
// script if a pipeline that begins with ! fails, or if any but the last command of "a && b" fails.
// Both are allowed only within a condition. The last "a && b" of a subshell is allowed, since it
// gives the subshell its exit status.
func ignoredFailures(t *testing.T, texts map[string]string) (violations []string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(texts[path]), path)
		if err != nil {
			t.Fatal(err)
		}
		violation := func(s *syntax.Stmt, what string) {
			violations = append(violations, fmt.Sprintf("%s:%d: %s", path, s.Pos().Line(), what))
		}
		checkList := func(stmts []*syntax.Stmt, lastIsStatus bool) {
			for i, s := range stmts {
				list, _ := s.Cmd.(*syntax.BinaryCmd)
				givesStatus := lastIsStatus && i == len(stmts)-1
				switch {
				case endsInNot(s):
					violation(s, "set -e ignores a command with !: write an if, or || before the command to run")
				case list != nil && list.Op == syntax.AndStmt && !isJump(list.Y) && !givesStatus:
					violation(s, "set -e ignores the first command of a && b: write two commands, or an if")
				}
			}
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.File:
				checkList(n.Stmts, false)
			case *syntax.Block: // the body of a function, too
				checkList(n.Stmts, false)
			case *syntax.Subshell:
				checkList(n.Stmts, true)
			case *syntax.CmdSubst:
				checkList(n.Stmts, true)
			case *syntax.IfClause: // elif and else, too, but not the condition
				checkList(n.Then, false)
			case *syntax.WhileClause:
				checkList(n.Do, false)
			case *syntax.ForClause:
				checkList(n.Do, false)
			case *syntax.CaseItem:
				checkList(n.Stmts, false)
			}
			return true
		})
	}
	return violations
}

// endsInNot tells whether the command that gives s its exit status begins with !.
func endsInNot(s *syntax.Stmt) bool {
	if list, ok := s.Cmd.(*syntax.BinaryCmd); ok && !s.Negated &&
		(list.Op == syntax.AndStmt || list.Op == syntax.OrStmt) {
		return endsInNot(list.Y)
	}
	return s.Negated
}

// isJump tells whether s is a return, exit, break or continue. The command before it is then a
// condition.
func isJump(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 &&
		slices.Contains([]string{"return", "exit", "break", "continue"}, call.Args[0].Lit())
}

func TestScriptsDoNotIgnoreFailures(t *testing.T) {
	all := scripts(t)
	if len(all) < 10 {
		t.Fatalf("only these scripts were found: %v", slices.Sorted(maps.Keys(all)))
	}
	expectNone(t, ignoredFailures(t, all))
	expectViolations(
		t,
		ignoredFailures(t, map[string]string{
			"good.sh": `if ! a; then b; fi
while ! a && b; do c; done
until ! a; do b; done
! a || b
! a && ! b || c=1
a || { b; exit 1; }
for i in 1; do kill -0 1 && return 0; done
(cd a && b)
x=$(cd a && b)
if a && b; then c; fi
a && b || c
`,
			"alone.sh":    "! grep a b",
			"pipe.sh":     "! a | grep b",
			"last.sh":     "[ -z x ] || ! a",
			"both.sh":     "a && ! b",
			"function.sh": "f() { ! a; }",
			"loop.sh":     "while true; do ! a; done",
			"branch.sh":   "if a; then b; else ! c; fi",
			"case.sh":     "case a in b) ! c ;; esac",
			"inner.sh":    "x=$(! a)",
			"and.sh":      "cd a && b\nc",
			"middle.sh":   "(cd a && b; c)",
		}),
		"alone.sh:1",
		"pipe.sh:1",
		"last.sh:1",
		"both.sh:1",
		"function.sh:1",
		"loop.sh:1",
		"branch.sh:1",
		"case.sh:1",
		"inner.sh:1",
		"and.sh:1",
		"middle.sh:1",
	)
}

// scripts/lockfile.sh, which make check runs, refuses a lock file that names the address of a
// package, and a lock file that does not exist.
func TestLockFileNamesNoRegistry(t *testing.T) {
	const script = "scripts/lockfile.sh"
	if !strings.Contains(scripts(t)["scripts/check.sh"], "\n"+script+" web/package-lock.json\n") {
		t.Errorf("scripts/check.sh does not run %s", script)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.json": "{\n  \"version\": \"1.2.3\",\n  \"integrity\": \"sha512-resolved\"\n}\n",
		"bad.json":  "{\n  \"version\": \"1.2.3\",\n  \"resolved\": \"https://registry.example/a.tgz\"\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"good.json": "", "bad.json": "bad.json:3:", "gone.json": "gone.json"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(repoRoot(t), script), filepath.Join(dir, name))
		output, err := cmd.CombinedOutput()
		if refused := err != nil; refused != (want != "") || !strings.Contains(string(output), want) {
			t.Errorf("%s: %v, %s", name, err, output)
		}
	}
}
