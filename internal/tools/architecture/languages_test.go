package architecture

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tilth/internal/platform/text"
)

// languageFiles may name languages: the descriptors, and what is generated from the contract.
var languageFiles = []string{
	"internal/platform/text/languages.go",
	"web/src/lib/i18n/languages.ts",
	"web/src/api/schema.gen.ts",
}

var (
	codeFile = regexp.MustCompile(`\.(go|ts|tsx|js|mjs|css|html|sh)$`)
	testFile = regexp.MustCompile(`_test\.go$|\.test\.tsx?$`)
	enum     = regexp.MustCompile(`(?m)^ +Language: \{.*enum: \[([^]]+)]`)
)

// namedLanguages finds the languages that a source names in any spelling: tr-tr, tr_TR, trTR.
// English, the default, may be named.
func namedLanguages(path, source string) (violations []string) {
	for _, l := range text.Languages[1:] {
		language, region, _ := strings.Cut(string(l), "-")
		spelling := regexp.MustCompile(
			fmt.Sprintf(`\b%s([-_]%s|[-_]?%s)\b|\bname_%[1]s`, language, region, strings.ToUpper(region)),
		)
		if found := spelling.FindString(source); found != "" {
			violations = append(
				violations,
				fmt.Sprintf("%s names %s: what differs by language is in a descriptor", path, found),
			)
		}
	}
	return violations
}

// Only the descriptors know which languages there are, so that a new one changes nothing else.
func TestOnlyDescriptorsNameLanguages(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	checked := 0
	for _, dir := range []string{"cmd", "internal", "web/src", "web/public", "web/scripts", "scripts", "deploy"} {
		if err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !codeFile.MatchString(path) || testFile.MatchString(path) {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			// Test servers and samples of the console answer with the language of their tenant.
			name = filepath.ToSlash(name)
			if slices.Contains(languageFiles, name) || strings.HasPrefix(name, "web/src/test/") {
				return nil
			}
			source, err := os.ReadFile(path)
			checked++
			expectNone(t, namedLanguages(name, string(source)))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if checked < 500 {
		t.Errorf("only %d files", checked)
	}
	for _, source := range []string{`if l == "tr-tr"`, `import tr from 'antd/locale/tr_TR'`, `trTR`, "SELECT name_tr_tr"} {
		if got := namedLanguages("x", source); len(got) != 1 {
			t.Errorf("%s: %v", source, got)
		}
	}
}

// The contract and both folders of texts have the languages of the descriptors.
func TestLanguagesAgree(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	raw, err := os.ReadFile(filepath.Join(root, "api", "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, l := range text.Languages {
		tags = append(tags, string(l))
	}
	if m := enum.FindSubmatch(raw); m == nil || string(m[1]) != strings.Join(tags, ", ") {
		t.Errorf("the schema Language of api/openapi.yaml must have the enum [%s]", strings.Join(tags, ", "))
	}
	slices.Sort(tags)
	for _, dir := range []string{"internal/platform/text/locales", "web/src/locales"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "??-??.json"))
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			files[i] = strings.TrimSuffix(filepath.Base(file), ".json")
		}
		if !slices.Equal(files, tags) {
			t.Errorf("%s has %v, the descriptors have %v", dir, files, tags)
		}
	}
}

// A server cannot have the language of tests.
func TestOnlyTestkitRegistersLanguages(t *testing.T) {
	for dir, sources := range parseRepository(t).production() {
		for _, s := range sources {
			raw, err := os.ReadFile(filepath.Join("..", "..", "..", s.path))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(raw), "text.RegisterForTest(") && dir != "internal/tools/testkit/pseudo" {
				t.Errorf("%s registers a language", s.path)
			}
		}
	}
}
