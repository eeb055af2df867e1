package pgpair_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/pgpair"
)

// namedFolder makes a folder that the servers' user can read, whose name all processes of a pair show.
func namedFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgpair")
	ok(t, err)
	t.Cleanup(func() { ok(t, os.RemoveAll(dir)) })
	ok(t, os.Chmod(dir, 0o755))
	return dir
}

// processesOf returns how many processes the pair in a folder has.
func processesOf(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := exec.Command("ps", "-A", "-ww", "-o", "args=").Output()
	if err != nil {
		t.Skipf("ps: %v", err)
	}
	for line := range strings.Lines(string(list)) {
		if strings.Contains(line, filepath.Base(dir)) {
			n++
		}
	}
	return n
}

// crashDirEnv makes the test binary a program that starts a pair in a folder, prints a line, and waits
// to be killed.
const crashDirEnv = "PGPAIR_TEST_CRASH_DIR"

func startAndWait(dir string) {
	if _, err := pgpair.Start(context.Background(), pgpair.Options{Dir: dir}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("started")
	select {}
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirEnv); dir != "" {
		startAndWait(dir)
	}
	os.Exit(m.Run())
}

func TestServersEndWithTheirProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends them")
	}
	if testing.Short() {
		t.Skip("it starts PostgreSQL servers")
	}
	dir := namedFolder(t)
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), crashDirEnv+"="+dir)
	program.Stderr = os.Stderr
	output, err := program.StdoutPipe()
	ok(t, err)
	ok(t, program.Start())
	line, readErr := bufio.NewReader(output).ReadString('\n')
	killErr := program.Process.Kill()
	if strings.HasPrefix(line, pgpair.ErrMissing.Error()) {
		t.Skip(line)
	}
	if line != "started\n" {
		t.Fatalf("the program said %q (%v)", line, readErr)
	}
	ok(t, killErr)
	program.Wait() // fails: it was killed
	for began := time.Now(); processesOf(t, dir) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("servers still run 10 s after their program was killed")
		}
	}
}
