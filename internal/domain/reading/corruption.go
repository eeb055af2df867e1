package reading

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Corruption is in one line what is said of files that are missing or cannot be read
// as they were written, out of an error of this package; empty where the error
// is another.
func Corruption(err error) string {
	if err == nil || !pebble.IsCorruptionError(err) && !errors.Is(err, ErrCorrupt) &&
		!errors.Is(err, pebble.ErrDBDoesNotExist) && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return oneLine(err.Error())
}

// oneLine leaves out of Pebble's words what only carries details within the
// program, and puts the rest in one line.
func oneLine(words string) string {
	var lines []string
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); line != "" && line != "<corruption detail carrier>" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
