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

// brokenDisk lets a disk turn read-only under a server that takes readings in,
// as Linux does with one that fails: an ext4 file system whose journal is
// aborted. Then it is repaired and mounted again.
func brokenDisk(ctx context.Context, o *Options, r *Row) error {
	for _, tool := range []string{"mkfs.ext4", "e2fsck", "mount"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w: there is no %s", errNotRun, tool)
		}
	}
	image, disk := filepath.Join(o.Dir, "image"), filepath.Join(o.Dir, "disk")
	if err := sized(image, imageBytes); err != nil {
		return err
	}
	if err := command(ctx, "mkfs.ext4", "-q", "-F", image); err != nil {
		return err
	}
	loop := []string{"-o", "loop,errors=remount-ro", image}
	var h *house
	err := mounted(ctx, disk, func() (err error) {
		if h, err = open(ctx, o, o.Binary, dataIn(disk), 0); err != nil {
			return err
		}
		if err = h.readOnly(ctx, disk, r); err != nil {
			err = errors.Join(err, h.close()) // before its disk goes
			h = nil
		}
		return err
	}, loop...)
	if err != nil {
		if h != nil {
			err = errors.Join(err, h.close())
		}
		return err
	}
	if err := command(ctx, "e2fsck", "-p", image); err != nil {
		// 1: errors were corrected, which is what it is asked for.
		if e := (*exec.ExitError)(nil); !errors.As(err, &e) || e.ExitCode() != 1 {
			return errors.Join(err, h.close())
		}
	}
	return mounted(ctx, disk, func() error {
		return within(h, func() error {
			if err := h.again(ctx, r); err != nil {
				return err
			}
			return h.whole(ctx, r)
		})
	}, loop...)
}

// readOnly is the fault; the server has ended afterwards.
func (h *house) readOnly(ctx context.Context, disk string, r *Row) error {
	if err := h.station.armMails(ctx); err != nil {
		return err
	}
	if err := h.station.storm(ctx); err != nil {
		return err
	}
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	// Nothing may be on its way to the disk when its journal is aborted: Linux
	// then tells one write in a dozen that it is durable, and drops it.
	if err := errors.Join(h.taken(ctx, before), stop(), h.mailsArrived(ctx)); err != nil {
		return err
	}
	if err := h.figure(ctx, "tilth_edge_waiting", func(n float64) bool { return n == 0 }); err != nil {
		return err
	}
	if err := command(ctx, "mount", "-o", "remount,abort", disk); err != nil {
		return err
	}
	if err := h.unwritable(ctx, func() error {
		_, _, err := h.refused(ctx)
		return err
	}); err != nil {
		return err
	}
	status, said, err := h.refused(ctx)
	if err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("devices are answered %s, /readyz %s; goes on after a restart", status, said)
	if !h.gone() {
		return h.server.Kill()
	}
	return nil
}

// sized makes a file of so many bytes that takes no room yet.
func sized(file string, bytes int64) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(bytes), f.Close())
}
