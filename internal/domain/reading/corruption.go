package reading

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Corruption describes in one line the files that are missing or cannot be read back as they were
// written, from an error of this package. It returns an empty string for any other error.
func Corruption(err error) string {
	if err == nil || !pebble.IsCorruptionError(err) && !errors.Is(err, ErrCorrupt) &&
		!errors.Is(err, pebble.ErrDBDoesNotExist) && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return oneLine(err.Error())
}

// oneLine puts a text of Pebble into one line, without the markers that only carry details within
// the program.
func oneLine(message string) string {
	var lines []string
	for line := range strings.Lines(message) {
		if line = strings.TrimSpace(line); line != "" && line != "<corruption detail carrier>" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
