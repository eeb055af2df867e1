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

// backupDirPrefix is how folders in the data folder begin in which a backup is
// made. A server that starts removes what an earlier one left.
const backupDirPrefix = "backup-"

// Snapshotter copies the readings; see reading.Store.Snapshot.
type Snapshotter interface {
	Snapshot(ctx context.Context, dir string, before func(context.Context) error) error
}

// BackupSource is what backups are made of and with.
type BackupSource struct {
	Readings   Snapshotter
	DataDir    string // the copies are made in it, where they cost hardly any room
	Version    string // of the program
	Now        func() time.Time
	OnComplete func(at time.Time) // is told of each backup that was read to its end, and what time it holds; nil: nobody is
}

// RemoveLeftovers removes what backups that were cut off left in a data folder.
func RemoveLeftovers(dataDir string) error {
	left, err := filepath.Glob(filepath.Join(dataDir, backupDirPrefix+"*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// Backup makes an archive of everything that is kept, as it is at one instant, of
// so many bytes; what is read is packed while it is read. Close removes the copies.
// Devices and people go on; who changes structure waits until the copies are made.
//
// The database is copied first: what it says of how far the readings are judged
// is never ahead of them, and what is not judged by then is in the journal.
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

// chunkTimeout is how long who asked for a backup may take to receive a piece of it, of
// 32 KiB. A copy that nobody receives any more would stay for ever, and keep on the disk
// what the readings' store has dropped since.
const chunkTimeout = 5 * time.Minute

// backupAnswer sends a backup for as long as it is received.
type backupAnswer struct {
	wire.Backup200ApplicationxTarResponse
}

// VisitBackupResponse sends the backup, and closes it however that ends.
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

// setDeadline says until when what is written must have left. A writer without deadlines (a
// test's recorder) is written without one.
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
