package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// The farm's readings do not fit into the buffers of a connection, so that a client that does not
// receive a backup keeps the server from sending all of it.
const (
	notesFarm = `products:
  - name: diary
    properties: [{identifier: note, dataType: text}]
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ada, password: correct horse}]
    devices: [{deviceName: D-1, serial: s, product: diary, secret: diary-secret-number-0001}]
`
	notesPerMessage, noteLength = 200, 1000 // notes in one message; characters in a note
)

// writeNotes sends notes from number first on, a second apart, and returns the next number.
func (p *process) writeNotes(begin int64, first, messages int) (next int) {
	p.t.Helper()
	note := make([]byte, noteLength)
	for n := first; n < first+messages*notesPerMessage; n += notesPerMessage {
		var frames []string
		for i := range notesPerMessage {
			for c := range note {
				note[c] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[rand.IntN(64)]
			}
			frames = append(frames, fmt.Sprintf(`{"ts":%d,"values":{"note":"%s"}}`, begin+int64(n+i)*1000, note))
		}
		status, said := p.post("/api/v1/diary-secret-number-0001/telemetry", "", "["+strings.Join(frames, ",")+"]")
		if status != http.StatusOK {
			p.t.Fatalf("notes are answered %d %s\n%s", status, said, p.stderr)
		}
	}
	return first + messages*notesPerMessage
}

// noteCount is how many notes a server has.
func (p *process) noteCount(begin int64) (n int) {
	p.t.Helper()
	var days []struct{ Frames int }
	p.call(
		http.MethodGet,
		fmt.Sprintf(
			"/admin-api/client/pc/device/get/coverage?deviceName=D-1&startTime=%d&endTime=%d",
			begin,
			begin+48*3_600_000,
		),
		p.adaToken(),
		"",
		&days,
	)
	for _, day := range days {
		n += day.Frames
	}
	return n
}

// startBackup starts a backup into a file, of the server at an address.
func (p *process) startBackup(file, admin string) (c *exec.Cmd, said *output, ended <-chan error) {
	p.t.Helper()
	path, err := p.path()
	if err != nil {
		p.t.Fatal(err)
	}
	c, said = exec.Command(path, "backup", "-o", file, "--server", "http://"+admin), &output{}
	c.Env = append(os.Environ(), "TILTH_PROVIDER_TOKEN="+testToken)
	c.Stdout, c.Stderr = said, said
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() { end <- c.Wait() }()
	p.t.Cleanup(func() { _ = c.Process.Kill() }) // it may have ended
	return c, said, end
}

// startStalledBackup starts a backup of which only the beginning arrives until resume is called.
func (p *process) startStalledBackup(file string) (c *exec.Cmd, said *output, ended <-chan error, resume func()) {
	p.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = ln.Close() }) // only one client connects
	serverSide, err := net.Dial("tcp", p.admin)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = serverSide.Close() }) // the server may have
	if err := serverSide.(*net.TCPConn).SetReadBuffer(256 << 10); err != nil {
		p.t.Fatal(err)
	}
	begun, on := make(chan error, 1), make(chan struct{})
	go func() {
		clientSide, err := ln.Accept()
		if err != nil {
			begun <- err
			return
		}
		go func() {
			_, _ = io.Copy(serverSide, clientSide) // until the program has ended
			_ = serverSide.Close()
		}()
		_, err = io.CopyN(clientSide, serverSide, 64<<10)
		begun <- err
		<-on
		_, _ = io.Copy(clientSide, serverSide) // until the server has ended
		_ = clientSide.Close()
	}()
	c, said, ended = p.startBackup(file, ln.Addr().String())
	if err := testkit.Receive(p.t, "the beginning of a backup", begun); err != nil {
		p.t.Fatalf("%v: %s\n%s", err, said, p.stderr)
	}
	testkit.Eventually(p.t, "some of it in the file", func() bool {
		info, err := os.Stat(file + ".partial")
		return err == nil && info.Size() > 0
	})
	if len(p.backupFolders()) != 1 {
		p.t.Fatalf("the server has sent all of the backup: %v", p.backupFolders())
	}
	return c, said, ended, sync.OnceFunc(func() { close(on) })
}

// backupFolders are the folders in which a server makes backups.
func (p *process) backupFolders() []string {
	p.t.Helper()
	left, err := filepath.Glob(filepath.Join(p.dir, "backup-*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return left
}

// The test kills the program or the server during a backup. The partial file is not taken for a
// whole backup, everything that stays of it is used or removed by the next backup, no acknowledged
// reading is lost, and the next backup is whole.
func TestKillDuringBackup(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	fast := []string{"--device-rate", "1000000", "--device-burst", "1000000"}
	p.start(fast...)
	p.apply(notesFarm)
	begin := time.Now().Add(-24 * time.Hour).UnixMilli()
	notes := p.writeNotes(begin, 0, 60)
	dir := t.TempDir()
	file := filepath.Join(dir, "farm.tar")
	files := func(want ...string) {
		t.Helper()
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != len(want) || len(want) > 0 && left[0].Name() != want[0] {
			t.Errorf("left: %v (%v), want %v", left, err, want)
		}
	}

	// The program is killed after another one has begun beside it.
	c, _, ended, _ := p.startStalledBackup(file)
	if out, err := p.tilth(
		"backup",
		"-o",
		file,
		"--server", "http://"+p.admin,
	); err == nil ||
		!strings.Contains(out, "another backup is being written to "+file+".partial") {
		t.Errorf("a second backup at the same time: %v\n%s", err, out)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	testkit.Eventually(t, "the copies to be gone", func() bool { return len(p.backupFolders()) == 0 })
	files("farm.tar.partial")
	out, err := p.tilth("restore", file+".partial", "--data-dir", filepath.Join(dir, "half"))
	if err == nil || !strings.Contains(out, "the archive is damaged or not whole") {
		t.Errorf("restore of half a backup: %v\n%s", err, out)
	}
	files("farm.tar.partial")

	// The user interrupts the program.
	c, said, ended, _ := p.startStalledBackup(file)
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Errorf("the interrupted backup printed %s", said)
	}
	files()
	testkit.Eventually(t, "the copies to be gone", func() bool { return len(p.backupFolders()) == 0 })

	// The server is killed while it sends.
	_, said, ended, goOn := p.startStalledBackup(file)
	notes = p.writeNotes(begin, notes, 1)
	p.kill()
	goOn()
	if err := <-ended; err == nil {
		t.Errorf("the backup of a killed server printed %s", said)
	}
	files()
	if len(p.backupFolders()) != 1 {
		t.Errorf("copies: %v", p.backupFolders())
	}
	p.start(fast...)
	if left := p.backupFolders(); len(left) > 0 {
		t.Errorf("the killed server left %v", left)
	}

	// The server is killed while it copies.
	for range 2 {
		notes = p.writeNotes(begin, notes, 1)
		_, said, ended = p.startBackup(file, p.admin)
		testkit.Eventually(t, "copies", func() bool { return len(p.backupFolders()) > 0 })
		p.kill()
		if err := <-ended; err == nil {
			t.Errorf("the backup of a killed server printed %s", said)
		}
		files()
		p.start(fast...)
		if left := p.backupFolders(); len(left) > 0 {
			t.Errorf("the killed server left %v", left)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "last-backup")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after no whole backup: %v", err)
	}
	if n := p.noteCount(begin); n != notes {
		t.Errorf("%d notes are left of %d", n, notes)
	}

	// The next backup is whole, and overwrites what a killed one left.
	c, _, ended, _ = p.startStalledBackup(file)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if out, err := p.tilth("backup", "-o", file, "--server", "http://"+p.admin); err != nil {
		t.Fatalf("backup: %v\n%s", err, out)
	}
	files("farm.tar")
	restored := newProcess(t)
	out, err = p.tilth(append([]string{"restore", file}, restored.storageArgs()...)...)
	if err != nil || !strings.Contains(out, "nothing contradicts itself") {
		t.Fatalf("restore: %v\n%s", err, out)
	}
	restored.start()
	if n := restored.noteCount(begin); n != notes {
		t.Errorf("%d notes were restored of %d", n, notes)
	}
	restored.stop()
	p.stop()
}
