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

	"tilth/internal/tools/bench"
)

const (
	smallDisk           = "96m"
	maxFillRounds       = 3 // rounds at most: each leaves readings on the disk
	fillChunk           = 64 << 10
	messagesBeforeFault = 2000 // messages that devices are acknowledged before a fault
)

// fullDisk fills a small disk under a server that takes readings in, sees that
// devices are not acknowledged, that people read on and are told why nothing is
// saved, frees it, and sees that the server goes on without a hand.
func fullDisk(ctx context.Context, o *Options, r *Row) error {
	disk := filepath.Join(o.Dir, "disk")
	return withMount(ctx, disk, func() error {
		h, err := openTestbed(ctx, o, o.Binary, dataDir(disk), 0)
		if err != nil {
			return err
		}
		return withTestbed(h, func() error {
			if err := h.alarms.armMails(ctx); err != nil {
				return err
			}
			for range min(o.Rounds, maxFillRounds) {
				if err := h.fillRound(ctx, disk, r); err != nil {
					return err
				}
			}
			return h.checkAll(ctx, r)
		})
	}, "-t", "tmpfs", "-o", "size="+smallDisk, "tmpfs")
}

// checkAll goes on after a fault, and compares everything.
func (h *testbed) checkAll(ctx context.Context, r *Row) error {
	if err := h.alarms.storm(ctx); err != nil {
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
	if err := errors.Join(
		h.waitMessages(ctx, now["tilth_edge_messages_total"]+messagesBeforeFault),
		stop(),
	); err != nil {
		return err
	}
	if err := h.waitMails(ctx); err != nil {
		return err
	}
	h.alarms.compareMails(r)
	if err := h.alarms.checkNotices(ctx, r); err != nil {
		return err
	}
	return h.verify(ctx, r)
}

// fillRound is one round.
func (h *testbed) fillRound(ctx context.Context, disk string, r *Row) error {
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
	err = h.alarms.storm(ctx)
	if err == nil {
		err = h.waitMessages(ctx, now["tilth_edge_messages_total"]+messagesBeforeFault)
	}
	filler := filepath.Join(disk, "filler")
	if err == nil {
		err = h.untilUnwritable(ctx, func() error { return fill(filler) })
	}
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	status, said, err := h.probeRefusal(ctx)
	if err != nil {
		return err
	}
	if err := h.checkReadable(ctx, person); err != nil {
		return err
	}
	if err := os.Remove(filler); err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("devices are answered %s, /readyz %s, people read on; goes on by itself", status, said)
	return h.waitRecovered(ctx, r)
}

// checkReadable sees that somebody who was signed in reads on while nothing can be
// saved, and that saving and signing in are refused in words.
func (h *testbed) checkReadable(ctx context.Context, person *bench.Person) error {
	if h.ended() {
		return nil
	}
	var answer json.RawMessage
	for _, page := range []string{
		"/admin-api/client/pc/alarm-notice/page?pageNo=1&pageSize=10", "/admin-api/client/pc/device/page?pageNo=1&pageSize=10",
		"/admin-api/device/data/all/data-last?deviceName=" + h.alarms.device.Name,
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
		if err == nil || !strings.Contains(err.Error(), diskFullAnswer) {
			return fmt.Errorf("%s while the disk is full: %w, want %q", what, err, diskFullAnswer)
		}
	}
	return nil
}

// diskFullAnswer begins what people are told who want something saved meanwhile.
const diskFullAnswer = "answer 503: Nothing can be saved: the server’s disk is full"

// waitRecovered waits until the server takes readings in again. Only where it has
// ended it is started, as whoever watches over it does (deploy/tilth.service).
// What its outbox had in flight may come again, since that it arrived could not
// be written down.
func (h *testbed) waitRecovered(ctx context.Context, r *Row) error {
	began := time.Now()
	if err := waitFor(ctx, "the server to go on by itself", func() (bool, error) {
		if h.ended() {
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
	r.InFlight += maxMailsInFlight
	r.noteRecovery(began)
	return nil
}

// untilUnwritable makes a disk unwritable, again and again, until the server says
// that it writes no more and takes no reading (its log may have some room laid
// out), or ends.
func (h *testbed) untilUnwritable(ctx context.Context, make func() error) error {
	return waitFor(ctx, "the server to find its disk unwritable", func() (bool, error) {
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
			taken, _, err = h.alarms.send(ctx, h.alarms.normalReading())
		}
		if h.ended() {
			return true, nil
		}
		return taken != 0 && taken != http.StatusOK, err
	})
}

// ended tells whether the server has ended by itself.
func (h *testbed) ended() bool {
	select {
	case <-h.server.Ended():
		return true
	default:
		return false
	}
}

// probeRefusal hands a reading in and answers what a device and a watcher are told.
// An acknowledgement is an error.
func (h *testbed) probeRefusal(ctx context.Context) (status, said string, err error) {
	if h.ended() {
		return "by nobody", "by nobody: the server has ended", nil
	}
	code, body, err := h.alarms.send(ctx, h.alarms.normalReading())
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
	for b := make([]byte, fillChunk); ; {
		if _, err := f.Write(b); err != nil {
			if errors.Is(err, syscall.ENOSPC) {
				return nil
			}
			return err
		}
	}
}
