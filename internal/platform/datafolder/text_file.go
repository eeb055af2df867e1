package datafolder

import (
	"errors"
	"os"
	"strings"
	"time"
)

// TextFile is a small file of the data folder that no backup holds.
type TextFile string

// Read returns the content without surrounding space. It returns fs.ErrNotExist before the first
// Write.
func (f TextFile) Read() (string, error) {
	raw, err := os.ReadFile(string(f))
	return strings.TrimSpace(string(raw)), err
}

// Write writes a text whole or not at all, even if power fails.
func (f TextFile) Write(text string) error {
	next := string(f) + ".new"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(next, string(f))
}

// TimeFile is a TextFile that holds a time.
type TimeFile string

// Read returns the time. It returns fs.ErrNotExist before the first Write.
func (f TimeFile) Read() (time.Time, error) {
	text, err := TextFile(f).Read()
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, text)
}

// Write writes a time, to the second.
func (f TimeFile) Write(at time.Time) error { return TextFile(f).Write(at.UTC().Format(time.RFC3339)) }
