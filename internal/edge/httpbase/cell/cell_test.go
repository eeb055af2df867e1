package cell_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"tilth/internal/edge/httpbase/cell"
)

// escapedTexts maps texts as people may send them to their form in a cell.
var escapedTexts = map[string]string{
	"=1+1":               "'=1+1",
	"+1":                 "'+1",
	"-1":                 "'-1",
	"@SUM(A1)":           "'@SUM(A1)",
	"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
	// Signs in East Asian width.
	"＝1+1": "'＝1+1",
	"＋1":   "'＋1",
	"－1":   "'－1",
	"＠a":   "'＠a",
	"﹦1":   "'﹦1",
	// After characters that programs ignore.
	" =1":      " '=1",
	"\t=1":     "\t'=1",
	"\r=1":     "\r'=1",
	"\n=1":     "\n'=1",
	"\r\n =1":  "\r\n '=1",
	"\x00=1":   "\x00'=1",
	"\u00a0=1": "\u00a0'=1",
	"\u3000＝1": "\u3000'＝1",
	"\ufeff=1": "\ufeff'=1",
	"\u200b=1": "\u200b'=1",
	"\u202e=1": "\u202e'=1",
	`"=1`:      `"'=1`,
	`" =1"`:    `" '=1"`,
	// After separators at which some program begins a cell.
	"x;=1+1":        "x;'=1+1",
	"x; -1":         "x; '-1",
	"x\t@a":         "x\t'@a",
	"x\n+1":         "x\n'+1",
	"x\r\n=1":       "x\r\n'=1",
	"x|=1":          "x|'=1",
	"x؛=1":          "x؛'=1",
	"x；＝1":          "x；'＝1",
	`x;"=1+1"`:      `x;"'=1+1"`,
	`x;""=1`:        `x;""'=1`,
	"a;=1;b;=2;;+3": "a;'=1;b;'=2;;'+3",
	"x\u2028=1":     "x\u2028'=1",
	"x\v=1":         "x\v'=1",
	";=1":           ";'=1",
	// A text with apostrophes gets one more, so that it differs from a text that was escaped.
	"'=1":   "''=1",
	"''=1":  "'''=1",
	"x;'-1": "x;''-1",
	// A text that begins no formula is unchanged.
	"":            "",
	"plain":       "plain",
	"a=b":         "a=b",
	"a -1":        "a -1",
	"'quoted'":    "'quoted'",
	"' =1":        "' =1",
	"a;b":         "a;b",
	"x, -1":       "x, -1",
	"ümlaut 北":    "ümlaut 北",
	" x ":         " x ",
	`say "hi"`:    `say "hi"`,
	"a@b.example": "a@b.example",
	"1;2":         "1;2",
	`x"=1`:        `x"=1`,
}

func TestAppendEscaped(t *testing.T) {
	for text, want := range escapedTexts {
		if got := string(cell.AppendEscaped(nil, text)); got != want {
			t.Errorf("%q is escaped as %q, want %q", text, got, want)
		}
		if got := unescape(want); got != text {
			t.Errorf("%q is read back as %q, want %q", want, got, text)
		}
	}
}

func TestIsFormula(t *testing.T) {
	for text, want := range map[string]bool{
		"=1": true, " +1": true, "\t-1": true, "\n@a": true, "＝1": true, "\ufeff=1": true, "-12.5": true,
		"": false, "a=1": false, "'=1": false, "x;=1": false, "1": false, "北": false,
	} {
		if cell.IsFormula(text) != want {
			t.Errorf("%q counts as a formula: %v", text, !want)
		}
	}
}

// unescape restores an escaped text, as docs/open-api.md describes.
func unescape(escaped string) string {
	var out strings.Builder
	atCellStart := true
	for i, r := range escaped {
		if strings.ContainsRune(";|؛；\t\n\v\f\r\u0085\u2028\u2029", r) {
			atCellStart = true
		} else if atCellStart && r != '"' && !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf) {
			atCellStart = false
			first, _ := utf8.DecodeRuneInString(strings.TrimLeft(escaped[i:], "'"))
			if r == '\'' && strings.ContainsRune("=+-@＝＋－＠﹦﹢﹣﹫", first) {
				continue
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

// splitCells splits a line as a program does whose cells are separated by sep: a quotation mark
// counts only as the first character of a cell.
func splitCells(file string, sep rune) (cells []string) {
	var cell strings.Builder
	quoted, first := false, true
	text := []rune(file)
	for i := 0; i < len(text); i++ {
		r := text[i]
		switch {
		case first && r == '"':
			quoted, first = true, false
			continue
		case quoted && r == '"' && i+1 < len(text) && text[i+1] == '"':
			i++
		case quoted && r == '"':
			quoted = false
			continue
		case !quoted && (r == sep || r == '\n' || r == '\r'):
			cells, first = append(cells, cell.String()), true
			cell.Reset()
			continue
		}
		first = false
		cell.WriteRune(r)
	}
	return append(cells, cell.String())
}

// checkNoFormula checks that a row has no formula, whatever separator a program uses.
func checkNoFormula(t *testing.T, text string) {
	t.Helper()
	row := "2026-11-01T00:00:00.000Z," + string(cell.AppendCSV(nil, text)) + ",x\r\n"
	for _, sep := range ",;\t|؛；" {
		for _, c := range splitCells(row, sep) {
			first := strings.TrimLeftFunc(
				c,
				func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) },
			)
			if first != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(first)[0]) {
				t.Errorf("%q, split at %q, has the cell %q", row, sep, c)
			}
		}
	}
	cells, err := csv.NewReader(strings.NewReader(strings.ReplaceAll(row, "\r", "␍"))).ReadAll()
	if err != nil || len(cells) != 1 || len(cells[0]) != 3 {
		t.Fatalf("%q is read as %q, %v", row, cells, err)
	}
	if got := unescape(strings.ReplaceAll(cells[0][1], "␍", "\r")); got != strings.ToValidUTF8(text, "\uFFFD") {
		t.Errorf("%q is read back as %q", text, got)
	}
}

func TestCSVHasNoFormulaForAnySeparator(t *testing.T) {
	for text := range escapedTexts {
		checkNoFormula(t, text)
	}
}

func FuzzCSV(f *testing.F) {
	for text := range escapedTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if slices.Contains([]rune(text), '␍') {
			t.Skip()
		}
		checkNoFormula(t, text)
	})
}
