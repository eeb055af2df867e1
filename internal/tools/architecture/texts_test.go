package architecture

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"tilth/internal/platform/agronomy"
	"tilth/internal/platform/text"
)

// textKey matches the key of a text: one of the groups, a dot, a word.
var textKey = regexp.MustCompile(
	`^(avatar|captcha|channel|common|credential|derived|device|error|export|field|history|homeAssistant|invalid|letter|mail|notice|open|password|phone|profile|refusal|rule|scene|signin|sms|wait|webhook)\.[A-Za-z0-9]+$`,
)

// actionName matches the names of actions in the audit log, which people do not read.
var actionName = regexp.MustCompile(
	`^(channel|credential|device|notice|rule|scene|webhook)\.(create|update|delete|swap|export|mute|publish|unpublish|resolve|acknowledge|unacknowledge|switchOff|derive|devices|calibrate|undoCalibration)$`,
)

// keysWithoutText finds keys in the code that have no text. People would read the key instead.
func keysWithoutText(x *sourceTree, has func(key string) bool) (violations []string) {
	for _, sources := range x.production() {
		for _, s := range sources {
			ast.Inspect(s.file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				value, err := strconv.Unquote(lit.Value)
				if err == nil && textKey.MatchString(value) && !actionName.MatchString(value) && !has(value) {
					violations = append(
						violations,
						fmt.Sprintf("%s: no text for %q", x.fset.Position(lit.Pos()), value),
					)
				}
				return true
			})
		}
	}
	return violations
}

func TestTextKeysExist(t *testing.T) {
	expectNone(t, keysWithoutText(parseRepository(t), text.HasKey))
	expectViolations(t, keysWithoutText(parseExample(t, map[string]string{
		"internal/domain/device/a.go":      "package device\nvar _ = errs.New(errs.NotFound, \"error.404\")\nvar _ = errs.New(errs.NotFound, \"error.405b\")\n",
		"internal/domain/device/b.go":      "package device\nvar _ = refuse(\"invalid.none\", \"error.\", \"error\", \"a/error.x\")\n",
		"internal/domain/device/a_test.go": "package device\nvar _ = \"error.none\"\n",
	}), text.HasKey), `"error.405b"`, `"invalid.none"`)
}

// The console explains every formula that a product may name, and no others.
func TestFormulasHaveTexts(t *testing.T) {
	// The other languages have the same keys.
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "web", "src", "locales", "en-us.json"))
	if err != nil {
		t.Fatal(err)
	}
	var texts struct {
		Derived struct{ Formula map[string]string }
	}
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	for _, name := range agronomy.Names() {
		if texts.Derived.Formula[name] == "" {
			t.Errorf("no text for the formula %s", name)
		}
		delete(texts.Derived.Formula, name)
	}
	if len(texts.Derived.Formula) > 0 {
		t.Errorf("texts for formulas that do not exist: %v", texts.Derived.Formula)
	}
}
