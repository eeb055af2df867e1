//go:build race

package race

// Enabled tells whether Go's race detector runs.
const Enabled = true
