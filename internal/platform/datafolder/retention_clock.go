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

// RetentionClock knows how far time has come, over restarts: that stands in a file of the
// data folder. What is removed for its age goes by it, and
// so nothing is gone because a machine started with the clock of another year.
// Beside it stands until when devices were let in: between that and a start
// nobody could report.
type RetentionClock struct {
	*clock.RetentionClock
	file             TextFile
	clock            func() time.Time
	PreviousAccepted time.Time // until when an earlier process let devices in; zero: not known

	mu               sync.Mutex
	lastAccepted     time.Time // until when devices were let in, as far as is known; by the clock
	accepting        bool      // that was this process
	stoppedAccepting time.Time // when it let them in no more; zero: it does
}

func ReadRetentionClock(dataDir string, now func() time.Time, logger *slog.Logger) *RetentionClock {
	begun := now()
	l := &RetentionClock{file: TextFile(filepath.Join(dataDir, "lived-until")), clock: now}
	known, err := l.read()
	if err != nil {
		known = begun // in a new folder there is nothing that could be old
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		logger.Warn("how far time had come is not known, the clock is believed", "file", l.file, "error", err)
	}
	l.PreviousAccepted = l.lastAccepted
	process := time.Now() // tells how long has passed, too
	l.RetentionClock = clock.NewRetentionClock(known, func() time.Duration { return time.Since(process) })
	return l
}

// read gives how far time had come, and takes up until when devices were let in.
// A file of an earlier version says only the former, which the server saw: it
// ran until then at least.
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

// Now is how far time has come; behind the clock where that has leapt ahead.
func (l *RetentionClock) Now() time.Time { return l.Advance(l.clock()) }

// Save writes down how far time has come, for the next start.
func (l *RetentionClock) Save() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write()
}

// MarkAccepting writes down that devices are let in now, or were until the end.
func (l *RetentionClock) MarkAccepting() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepting, l.lastAccepted = true, l.clock()
	if !l.stoppedAccepting.IsZero() {
		l.lastAccepted = l.stoppedAccepting
	}
	return l.write()
}

// MarkStopped says that devices are let in no more. It is written down unless nobody has
// said yet that they were.
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

// write keeps both. Callers hold the lock.
func (l *RetentionClock) write() error {
	text := l.Confirmed().UTC().Format(time.RFC3339)
	if !l.lastAccepted.IsZero() {
		text += "\n" + l.lastAccepted.UTC().Format(time.RFC3339Nano)
	}
	return l.file.Write(text)
}
