package app

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"tilth/internal/clock"
)

// lived knows how far time has come, over restarts: that stands in a file of the
// data folder. What is removed for its age goes by it, and
// so nothing is gone because a machine started with the clock of another year.
type lived struct {
	*clock.Lived
	file  timeFile
	clock func() time.Time
}

func readLived(dataDir string, now func() time.Time, log *slog.Logger) *lived {
	begun := now()
	l := &lived{file: timeFile(filepath.Join(dataDir, "lived-until")), clock: now}
	known, err := l.file.read()
	if err != nil {
		known = begun // in a new folder there is nothing that could be old
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("how far time had come is not known, the clock is believed", "file", l.file, "error", err)
	}
	process := time.Now() // tells how long has passed, too
	l.Lived = clock.NewLived(known, func() time.Duration { return time.Since(process) })
	return l
}

// now is how far time has come; behind the clock where that has leapt ahead.
func (l *lived) now() time.Time { return l.Until(l.clock()) }

// keep writes down how far time has come, for the next start.
func (l *lived) keep() error { return l.file.write(l.Known()) }
