package provider

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/archive"
)

// backupDirPrefix is the prefix of the folders in the data folder in which backups are made. A
// server that starts removes the folders that an earlier one left.
const backupDirPrefix = "backup-"

// Snapshotter copies the readings; see reading.Store.Snapshot.
type Snapshotter interface {
	Snapshot(ctx context.Context, dir string, before func(context.Context) error) error
}

// BackupSource is everything that a backup needs.
type BackupSource struct {
	Readings Snapshotter
	DataDir  string // the copies are made in it, where they need hardly any space
	Version  string // version of the program
	Now      func() time.Time
	// called for each backup that was read to its end, with the time of its data; may be nil
	OnComplete func(at time.Time)
}

// RemoveLeftovers removes the folders of interrupted backups from a data folder.
func RemoveLeftovers(dataDir string) error {
	left, err := filepath.Glob(filepath.Join(dataDir, backupDirPrefix+"*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// Backup makes an archive of all stored data as of one instant. It returns the archive, which is
// packed while it is read, and its size in bytes. Close removes the copies. Devices and people can
// go on meanwhile; a provider call that changes structure waits until the copies are made.
//
//	The database is copied first. So its position of the evaluated readings is never ahead of the
//	copied readings, and the journal holds all readings that were not evaluated by then.
func (s *Service) Backup(ctx context.Context) (_ io.ReadCloser, bytes int64, err error) {
	dir, err := os.MkdirTemp(s.BackupSource.DataDir, backupDirPrefix)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	at := s.BackupSource.Now()
	if err := s.copyTo(ctx, dir); err != nil {
		return nil, 0, err
	}
	manifest := archive.Manifest{Version: s.BackupSource.Version, Time: at.UTC()}
	if bytes, err = archive.PackedSize(ctx, dir, manifest); err != nil {
		return nil, 0, err
	}
	r, w := io.Pipe()
	b := &backup{PipeReader: r, dir: dir, done: make(chan struct{})}
	go func() {
		defer close(b.done)
		err := archive.Write(ctx, w, dir, manifest)
		if err == nil && s.BackupSource.OnComplete != nil {
			s.BackupSource.OnComplete(at)
		}
		w.CloseWithError(err)
	}()
	return b, bytes, nil
}

func (s *Service) copyTo(ctx context.Context, dir string) error {
	release, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	key := hex.EncodeToString(s.DeviceKey) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "device-key"), []byte(key), 0o600); err != nil {
		return err
	}
	return s.BackupSource.Readings.Snapshot(ctx, filepath.Join(dir, "readings"), func(ctx context.Context) error {
		return s.DB.Copy(ctx, dir)
	})
}

// chunkTimeout is how long the client may take to receive one chunk of a backup, of 32 KiB. Without
// it, a copy that nobody receives any more would stay for ever, and the disk would keep everything
// that the readings store has dropped since.
const chunkTimeout = 5 * time.Minute

// backupAnswer sends a backup as long as the client receives it.
type backupAnswer struct {
	wire.Backup200ApplicationxTarResponse
}

// VisitBackupResponse sends the backup and closes it in any case.
func (a backupAnswer) VisitBackupResponse(w http.ResponseWriter) error {
	to := deadlineWriter{w, http.NewResponseController(w)}
	defer to.setDeadline(time.Time{}) // the connection may be used again
	return a.Backup200ApplicationxTarResponse.VisitBackupResponse(to)
}

// deadlineWriter limits how long each write may take.
type deadlineWriter struct {
	http.ResponseWriter
	ctl *http.ResponseController
}

func (p deadlineWriter) Write(b []byte) (int, error) {
	p.setDeadline(time.Now().Add(chunkTimeout))
	return p.ResponseWriter.Write(b)
}

// setDeadline sets the time by which written bytes must have left. A test's recorder supports no
// deadlines; the write then goes without one.
func (p deadlineWriter) setDeadline(until time.Time) { _ = p.ctl.SetWriteDeadline(until) }

// backup is an archive that is being read.
type backup struct {
	*io.PipeReader
	dir  string
	done chan struct{}
}

// Close ends the packing and removes the copies.
func (b *backup) Close() error {
	err := b.PipeReader.Close()
	<-b.done
	return errors.Join(err, os.RemoveAll(b.dir))
}
