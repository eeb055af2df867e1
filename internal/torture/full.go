package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"tilth/internal/bench"
)

const (
	smallDisk = "96m"
	fillings  = 3 // rounds at most: each leaves readings on the disk
	piece     = 64 << 10
	before    = 2000 // messages that devices are acknowledged before a fault
)

// fullDisk fills a small disk under a server that takes readings in, sees that
// devices are not acknowledged, that people read on and are told why nothing is
// saved, frees it, and sees that the server goes on without a hand.
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
	now, err := h.server.ReadMetrics(ctx)
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
	person, err := h.server.SignIn(ctx)
	if err != nil {
		return err
	}
	now, err := h.server.ReadMetrics(ctx)
	if err != nil {
		return err
	}
	stop, err := h.publish(ctx)
	if err != nil {
		return err
	}
	err = h.station.storm(ctx)
	if err == nil {
		err = h.taken(ctx, now["tilth_edge_messages_total"]+before)
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
	if err := h.reads(ctx, person); err != nil {
		return err
	}
	if err := os.Remove(filler); err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("devices are answered %s, /readyz %s, people read on; goes on by itself", status, said)
	return h.recovers(ctx, r)
}

// reads sees that somebody who was signed in reads on while nothing can be
// saved, and that saving and signing in are refused in words.
func (h *house) reads(ctx context.Context, person *bench.Person) error {
	if h.gone() {
		return nil
	}
	var answer json.RawMessage
	for _, page := range []string{
		"/admin-api/client/pc/alarm-notice/page?pageNo=1&pageSize=10", "/admin-api/client/pc/device/page?pageNo=1&pageSize=10",
		"/admin-api/device/data/all/data-last?deviceName=" + h.station.device.Name,
	} {
		if err := person.Call(ctx, http.MethodGet, page, nil, &answer); err != nil {
			return fmt.Errorf("read %s while the disk is full: %w", page, err)
		}
	}
	saved := person.Call(ctx, http.MethodPost, "/admin-api/client/pc/notice-channel/create", map[string]any{
		"noticeName": "Unkept", "noticeMode": []string{"phoneMessage"}, "phoneMessage": []string{"+905551112233"},
	}, &answer)
	_, signedIn := h.server.SignIn(ctx)
	for what, err := range map[string]error{"save": saved, "sign in": signedIn} {
		if err == nil || !strings.Contains(err.Error(), unkept) {
			return fmt.Errorf("%s while the disk is full: %w, want %q", what, err, unkept)
		}
	}
	return nil
}

// unkept begins what people are told who want something saved meanwhile.
const unkept = "answer 503: Nothing can be saved: the server’s disk is full"

// recovers waits until the server takes readings in again. Only where it has
// ended it is started, as whoever watches over it does (deploy/tilth.service).
// What its outbox had in flight may come again, since that it arrived could not
// be written down.
func (h *house) recovers(ctx context.Context, r *Row) error {
	began := time.Now()
	if err := until(ctx, "the server to go on by itself", func() (bool, error) {
		if h.gone() {
			_, err := h.restart(ctx)
			return err == nil, ctx.Err()
		}
		h.server.UpdateAddresses()
		status, _, err := h.readiness(ctx)
		return err == nil && status == http.StatusOK, ctx.Err() // between two starts nobody answers
	}); err != nil {
		return err
	}
	now, err := h.server.ReadMetrics(ctx)
	if err != nil {
		return err
	}
	if now["tilth_readings_broken"] != 0 || now["tilth_disk_writable"] != 1 || now["tilth_disk_free_bytes"] <= 0 {
		return fmt.Errorf("ready, with readings broken %v, disk writable %v, %v bytes free",
			now["tilth_readings_broken"], now["tilth_disk_writable"], now["tilth_disk_free_bytes"])
	}
	r.Rounds++
	r.InFlight += mailsInFlight
	r.longer(began)
	return nil
}

// unwritable makes a disk unwritable, again and again, until the server says
// that it writes no more and takes no reading (its log may have some room laid
// out), or ends.
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
		taken := 0
		if err == nil && status == http.StatusServiceUnavailable {
			taken, _, err = h.station.post(ctx, h.station.calm())
		}
		if h.gone() {
			return true, nil
		}
		return taken != 0 && taken != http.StatusOK, err
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
	code, body, err := h.station.post(ctx, h.station.calm())
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
