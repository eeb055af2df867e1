package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	smallDisk = "96m"
	fillings  = 3 // rounds at most: each leaves readings on the disk
	piece     = 64 << 10
	before    = 2000 // messages that devices are acknowledged before a fault
)

// fullDisk fills a small disk under a server that takes readings in, sees that
// devices are not acknowledged and that the server says so, frees it, and sees
// that it goes on.
func fullDisk(ctx context.Context, o *Options, r *Row) error {
	disk := filepath.Join(o.Dir, "disk")
	return mounted(ctx, disk, func() error {
		h, err := open(ctx, o, o.Binary, dataIn(disk), 0)
		if err != nil {
			return err
		}
		return within(h, func() error {
			if err := h.station.armMails(ctx); err != nil {
				return err
			}
			for range min(o.Rounds, fillings) {
				if err := h.filled(ctx, disk, r); err != nil {
					return err
				}
			}
			return h.whole(ctx, r)
		})
	}, "-t", "tmpfs", "-o", "size="+smallDisk, "tmpfs")
}

// whole goes on after a fault, and compares everything.
func (h *house) whole(ctx context.Context, r *Row) error {
	if err := h.station.storm(ctx); err != nil {
		return err
	}
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	now, err := h.server.Figures(ctx)
	if err != nil {
		return errors.Join(err, stop())
	}
	if err := errors.Join(h.taken(ctx, now["tilth_edge_messages_total"]+before), stop()); err != nil {
		return err
	}
	if err := h.mailsArrived(ctx); err != nil {
		return err
	}
	h.station.mailed(r)
	if err := h.station.check(ctx, r); err != nil {
		return err
	}
	return h.verify(ctx, r)
}

// filled is one round.
func (h *house) filled(ctx context.Context, disk string, r *Row) error {
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	err = h.station.storm(ctx)
	if err == nil {
		err = h.taken(ctx, before)
	}
	filler := filepath.Join(disk, "filler")
	if err == nil {
		err = h.unwritable(ctx, func() error { return fill(filler) })
	}
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	status, said, err := h.refused(ctx)
	if err != nil {
		return err
	}
	if err := os.Remove(filler); err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("devices are answered %s, /readyz %s; goes on after a restart", status, said)
	return h.again(ctx, r)
}

// again ends a server that writes no more, as who watches it does, and starts
// it anew. What its outbox had in flight may come again, since that it arrived
// could not be written down.
func (h *house) again(ctx context.Context, r *Row) error {
	began := time.Now()
	select {
	case <-h.server.Ended():
	default:
		if err := h.server.Kill(); err != nil {
			return err
		}
	}
	if _, err := h.restart(ctx); err != nil {
		return err
	}
	r.Rounds++
	r.InFlight += mailsInFlight
	r.longer(began)
	return nil
}

// unwritable makes a disk unwritable, again and again, until the server says
// that it writes no more, or ends.
func (h *house) unwritable(ctx context.Context, make func() error) error {
	return until(ctx, "the server to find its disk unwritable", func() (bool, error) {
		if err := make(); err != nil {
			return false, err
		}
		select {
		case <-h.server.Ended():
			return true, nil
		default:
		}
		status, _, err := h.readiness(ctx)
		if h.gone() {
			return true, nil
		}
		return status == http.StatusServiceUnavailable, err
	})
}

// gone tells whether the server has ended by itself.
func (h *house) gone() bool {
	select {
	case <-h.server.Ended():
		return true
	default:
		return false
	}
}

// refused hands a reading in and answers what a device and a watcher are told.
// An acknowledgement is an error.
func (h *house) refused(ctx context.Context) (status, said string, err error) {
	if h.gone() {
		return "by nobody", "by nobody: the server has ended", nil
	}
	code, body, err := h.station.post(ctx, fmt.Sprintf(`{"%s":5}`, h.station.property))
	if err != nil {
		return "", "", err
	}
	if code == http.StatusOK {
		return "", "", fmt.Errorf("a reading was acknowledged that cannot have been written: %s", body)
	}
	ready, words, err := h.readiness(ctx)
	return fmt.Sprint(code), fmt.Sprintf("%d “%s”", ready, words), err
}

// fill writes until the disk is full, which is no error.
func fill(file string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); !errors.Is(e, syscall.ENOSPC) {
			err = errors.Join(err, e)
		}
	}()
	for b := make([]byte, piece); ; {
		if _, err := f.Write(b); err != nil {
			if errors.Is(err, syscall.ENOSPC) {
				return nil
			}
			return err
		}
	}
}
