package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
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

// A stop while the server is prepared is no failure; what else ends the preparation is.
func TestStopWhilePreparing(t *testing.T) {
	t.Parallel()
	failure := errors.New("no farm")
	for name, c := range map[string]struct {
		stopped        bool
		returned, want error
	}{
		"the stop":                      {true, context.Canceled, nil},
		"a failure":                     {false, failure, failure},
		"a failure before a stop":       {true, failure, failure},
		"a cancellation without a stop": {false, context.Canceled, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, err := parseArgs(
				t,
				"--data-dir", t.TempDir(),
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
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			err = s.Run(ctx, func(context.Context) error {
				if c.stopped {
					stop()
				}
				return c.returned
			}, func() { t.Error("it says that it is ready") })
			if !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("Run returned %v, want %v", err, c.want)
			}
		})
	}
}
