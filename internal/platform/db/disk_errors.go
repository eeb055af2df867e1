package db

import (
	"errors"
	"time"

	sqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tilth/internal/platform/errs"
)

// PostgreSQL's codes for a disk that accepts no writes.
const (
	diskFull = "53100"
	ioError  = "58030"
)

// storageRetry is after which time a retry makes sense: an operator must free space first.
const storageRetry = 30 * time.Second

// StorageFailures counts the transactions that were not committed because the disk accepted no
// writes: it is full, read-only, or has failed.
func (d *DB) StorageFailures() uint64 { return d.storageFailures.Load() }

// asStorageFailure converts an error of the disk to one that people see.
func (d *DB) asStorageFailure(err error) error {
	if err == nil || !isDiskError(err) {
		return err
	}
	d.storageFailures.Add(1)
	return errs.New(errs.StorageFailure, "error.disk").RetryAfter(storageRetry).WithCause(err)
}

// isDiskError reports whether err says that the disk accepts no writes.
func isDiskError(err error) bool {
	for _, no := range diskErrors {
		if errors.Is(err, no) {
			return true
		}
	}
	if postgresCode(err, diskFull, ioError) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff { // the primary code of an extended one
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return false
}
