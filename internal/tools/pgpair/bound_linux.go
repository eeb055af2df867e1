package pgpair

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// startBound starts a postmaster that the kernel tells to end at once when this process ends, however
// it ends. Only servers that are frozen then remain.
func startBound(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGQUIT
	return onLastingThread(cmd.Start)
}

// onLastingThread runs f on a thread that lasts as long as this process: to the kernel, the parent that
// Pdeathsig speaks of is a thread.
func onLastingThread(f func() error) error {
	result := make(chan error, 1)
	lastingThread() <- func() { result <- f() }
	return <-result
}

var lastingThread = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range calls {
			f()
		}
	}()
	return calls
})
