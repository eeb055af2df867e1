package pgpair

import (
	"os/exec"
	"sync"
	"time"
)

// process is a postmaster, whose children are PostgreSQL's other processes.
type process struct {
	pid    int
	exited chan struct{} // closed when the postmaster has ended

	mu sync.Mutex // one signal to all processes at a time
}

// startProcess starts a postmaster.
func startProcess(cmd *exec.Cmd) (*process, error) {
	if err := startBound(cmd); err != nil {
		return nil, err
	}
	p := &process{pid: cmd.Process.Pid, exited: make(chan struct{})}
	go func() {
		defer close(p.exited)
		_ = cmd.Wait() // that it has ended is all that counts; why, it has logged
	}()
	return p, nil
}

// ended tells whether the postmaster has ended; true if there was none.
func (p *process) ended() bool {
	if p == nil {
		return true
	}
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// endsWithin waits until the postmaster has ended.
func (p *process) endsWithin(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}
