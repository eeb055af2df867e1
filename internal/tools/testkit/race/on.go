//go:build race

package race

// Enabled tells that Go's race detector runs.
const Enabled = true
