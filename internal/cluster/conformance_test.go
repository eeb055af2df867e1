package cluster

import (
	"testing"

	"tilth/internal/domain/reading"
	"tilth/internal/domain/reading/logtest"
)

// The log in PostgreSQL does what a store expects of any log.
func TestLogConformance(t *testing.T) {
	logtest.Conformance(t, func(t *testing.T) reading.Log { return own(t, joinTest(t, testDatabase(t), "a")) })
}
