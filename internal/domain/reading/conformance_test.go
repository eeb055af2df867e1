package reading_test

import (
	"testing"

	"tilth/internal/domain/reading"
	"tilth/internal/domain/reading/logtest"
)

// The log of the other tests is one.
func TestFakeLogConforms(t *testing.T) {
	for _, begin := range []uint64{0, 41} {
		logtest.Conformance(t, func(*testing.T) reading.Log { return reading.NewFakeLog("life", begin).Own() })
	}
}

func TestFakeArchiveConformance(t *testing.T) {
	logtest.ArchiveConformance(t, func(*testing.T) reading.Archive { return reading.NewFakeArchive() })
}
