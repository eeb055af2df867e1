package providerapi

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"tilth/internal/archive"
	"tilth/internal/providerapi/wire"
)

// backupFolder is how folders in the data folder begin in which a backup is
// made. A server that starts removes what an earlier one left.
const backupFolder = "backup-"

// Snapshots copies the readings; see reading.Store.Snapshot.
type Snapshots interface {
	Snapshot(ctx context.Context, dir string, before func(context.Context) error) error
}

// Copies is what backups are made of and with.
type Copies struct {
	Readings Snapshots
	DataDir  string // the copies are made in it, where they cost hardly any room
	Version  string // of the program
	Now      func() time.Time
	Taken    func(at time.Time) // is told of each backup that was read to its end, and what time it holds; nil: nobody is
}

// RemoveLeftovers removes what backups that were cut off left in a data folder.
func RemoveLeftovers(dataDir string) error {
	left, err := filepath.Glob(filepath.Join(dataDir, backupFolder+"*"))
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
	dir, err := os.MkdirTemp(s.Copies.DataDir, backupFolder)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	at := s.Copies.Now()
	if err := s.copyTo(ctx, dir); err != nil {
		return nil, 0, err
	}
	of := archive.Manifest{Version: s.Copies.Version, Time: at.UTC()}
	if bytes, err = archive.PackedSize(ctx, dir, of); err != nil {
		return nil, 0, err
	}
	r, w := io.Pipe()
	b := &backup{PipeReader: r, dir: dir, packed: make(chan struct{})}
	go func() {
		defer close(b.packed)
		err := archive.Write(ctx, w, dir, of)
		if err == nil && s.Copies.Taken != nil {
			s.Copies.Taken(at)
		}
		w.CloseWithError(err)
	}()
	return b, bytes, nil
}

func (s *Service) copyTo(ctx context.Context, dir string) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	key := hex.EncodeToString(s.DeviceKey) + "\n"
	if err := os.WriteFile(filepath.Join(dir, "device-key"), []byte(key), 0o600); err != nil {
		return err
	}
	return s.Copies.Readings.Snapshot(ctx, filepath.Join(dir, "readings"), func(ctx context.Context) error {
		return s.DB.Copy(ctx, dir)
	})
}

// pieceLimit is how long who asked for a backup may take to receive a piece of it, of
// 32 KiB. A copy that nobody receives any more would stay for ever, and keep on the disk
// what the readings' store has dropped since.
const pieceLimit = 5 * time.Minute

// backupAnswer sends a backup for as long as it is received.
type backupAnswer struct {
	wire.Backup200ApplicationxTarResponse
}

// VisitBackupResponse sends the backup, and closes it however that ends.
func (a backupAnswer) VisitBackupResponse(w http.ResponseWriter) error {
	to := piecewise{w, http.NewResponseController(w)}
	defer to.limit(time.Time{}) // the connection may be used again
	return a.Backup200ApplicationxTarResponse.VisitBackupResponse(to)
}

// piecewise limits how long each write may take.
type piecewise struct {
	http.ResponseWriter
	stream *http.ResponseController
}

func (p piecewise) Write(b []byte) (int, error) {
	p.limit(time.Now().Add(pieceLimit))
	return p.ResponseWriter.Write(b)
}

// limit says until when what is written must have left. A writer without deadlines (a
// test's recorder) is written without one.
func (p piecewise) limit(until time.Time) { _ = p.stream.SetWriteDeadline(until) }

// backup is an archive that is being read.
type backup struct {
	*io.PipeReader
	dir    string
	packed chan struct{}
}

// Close ends the packing and removes the copies.
func (b *backup) Close() error {
	err := b.PipeReader.Close()
	<-b.packed
	return errors.Join(err, os.RemoveAll(b.dir))
}
