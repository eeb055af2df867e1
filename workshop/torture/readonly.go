package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const imageBytes = 256 << 20

// brokenDisk makes a disk read-only under a server that receives readings, as Linux does with a
// failing disk: it aborts the journal of an ext4 file system. A repaired copy of the disk then
// takes its place, and the server goes on.
func brokenDisk(ctx context.Context, o *Options, r *Row) error {
	for _, tool := range []string{"mkfs.ext4", "e2fsck", "mount", "cp"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w: there is no %s", errNotRun, tool)
		}
	}
	image, repaired := filepath.Join(o.Dir, "image"), filepath.Join(o.Dir, "repaired")
	disk := filepath.Join(o.Dir, "disk")
	if err := makeSparseFile(image, imageBytes); err != nil {
		return err
	}
	if err := command(ctx, "mkfs.ext4", "-q", "-F", image); err != nil {
		return err
	}
	on := func(image string) []string { return []string{"-o", "loop,errors=remount-ro", image} }
	return withMount(ctx, disk, func() error {
		h, err := openTestbed(ctx, o, o.Binary, dataDir(disk), 0)
		if err != nil {
			return err
		}
		return withTestbed(h, func() error {
			if err := h.makeReadOnly(ctx, disk, r); err != nil {
				return err
			}
			// The server's open files keep the old disk in use until the server starts again.
			err := errors.Join(command(ctx, "cp", "--sparse=always", image, repaired), repair(ctx, repaired))
			if err != nil {
				return err
			}
			if err := command(ctx, "umount", "--lazy", disk); err != nil {
				return err
			}
			if err := command(ctx, "mount", append(on(repaired), disk)...); err != nil {
				return err
			}
			if err := h.waitRecovered(ctx, r); err != nil {
				return err
			}
			return h.checkAll(ctx, r)
		})
	}, on(image)...)
}

// repair repairs a disk that turned read-only, as an operator would.
func repair(ctx context.Context, image string) error {
	err := command(ctx, "e2fsck", "-p", image)
	// Exit code 1: e2fsck corrected errors, as it should.
	if e := (*exec.ExitError)(nil); errors.As(err, &e) && e.ExitCode() == 1 {
		return nil
	}
	return err
}

// makeReadOnly aborts the disk's journal and checks that the server acknowledges no more readings.
func (h *testbed) makeReadOnly(ctx context.Context, disk string, r *Row) error {
	if err := h.alarms.armMails(ctx); err != nil {
		return err
	}
	if err := h.alarms.storm(ctx); err != nil {
		return err
	}
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	// No write may be in progress when the journal is aborted: Linux then reports one write in a
	// dozen as durable, and drops it.
	if err := errors.Join(h.waitMessages(ctx, messagesBeforeFault), stop(), h.waitMails(ctx)); err != nil {
		return err
	}
	if err := h.waitMetric(ctx, "tilth_edge_waiting", func(n float64) bool { return n == 0 }); err != nil {
		return err
	}
	if err := command(ctx, "mount", "-o", "remount,abort", disk); err != nil {
		return err
	}
	if err := h.untilUnwritable(ctx, func() error {
		_, _, err := h.probeRefusal(ctx)
		return err
	}); err != nil {
		return err
	}
	status, ready, err := h.probeRefusal(ctx)
	if err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("devices are answered %s, /readyz %s; goes on by itself on a repaired copy", status, ready)
	return nil
}

// makeSparseFile makes a file of so many bytes that occupies no disk space yet.
func makeSparseFile(file string, bytes int64) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(bytes), f.Close())
}
