package provider

import (
	"fmt"
	"slices"
	"strings"
)

// LineError is one error in a file. The provider's tools are in English.
type LineError struct {
	Line    int    // from 1; 0 if no line can be named
	Path    string // for example tenants[0].devices[3].serial; may be empty
	Message string
}

// FileError says that a file has errors and that nothing was changed. It never repeats a secret or
// a password. Errors is sorted by line and never empty.
type FileError struct{ Errors []LineError }

// Error is for logs: it returns only the number of errors, because the lines quote the file.
func (e *FileError) Error() string {
	return fmt.Sprintf("the file is wrong in %d places; nothing was changed", len(e.Errors))
}

// filePos is a position in a file.
type filePos struct {
	line int // 0: it is not in the file
	path string
}

func (p filePos) child(name string) filePos {
	if p.path == "" {
		return filePos{p.line, name}
	}
	return filePos{p.line, p.path + "." + name}
}

func (p filePos) index(i int) filePos { return filePos{p.line, fmt.Sprintf("%s[%d]", p.path, i)} }

// fileErrors collects all errors of a file.
type fileErrors struct{ lines []LineError }

func (f *fileErrors) add(at filePos, format string, args ...any) {
	f.lines = append(f.lines, LineError{Line: at.line, Path: at.path, Message: fmt.Sprintf(format, args...)})
}

// err returns nil if there are no errors.
func (f *fileErrors) err() error {
	if len(f.lines) == 0 {
		return nil
	}
	slices.SortStableFunc(f.lines, func(a, b LineError) int { return a.Line - b.Line })
	return &FileError{Errors: f.lines}
}

// joinWords joins names to "a, b and c".
func joinWords(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
