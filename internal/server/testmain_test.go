package server

import (
	"context"
	"os"
	"testing"

	"github.com/spf13/pflag"

	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.RunServerTests(m)) }

// runServer runs a server while a function uses it, and waits for its end.
func runServer(t *testing.T, s *Server, while func(s *Server)) {
	t.Helper()
	ready, ended := make(chan struct{}), make(chan error, 1)
	running, stop := context.WithCancel(t.Context())
	go func() { ended <- s.Run(running, nil, func() { close(ready) }) }()
	select {
	case <-ready:
		while(s)
	case err := <-ended:
		stop()
		t.Fatal(err)
	}
	stop()
	if err := testkit.Receive(t, "the end of the server", ended); err != nil {
		t.Error(err)
	}
}

// parseArgs reads the settings that serve would read, given these arguments.
func parseArgs(t *testing.T, args ...string) (*settings.Server, error) {
	t.Helper()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	settings.AddFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return settings.Read(flags)
}
