//go:build unix

package app

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// standStill stops a process until goOn; one that has ended is left alone.
func standStill(t *testing.T, p *os.Process) { t.Helper(); send(t, p, syscall.SIGSTOP) }

func goOn(t *testing.T, p *os.Process) { t.Helper(); send(t, p, syscall.SIGCONT) }

func send(t *testing.T, p *os.Process, s os.Signal) {
	t.Helper()
	if err := p.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}
