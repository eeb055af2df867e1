//go:build !race

// Package race tells tests of times and of memory whether Go's race detector
// runs: it slows everything, and has every sync.Pool forget at random.
package race

// Enabled tells that Go's race detector runs.
const Enabled = false
