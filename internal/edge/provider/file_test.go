package provider

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/identity"
	"tilth/internal/platform/text"
)

// wantedPattern matches the lines "#! LINE: message" of a wrong file, which list all its errors.
var wantedPattern = regexp.MustCompile(`(?m)^#! (\d+): (.*)$`)

type wrongFile struct {
	name string
	raw  []byte
	want []string
}

func wrongFiles(t *testing.T, folder string) []wrongFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	var list []wrongFile
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := wrongFile{name: filepath.Base(path), raw: raw}
		for _, m := range wantedPattern.FindAllSubmatch(raw, -1) {
			f.want = append(f.want, fmt.Sprintf("%s: %s", m[1], m[2]))
		}
		if len(f.want) == 0 {
			t.Fatalf("%s does not list its errors", path)
		}
		list = append(list, f)
	}
	return list
}

// compare compares the errors that were found with those that the file lists. It compares only the
// beginning of the YAML library's own messages, and of those that the file ends with …
func (f *wrongFile) compare(t *testing.T, err error) {
	t.Helper()
	var wrong *FileError
	if !errors.As(err, &wrong) {
		t.Fatalf("answered %v, want a *FileError", err)
	}
	got := make([]string, len(wrong.Errors))
	for i, e := range wrong.Errors {
		got[i] = fmt.Sprintf("%d: %s", e.Line, e.Message)
		if before, _, ok := strings.Cut(got[i], "as YAML: "); ok {
			got[i] = before + "as YAML"
		}
	}
	var tags []string
	for _, l := range text.Languages {
		tags = append(tags, string(l))
	}
	slices.Sort(tags)
	listed := strings.NewReplacer(
		"{languages}", languageList(text.Languages), "{sorted languages}", strings.Join(tags, ", "),
	)
	for i, line := range f.want {
		f.want[i] = listed.Replace(line)
	}
	// The order of errors within a line does not matter.
	for _, list := range [][]string{got, f.want} {
		slices.SortFunc(list, func(a, b string) int {
			la, lb := lineNumber(a), lineNumber(b)
			if la != lb {
				return la - lb
			}
			return strings.Compare(a, b)
		})
	}
	for i, want := range f.want {
		if before, isCut := strings.CutSuffix(want, "…"); isCut && i < len(got) && strings.HasPrefix(got[i], before) {
			got[i] = want
		}
	}
	if !slices.Equal(got, f.want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(f.want, "\n"))
	}
}

func lineNumber(s string) int {
	n, err := strconv.Atoi(s[:strings.IndexByte(s, ':')])
	if err != nil {
		panic(err)
	}
	return n
}

// All errors of a file are reported at once with their lines, and nothing is changed.
func TestWrongFiles(t *testing.T) {
	p := newFixture(t)
	before := p.dump(t)
	for _, f := range wrongFiles(t, "wrong") {
		t.Run(f.name, func(t *testing.T) {
			_, err := p.service.Apply(t.Context(), f.raw, true)
			f.compare(t, err)
			if after := p.dump(t); after != before {
				t.Errorf("a wrong file changed\n%s\nto\n%s", before, after)
			}
		})
	}
}

func TestErrorPaths(t *testing.T) {
	raw := []byte(
		"tenants:\n  - {name: a, timeZone: UTC}\n  - name: b\n    timeZone: UTC\n    devices:\n      - {deviceName: X, product: p}\n      - {deviceName: Y, longitude: 200, latitude: 1, product: p}\nproducts:\n  - {name: p}\n",
	)
	var wrong fileErrors
	wrong.validate(wrong.parse(raw), identity.PasswordMin)
	if len(wrong.lines) != 1 || wrong.lines[0].Path != "tenants[1].devices[1].longitude" || wrong.lines[0].Line != 7 {
		t.Errorf("found %+v", wrong.lines)
	}
}

// If the provider requires longer passwords, its file must have them, also for existing users;
// generated passwords are not affected.
func TestMinPasswordLength(t *testing.T) {
	p := newFixture(t)
	p.MinPasswordLength = 12
	p.service = NewService(p.service.Deps)
	file := func(password string) string {
		return "tenants:\n  - name: north\n    timeZone: UTC\n    users:\n      - {userName: ada, password: " + password + "}\n      - {userName: bora}\n"
	}
	refused := func(password string, overwrite bool) {
		t.Helper()
		_, err := p.service.Apply(t.Context(), []byte(file(password)), overwrite)
		var wrong *FileError
		if !errors.As(err, &wrong) || len(wrong.Errors) != 1 {
			t.Fatalf("%s: answered %v", password, err)
		}
		want := LineError{
			5,
			"tenants[0].users[0].password",
			"password must have 12 to 128 characters, as --password-min of the server says",
		}
		if wrong.Errors[0] != want {
			t.Errorf("%s: found %+v", password, wrong.Errors[0])
		}
	}
	for _, password := range []string{"sixsix", "elevenchars", "ğğğğğğğğğğğ"} {
		refused(password, false)
	}
	p.apply(t, file("ğğğğğğğğğğğğ"), false)
	refused("sixsix", false)
	refused("sixsix", true)
	p.apply(t, file("twelve chars"), true)
	if !p.passwordMatches(t, p.user(t, "north", "ada"), "twelve chars") {
		t.Error("a password of twelve characters is not valid")
	}
}

func TestEmptyFiles(t *testing.T) {
	p := newFixture(t)
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "elements:\nproducts: []\ntenants: null\n"} {
		out, err := p.service.Apply(t.Context(), []byte(text), false)
		if err != nil || out.Unchanged != 0 || len(out.Created)+len(out.Changed) != 0 {
			t.Errorf("%q: %+v, %v", text, out, err)
		}
	}
}

// A file that would cost the YAML parser the stack, the memory or hours is refused before the
// parser sees it.
func TestYAMLBombsAreRefused(t *testing.T) {
	const many = 300_000
	var keys, billion bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	billion.WriteString("a: &a [x, x]\n")
	for c := 'b'; c < 'z'; c++ {
		fmt.Fprintf(&billion, "%c: &%c [*%c, *%c]\n", c, c, c-1, c-1)
	}
	for name, text := range map[string]string{
		"lists":          "tenants: " + strings.Repeat("[", many),
		"closed lists":   "tenants: " + strings.Repeat("[", many) + strings.Repeat("]", many),
		"mappings":       "tenants: " + strings.Repeat("{a: ", many),
		"dashes":         "tenants:\n" + strings.Repeat("- ", many),
		"question marks": strings.Repeat("? ", many),
		"colons":         "tenants: " + strings.Repeat("a: ", many),
		"list of colons": "tenants: [" + strings.Repeat("a: ", many),
		"indentation":    nestedMappings(300),
		"keys":           keys.String(),
		"bare keys":      "tenants: {" + strings.Repeat("a, ", many),
		"commas":         "tenants: {a: 1" + strings.Repeat(",", many),
		"empty keys":     "tenants:\n" + strings.Repeat("  - name:\n", many/4),
		"empty entries":  "tenants:\n" + strings.Repeat("  -\n", many/4),
		"billion laughs": billion.String(),
		"tags":           "tenants: " + strings.Repeat("!!str ", many),
		"documents":      strings.Repeat("---\n", many),
		"signs":          "tenants: [" + strings.Repeat(",", maxIndicators),
		"size":           "# " + strings.Repeat("x", MaxFile),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			var wrong fileErrors
			if f := wrong.parse([]byte(text)); f != nil || len(wrong.lines) == 0 {
				t.Errorf("accepted: %+v, %v", f, wrong.lines)
			}
			if len(wrong.lines) > 3 {
				t.Errorf("%d faults", len(wrong.lines))
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("refused after %s", took)
			}
		})
	}
}

// nestedMappings nests mappings by indentation.
func nestedMappings(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// A file of the maximum size is read.
func TestLargeFile(t *testing.T) {
	raw := manyDevices(20_000)
	var wrong fileErrors
	start := time.Now()
	f := wrong.parse(raw)
	t.Logf("%d bytes in %s", len(raw), time.Since(start))
	if f == nil || len(f.tenants[0].devices) != 20_000 {
		t.Fatalf("cannot be read: %v", wrong.lines)
	}
	wrong.validate(f, identity.PasswordMin)
	if len(wrong.lines) > 0 {
		t.Errorf("faults: %v", wrong.lines[0])
	}
	if last := f.tenants[0].devices[19_999]; last.at.line != len(strings.Split(string(raw), "\n"))-1 {
		t.Errorf("the last device is on line %d", last.at.line)
	}
}
