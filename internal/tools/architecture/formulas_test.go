package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// coefficients are numbers by which the formulas of internal/platform/agronomy are recognised.
// Other packages call that package instead: if a formula were written twice, a fix could miss one
// of the two.
var coefficients = map[float64]string{
	17.27:       "saturation vapour pressure (FAO-56 eq. 11)",
	4098:        "its slope (eq. 13)",
	37.586:      "extraterrestrial radiation (eq. 21)",
	4.903e-9:    "net long-wave radiation (eq. 39)",
	.000665:     "the psychrometric constant (eq. 8)",
	5.26:        "standard pressure (eq. 7)",
	67.8:        "wind at 2 m (eq. 47)",
	8.621949e11: "oxygen in water (Benson and Krause)",
}

// copiedCoefficients finds coefficients of formulas outside internal/platform/agronomy.
func copiedCoefficients(x *sourceTree) (violations []string) {
	for dir, sources := range x.production() {
		if dir == "internal/platform/agronomy" {
			continue
		}
		for _, s := range sources {
			ast.Inspect(s.file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.FLOAT && lit.Kind != token.INT {
					return true
				}
				if value, err := strconv.ParseFloat(lit.Value, 64); err == nil && coefficients[value] != "" {
					violations = append(
						violations,
						fmt.Sprintf(
							"%s: %s belongs to %s: call internal/platform/agronomy",
							x.fset.Position(lit.Pos()),
							lit.Value,
							coefficients[value],
						),
					)
				}
				return true
			})
		}
	}
	slices.Sort(violations)
	return violations
}

func TestFormulasAreWrittenOnce(t *testing.T) {
	x := parseRepository(t)
	expectNone(t, copiedCoefficients(x))
	// internal/platform/agronomy contains every coefficient; otherwise the rule would look for one
	// that no formula has.
	there := map[string]bool{}
	for _, s := range x.production()["internal/platform/agronomy"] {
		s.dir = "elsewhere"
		for _, violation := range copiedCoefficients(&sourceTree{fset: x.fset, files: []source{s}}) {
			_, what, _ := strings.Cut(violation, " belongs to ")
			there[what] = true
		}
	}
	if len(there) != len(coefficients) {
		t.Errorf("internal/platform/agronomy contains only these of %d coefficients: %v", len(coefficients), there)
	}
	expectViolations(t, copiedCoefficients(parseExample(t, map[string]string{
		"internal/platform/agronomy/air.go": "package agronomy\nvar a = 17.27\n",
		"internal/tools/farm/air.go":        "package farm\nvar a, b, c = 17.27, 17.28, 4098\nvar d = .000665\n",
		"internal/domain/alarm/air.go":      "package alarm\nvar a = \"17.27\"\nvar b = -5.26\n",
		"internal/domain/alarm/air_test.go": "package alarm\nvar a = 17.27\n",
	})), "farm/air.go:2:15: 17.27", "farm/air.go:2:29: 4098", "farm/air.go:3:9: .000665", "alarm/air.go:3:10: 5.26")
}
