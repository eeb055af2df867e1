package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"tilth/internal/platform/datafolder"
)

const (
	// diskCheckInterval is how often the server checks the disk. Nothing reports that a disk has
	// room again, or was repaired.
	diskCheckInterval = 3 * time.Second
	// minStartBytes is what a start needs: it writes the log of readings out and creates a new one.
	minStartBytes = 32 << 20
	probeBytes    = 64 << 10
)

// ErrRestartDue ends a server that stopped writing readings and could write them again after a
// restart.
var ErrRestartDue = errors.New("the disk can be written again; the server must restart to accept readings")

// disk checks whether the data folder can be written. It writes a probe only while it has reason to
// doubt that, since writes wear disks out.
type disk struct {
	dir            string
	readingsBroken func() error  // not nil: the store writes no readings until a restart
	refusedWrites  func() uint64 // transactions that the disk has refused so far
	freeBytes      func() (free uint64, err error)
	every          time.Duration
	logger         *slog.Logger

	seenRefusedWrites uint64 // refusedWrites at the last check

	mu      sync.Mutex
	failure error // why the folder cannot be written; nil: it can, as far as is known
}

func newDisk(dir string, broken func() error, refusedWrites func() uint64, logger *slog.Logger) *disk {
	d := &disk{dir: dir, readingsBroken: broken, refusedWrites: refusedWrites, every: diskCheckInterval, logger: logger}
	d.freeBytes = func() (uint64, error) { return datafolder.FreeBytes(d.dir) }
	return d
}

// run checks the disk until ctx ends or a restart is due.
func (d *disk) run(ctx context.Context) error {
	again := time.NewTicker(d.every)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
			if err := d.check(); err != nil {
				return err
			}
		}
	}
}

// check examines the disk. It returns ErrRestartDue if the folder can be written and readings are
// not.
func (d *disk) check() error {
	broken, refused := d.readingsBroken() != nil, d.refusedWrites()
	free, err := d.freeBytes()
	suspect := broken || refused != d.seenRefusedWrites || err != nil || free < minStartBytes || d.lastFailure() != nil
	d.seenRefusedWrites = refused
	if !suspect {
		return nil
	}
	if err == nil {
		err = probeWrite(d.dir)
	}
	if err == nil && broken && free < minStartBytes {
		err = fmt.Errorf("a start needs %d MiB, %d MiB are free", minStartBytes>>20, free>>20)
	}
	d.setFailure(err)
	if err == nil && broken {
		return ErrRestartDue
	}
	return nil
}

// setFailure remembers the state of the disk, and logs changes.
func (d *disk) setFailure(failure error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case failure != nil && d.failure == nil:
		d.logger.Error(
			"the data folder cannot be written: make room or repair the disk; the server then continues by itself",
			"folder", d.dir, "error", failure,
		)
	case failure == nil && d.failure != nil:
		d.logger.Info("the data folder can be written again", "folder", d.dir)
	}
	d.failure = failure
}

func (d *disk) lastFailure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failure
}

// ready is nil while everything can be stored, else what unauthenticated clients may know of the
// reason: no paths.
func (d *disk) ready() error {
	failure := d.lastFailure()
	if no := syscall.Errno(0); errors.As(failure, &no) {
		return fmt.Errorf("the data folder cannot be written: %w", no)
	}
	if failure != nil {
		return fmt.Errorf("the data folder cannot be written: %w", failure)
	}
	if d.readingsBroken() != nil {
		return errors.New("readings cannot be written; see the log")
	}
	return nil
}

// probeWrite writes and syncs a file, and removes it.
func probeWrite(dir string) (err error) {
	path := filepath.Join(dir, "probe")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(path)) }()
	if _, err := f.Write(make([]byte, probeBytes)); err != nil {
		return err
	}
	return f.Sync()
}

// describeDisk publishes the state of the data folder's disk.
func (s *Server) describeDisk() {
	is := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	s.metrics.gauge("tilth_disk_free_bytes", "Free bytes on the disk of the data folder.", func() float64 {
		free, err := s.disk.freeBytes()
		if err != nil {
			return math.NaN()
		}
		return float64(free)
	})
	s.metrics.gauge(
		"tilth_disk_writable",
		"1 while the data folder can be written, as far as is known.",
		func() float64 { return is(s.disk.lastFailure() == nil) },
	)
	s.metrics.gauge(
		"tilth_readings_broken",
		"1 while readings are refused because writing them failed.",
		func() float64 { return is(s.disk.readingsBroken() != nil) },
	)
}
