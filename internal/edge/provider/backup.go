package provider

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
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

// keyFile is the file of an archive that holds the platform's key.
const keyFile = "device-key"

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
	// SharedFiles are the files of the data folder that the nodes of a cluster have in common. Without
	// any, the server is no node.
	SharedFiles []string
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
	return s.pack(ctx, s.copyTo, s.BackupSource.OnComplete)
}

// Seed makes an archive of what a machine needs to become a node of the cluster: as a backup without the
// database, which the nodes share, and with the files that the nodes have in common.
func (s *Service) Seed(ctx context.Context) (_ io.ReadCloser, bytes int64, err error) {
	if len(s.BackupSource.SharedFiles) == 0 {
		return nil, 0, &Refusal{Detail: "this server is no node of a cluster: it was started without --cluster"}
	}
	return s.pack(ctx, s.copySeedTo, nil)
}

// pack makes an archive of a folder that fill fills. onComplete, which may be nil, is called once the
// archive was read to its end.
func (s *Service) pack(
	ctx context.Context,
	fill func(ctx context.Context, dir string) error,
	onComplete func(at time.Time),
) (_ io.ReadCloser, bytes int64, err error) {
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
	if err := fill(ctx, dir); err != nil {
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
		if err == nil && onComplete != nil {
			onComplete(at)
		}
		w.CloseWithError(err)
	}()
	return b, bytes, nil
}

// copySeedTo copies what the nodes have in common, and the readings, to a folder.
func (s *Service) copySeedTo(ctx context.Context, dir string) error {
	if err := s.copyKey(dir); err != nil {
		return err
	}
	for _, name := range s.BackupSource.SharedFiles {
		text, err := os.ReadFile(filepath.Join(s.BackupSource.DataDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the token may be given by the environment
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	nothing := func(context.Context) error { return nil }
	return s.BackupSource.Readings.Snapshot(ctx, filepath.Join(dir, "readings"), nothing)
}

// copyKey writes the platform's key to a folder.
func (s *Service) copyKey(dir string) error {
	key := hex.EncodeToString(s.Key) + "\n"
	return os.WriteFile(filepath.Join(dir, keyFile), []byte(key), 0o600)
}

func (s *Service) copyTo(ctx context.Context, dir string) error {
	release, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := s.copyKey(dir); err != nil {
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

// seedAnswer sends a seed as backupAnswer sends a backup.
type seedAnswer struct {
	wire.Seed200ApplicationxTarResponse
}

// VisitSeedResponse sends the seed and closes it in any case.
func (a seedAnswer) VisitSeedResponse(w http.ResponseWriter) error {
	to := deadlineWriter{w, http.NewResponseController(w)}
	defer to.setDeadline(time.Time{}) // the connection may be used again
	return a.Seed200ApplicationxTarResponse.VisitSeedResponse(to)
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
