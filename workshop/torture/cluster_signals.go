package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// freezeProcess halts a process, and returns when all its threads are halted.
func freezeProcess(ctx context.Context, p *os.Process) error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return waitFor(ctx, "all threads to be halted", func() (bool, error) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Pid)) // none without /proc
		for _, path := range threads {
			text, err := os.ReadFile(path)
			if err != nil {
				return false, err
			}
			if !isHalted(string(text)) {
				return false, nil
			}
		}
		return true, err
	})
}

// isHalted reads the state of a thread, which is behind the program's name in parentheses.
func isHalted(stat string) bool {
	return strings.HasPrefix(stat[strings.LastIndexByte(stat, ')')+1:], " T ")
}

func thawProcess(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// limitFiles limits the size of files that a process may write from now on.
func limitFiles(ctx context.Context, p *os.Process, size string) error {
	out, err := exec.CommandContext(ctx, "prlimit", "--pid", fmt.Sprint(p.Pid), "--fsize="+size+":").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: the program prlimit is missing", errNotRun)
	}
	if err != nil {
		return fmt.Errorf("prlimit: %w %s", err, out)
	}
	return nil
}
