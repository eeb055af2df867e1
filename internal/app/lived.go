package app

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tilth/internal/clock"
)

// lived knows how far time has come, over restarts: that stands in a file of the
// data folder. What is removed for its age goes by it, and
// so nothing is gone because a machine started with the clock of another year.
// Beside it stands until when devices were let in: between that and a start
// nobody could report.
type lived struct {
	*clock.Lived
	file    textFile
	clock   func() time.Time
	stopped time.Time // until when an earlier process let devices in; zero: not known

	mu    sync.Mutex
	letIn time.Time // until when devices were let in, as far as is known; by the clock
	began bool      // that was this process
	ended time.Time // when it let them in no more; zero: it does
}

func readLived(dataDir string, now func() time.Time, log *slog.Logger) *lived {
	begun := now()
	l := &lived{file: textFile(filepath.Join(dataDir, "lived-until")), clock: now}
	known, err := l.read()
	if err != nil {
		known = begun // in a new folder there is nothing that could be old
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("how far time had come is not known, the clock is believed", "file", l.file, "error", err)
	}
	l.stopped = l.letIn
	process := time.Now() // tells how long has passed, too
	l.Lived = clock.NewLived(known, func() time.Duration { return time.Since(process) })
	return l
}

// read gives how far time had come, and takes up until when devices were let in.
// A file of an earlier version says only the former, which the server saw: it
// ran until then at least.
func (l *lived) read() (known time.Time, err error) {
	text, err := l.file.read()
	if err != nil {
		return known, err
	}
	first, second, both := strings.Cut(text, "\n")
	if known, err = time.Parse(time.RFC3339, first); err != nil {
		return known, err
	}
	l.letIn = known
	if both {
		l.letIn, err = time.Parse(time.RFC3339Nano, second)
	}
	return known, err
}

// now is how far time has come; behind the clock where that has leapt ahead.
func (l *lived) now() time.Time { return l.Until(l.clock()) }

// keep writes down how far time has come, for the next start.
func (l *lived) keep() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write()
}

// alive writes down that devices are let in now, or were until the end.
func (l *lived) alive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.began, l.letIn = true, l.clock()
	if !l.ended.IsZero() {
		l.letIn = l.ended
	}
	return l.write()
}

// end says that devices are let in no more. It is written down unless nobody has
// said yet that they were.
func (l *lived) end() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = l.clock()
	if !l.began {
		return nil
	}
	l.letIn = l.ended
	return l.write()
}

// write keeps both. Callers hold the lock.
func (l *lived) write() error {
	text := l.Known().UTC().Format(time.RFC3339)
	if !l.letIn.IsZero() {
		text += "\n" + l.letIn.UTC().Format(time.RFC3339Nano)
	}
	return l.file.write(text)
}
