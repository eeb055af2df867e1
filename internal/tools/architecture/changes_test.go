package architecture

import (
	"fmt"
	"go/ast"
	"testing"
)

// changesFile says what each kind of change causes.
const changesFile = "internal/app/changes.go"

// effectsElsewhere finds calls of Then (change.Kind) outside of changesFile.
func effectsElsewhere(x *sourceTree) (violations []string) {
	for _, s := range x.files {
		if s.isTest() || s.path == changesFile {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Then" {
				where := x.fset.Position(n.Pos())
				violations = append(violations, fmt.Sprintf("%s: say it in %s", where, changesFile))
			}
			return true
		})
	}
	return violations
}

func TestOnePageSaysWhatChangesCause(t *testing.T) {
	expectNone(t, effectsElsewhere(parseRepository(t)))
	const causes = "func f(s *S) { s.Devices.Changed.Then(g) }\n"
	violations := effectsElsewhere(parseExample(t, map[string]string{
		"internal/domain/alarm/a.go":      "package alarm\n" + causes,
		"internal/domain/alarm/a_test.go": "package alarm\n" + causes,
		changesFile:                       "package app\n" + causes,
	}))
	expectViolations(t, violations, "alarm/a.go:2")
}
