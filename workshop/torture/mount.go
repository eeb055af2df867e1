package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// command runs a program of the system; the error contains its output.
func command(ctx context.Context, name string, args ...string) error {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// withMount makes a folder, mounts a disk there, calls f, and unmounts the disk. If mounting is not
// permitted, the error is errNotRun.
func withMount(ctx context.Context, dir string, f func() error, args ...string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	if err := command(ctx, "mount", append(args, dir)...); err != nil {
		return fmt.Errorf("%w: mounting a disk of its own is not permitted here (%w)", errNotRun, err)
	}
	err := f()
	// Unmount if ctx is cancelled, too: otherwise the mount outlives the run.
	return errors.Join(err, command(context.WithoutCancel(ctx), "umount", dir))
}
