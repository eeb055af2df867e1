package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // zones are known on machines that have none installed

	"github.com/spf13/cobra"
)

// errSilent ends a command whose trouble has been told already.
var errSilent = errors.New("already told")

// Main runs the command line and answers the process's exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, errSilent) {
			fmt.Fprintln(os.Stderr, "tilth:", err)
		}
		return 1
	}
	return 0
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "tilth",
		Short:         "Monitoring for people who grow: sensors, readings, alarms",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.CompletionOptions.DisableDefaultCmd = true
	c.AddCommand(serveCommand(), demoCommand(), simulateCommand(), benchCommand(), doctorCommand(), backupCommand(), restoreCommand(), outboxCommand(), healthcheckCommand(), versionCommand())
	c.AddCommand(providerCommands()...)
	return c
}
