package sheet_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tilth/internal/edge/console/sheet"
)

var modTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// roundTrip writes a spreadsheet and reads it back with an independent library.
func roundTrip(t *testing.T, write func(b *sheet.Book)) *excelize.File {
	t.Helper()
	return openBook(t, writeBook(t, write))
}

func writeBook(t *testing.T, write func(b *sheet.Book)) []byte {
	t.Helper()
	var out bytes.Buffer
	b := sheet.New(&out, modTime)
	write(b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func openBook(t *testing.T, raw []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// newSheet begins a sheet with one row.
func newSheet(t *testing.T, b *sheet.Book, h sheet.Options) *sheet.Sheet {
	t.Helper()
	s, err := b.Sheet(h)
	if err != nil {
		t.Fatal(err)
	}
	newRow(t, s)
	return s
}

func newRow(t *testing.T, s *sheet.Sheet) {
	t.Helper()
	if err := s.Row(); err != nil {
		t.Fatal(err)
	}
}

// rawCell returns a cell's stored value and its kind.
func rawCell(t *testing.T, f *excelize.File, name, cell string) (string, excelize.CellType) {
	t.Helper()
	value, err := f.GetCellValue(name, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	kind, err := f.GetCellType(name, cell)
	if err != nil {
		t.Fatal(err)
	}
	if formula, err := f.GetCellFormula(name, cell); err != nil || formula != "" {
		t.Errorf("%s holds the formula %q, %v", cell, formula, err)
	}
	return value, kind
}

func TestTextCellsKeepTheirText(t *testing.T) {
	texts := []string{
		"=1+1",
		"+1",
		"-1",
		"@SUM(A1)",
		"=HYPERLINK(\"http://x\",\"y\")",
		"1",
		"1.50",
		"true",
		"TRUE",
		"2026-11-21",
		"#N/A",
		"'",
		"'=1",
		"",
		" both ends ",
		"two\nlines",
		"a\r\nb",
		"tab\there",
		"<b>&amp;\"'</b>",
		"]]>",
		"水 İı 🌾",
		"\x00\x07\x1b",
		"_x0041_",
		"_x005F_",
		"_x004",
		"__x0041__",
		"_xyz12_",
		"\ufffe\uffff",
		"long " + strings.Repeat("x", 1024),
	}
	f := roundTrip(t, func(b *sheet.Book) {
		s := newSheet(t, b, sheet.Options{Name: "Texts"})
		for _, text := range texts {
			s.Text(text)
			s.Bold(text)
			newRow(t, s)
		}
		s.Text("broken \xff here")
		s.Text(strings.Repeat("y", 40_000))
		s.Text(strings.Repeat("🌾", 20_000))
	})
	for i, want := range texts {
		for _, column := range "AB" {
			got, kind := rawCell(t, f, "Texts", fmt.Sprintf("%c%d", column, i+1))
			if got != want || kind != excelize.CellTypeInlineString {
				t.Errorf("%q was read as %q of kind %d", want, got, kind)
			}
		}
	}
	last := fmt.Sprint(len(texts) + 1)
	for cell, want := range map[string]string{"A": "broken \ufffd here", "B": strings.Repeat("y", 32_767), "C": strings.Repeat("🌾", 16_383)} {
		if got, _ := rawCell(t, f, "Texts", cell+last); got != want {
			t.Errorf("%s: %d characters, want %d", cell, len(got), len(want))
		}
	}
}

// A text that would become a formula when somebody presses F2 and Enter is marked to stay a text,
// in each style; other texts are unchanged.
func TestFormulaLikeTextsGetQuotePrefix(t *testing.T) {
	texts := map[string]bool{
		"=1+1":  true,
		" =1":   true,
		"-1":    true,
		"\t@a":  true,
		"＝1":    true,
		"plain": false,
		"a=b":   false,
		"":      false,
	}
	var order []string
	f := roundTrip(t, func(b *sheet.Book) {
		s := newSheet(t, b, sheet.Options{Name: "S"})
		for text := range texts {
			order = append(order, text)
			s.Text(text)
			s.Bold(text)
			newRow(t, s)
		}
	})
	for i, text := range order {
		for column, bold := range map[string]bool{"A": false, "B": true} {
			id, err := f.GetCellStyle("S", fmt.Sprint(column, i+1))
			if err != nil {
				t.Fatal(err)
			}
			xf := f.Styles.CellXfs.Xf[id]
			if marked := xf.QuotePrefix != nil && *xf.QuotePrefix; marked != texts[text] || (*xf.FontID == 1) != bold {
				t.Errorf("%q in %s has the quote prefix:  %v, font %d", text, column, marked, *xf.FontID)
			}
		}
	}
}

func TestNumbersAndBooleans(t *testing.T) {
	numbers := []string{
		"0",
		"-0",
		"23.4",
		"-273.15",
		"1e+21",
		"5e-324",
		"1.7976931348623157e+308",
		"0.30000000000000004",
		"9007199254740993",
	}
	f := roundTrip(t, func(b *sheet.Book) {
		s := newSheet(t, b, sheet.Options{Name: "Numbers"})
		for _, n := range numbers {
			s.Number([]byte(n))
		}
		newRow(t, s)
		s.Bool(true)
		s.Skip()
		s.Bool(false)
	})
	for i, want := range numbers {
		cell, _ := excelize.CoordinatesToCellName(i+1, 1)
		if got, kind := rawCell(t, f, "Numbers", cell); got != want || kind != excelize.CellTypeUnset {
			t.Errorf("%s was read as %s of kind %d", want, got, kind)
		}
	}
	for cell, want := range map[string]string{"A2": "TRUE", "B2": "", "C2": "FALSE"} {
		got, err := f.GetCellValue("Numbers", cell)
		if kind, _ := f.GetCellType("Numbers", cell); err != nil || got != want ||
			(kind == excelize.CellTypeBool) != (want != "") {
			t.Errorf("%s: %q of kind %d, %v", cell, got, kind, err)
		}
	}
}

// A date has the local time, daylight saving included, to the millisecond.
func TestTimes(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	utc := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	cases := map[string]time.Time{
		"2026-11-21 13:00:00": utc("2026-11-21T12:00:00Z").In(zone),
		"2026-03-29 01:59:59": utc("2026-03-29T00:59:59Z").In(zone),
		"2026-03-29 03:00:00": utc("2026-03-29T01:00:00Z").In(zone), // an hour was skipped
		"2026-10-25 02:30:00": utc("2026-10-25T00:30:00Z").In(zone),
		"2026-10-25 02:31:00": utc("2026-10-25T01:31:00Z").In(zone), // an hour later
		"1970-01-01 00:00:00": time.UnixMilli(0).UTC(),
		"1969-12-31 23:59:58": time.UnixMilli(-2000).UTC(),
		"1901-01-01 00:00:00": utc("1901-01-01T00:00:00Z"),
		"9999-12-31 23:59:59": utc("9999-12-31T23:59:59Z"),
		"2028-02-29 23:59:59": utc("2028-02-29T23:59:59Z"),
	}
	instants := []time.Time{
		utc("2026-11-21T12:34:56.789Z"),
		utc("2026-11-21T23:59:59.999Z"),
		utc("2026-11-21T00:00:00.001Z"),
	}
	f := roundTrip(t, func(b *sheet.Book) {
		s := newSheet(t, b, sheet.Options{Name: "Times"})
		for want, at := range cases {
			s.Text(want)
			s.Time(at)
			newRow(t, s)
		}
		for _, at := range instants {
			s.Time(at)
		}
		s.Time(utc("1900-12-31T00:00:00Z"))
		s.Time(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
	})
	for i := range len(cases) {
		want, _ := rawCell(t, f, "Times", fmt.Sprint("A", i+1))
		cell := fmt.Sprint("B", i+1)
		if got, err := f.GetCellValue("Times", cell); err != nil || got != want {
			t.Errorf("%s is shown as %s, %v", want, got, err)
		}
		style, err := f.GetCellStyle("Times", cell)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := f.GetStyle(style); err != nil || s.CustomNumFmt == nil ||
			*s.CustomNumFmt != "yyyy-mm-dd hh:mm:ss" {
			t.Errorf("%s: style %+v, %v", cell, s, err)
		}
	}
	last := len(cases) + 1
	for i, at := range instants {
		cell, _ := excelize.CoordinatesToCellName(i+1, last)
		value, _ := rawCell(t, f, "Times", cell)
		var serial float64
		if _, err := fmt.Sscan(value, &serial); err != nil {
			t.Fatal(err)
		}
		// The library's own conversion loses the milliseconds.
		if ms := math.Round((serial - 25_569) * 86_400_000); int64(ms) != at.UnixMilli() {
			t.Errorf("%s: %s, %f ms", at, value, ms)
		}
	}
	for cell, want := range map[string]string{"D": "1900-12-31 00:00:00", "E": "10000-01-01 00:00:00"} {
		if got, kind := rawCell(t, f, "Times", fmt.Sprint(cell, last)); got != want ||
			kind != excelize.CellTypeInlineString {
			t.Errorf("%s: %q of kind %d", cell, got, kind)
		}
	}
}

// Sheets are shown by their Order, not in the order in which they were written.
func TestSheetsInOrder(t *testing.T) {
	f := roundTrip(t, func(b *sheet.Book) {
		newSheet(t, b, sheet.Options{Name: "Readings", FrozenRows: 1, Widths: []float64{20.5, 9}}).Bold("first")
		newSheet(t, b, sheet.Options{Name: "Readings 2", Order: 2}).Text("second")
		if _, err := b.Sheet(sheet.Options{Name: "Empty", Order: 2}); err != nil {
			t.Fatal(err)
		}
		newSheet(t, b, sheet.Options{Name: `"About" <&> '水'x`, Order: 1}).Text("about")
	})
	if got := fmt.Sprint(f.GetSheetList()); got != `[Readings "About" <&> '水'x Readings 2 Empty]` {
		t.Errorf("%s", got)
	}
	for name, want := range map[string]string{"Readings": "first", "Readings 2": "second", "Empty": "", `"About" <&> '水'x`: "about"} {
		if got, _ := f.GetCellValue(name, "A1"); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	panes, err := f.GetPanes("Readings")
	if err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("%+v, %v", panes, err)
	}
	if width, err := f.GetColWidth("Readings", "A"); err != nil || width != 20.5 {
		t.Errorf("%v, %v", width, err)
	}
	style, _ := f.GetCellStyle("Readings", "A1")
	if s, err := f.GetStyle(style); err != nil || s.Font == nil || !s.Font.Bold {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSheetNames(t *testing.T) {
	b := sheet.New(io.Discard, modTime)
	newSheet(t, b, sheet.Options{Name: "Readings"})
	for _, name := range []string{"", "readings", "a/b", "a[b", "a:b", "a?b", `a\b`, "a*b", "'a", "a'", strings.Repeat("x", 32)} {
		if _, err := b.Sheet(sheet.Options{Name: name}); err == nil {
			t.Errorf("the sheet name %q is accepted", name)
		}
	}
	newSheet(t, b, sheet.Options{Name: strings.Repeat("水", 31)})
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := sheet.New(io.Discard, modTime).Close(); err == nil {
		t.Error("a spreadsheet without a sheet is accepted")
	}
}

func TestLimits(t *testing.T) {
	b := sheet.New(io.Discard, modTime)
	s := newSheet(t, b, sheet.Options{Name: "Long"})
	for s.Rows() < sheet.MaxRows {
		newRow(t, s)
	}
	if err := s.Row(); err == nil {
		t.Error("one row too many is accepted")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	b = sheet.New(io.Discard, modTime)
	s = newSheet(t, b, sheet.Options{Name: "Wide"})
	for range sheet.MaxColumns {
		s.Number([]byte("1"))
	}
	newRow(t, s)
	for range sheet.MaxColumns + 1 {
		s.Skip()
	}
	if err := s.Row(); err == nil {
		t.Error("one column too many is accepted")
	}
	if err := b.Close(); err == nil {
		t.Error("Close returns no error")
	}
}

// Columns have the right names up to the last one.
func TestColumns(t *testing.T) {
	f := roundTrip(t, func(b *sheet.Book) {
		s := newSheet(t, b, sheet.Options{Name: "Wide"})
		for i := range sheet.MaxColumns {
			s.Number(fmt.Append(nil, i+1))
		}
	})
	for _, column := range []int{1, 26, 27, 52, 53, 702, 703, 729, 16_383, 16_384} {
		cell, err := excelize.CoordinatesToCellName(column, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := rawCell(t, f, "Wide", cell); got != fmt.Sprint(column) {
			t.Errorf("%s: %s", cell, got)
		}
	}
}

// Every file in the spreadsheet is valid XML and has the given time.
func TestPartsAreValidXML(t *testing.T) {
	content := writeBook(t, func(b *sheet.Book) {
		newSheet(t, b, sheet.Options{Name: "S", FrozenRows: 1, Widths: []float64{3}}).Text("\x01<")
	})
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(r); err == nil; {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) || !f.Modified.Equal(modTime) {
			t.Errorf("%s of %s: %v", f.Name, f.Modified, err)
		}
		r.Close()
	}
	if len(z.File) != 6 {
		t.Errorf("%d files", len(z.File))
	}
}

// limitedWriter takes a limited number of bytes.
type limitedWriter struct{ remaining int }

var errFull = errors.New("no more space")

func (f *limitedWriter) Write(p []byte) (int, error) {
	if f.remaining -= len(p); f.remaining < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// If writing fails, the caller gets the error, and once more at the end.
func TestWriteErrors(t *testing.T) {
	for _, room := range []int{0, 10, 5_000, 200_000} {
		b := sheet.New(&limitedWriter{room}, modTime)
		s, err := b.Sheet(sheet.Options{Name: "S"})
		for n := 0; err == nil && n < 200_000; n++ {
			if err = s.Row(); err == nil {
				s.Number(fmt.Append(nil, n*7919%100_003))
			}
		}
		if !errors.Is(err, errFull) {
			t.Errorf("%d bytes: %v", room, err)
		}
		if err := b.Close(); err == nil {
			t.Errorf("%d bytes: Close returns no error", room)
		}
	}
}

// Rows go out while they are written, not only at the end.
func TestRowsAreWrittenWhileStreaming(t *testing.T) {
	var out bytes.Buffer
	b := sheet.New(&out, modTime)
	s := newSheet(t, b, sheet.Options{Name: "S"})
	for n := 0; out.Len() < 10_000; n++ {
		if n == 100_000 {
			t.Fatalf("%d bytes after %d rows", out.Len(), n)
		}
		s.Number(fmt.Append(nil, n*7919%100_003))
		newRow(t, s)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func FuzzText(f *testing.F) {
	f.Add("=1+1 <_x0041_>\xa8\xff\x01")
	f.Add("_x0000\x01")
	f.Fuzz(func(t *testing.T, text string) {
		file := roundTrip(t, func(b *sheet.Book) { newSheet(t, b, sheet.Options{Name: "S"}).Text(text) })
		want := string([]rune(text)) // an invalid byte becomes U+FFFD
		if got, kind := rawCell(t, file, "S", "A1"); len(text) < 32_767 && got != want ||
			kind != excelize.CellTypeInlineString {
			t.Errorf("%q was read as %q of kind %d", text, got, kind)
		}
	})
}

// BenchmarkRows writes a month of rows, one a minute, with eight numbers each.
func BenchmarkRows(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var size limitedWriter
		size.remaining = 1 << 30
		book := sheet.New(&size, modTime)
		s, err := book.Sheet(sheet.Options{Name: "S"})
		for n := 0; err == nil && n < 43_200; n++ {
			if err = s.Row(); err != nil {
				break
			}
			s.Time(modTime.Add(time.Duration(n) * time.Minute))
			for i := range 8 {
				s.Number([]byte([]string{"23.4", "1013.25", "55.1", "0.25"}[(n*7+i)%4]))
			}
		}
		if err == nil {
			err = book.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(1<<30-size.remaining)/1e6, "MB")
	}
}
