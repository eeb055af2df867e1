package reading

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/platform/db"
)

// openEngine opens Pebble with the options of this package, and returns what damage took from its logs.
// Its error is one line that says what is wrong with the folder.
func openEngine(o Options) (*pebble.DB, *salvage, error) {
	filesystem := o.fs
	if filesystem == nil {
		filesystem = vfs.Default
		if !o.readOnly {
			if err := os.MkdirAll(o.Dir, 0o700); err != nil {
				return nil, nil, fmt.Errorf("reading: cannot create the data folder: %w", err)
			}
		}
	}
	logs := &salvage{FS: filesystem, dir: o.Dir, readOnly: o.readOnly, logger: o.Logger}
	log := engineLog{o.Logger}
	opts := &pebble.Options{
		FS:                          logs,
		ReadOnly:                    o.readOnly,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		Merger:                      frameMerger,
		CacheSize:                   o.CacheBytes,
		MemTableSize:                o.memTableBytes,
		MemTableStopWritesThreshold: 4,
		L0StopWritesThreshold:       24,
		CompactionConcurrencyRange:  func() (lower, upper int) { return 1, 2 },
		Logger:                      log,
		EventListener: &pebble.EventListener{
			// Damage fails the read that met it. By default Pebble ends the process.
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				o.Logger.Error("readings: damaged file", "file", i.Path, "details", fmt.Sprint(i.Details))
			},
			BackgroundError: func(err error) {
				o.Logger.Error("readings: flush or compaction failed; Pebble retries it", "error", err)
			},
			DiskSlow: func(i pebble.DiskSlowInfo) {
				o.Logger.Warn("readings: slow disk", "file", i.Path, "operation", i.OpType.String(), "took", i.Duration)
			},
			WriteStallBegin: func(i pebble.WriteStallBeginInfo) {
				o.Logger.Warn("readings: writes wait for flushes and compactions", "reason", i.Reason)
			},
		},
	}
	opts.Experimental.EnableColumnarBlocks = func() bool { return true }
	for i := range opts.Levels {
		// A device's day of five-minute frames is about 6 kB: one block.
		opts.Levels[i].BlockSize = 16 << 10
		opts.Levels[i].IndexBlockSize = 64 << 10
	}
	opts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionBalanced })
	if o.fs == nil {
		opts.WithFSDefaults() // detects a slow disk
	}
	db, err := pebble.Open(o.Dir, opts)
	if err != nil {
		return nil, nil, openError(o, describeOpenError(err))
	}
	logs.opened.Store(true)
	return db, logs, nil
}

// describeOpenError describes the usual reasons in words.
func describeOpenError(err error) error {
	switch {
	case errors.Is(err, errLocked), strings.HasPrefix(err.Error(), "lock held"):
		return fmt.Errorf("it is in use by another process (%w)", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission (%w)", err)
	case strings.Contains(err.Error(), "unknown format major version"):
		return fmt.Errorf("%w (%w)", db.ErrNewer, err)
	}
	return err
}

// engineLog hands Pebble's messages to slog.
type engineLog struct{ logger *slog.Logger }

func (l engineLog) Infof(format string, args ...any) {
	l.logger.Debug("readings: " + fmt.Sprintf(format, args...))
}

func (l engineLog) Errorf(format string, args ...any) {
	l.logger.Error("readings: " + fmt.Sprintf(format, args...))
}

// Fatalf ends the process: Pebble calls it when its state in memory can no longer be trusted (its
// manifest could not be written), and expects it not to return. Everything acknowledged is on disk,
// and the next start finds it.
func (l engineLog) Fatalf(format string, args ...any) {
	l.logger.Error("readings: fatal: " + fmt.Sprintf(format, args...))
	os.Exit(1)
}
