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

	"tilth/workshop/bench"
)

const (
	smallDisk           = "96m"
	maxFillRounds       = 3 // each round leaves readings on the disk
	fillChunk           = 64 << 10
	messagesBeforeFault = 2000 // messages that the server acknowledges before a fault
)

// fullDisk fills a small disk under a server that receives readings. It checks that the server
// acknowledges nothing, that people can still read and see why nothing is saved; then it frees the
// disk and checks that the server goes on by itself.
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

// checkAll sends more readings after a fault, and compares everything.
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
	accepted := now["tilth_edge_messages_total"]
	if err := errors.Join(h.waitMessages(ctx, accepted+messagesBeforeFault), stop()); err != nil {
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

// fillRound fills the disk, checks the server, frees the disk and waits until the server has
// recovered.
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
	status, ready, err := h.probeRefusal(ctx)
	if err != nil {
		return err
	}
	if err := h.checkReadable(ctx, person); err != nil {
		return err
	}
	if err := os.Remove(filler); err != nil {
		return err
	}
	r.Remark = fmt.Sprintf("devices are answered %s, /readyz %s, people read on; goes on by itself", status, ready)
	return h.waitRecovered(ctx, r)
}

// checkReadable checks that a signed-in person can read while nothing can be saved, and that saving
// and signing in fail with a text.
func (h *testbed) checkReadable(ctx context.Context, person *bench.Person) error {
	if h.ended() {
		return nil
	}
	var answer json.RawMessage
	for _, page := range []string{
		"/admin-api/client/pc/alarm-notice/page?pageNo=1&pageSize=10",
		"/admin-api/client/pc/device/page?pageNo=1&pageSize=10",
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
	for action, err := range map[string]error{"save": saved, "sign in": signedIn} {
		if err == nil || !strings.Contains(err.Error(), diskFullAnswer) {
			return fmt.Errorf("%s while the disk is full: %w, want %q", action, err, diskFullAnswer)
		}
	}
	return nil
}

// diskFullAnswer is the beginning of the answer to calls that would save something.
const diskFullAnswer = "answer 503: Nothing can be saved: the server’s disk is full"

// waitRecovered waits until the server accepts readings again. It starts the server only if it has
// ended, as deploy/tilth.service does. The mails that the outbox had in flight may arrive again,
// since the server could not store that they were sent.
func (h *testbed) waitRecovered(ctx context.Context, r *Row) error {
	began := time.Now()
	if err := waitFor(ctx, "the server to go on by itself", func() (bool, error) {
		if h.ended() {
			_, err := h.restart(ctx)
			return err == nil, ctx.Err()
		}
		h.server.UpdateAddresses()
		status, _, err := h.readiness(ctx)
		return err == nil && status == http.StatusOK, ctx.Err() // a server that is restarting does not answer
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

// untilUnwritable calls make, which makes a disk unwritable, again and again, until the server says
// that it cannot write and accepts no reading (its log may have preallocated room), or ends.
func (h *testbed) untilUnwritable(ctx context.Context, breakDisk func() error) error {
	return waitFor(ctx, "the server to find its disk unwritable", func() (bool, error) {
		if err := breakDisk(); err != nil {
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

// probeRefusal sends a reading and returns the answers to the device and of /readyz. An
// acknowledgement is an error.
func (h *testbed) probeRefusal(ctx context.Context) (status, ready string, err error) {
	if h.ended() {
		return "by nobody", "by nobody: the server has ended", nil
	}
	code, body, err := h.alarms.send(ctx, h.alarms.normalReading())
	if err != nil {
		return "", "", err
	}
	if code == http.StatusOK {
		return "", "", fmt.Errorf("the server acknowledged a reading that it cannot have written: %s", body)
	}
	readyCode, readyText, err := h.readiness(ctx)
	return fmt.Sprint(code), fmt.Sprintf("%d “%s”", readyCode, readyText), err
}

// fill writes to a file until the disk is full, which is no error.
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
