// Package sheet writes spreadsheets (Office Open XML, .xlsx) row by row into a
// stream: nothing is kept of a row that has been written.
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

	"tilth/internal/httpbase/deflate"
)

// What a sheet holds at most.
const (
	MaxRows    = 1_048_576
	MaxColumns = 16_384
	MaxName    = 31     // characters of a sheet's name
	maxText    = 32_767 // UTF-16 units of a cell
)

// Book is a spreadsheet being written. It is not safe for concurrent use.
type Book struct {
	zip    *zip.Writer
	made   time.Time
	sheets []placed
	open   *Sheet
}

// placed is a sheet that was begun, under its number.
type placed struct {
	name          string
	place, number int
}

// New begins a spreadsheet; made is when it is said to be from.
func New(w io.Writer, made time.Time) *Book {
	b := &Book{zip: zip.NewWriter(w), made: made}
	// The quickest level: a month is a quarter larger than at the usual one, and
	// done in half the time.
	b.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return deflate.NewWriter(w), nil })
	return b
}

// Head says how a sheet looks.
type Head struct {
	Name   string    // unique in the book, 1 to MaxName characters, none of []:*?/\
	Place  int       // sheets are shown in the order of their places, whenever they were written
	Frozen int       // rows at the top that stay in view
	Widths []float64 // of the first columns, in characters
}

// Sheet begins a sheet; it ends the one before.
func (b *Book) Sheet(h Head) (*Sheet, error) {
	if err := b.checkName(h.Name); err != nil {
		return nil, err
	}
	if err := b.end(); err != nil {
		return nil, err
	}
	number := len(b.sheets) + 1
	w, err := b.file(fmt.Sprintf("xl/worksheets/sheet%d.xml", number))
	if err != nil {
		return nil, err
	}
	b.sheets = append(b.sheets, placed{h.Name, h.Place, number})
	b.open = &Sheet{out: w, buf: make([]byte, 0, flushAt+flushAt/4)}
	b.open.begin(h)
	return b.open, nil
}

func (b *Book) checkName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > MaxName || strings.ContainsAny(name, `[]:*?/\`) || strings.Trim(name, "'") != name {
		return fmt.Errorf("sheet: %q cannot be a sheet's name", name)
	}
	if slices.ContainsFunc(b.sheets, func(p placed) bool { return strings.EqualFold(p.name, name) }) {
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
	slices.SortStableFunc(b.sheets, func(x, y placed) int { return cmp.Compare(x.place, y.place) })
	for _, part := range []struct{ name, content string }{
		{"xl/styles.xml", styles},
		{"xl/workbook.xml", b.workbook()},
		{"xl/_rels/workbook.xml.rels", b.links()},
		{"_rels/.rels", rootLinks},
		{"[Content_Types].xml", b.types()},
	} {
		w, err := b.file(part.name)
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
	if b.open == nil {
		return nil
	}
	s := b.open
	b.open = nil
	return s.end()
}

func (b *Book) file(name string) (io.Writer, error) {
	return b.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: b.made})
}
