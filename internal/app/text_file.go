package app

import (
	"errors"
	"os"
	"strings"
	"time"
)

// textFile is a small file of the data folder, which no backup holds.
type textFile string

// read gives what stands in it, without the space around; fs.ErrNotExist before
// anything was written.
func (f textFile) read() (string, error) {
	raw, err := os.ReadFile(string(f))
	return strings.TrimSpace(string(raw)), err
}

// write keeps a text: whole or not at all, power cuts included.
func (f textFile) write(text string) error {
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

// timeFile is such a file with a time in it.
type timeFile string

// read gives the time; fs.ErrNotExist before one was written.
func (f timeFile) read() (time.Time, error) {
	text, err := textFile(f).read()
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, text)
}

// write keeps a time, to the second.
func (f timeFile) write(at time.Time) error { return textFile(f).write(at.UTC().Format(time.RFC3339)) }
