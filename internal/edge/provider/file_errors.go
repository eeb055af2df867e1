package provider

import (
	"fmt"
	"slices"
	"strings"
)

// LineError is one thing that is wrong in a file. The provider's tools speak
// English.
type LineError struct {
	Line    int    // from 1; 0 when no line can be named
	Path    string // for example tenants[0].devices[3].serial; may be empty
	Message string
}

// FileError says that a file is wrong and that nothing was changed. It never
// repeats a secret or a password.
type FileError struct{ Errors []LineError } // by line, never empty

// Error is for logs: it counts, since the lines are the file's own text.
func (e *FileError) Error() string {
	return fmt.Sprintf("the file is wrong in %d places; nothing was changed", len(e.Errors))
}

// filePos is where something stands in a file.
type filePos struct {
	line int // 0: it does not stand there
	path string
}

func (p filePos) child(name string) filePos {
	if p.path == "" {
		return filePos{p.line, name}
	}
	return filePos{p.line, p.path + "." + name}
}

func (p filePos) index(i int) filePos { return filePos{p.line, fmt.Sprintf("%s[%d]", p.path, i)} }

// fileErrors collects everything that is wrong in a file.
type fileErrors struct{ lines []LineError }

func (f *fileErrors) add(at filePos, format string, args ...any) {
	f.lines = append(f.lines, LineError{Line: at.line, Path: at.path, Message: fmt.Sprintf(format, args...)})
}

// err is nil where nothing is wrong.
func (f *fileErrors) err() error {
	if len(f.lines) == 0 {
		return nil
	}
	slices.SortStableFunc(f.lines, func(a, b LineError) int { return a.Line - b.Line })
	return &FileError{Errors: f.lines}
}

// joinWords makes "a, b and c" of names.
func joinWords(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
