package sheet

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"tilth/internal/edge/httpbase/cell"
)

// flushAt is how many bytes of XML are gathered before they are compressed.
const flushAt = 32 << 10

// Sheet is a sheet being written. Row begins a row; the calls after it fill its cells from left to
// right. The sheet keeps its first error: the next Row returns it, and so does the end of the
// sheet.
type Sheet struct {
	out         io.Writer
	buf         []byte
	columnNames []string // names of the columns used so far
	rows        int
	column      int
	digits      []byte // the number of the current row
	err         error
}

func (s *Sheet) begin(h Options) {
	s.buf = append(s.buf, xmlHeader+`<worksheet xmlns="`+mainNS+`">`...)
	if h.FrozenRows > 0 {
		s.buf = fmt.Appendf(
			s.buf,
			`<sheetViews><sheetView workbookViewId="0"><pane ySplit="%d" topLeftCell="A%d" `+
				`activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`,
			h.FrozenRows,
			h.FrozenRows+1,
		)
	}
	if len(h.Widths) > 0 {
		s.buf = append(s.buf, `<cols>`...)
		for i, width := range h.Widths {
			s.buf = fmt.Appendf(s.buf, `<col min="%d" max="%d" width="%g" customWidth="1"/>`, i+1, i+1, width)
		}
		s.buf = append(s.buf, `</cols>`...)
	}
	s.buf = append(s.buf, `<sheetData>`...)
}

// Rows returns how many rows were begun.
func (s *Sheet) Rows() int { return s.rows }

// Row begins a row. It returns an error if the sheet is full, or the error of an earlier write.
func (s *Sheet) Row() error {
	if s.err != nil {
		return s.err
	}
	if s.rows == MaxRows {
		return errors.New("sheet: the sheet is full")
	}
	s.endRow()
	if len(s.buf) >= flushAt && !s.flush() {
		return s.err
	}
	s.rows++
	s.column = 0
	s.digits = strconv.AppendInt(s.digits[:0], int64(s.rows), 10)
	s.buf = append(append(append(s.buf, `<row r="`...), s.digits...), `">`...)
	return nil
}

// Text writes a cell that holds a text and never becomes a formula, whatever the text begins with,
// not even if somebody edits the cell.
func (s *Sheet) Text(text string) { s.text(text, stylePlain, styleQuotePrefix) }

// Bold writes a text in bold type.
func (s *Sheet) Bold(text string) { s.text(text, styleBold, styleBoldQuotePrefix) }

func (s *Sheet) text(text string, style, quotedStyle int) {
	if !s.cell() {
		return
	}
	if cell.IsFormula(text) {
		style = quotedStyle
	}
	if style != stylePlain {
		s.buf = append(strconv.AppendInt(append(s.buf, ` s="`...), int64(style), 10), '"')
	}
	s.buf = append(s.buf, ` t="inlineStr"><is><t xml:space="preserve">`...)
	s.buf = appendText(s.buf, truncate(text))
	s.buf = append(s.buf, `</t></is></c>`...)
}

// Number writes a number that is given as JSON.
func (s *Sheet) Number(text []byte) {
	if s.cell() {
		s.buf = append(append(append(s.buf, `><v>`...), text...), `</v></c>`...)
	}
}

// Bool writes true or false; spreadsheets show it in the language of their user.
func (s *Sheet) Bool(b bool) {
	if !s.cell() {
		return
	}
	digit := byte('0')
	if b {
		digit = '1'
	}
	s.buf = append(append(append(s.buf, ` t="b"><v>`...), digit), `</v></c>`...)
}

// Time writes a date with its time of day, to the millisecond, in t's zone; spreadsheets know no
// zones. A time before 1901 or after 9999 is written as a text, because spreadsheets hardly support
// those.
func (s *Sheet) Time(t time.Time) {
	if y := t.Year(); y < 1901 || y > 9999 {
		s.Text(t.Format(time.DateTime))
		return
	}
	if !s.cell() {
		return
	}
	_, offset := t.Zone()
	s.buf = append(append(append(s.buf, ` s="`...), '0'+styleTime), `"><v>`...)
	s.buf = appendDate(s.buf, t.UnixMilli()+int64(offset)*1000)
	s.buf = append(s.buf, `</v></c>`...)
}

// Skip leaves a cell empty.
func (s *Sheet) Skip() {
	if s.column++; s.column > MaxColumns {
		s.tooWide()
	}
}

// cell begins a cell; it returns false if the row is full or an error occurred.
func (s *Sheet) cell() bool {
	if s.Skip(); s.err != nil {
		return false
	}
	for len(s.columnNames) < s.column {
		s.columnNames = append(s.columnNames, columnName(len(s.columnNames)+1))
	}
	s.buf = append(append(append(s.buf, `<c r="`...), s.columnNames[s.column-1]...), s.digits...)
	s.buf = append(s.buf, '"')
	return true
}

func (s *Sheet) tooWide() {
	if s.err == nil {
		s.err = fmt.Errorf("sheet: more than %d columns", MaxColumns)
	}
}

func (s *Sheet) endRow() {
	if s.rows > 0 {
		s.buf = append(s.buf, `</row>`...)
	}
}

func (s *Sheet) flush() bool {
	_, s.err = s.out.Write(s.buf)
	s.buf = s.buf[:0]
	return s.err == nil
}

func (s *Sheet) end() error {
	if s.err != nil {
		return s.err
	}
	s.endRow()
	s.buf = append(s.buf, `</sheetData></worksheet>`...)
	s.flush()
	return s.err
}

// columnName returns a column's name: A is 1, AA is 27.
func columnName(column int) string {
	var b [3]byte
	i := len(b)
	for ; column > 0; column = (column - 1) / 26 {
		i--
		b[i] = byte('A' + (column-1)%26)
	}
	return string(b[i:])
}

const (
	millisPerDay  = 86_400_000
	epochDay      = 25_569 // 1970-01-01 in days since 1899-12-30
	fractionScale = 10_000_000_000
)

// appendDate writes a time as spreadsheets count: days since the end of 1899, with the fraction of
// a day. wall is the local time, as milliseconds since 1970.
func appendDate(b []byte, wall int64) []byte {
	day, ms := wall/millisPerDay, wall%millisPerDay
	if ms < 0 {
		day, ms = day-1, ms+millisPerDay
	}
	b = strconv.AppendInt(b, day+epochDay, 10)
	if ms == 0 {
		return b
	}
	fraction := (ms*fractionScale + millisPerDay/2) / millisPerDay
	mark := len(b)
	b = strconv.AppendInt(b, fractionScale+fraction, 10)
	b[mark] = '.' // replaces the leading one
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}
