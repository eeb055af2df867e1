//go:build unix

package command

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// pauseProcess pauses a process until resumeProcess. It ignores one that has ended.
func pauseProcess(t *testing.T, p *os.Process) { t.Helper(); sendSignal(t, p, syscall.SIGSTOP) }

func resumeProcess(t *testing.T, p *os.Process) { t.Helper(); sendSignal(t, p, syscall.SIGCONT) }

func sendSignal(t *testing.T, p *os.Process, s os.Signal) {
	t.Helper()
	if err := p.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}
