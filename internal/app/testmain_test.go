package app

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tilth/internal/tools/testkit/program"
)

// minParallel is how many tests run at once, at least, unless -parallel says
// otherwise: mostly they wait for processes, disks and far ends.
const minParallel = 6

func TestMain(m *testing.M) {
	code, err := 1, errors.Join(unsetSettings(), setParallel())
	if err == nil {
		code = m.Run()
		err = program.Remove()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// unsetSettings takes away the settings of whoever runs the tests: they are
// none of the servers' that tests start.
func unsetSettings() error {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "TILTH_") && !strings.HasPrefix(name, "TILTH_TEST_") && name != "TILTH_KILL_ROUNDS" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func setParallel() error {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if said {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(max(minParallel, runtime.GOMAXPROCS(0))))
}

// A unit test that is run alone does not wait until a server is built: only a
// test that starts a process asks for one.
func TestUnitTestDoesNotBuildServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	called := filepath.Join(dir, "called")
	if err := os.WriteFile(
		filepath.Join(dir, "go"),
		[]byte("#!/bin/sh\necho \"$*\" > "+called+"\nexit 1\n"),
		0o700,
	); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	run := func(test string) (built bool, err error) {
		t.Helper()
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$")
		c.Env = append(os.Environ(), "PATH="+dir, program.BinaryEnv+"=")
		out, err := c.CombinedOutput()
		t.Logf("%s: %s", test, out)
		said, e := os.ReadFile(called)
		return e == nil && strings.HasPrefix(string(said), "build "), err
	}
	if built, err := run("TestUnknownCommands"); built || err != nil {
		t.Errorf("a unit test: built %v, %v", built, err)
	}
	// The same with a test that needs one: a build does not go unseen.
	if built, err := run("TestDataFolderIsItsOwnersAlone"); !built || err == nil {
		t.Errorf("a test of a process: built %v, %v", built, err)
	}
}
