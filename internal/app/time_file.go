package app

import (
	"errors"
	"os"
	"strings"
	"time"
)

// timeFile is a file of the data folder, which no backup holds, with a time in it.
type timeFile string

// read gives the time; fs.ErrNotExist before one was written.
func (f timeFile) read() (time.Time, error) {
	raw, err := os.ReadFile(string(f))
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(string(raw)))
}

// write keeps a time, to the second: whole or not at all, power cuts included.
func (f timeFile) write(at time.Time) error {
	next := string(f) + ".new"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(at.UTC().Format(time.RFC3339) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(next, string(f))
}
