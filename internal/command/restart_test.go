package command

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// restartStageEnv says, in a process that a test started, which start it is.
const restartStageEnv = "TILTH_TEST_RESTART"

// The restarted program is the same program with the same arguments in the same process.
func TestRestartReplacesProcess(t *testing.T) {
	switch os.Getenv(restartStageEnv) {
	case "first":
		if err := os.Setenv(restartStageEnv, "second "+strconv.Itoa(os.Getpid())); err != nil {
			t.Fatal(err)
		}
		t.Fatal(restartProcess(slog.New(slog.DiscardHandler)))
	case "":
	default:
		fmt.Printf("%s is %d of %d arguments\n", os.Getenv(restartStageEnv), os.Getpid(), len(os.Args))
		os.Exit(0)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestRestartReplacesProcess$", "-test.v")
	c.Env = append(os.Environ(), restartStageEnv+"=first")
	out, err := c.CombinedOutput()
	want := fmt.Sprintf("second %d is %d of 3 arguments", c.ProcessState.Pid(), c.ProcessState.Pid())
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v, want %q in %s", err, want, out)
	}
}
