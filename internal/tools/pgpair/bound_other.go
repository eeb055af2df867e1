//go:build !linux

package pgpair

import "os/exec"

// startBound starts a postmaster. Only Linux ends it when this process is killed.
func startBound(cmd *exec.Cmd) error { return cmd.Start() }
