package architecture

import (
	"fmt"
	"go/ast"
	"slices"
	"testing"
)

// buildPackage is the only package that builds programs for tests. It builds each once for all
// tests of a package, when the first test needs it, with the Makefile's flags.
const buildPackage = "internal/tools/testkit/program"

// misplacedBuilds finds calls outside buildPackage that run go build.
func misplacedBuilds(x *sourceTree) (violations []string) {
	for _, s := range x.files {
		if s.dir == buildPackage {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			var words []string
			for _, a := range call.Args {
				if text, ok := a.(*ast.BasicLit); ok {
					words = append(words, text.Value)
				}
			}
			if i := slices.Index(words, `"go"`); i >= 0 && slices.Contains(words[i:], `"build"`) {
				violations = append(
					violations,
					fmt.Sprintf("%s: only %s builds programs for tests", s.path, buildPackage),
				)
			}
			return true
		})
	}
	return violations
}

func TestProgramsAreBuiltInOnePlace(t *testing.T) {
	expectNone(t, misplacedBuilds(parseRepository(t)))
	expectViolations(t, misplacedBuilds(parseExample(t, map[string]string{
		"internal/tools/testkit/program/b.go": "package program\nfunc f() { exec.Command(\"go\", \"build\", \"x\") }",
		"internal/server/a_test.go":           "package app\nvar x = once(func() { exec.Command(\"go\", \"build\", \"-o\", path).Run() })",
		"internal/server/b_test.go":           "package app\nfunc f() { exec.CommandContext(ctx, \"go\", \"build\") }",
		"internal/server/c_test.go":           "package app\nfunc f() { exec.Command(\"go\", \"env\"); say(\"build\") }",
	})), "a_test.go", "b_test.go")
}
