package command

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tilth/internal/command/client"
	"tilth/internal/tools/testkit"
)

// A first start may be killed at any point. The next start continues it, and leaves nothing that
// does not belong there.
func TestKilledFirstStartIsResumed(t *testing.T) {
	t.Parallel()
	whole := []string{"device-key", "lived-until", "lock", "provider-token", "readings", "tilth.db"}
	for _, made := range []string{"lock", "tilth.db", "tilth.db-wal", "device-key", "readings", "provider-token", "lived-until"} {
		t.Run(made, func(t *testing.T) {
			p := newProcess(t)
			if p.database != "" {
				t.Skip("with PostgreSQL the folder is the same, but for the database")
			}
			p.token = "" // the server makes one
			path, err := p.path()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, p.serverArgs()...)
			cmd.Env = append(os.Environ(), client.TokenEnv+"=")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test fails
			// The loop does not pause, since the start would get far meanwhile.
			for until := time.Now().Add(testkit.WaitTimeout); ; {
				if _, err := os.Lstat(filepath.Join(p.dir, made)); err == nil {
					break
				} else if !errors.Is(err, fs.ErrNotExist) || time.Now().After(until) {
					t.Fatalf("the folder never got that far: %v", err)
				}
			}
			if err := errors.Join(cmd.Process.Kill(), cmd.Wait()); err == nil {
				t.Error("the process was not killed")
			}
			p.start()
			p.stop()
			entries, err := os.ReadDir(p.dir)
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if !slices.Equal(left, whole) {
				t.Errorf("in the folder: %v, want %v", left, whole)
			}
		})
	}
}
