package server

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tilth/internal/platform/datafolder"
	"tilth/internal/tools/testkit"
)

// fakeDisk is a disk whose failures a test makes.
type fakeDisk struct {
	*disk
	log           bytes.Buffer
	readingsErr   error
	refusedWrites uint64
	free          uint64
}

func newFakeDisk(t *testing.T) *fakeDisk {
	t.Helper()
	p := &fakeDisk{free: 1 << 40}
	p.disk = newDisk(
		t.TempDir(),
		func() error { return p.readingsErr },
		func() uint64 { return p.refusedWrites },
		slog.New(slog.NewTextHandler(&p.log, nil)),
	)
	p.freeBytes = func() (uint64, error) { return p.free, nil }
	return p
}

// moveAway moves the folder away, so that nothing can be written there. The returned function moves
// it back.
func (p *fakeDisk) moveAway(t *testing.T) (back func()) {
	t.Helper()
	away := p.dir + "-away"
	if err := os.Rename(p.dir, away); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Rename(away, p.dir); err != nil {
			t.Fatal(err)
		}
	}
}

// Without a reason for doubt the server writes no probe, since writes wear disks out.
func TestHealthyDiskIsNotWritten(t *testing.T) {
	p := newFakeDisk(t)
	back := p.moveAway(t) // a probe would fail
	for range 3 {
		if err := p.check(); err != nil || p.ready() != nil {
			t.Errorf("%v, %v", err, p.ready())
		}
	}
	back()
	if p.log.Len() > 0 {
		t.Errorf("%s", &p.log)
	}
}

// For each reason for doubt the server probes the folder. It logs a failure once, and its end once.
// If the disk refused only the database, no restart is due.
func TestUnwritableDiskIsReportedOnce(t *testing.T) {
	for name, doubt := range map[string]func(*fakeDisk){
		"the disk refused the database": func(p *fakeDisk) { p.refusedWrites++ },
		"hardly any free space":         func(p *fakeDisk) { p.free = minStartBytes - 1 },
	} {
		t.Run(name, func(t *testing.T) {
			p := newFakeDisk(t)
			back := p.moveAway(t)
			doubt(p)
			for range 3 {
				if err := p.check(); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.ready(); err == nil ||
				err.Error() != "the data folder cannot be written: no such file or directory" {
				t.Errorf("ready: %v, want the reason and no path", err)
			}
			back()
			for range 3 {
				if err := p.check(); err != nil || p.ready() != nil {
					t.Fatal(err, p.ready())
				}
			}
			if n := strings.Count(p.log.String(), "cannot be written"); n != 1 {
				t.Errorf("the failure was logged %d times: %s", n, &p.log)
			}
			if n := strings.Count(p.log.String(), "can be written again"); n != 1 {
				t.Errorf("the end of the failure was logged %d times: %s", n, &p.log)
			}
			if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// If readings are not written any more, a restart is due once the folder can be written and has the
// free space that a start needs.
func TestRestartIsDueOnceDiskIsWritable(t *testing.T) {
	p := newFakeDisk(t)
	p.readingsErr = errors.New("no room")
	if err := p.ready(); err == nil || err.Error() != "readings cannot be written; see the log" {
		t.Errorf("before the first check: %v", err)
	}
	back := p.moveAway(t)
	if err := p.check(); err != nil {
		t.Errorf("while it cannot be written: %v", err)
	}
	back()
	p.free = 5 << 20
	if err := p.check(); err != nil {
		t.Errorf("without free space: %v", err)
	}
	if err := p.ready(); err == nil ||
		err.Error() != "the data folder cannot be written: a start needs 32 MiB, 5 MiB are free" {
		t.Errorf("ready: %v", err)
	}
	p.free = minStartBytes
	if err := p.check(); !errors.Is(err, ErrRestartDue) {
		t.Errorf("with free space: %v", err)
	}
}

func TestUnknownFreeSpaceIsNotReady(t *testing.T) {
	p := newFakeDisk(t)
	p.freeBytes = func() (uint64, error) { return 0, fmt.Errorf("statfs: %w", syscall.EIO) }
	if err := p.check(); err != nil || p.ready() == nil || !strings.Contains(p.ready().Error(), "input/output error") {
		t.Errorf("%v, %v", err, p.ready())
	}
	if _, err := datafolder.FreeBytes(filepath.Join(p.dir, "nowhere")); err == nil {
		t.Error("a folder that does not exist has free space")
	}
}

// A server that must restart stops in an orderly way: its ports and folder are free for the next
// start.
func TestServerStopsForRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	set, err := parseArgs(
		t,
		"--data-dir", dir,
		"--http-addr", testkit.AnyPort,
		"--mqtt-addr", testkit.AnyPort,
		"--admin-addr", testkit.AnyPort,
	)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var broken, writable atomic.Bool
	s.disk.every = time.Millisecond
	s.disk.readingsBroken = func() error {
		if broken.Load() {
			return errors.New("no room")
		}
		return nil
	}
	s.disk.freeBytes = func() (uint64, error) {
		if writable.Load() {
			return minStartBytes, nil
		}
		return 0, nil
	}
	ended, ready := make(chan error, 1), make(chan struct{})
	go func() { ended <- s.Run(t.Context(), nil, func() { close(ready) }) }()
	testkit.Receive(t, "the start", ready)
	figures := func(want ...string) {
		t.Helper()
		page := testkit.GetText(t, "http://"+s.listeners.admin.Addr().String()+"/metrics")
		for _, line := range want {
			if !strings.Contains(page, line+"\n") {
				t.Errorf("/metrics lacks %s", line)
			}
		}
	}
	figures("tilth_readings_broken 0", "tilth_disk_writable 1", "tilth_disk_free_bytes 0")
	broken.Store(true)
	testkit.Eventually(t, "the server to be unready", func() bool {
		res, err := http.Get("http://" + s.listeners.http.Addr().String() + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusServiceUnavailable
	})
	testkit.Eventually(t, "a check of the disk", func() bool { return s.disk.lastFailure() != nil })
	figures("tilth_readings_broken 1", "tilth_disk_writable 0")
	writable.Store(true)
	if err := testkit.Receive(t, "its end", ended); !errors.Is(err, ErrRestartDue) {
		t.Errorf("the server ended with %v", err)
	}
	for name, l := range map[string]net.Listener{"http": s.listeners.http, "mqtt": s.listeners.mqtt, "admin": s.listeners.admin} {
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the port of %s is not free: %v", name, err)
		}
	}
	next, err := New(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(next.Stores.Close(), next.listeners.close()); err != nil {
		t.Error(err)
	}
}
