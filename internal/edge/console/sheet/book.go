// Package sheet writes spreadsheets (Office Open XML, .xlsx) row by row into a stream. It keeps
// nothing of a row that it has written.
package sheet

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tilth/internal/edge/httpbase/deflate"
)

// The limits of a sheet.
const (
	MaxRows    = 1_048_576
	MaxColumns = 16_384
	MaxName    = 31     // characters of a sheet's name
	maxText    = 32_767 // UTF-16 units of a cell
)

// Book is a spreadsheet being written. It is not safe for concurrent use.
type Book struct {
	zip      *zip.Writer
	modified time.Time
	sheets   []sheetEntry
	current  *Sheet
}

// sheetEntry is a sheet that was begun, with its number.
type sheetEntry struct {
	name          string
	order, number int
}

// New begins a spreadsheet; modified is the time of its files.
func New(w io.Writer, modified time.Time) *Book {
	b := &Book{zip: zip.NewWriter(w), modified: modified}
	// The fastest level takes half the time of the usual one; a month of readings becomes a quarter
	// larger.
	b.zip.RegisterCompressor(
		zip.Deflate,
		func(w io.Writer) (io.WriteCloser, error) { return deflate.NewWriter(w), nil },
	)
	return b
}

// Options is the layout of a sheet.
type Options struct {
	Name       string    // unique in the book, 1 to MaxName characters, none of []:*?/\
	Order      int       // the book shows its sheets by Order, not in the order in which they were written
	FrozenRows int       // rows at the top that do not scroll
	Widths     []float64 // widths of the first columns, in characters
}

// Sheet begins a sheet and ends the one before it.
func (b *Book) Sheet(h Options) (*Sheet, error) {
	if err := b.checkName(h.Name); err != nil {
		return nil, err
	}
	if err := b.end(); err != nil {
		return nil, err
	}
	number := len(b.sheets) + 1
	w, err := b.addFile(fmt.Sprintf("xl/worksheets/sheet%d.xml", number))
	if err != nil {
		return nil, err
	}
	b.sheets = append(b.sheets, sheetEntry{h.Name, h.Order, number})
	b.current = &Sheet{out: w, buf: make([]byte, 0, flushAt+flushAt/4)}
	b.current.begin(h)
	return b.current, nil
}

func (b *Book) checkName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > MaxName || strings.ContainsAny(name, `[]:*?/\`) ||
		strings.Trim(name, "'") != name {
		return fmt.Errorf("sheet: %q cannot be a sheet's name", name)
	}
	if slices.ContainsFunc(b.sheets, func(p sheetEntry) bool { return strings.EqualFold(p.name, name) }) {
		return fmt.Errorf("sheet: two sheets are named %q", name)
	}
	return nil
}

// Close ends the last sheet and the spreadsheet.
func (b *Book) Close() error {
	if len(b.sheets) == 0 {
		return errors.New("sheet: a spreadsheet has at least one sheet")
	}
	if err := b.end(); err != nil {
		return err
	}
	slices.SortStableFunc(b.sheets, func(x, y sheetEntry) int { return cmp.Compare(x.order, y.order) })
	for _, part := range []struct{ name, content string }{
		{"xl/styles.xml", styles},
		{"xl/workbook.xml", b.workbook()},
		{"xl/_rels/workbook.xml.rels", b.relationships()},
		{"_rels/.rels", rootRelationships},
		{"[Content_Types].xml", b.contentTypes()},
	} {
		w, err := b.addFile(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, part.content); err != nil {
			return err
		}
	}
	return b.zip.Close()
}

func (b *Book) end() error {
	if b.current == nil {
		return nil
	}
	s := b.current
	b.current = nil
	return s.end()
}

func (b *Book) addFile(name string) (io.Writer, error) {
	return b.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: b.modified})
}
