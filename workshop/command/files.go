package command

import (
	"fmt"
	"syscall"
)

// raiseFileLimit makes sure that this process, and the server that inherits the limit, may open a
// file for each connection.
func (b *ingestBench) raiseFileLimit() error {
	need := uint64(b.options.Connections + spareFiles)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("open files: %w", err)
	}
	if limit.Cur >= need {
		fmt.Fprintf(b.out, "Open files: %d allowed, %d needed\n", limit.Cur, need)
		return nil
	}
	raised := syscall.Rlimit{Cur: need, Max: max(limit.Max, need)}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err != nil {
		return fmt.Errorf(
			"open files: %d are needed, %d allowed: raise the limit (ulimit -n %d) or take fewer --connections: %w",
			need,
			limit.Max,
			need,
			err,
		)
	}
	fmt.Fprintf(b.out, "Limits raised: open files from %d to %d\n", limit.Cur, need)
	return nil
}
