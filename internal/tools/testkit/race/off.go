//go:build !race

// Package race tells tests that measure times or memory whether Go's race detector runs. The
// detector slows everything down and makes each sync.Pool drop values at random.
package race

// Enabled tells whether Go's race detector runs.
const Enabled = false
