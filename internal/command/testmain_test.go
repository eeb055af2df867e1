package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/program"
)

func TestMain(m *testing.M) { os.Exit(testkit.RunServerTests(m, program.Remove)) }

// A unit test that runs alone does not wait until a server is built: only a test that starts a
// process builds one.
func TestUnitTestDoesNotBuildServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	called := filepath.Join(dir, "called")
	err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\necho \"$*\" > "+called+"\nexit 1\n"), 0o700)
	if err != nil { //nolint:gosec // it is run
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
	// A test that starts a process builds the server, so the check above would notice a build.
	if built, err := run("TestDataFolderIsItsOwnersAlone"); !built || err == nil {
		t.Errorf("a test of a process: built %v, %v", built, err)
	}
}
