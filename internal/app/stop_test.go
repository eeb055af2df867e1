package app

import (
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// hangingEnv makes the test's own process hang in its stop.
const hangingEnv = "TILTH_TEST_HANGING"

// A stop that hangs is ended with an error; one that ends in time is not.
func TestStopThatHangs(t *testing.T) {
	if how := os.Getenv(hangingEnv); how != "" {
		stopped := make(chan struct{})
		if how == "not" {
			close(stopped)
		}
		exitIfHanging(stopped, 50*time.Millisecond, slog.New(slog.NewTextHandler(os.Stderr, nil)))
		return
	}
	t.Parallel()
	for how, want := range map[string]bool{"yes": false, "not": true} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStopThatHangs$")
		c.Env = append(os.Environ(), hangingEnv+"="+how)
		out, err := c.CombinedOutput()
		if (err == nil) != want || strings.Contains(string(out), "the stop hangs; ending at once") == want {
			t.Errorf("%s: %v\n%s", how, err, out)
		}
	}
}
