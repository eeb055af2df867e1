package selfservice

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"tilth/internal/platform/errs"
)

// MaxLines is how many devices one table may add.
const MaxLines = 500

// The columns of a table.
const (
	columnNoteName  = "noteName"
	columnProduct   = "product"
	columnSerial    = "serial"
	columnScene     = "scene"
	columnLongitude = "longitude"
	columnLatitude  = "latitude"
)

var (
	columns        = []string{columnNoteName, columnProduct, columnSerial, columnScene, columnLongitude, columnLatitude}
	neededColumns  = []string{columnNoteName, columnProduct}
	byteOrderMark  = "\ufeff"
	fieldSeparator = []rune{',', ';', '\t'}
)

// LineError is what is wrong with a line of a table.
type LineError struct {
	Line   int    // counted from 1; the first names the columns
	Column string // empty: the whole line
	Err    *errs.Error
}

// tableLine is a line of a table: its cells by column, trimmed.
type tableLine struct {
	number int
	cells  map[string]string
}

// readTable reads a table of devices. If it cannot be read at all, there are only errors.
func readTable(table string) (lines []tableLine, wrong []LineError) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(table, byteOrderMark)))
	r.Comma = separatorOf(table)
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, []LineError{{1, "", errs.New(errs.Refused, "import.empty")}}
	}
	if err != nil {
		return nil, []LineError{unreadable(err)}
	}
	names, wrong := readHeader(header)
	if len(wrong) > 0 {
		return nil, wrong
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, append(wrong, unreadable(err))
		}
		number, _ := r.FieldPos(0)
		if !slices.ContainsFunc(record, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			continue // spreadsheets write such lines at the end
		}
		if len(lines) == MaxLines {
			return nil, []LineError{{number, "", errs.New(errs.Refused, "import.long", "limit", itoa(MaxLines))}}
		}
		line := tableLine{number, make(map[string]string, len(names))}
		for i, cell := range record {
			switch cell = strings.TrimSpace(cell); {
			case i < len(names):
				line.cells[names[i]] = cell
			case cell != "":
				wrong = append(wrong, LineError{number, "", errs.New(errs.Refused, "import.cells")})
			}
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		wrong = append(wrong, LineError{1, "", errs.New(errs.Refused, "import.empty")})
	}
	return lines, wrong
}

// separatorOf gives the separator that the first line has most often.
func separatorOf(table string) rune {
	first, _, _ := strings.Cut(table, "\n")
	return slices.MaxFunc(fieldSeparator, func(a, b rune) int {
		return strings.Count(first, string(a)) - strings.Count(first, string(b))
	})
}

// readHeader gives the names of the columns in their order.
func readHeader(cells []string) (names []string, wrong []LineError) {
	refuse := func(column, key string) {
		wrong = append(wrong, LineError{1, column, errs.New(errs.Refused, key)})
	}
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		known := slices.IndexFunc(columns, func(c string) bool { return strings.EqualFold(c, cell) })
		switch {
		case cell == "" && i == len(cells)-1: // a separator at the end of the line
			continue
		case known < 0:
			refuse(cell, "import.columnUnknown")
			names = append(names, "")
		case slices.Contains(names, columns[known]):
			refuse(cell, "import.columnTwice")
			names = append(names, "")
		default:
			names = append(names, columns[known])
		}
	}
	for _, c := range neededColumns {
		if !slices.Contains(names, c) {
			refuse(c, "import.columnMissing")
		}
	}
	return names, wrong
}

func unreadable(err error) LineError {
	line := 1
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		line = parse.Line
	}
	return LineError{line, "", errs.New(errs.Refused, "import.quotes").WithCause(err)}
}

// degrees reads a cell of a position, with a decimal point or comma; nil: it is empty.
func (l *tableLine) degrees(column string, most float64) (*float64, *errs.Error) {
	cell := l.cells[column]
	if cell == "" {
		return nil, nil
	}
	if !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	f, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(f >= -most && f <= most) {
		return nil, errs.New(errs.Refused, "import.degrees", "limit", strconv.FormatFloat(most, 'f', -1, 64))
	}
	return &f, nil
}
