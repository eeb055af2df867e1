package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// localizedDirs are the folders whose texts people read: there dates, times and
// numbers are written by internal/platform/text alone. Logs, command lines and benches
// are in English and plain.
var localizedDirs = []string{
	"internal/domain/alarm",
	"internal/edge/console",
	"internal/domain/identity",
	"internal/platform/alertmsg",
	"internal/domain/notify",
	"internal/edge/openapi",
}

// machineFormats are the places among them that write for machines: an identifier of a
// file, what a program is told, a clock's figures.
var machineFormats = map[string]string{
	"internal/domain/alarm/rule_condition.go":        "counts decimals",
	"internal/edge/console/export.go":                "an offset as spreadsheets and programs read it",
	"internal/edge/console/sheet/rows.go":            "a date that no spreadsheet knows as one",
	"internal/domain/notify/alerttext/chart/axis.go": "a clock, alike in all languages",
	"internal/domain/notify/webhook/body.go":         "RFC 3339",
	"internal/edge/openapi/wire/moment.go":           "RFC 3339",
}

// timeLayout is what time.Format takes and people read, verb what Sprintf makes a
// number of.
var (
	timeLayout = regexp.MustCompile(`2006|Jan|15:04|\b02\b|[^0-9]07:00`)
	numberVerb = regexp.MustCompile(`%[0-9]*\.[0-9]+[feg]`)
)

// handWrittenFormats are the places that write a date or a number for people by
// themselves.
func handWrittenFormats(x *sourceTree) (violations []string, plain map[string]bool) {
	plain = map[string]bool{}
	for _, s := range x.files {
		under := func(dir string) bool { return s.dir == dir || strings.HasPrefix(s.dir, dir+"/") }
		if s.isTest() || s.isGenerated() || !slices.ContainsFunc(localizedDirs, under) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			what := ""
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if from, ok := n.X.(*ast.Ident); ok && (from.Name == "strconv" && n.Sel.Name == "FormatFloat" ||
					from.Name == "time" && slices.Contains([]string{"DateTime", "DateOnly", "Kitchen", "RFC1123", "ANSIC"}, n.Sel.Name)) {
					what = from.Name + "." + n.Sel.Name
				}
			case *ast.BasicLit:
				if value, err := strconv.Unquote(
					n.Value,
				); n.Kind == token.STRING && err == nil && !strings.HasPrefix(value, "http") &&
					(timeLayout.MatchString(value) || numberVerb.MatchString(value)) {
					what = n.Value
				}
			}
			switch {
			case what == "":
			case machineFormats[s.path] != "":
				plain[s.path] = true
			default:
				violations = append(
					violations,
					fmt.Sprintf("%s: %s is for internal/platform/text", x.fset.Position(n.Pos()), what),
				)
			}
			return true
		})
	}
	return violations, plain
}

func TestFormatsAreInTextPackage(t *testing.T) {
	violations, plain := handWrittenFormats(parseRepository(t))
	expectNone(t, violations)
	for path, what := range machineFormats {
		if !plain[path] {
			t.Errorf("%s writes nothing by itself (%s): take it from the list", path, what)
		}
	}
	violations, _ = handWrittenFormats(parseExample(t, map[string]string{
		"internal/domain/notify/alerttext/a.go":  "package alerttext\nvar a = t.Format(\"Jan 2\")\nvar b = t.Format(\"15:04\")\nvar c = fmt.Sprintf(\"%.1f\", f)\n",
		"internal/edge/console/b.go":             "package console\nvar a = strconv.FormatFloat(f, 'f', 1, 64)\nvar b = t.Format(time.DateOnly)\nvar c = t.Format(time.RFC3339)\n",
		"internal/edge/console/b_test.go":        "package console\nvar a = t.Format(\"15:04\")\n",
		"internal/app/c.go":                      "package app\nvar a = fmt.Sprintf(\"%.1f\", f)\n",
		"internal/domain/notify/webhook/body.go": "package webhook\nvar a = t.Format(\"2006\")\n",
	}))
	expectViolations(
		t,
		violations,
		"alerttext/a.go:2",
		"alerttext/a.go:3",
		"alerttext/a.go:4",
		"console/b.go:2",
		"console/b.go:3",
	)
}
