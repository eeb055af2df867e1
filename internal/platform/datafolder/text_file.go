package datafolder

import (
	"errors"
	"os"
	"strings"
	"time"
)

// TextFile is a small file of the data folder, which no backup holds.
type TextFile string

// Read gives what stands in it, without the space around; fs.ErrNotExist before
// anything was written.
func (f TextFile) Read() (string, error) {
	raw, err := os.ReadFile(string(f))
	return strings.TrimSpace(string(raw)), err
}

// Write keeps a text: whole or not at all, power cuts included.
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

// TimeFile is such a file with a time in it.
type TimeFile string

// Read gives the time; fs.ErrNotExist before one was written.
func (f TimeFile) Read() (time.Time, error) {
	text, err := TextFile(f).Read()
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, text)
}

// Write keeps a time, to the second.
func (f TimeFile) Write(at time.Time) error { return TextFile(f).Write(at.UTC().Format(time.RFC3339)) }
