package app

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// backupAge knows when everything was last handed out whole, over restarts:
// the time stands in a file of the data folder, which no backup holds.
type backupAge struct {
	file string
	log  *slog.Logger
	last atomic.Int64 // Unix seconds; 0: never
}

func readBackupAge(dataDir string, log *slog.Logger) *backupAge {
	b := &backupAge{file: filepath.Join(dataDir, "last-backup"), log: log}
	raw, err := os.ReadFile(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		return b
	}
	at, malformed := time.Parse(time.RFC3339, strings.TrimSpace(string(raw)))
	if err = errors.Join(err, malformed); err != nil {
		log.Warn("when the last backup was taken is not known", "file", b.file, "error", err)
		return b
	}
	b.last.Store(at.Unix())
	return b
}

// taken notes that a backup holds everything as it was then.
func (b *backupAge) taken(at time.Time) {
	b.last.Store(at.Unix())
	if err := os.WriteFile(b.file, []byte(at.UTC().Format(time.RFC3339)+"\n"), 0o600); err != nil {
		b.log.Warn("the backup's time will be forgotten at a restart", "error", err)
	}
}

func (b *backupAge) unix() int64 { return b.last.Load() }
