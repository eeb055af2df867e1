package db

import (
	"errors"
	"time"

	sqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"tilth/internal/platform/errs"
)

// PostgreSQL's codes for a disk that takes nothing.
const (
	diskFull = "53100"
	ioError  = "58030"
)

// storageRetry is when trying again makes sense: somebody must make room first.
const storageRetry = 30 * time.Second

// StorageFailures counts the transactions that were not kept because the disk took
// nothing: it is full, read-only, or has failed.
func (d *DB) StorageFailures() uint64 { return d.storageFailures.Load() }

// asStorageFailure makes an error of the disk one that people are told in words.
func (d *DB) asStorageFailure(err error) error {
	if err == nil || !isDiskError(err) {
		return err
	}
	d.storageFailures.Add(1)
	return errs.New(errs.StorageFailure, "error.disk").RetryAfter(storageRetry).WithCause(err)
}

// isDiskError tells whether err is the disk's refusal to keep something.
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
	switch e.Code() & 0xff { // extended codes have the plain one there
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return false
}
