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

// Version is set when a release is built.
var Version = "0.1.0-dev"

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
	c.AddCommand(serveCommand(), demoCommand(), simulateCommand(), benchCommand(), doctorCommand(), backupCommand(), restoreCommand(), outboxCommand(), versionCommand())
	c.AddCommand(providerCommands()...)
	return c
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), "tilth", Version) },
	}
}
