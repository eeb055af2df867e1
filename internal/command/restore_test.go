package command

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tilth/internal/platform/datafolder"
	"tilth/internal/tools/testkit"
)

// A restore refuses an archive with files that no backup holds, and leaves nothing of it.
func TestRestoreRefusesForeignFiles(t *testing.T) {
	for _, name := range []string{"provider-token", "acme/account.json", "lived-until", "lock", "readings", "tilth.db-wal", "device-key2"} {
		dir, work := t.TempDir(), t.TempDir()
		makeDataFolder(t, dir)
		if name == "readings" {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		err := errors.Join(
			os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700),
			os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600),
		)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "farm.tar")
		packBackup(t, file, dir)
		c := restoreCommand()
		c.SetArgs([]string{file, "--data-dir", filepath.Join(work, "farm")})
		c.SetOut(io.Discard)
		c.SilenceErrors, c.SilenceUsage = true, true
		if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "which no backup does") {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(work); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v (%v)", name, left, err)
		}
	}
}

// If a restore was killed, the next start says what to do; a restore into a folder that does not
// exist yet begins again.
func TestStartAfterUnfinishedRestore(t *testing.T) {
	whole, file := t.TempDir(), filepath.Join(t.TempDir(), "farm.tar")
	makeDataFolder(t, whole)
	packBackup(t, file, whole)
	again := func(dir string) error {
		c := restoreCommand()
		c.SetArgs([]string{file, "--data-dir", dir})
		c.SetOut(io.Discard)
		c.SilenceErrors, c.SilenceUsage = true, true
		return c.ExecuteContext(t.Context())
	}
	start := func(dir string) error {
		folder, err := datafolder.LockFolder(dir)
		if err != nil {
			return err
		}
		return folder.Close()
	}
	inside, beside := filepath.Join(t.TempDir(), "farm"), filepath.Join(t.TempDir(), "farm")
	unfinished := map[string]string{inside: filepath.Join(inside, ".restoring"), beside: beside + ".restoring"}
	for dir, half := range unfinished {
		err := errors.Join(
			os.MkdirAll(half, 0o700),
			os.WriteFile(filepath.Join(half, "device-key"), []byte("half"), 0o600),
		)
		if err != nil {
			t.Fatal(err)
		}
		if err := start(dir); err == nil || !strings.Contains(err.Error(), "was interrupted") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := again(inside); err == nil || !strings.Contains(err.Error(), "remove everything in it and restore again") {
		t.Error(err)
	}
	if err := again(beside); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(beside)); err != nil || len(left) != 1 {
		t.Errorf("left: %v (%v)", left, err)
	}
	empty := t.TempDir()
	if err := again(empty); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{beside, empty} {
		if err := start(dir); err != nil {
			t.Error(err)
		}
		key, err := os.ReadFile(filepath.Join(dir, "device-key"))
		want, e := os.ReadFile(filepath.Join(whole, "device-key"))
		if err := errors.Join(err, e); err != nil || !bytes.Equal(key, want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// If two servers start on one empty folder at the same time, one runs and the other says why it
// does not.
func TestConcurrentFirstStartsRunOneServer(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	path, err := p.path()
	if err != nil {
		t.Fatal(err)
	}
	const servers = 3
	type end struct {
		said *output
		err  error
	}
	ends := make(chan end, servers)
	var said [servers]*output
	var processes [servers]*os.Process
	for i := range said {
		said[i] = &output{}
		cmd := exec.Command(path, p.serverArgs("--log-level", "info")...)
		cmd.Stdout, cmd.Stderr = said[i], said[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes[i] = cmd.Process
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
		go func() { ends <- end{said[i], cmd.Wait()} }()
	}
	for range servers - 1 {
		e := testkit.Receive(t, "the end of one", ends)
		if e.err == nil {
			t.Error("it ended as if nothing were wrong")
		}
	}
	ready := func() (n int) {
		for _, o := range said {
			n += strings.Count(o.String(), "tilth is ready")
		}
		return n
	}
	testkit.Eventually(t, "one that is ready", func() bool { return ready() == 1 })
	refused := 0
	for _, o := range said {
		refused += strings.Count(o.String(), "another server runs on "+p.dir)
	}
	if refused != servers-1 {
		t.Errorf("%d were told that the folder is taken: %s, %s, %s", refused, said[0], said[1], said[2])
	}
	for _, one := range processes {
		_ = one.Signal(syscall.SIGTERM) // all but one have ended
	}
	if e := testkit.Receive(t, "the end of the last", ends); e.err != nil {
		t.Errorf("the one that ran ended with %v: %s", e.err, e.said)
	}
}
