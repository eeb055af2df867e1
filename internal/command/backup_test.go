package command

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/command/client"
	"tilth/internal/domain/reading"
	"tilth/internal/platform/archive"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/server"
	"tilth/internal/tools/testkit"
)

// storedCount is how many messages of a test's alarm device led to stored values: they come in
// order, and their times follow from their numbers.
func (p *process) storedCount(token string, number int, first int64) int64 {
	p.t.Helper()
	var series map[string][]struct{ Time int64 }
	p.call(
		http.MethodGet,
		fmt.Sprintf(
			"/admin-api/client/pc/device/get/format-map/time-interval-data?deviceName=A-%d&startTime=%d&endTime=%d&yeuSignList=airTemperature,airHumidity",
			number,
			first-1000,
			first+24*3_600_000,
		),
		token,
		"",
		&series,
	)
	last := int64(-1)
	for _, list := range series {
		for _, at := range list {
			n, late := (at.Time-first)/alarmStep, (at.Time-first)%alarmStep != 0
			if late {
				n = (at.Time-first-1)/alarmStep + 7
			}
			last = max(last, n)
		}
	}
	return last + 1
}

// A backup that is made under load holds a server's state at one instant: it lacks nothing that was
// acknowledged before, and the restored server makes the same notices as one that took the same
// readings undisturbed.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	busy, steady := newAlarmProcess(t), newAlarmProcess(t)
	first := time.Now().Add(time.Second).UnixMilli() // after the rules were started
	loads := make([]*resendingDevice, alarmDevices)
	for i := range loads {
		loads[i] = &resendingDevice{number: i, first: first}
	}
	var acks atomic.Int64
	enough := make(chan struct{})
	all := busy.publishAll(loads, 1<<40, func() {
		if acks.Add(1) == 400 {
			close(enough)
		}
	})
	select {
	case <-enough:
	case <-time.After(60 * time.Second):
		t.Fatalf("%d acknowledgements\n%s", acks.Load(), busy.stderr)
	}
	answered := acks.Load()
	file := filepath.Join(t.TempDir(), "farm.tar")
	out, err := busy.tilth("backup", "-o", file, "--server", "http://"+busy.admin)
	if err != nil || !strings.Contains(out, "read back and whole") {
		t.Fatalf("backup: %v\n%s", err, out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v (%v)", info, err)
	}
	if out, err := busy.tilth(
		"backup",
		"-o",
		file,
		"--server", "http://"+busy.admin,
	); err == nil ||
		!strings.Contains(out, "is there already") {
		t.Errorf("to an existing file: %v\n%s", err, out)
	}
	if left, err := filepath.Glob(filepath.Join(busy.dir, "backup-*")); err != nil || len(left) > 0 {
		t.Errorf("left in the data folder: %v (%v)", left, err)
	}
	busy.kill()
	all.Wait()

	restored := newProcess(t)
	out, err = busy.tilth(append([]string{"restore", file}, restored.storageArgs()...)...)
	if err != nil || !strings.Contains(out, "nothing contradicts itself") {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	restored.start(unlimitedArgs...)
	token, kept := restored.signIn("farm", "ada", "correct horse"), int64(0)
	for i := range alarmDevices {
		n := restored.storedCount(token, i, first)
		steady.publishAll([]*resendingDevice{{number: i, first: first}}, n, func() {}).Wait()
		kept += n
	}
	if kept < answered {
		t.Errorf("%d of %d readings that were answered before", kept, answered)
	}
	got, want := restored.notices(), steady.notices()
	if len(want) == 0 || !slices.Equal(got, want) {
		missing, extra := differences(got, want)
		t.Errorf("%d notices, want %d; missing %v; too many %v", len(got), len(want), missing, extra)
	}
	t.Logf("%d readings, %d notices", kept, len(got))
	// The restored server is a whole one: devices' secrets are valid, and it accepts readings.
	restored.publishAll([]*resendingDevice{{number: 0, first: first - 3_600_000}}, 5, func() {}).Wait()
	for _, want := range []string{"released; 0 were waiting\n", "nothing was held\n"} {
		if out, err := restored.tilth(
			"outbox",
			"release",
			"--server", "http://"+restored.admin,
		); err != nil ||
			out != want {
			t.Errorf("release: %v, said %q, want %q", err, out, want)
		}
	}
	restored.stop()
	if !strings.Contains(restored.stderr.String(), "level=WARN msg=\"mail, SMS and webhooks are held") {
		t.Errorf("the log does not say that the outbox is held:\n%s", restored.stderr)
	}
	steady.stop()
}

func TestFailedRestoreLeavesNothing(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.start()
	p.apply(simulatedFarm)
	dir := t.TempDir()
	file := filepath.Join(dir, "farm.tar")
	if out, err := p.tilth("backup", "-o", file, "--server", "http://"+p.admin); err != nil {
		t.Fatalf("backup: %v\n%s", err, out)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged.tar")
	if err := os.WriteFile(damaged, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, dir, want string }{
		"damaged":    {damaged, filepath.Join(dir, "a"), "the archive is damaged or not whole"},
		"no archive": {filepath.Join(dir, "none.tar"), filepath.Join(dir, "b"), "no such file"},
		"in use":     {file, p.dir, "is not empty"},
	} {
		out, err := p.tilth("restore", c.file, "--data-dir", c.dir)
		if err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if _, err := os.Stat(c.dir); c.dir != p.dir && err == nil {
			t.Errorf("%s: %s was left", name, c.dir)
		}
	}
	// A backup that cannot be made leaves no file either.
	p.stop()
	missing := filepath.Join(dir, "late.tar")
	if out, err := p.tilth(
		"backup",
		"-o",
		missing,
		"--server", "http://"+unusedAddr,
	); err == nil ||
		!strings.Contains(out, "no server answers") {
		t.Errorf("without a server: %v\n%s", err, out)
	}
	if left, err := filepath.Glob(missing + "*"); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
}

// A restore refuses a backup of a newer version with an error that says what to do, and leaves
// nothing of it, whether its tables, its readings or the file itself have a newer format.
func TestRestoreOfANewerBackup(t *testing.T) {
	t.Parallel()
	newer := map[string]func(t *testing.T, file, dir string){}
	for name, age := range newerFolders {
		newer[name] = func(t *testing.T, file, dir string) {
			t.Helper()
			age(t, dir)
			packBackup(t, file, dir)
		}
	}
	newer["file"] = func(t *testing.T, file, _ string) {
		t.Helper()
		manifest := []byte(`{"format":2,"version":"9.9.9"}`)
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := tar.NewWriter(f)
		err = w.WriteHeader(
			&tar.Header{Name: "manifest.json", Mode: 0o600, Size: int64(len(manifest)), Typeflag: tar.TypeReg},
		)
		_, e := w.Write(manifest)
		if err := errors.Join(err, e, w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for name, write := range newer {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			file, dir := filepath.Join(work, "farm.tar"), t.TempDir()
			makeDataFolder(t, dir)
			write(t, file, dir)
			for _, to := range []string{"none", "empty"} {
				to = filepath.Join(work, to)
				if filepath.Base(to) == "empty" {
					if err := os.Mkdir(to, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				said := &strings.Builder{}
				c := restoreCommand()
				c.SetArgs([]string{file, "--data-dir", to})
				c.SetOut(said)
				c.SilenceErrors, c.SilenceUsage = true, true
				want := file + ": it was made by a newer version of Tilth (9.9.9, this is " + server.Version + "); nothing was restored. " +
					"Restore it with that version or a later one, or take a backup made before the upgrade"
				if err := c.ExecuteContext(t.Context()); err == nil || err.Error() != want || said.Len() > 0 {
					t.Errorf("%v; said %q", err, said)
				}
				left, err := os.ReadDir(to)
				if there := filepath.Base(to) == "empty"; there != (err == nil) || len(left) > 0 {
					t.Errorf("%s: %v (%v)", to, left, err)
				}
			}
			left, err := os.ReadDir(work)
			if err != nil || len(left) != 2 { // the backup, and the folder that existed
				t.Errorf("left: %v (%v)", left, err)
			}
		})
	}
	// The same backup of this version is restored.
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "farm.tar")
	makeDataFolder(t, dir)
	packBackup(t, file, dir)
	c := restoreCommand()
	c.SetArgs([]string{file, "--data-dir", filepath.Join(t.TempDir(), "farm")})
	c.SetOut(io.Discard)
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Error(err)
	}
}

// A command that would fill the disk, which readings may go to as well, refuses before it writes: a
// backup by the size that the server tells, a restore by the size of its file.
func TestBackupAndRestoreCheckFreeSpace(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "farm.tar")
	makeDataFolder(t, dir)
	packBackup(t, file, dir)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
		_, _ = w.Write(whole) // the client may have hung up
	}))
	defer server.Close()
	remote := &client.Client{Base: server.URL, HTTP: server.Client()}
	needed := uint64(len(whole)) + spareBytes
	for there, fits := range map[uint64]bool{needed - 1: false, needed: true} {
		work := t.TempDir()
		room := func(string) (uint64, error) { return there, nil }
		c := &cobra.Command{}
		c.SetContext(t.Context())
		c.SetOut(io.Discard)
		copied, restored := filepath.Join(work, "copy.tar"), filepath.Join(work, "farm")
		refusal := ": " + formatBytes(int64(len(whole))) + " are needed"
		for flag, err := range map[string]error{
			"--output":   backup(c, remote, copied, room),
			"--data-dir": restore(c, file, restored, "", room),
		} {
			if fits && err != nil || !fits && (err == nil || !strings.HasPrefix(err.Error(), flag+refusal)) {
				t.Errorf("%d bytes of room for %d: %v", there, len(whole), err)
			}
		}
		left, err := os.ReadDir(work)
		if err != nil || fits != (len(left) == 2) || !fits && len(left) > 0 {
			t.Errorf("%d bytes of room for %d, left: %v (%v)", there, len(whole), left, err)
		}
	}
}

// makeDataFolder makes a data folder that a server of this version could have left.
func makeDataFolder(t *testing.T, dir string) {
	t.Helper()
	d, err := db.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reading.Open(t.Context(), reading.Options{Dir: filepath.Join(dir, "readings")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := datafolder.DeviceKey(t.Context(), d, dir); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// packBackup packs a data folder as a backup of version 9.9.9.
func packBackup(t *testing.T, file, dir string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		archive.Write(t.Context(), f, dir, archive.Manifest{Version: "9.9.9", Time: testkit.Start}),
		f.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
}
