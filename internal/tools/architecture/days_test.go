package architecture

import (
	"fmt"
	"go/ast"
	"testing"
)

// dayFile has the function that begins a zone's day. time.Date is wrong where clocks skip midnight.
const dayFile = "internal/domain/tenant/day.go"

// handMadeMidnights finds calls of time.Date that make a midnight of another zone than UTC outside of dayFile.
func handMadeMidnights(x *sourceTree) (violations []string) {
	for _, s := range x.files {
		if s.isTest() || s.path == dayFile {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 8 || !isSelector(call.Fun, "time", "Date") {
				return true
			}
			hour, ok := call.Args[3].(*ast.BasicLit)
			if ok && hour.Value == "0" && !isSelector(call.Args[7], "time", "UTC") {
				where := x.fset.Position(n.Pos())
				violations = append(violations, fmt.Sprintf("%s: let tenant.StartOfDay begin the day", where))
			}
			return true
		})
	}
	return violations
}

func isSelector(e ast.Expr, of, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	from, ok := s.X.(*ast.Ident)
	return ok && from.Name == of
}

func TestOneFunctionBeginsADay(t *testing.T) {
	expectNone(t, handMadeMidnights(parseRepository(t)))
	violations := handMadeMidnights(parseExample(t, map[string]string{
		"internal/domain/alarm/a.go":      "package alarm\nvar a = time.Date(y, m, d, 0, 0, 0, 0, zone)\nvar b = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)\n",
		"internal/domain/alarm/b.go":      "package alarm\nvar b = time.Date(y, m, d, nightBegins, 0, 0, 0, zone)\nvar c = time.Date(y, m, d+1, 0, 0, 0, 0, t.Location())\n",
		"internal/domain/alarm/b_test.go": "package alarm\nvar d = time.Date(y, m, d, 0, 0, 0, 0, zone)\n",
		dayFile:                           "package tenant\nvar e = time.Date(y, m, d, 0, 0, 0, 0, zone)\n",
	}))
	expectViolations(t, violations, "alarm/a.go:2", "alarm/b.go:3")
}
