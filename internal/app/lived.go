package app

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tilth/internal/clock"
)

// lived knows how far time has come, over restarts: that stands in a file of the
// data folder, which no backup holds. What is removed for its age goes by it, and
// so nothing is gone because a machine started with the clock of another year.
type lived struct {
	*clock.Lived
	file  string
	clock func() time.Time
}

func readLived(dataDir string, now func() time.Time, log *slog.Logger) *lived {
	begun := now()
	l := &lived{file: filepath.Join(dataDir, "lived-until"), clock: now}
	known := begun // in a new folder there is nothing that could be old
	raw, err := os.ReadFile(l.file)
	if err == nil {
		known, err = time.Parse(time.RFC3339, strings.TrimSpace(string(raw)))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("how far time had come is not known, the clock is believed", "file", l.file, "error", err)
		known = begun
	}
	process := time.Now() // tells how long has passed, too
	l.Lived = clock.NewLived(known, func() time.Duration { return time.Since(process) })
	return l
}

// now is how far time has come; behind the clock where that has leapt ahead.
func (l *lived) now() time.Time { return l.Until(l.clock()) }

// keep writes down how far time has come, for the next start: whole or not at all,
// since it is a power cut after which a clock is wrong.
func (l *lived) keep() error {
	f, err := os.CreateTemp(filepath.Dir(l.file), ".lived-until-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(l.Known().UTC().Format(time.RFC3339) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), l.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
