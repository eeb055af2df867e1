package cluster

import (
	"errors"
	"testing"

	"tilth/internal/domain/reading"
	"tilth/internal/domain/reading/logtest"
)

// The log in PostgreSQL does what a store expects of any log.
func TestLogConformance(t *testing.T) {
	logtest.Conformance(t, func(t *testing.T) reading.Log { return own(t, joinTest(t, testDatabase(t), "a")) })
}

// The archive in PostgreSQL does what a store expects of any archive.
func TestArchiveConformance(t *testing.T) {
	logtest.ArchiveConformance(t, func(t *testing.T) reading.Archive { return archiveTest(t, testDatabase(t)) })
}

// archiveTest returns the archive of a node that leads.
func archiveTest(t *testing.T, address string) *Archive {
	t.Helper()
	term := own(t, joinTest(t, address, "a"))
	reader := NewArchiveReader(address)
	a := term.NewArchive(reader)
	t.Cleanup(func() {
		if err := errors.Join(a.Close(), reader.Close()); err != nil {
			t.Error(err)
		}
	})
	return a
}
