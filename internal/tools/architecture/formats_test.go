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

// localizedDirs are the folders that make texts for people. There only internal/platform/text
// writes dates, times and numbers. Logs, commands and benches write plain English.
var localizedDirs = []string{
	"internal/domain/alarm",
	"internal/edge/console",
	"internal/domain/identity",
	"internal/platform/alertmsg",
	"internal/domain/notify",
	"internal/edge/openapi",
}

// machineFormats are the files in localizedDirs that write dates or numbers for programs, each with
// its reason.
var machineFormats = map[string]string{
	"internal/domain/alarm/rule_condition.go":        "counts the decimals of a number; no text",
	"internal/edge/console/export.go":                "writes an offset that spreadsheets and programs read",
	"internal/edge/console/sheet/rows.go":            "writes a date that is too early or late for a spreadsheet's date cell",
	"internal/domain/notify/alerttext/chart/axis.go": "writes hours and minutes, which are alike in all languages",
	"internal/domain/notify/webhook/body.go":         "writes RFC 3339, which programs read",
	"internal/edge/openapi/wire/moment.go":           "writes RFC 3339, which programs read",
}

// timeLayout matches layouts of time.Format that people read; numberVerb matches verbs of Sprintf
// that format a fraction.
var (
	timeLayout = regexp.MustCompile(`2006|Jan|15:04|\b02\b|[^0-9]07:00`)
	numberVerb = regexp.MustCompile(`%[0-9]*\.[0-9]+[feg]`)
)

// handWrittenFormats finds code of localizedDirs that formats a date or a number without
// internal/platform/text. It also returns which files of machineFormats do.
func handWrittenFormats(x *sourceTree) (violations []string, formatting map[string]bool) {
	formatting = map[string]bool{}
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
				value, err := strconv.Unquote(n.Value)
				isText := n.Kind == token.STRING && err == nil && !strings.HasPrefix(value, "http")
				if isText && (timeLayout.MatchString(value) || numberVerb.MatchString(value)) {
					what = n.Value
				}
			}
			switch {
			case what == "":
			case machineFormats[s.path] != "":
				formatting[s.path] = true
			default:
				violations = append(
					violations,
					fmt.Sprintf("%s: %s: let internal/platform/text format it", x.fset.Position(n.Pos()), what),
				)
			}
			return true
		})
	}
	return violations, formatting
}

func TestFormatsAreInTextPackage(t *testing.T) {
	violations, formatting := handWrittenFormats(parseRepository(t))
	expectNone(t, violations)
	for path, what := range machineFormats {
		if !formatting[path] {
			t.Errorf("%s formats no date or number (%s): remove it from machineFormats", path, what)
		}
	}
	violations, _ = handWrittenFormats(parseExample(t, map[string]string{
		"internal/domain/notify/alerttext/a.go":  "package alerttext\nvar a = t.Format(\"Jan 2\")\nvar b = t.Format(\"15:04\")\nvar c = fmt.Sprintf(\"%.1f\", f)\n",
		"internal/edge/console/b.go":             "package console\nvar a = strconv.FormatFloat(f, 'f', 1, 64)\nvar b = t.Format(time.DateOnly)\nvar c = t.Format(time.RFC3339)\n",
		"internal/edge/console/b_test.go":        "package console\nvar a = t.Format(\"15:04\")\n",
		"internal/server/c.go":                   "package app\nvar a = fmt.Sprintf(\"%.1f\", f)\n",
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
