package datafolder

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tilth/internal/platform/clock"
)

// RetentionClock says how far time has advanced, over restarts; a file of the data folder keeps it.
// Data is removed for its age by this clock, so that nothing is removed because a machine started
// with a clock that is years ahead.
//
// The file also keeps until when the server accepted devices: between then and the next start no
// device could report.
type RetentionClock struct {
	*clock.RetentionClock
	file             TextFile
	clock            func() time.Time
	PreviousAccepted time.Time // until when an earlier process accepted devices; zero: not known

	mu               sync.Mutex
	lastAccepted     time.Time // until when the server accepted devices, as far as is known; by the clock
	accepting        bool      // this process has accepted devices
	stoppedAccepting time.Time // when it stopped accepting devices; zero: it still does
}

// ReadRetentionClock reads the retention clock of a data folder. now is the machine's clock.
func ReadRetentionClock(dataDir string, now func() time.Time, logger *slog.Logger) *RetentionClock {
	begun := now()
	l := &RetentionClock{file: TextFile(filepath.Join(dataDir, "lived-until")), clock: now}
	known, err := l.read()
	if err != nil {
		known = begun // a new folder holds nothing old
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		logger.Warn("the retention clock cannot be read; the machine's clock counts", "file", l.file, "error", err)
	}
	l.PreviousAccepted = l.lastAccepted
	process := time.Now() // measures the time that has passed, too
	l.RetentionClock = clock.NewRetentionClock(known, func() time.Duration { return time.Since(process) })
	return l
}

// read returns how far time had advanced, and sets until when devices were accepted. A file of an
// earlier version holds only the first time; that server ran until then at least.
func (l *RetentionClock) read() (known time.Time, err error) {
	text, err := l.file.Read()
	if err != nil {
		return known, err
	}
	first, second, both := strings.Cut(text, "\n")
	if known, err = time.Parse(time.RFC3339, first); err != nil {
		return known, err
	}
	l.lastAccepted = known
	if both {
		l.lastAccepted, err = time.Parse(time.RFC3339Nano, second)
	}
	return known, err
}

// Now is how far time has advanced. It is behind the clock if the clock has jumped ahead.
func (l *RetentionClock) Now() time.Time { return l.Advance(l.clock()) }

// Save writes how far time has advanced, for the next start.
func (l *RetentionClock) Save() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write()
}

// MarkAccepting writes that the server accepts devices now, or that it did so until MarkStopped.
func (l *RetentionClock) MarkAccepting() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepting, l.lastAccepted = true, l.clock()
	if !l.stoppedAccepting.IsZero() {
		l.lastAccepted = l.stoppedAccepting
	}
	return l.write()
}

// Accepted is until when the server accepted devices, as MarkAccepting recorded it.
func (l *RetentionClock) Accepted() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastAccepted
}

// MarkStopped notes that the server accepts no more devices. It writes that down only after
// MarkAccepting was called.
func (l *RetentionClock) MarkStopped() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stoppedAccepting = l.clock()
	if !l.accepting {
		return nil
	}
	l.lastAccepted = l.stoppedAccepting
	return l.write()
}

// write writes both times. The caller holds the lock.
func (l *RetentionClock) write() error {
	text := l.Confirmed().UTC().Format(time.RFC3339)
	if !l.lastAccepted.IsZero() {
		text += "\n" + l.lastAccepted.UTC().Format(time.RFC3339Nano)
	}
	return l.file.Write(text)
}
