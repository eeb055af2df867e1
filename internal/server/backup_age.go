package server

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"tilth/internal/platform/datafolder"
)

// backupAge knows when the last complete backup was taken, over restarts.
type backupAge struct {
	file   datafolder.TimeFile
	logger *slog.Logger
	last   atomic.Int64 // Unix seconds; 0: never
}

func readBackupAge(dataDir string, logger *slog.Logger) *backupAge {
	b := &backupAge{file: datafolder.TimeFile(filepath.Join(dataDir, "last-backup")), logger: logger}
	at, err := b.file.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return b
	}
	if err != nil {
		logger.Warn("the time of the last backup is not known", "file", b.file, "error", err)
		return b
	}
	b.last.Store(at.Unix())
	return b
}

// setLast notes the time of a complete backup.
func (b *backupAge) setLast(at time.Time) {
	b.last.Store(at.Unix())
	if err := b.file.Write(at); err != nil {
		b.logger.Warn("the time of the backup cannot be saved and is lost at a restart", "error", err)
	}
}

func (b *backupAge) unix() int64 { return b.last.Load() }
