// Package command is the command line of the workshop: what measures, attacks and breaks servers.
package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones for machines without a time zone database

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Main runs the command line and returns the process's exit code.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "workshop:", err)
		return 1
	}
	return 0
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "workshop",
		Short:         "Measure what load a tilth takes, attack it, and break what it stands on",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.CompletionOptions.DisableDefaultCmd = true
	c.AddCommand(
		ingestCommand(),
		alarmCommand(),
		liveCommand(),
		notifyCommand(),
		historyCommand(),
		neighboursCommand(),
		clusterCommand(),
		fileCommand(),
		tortureCommand(),
	)
	return c
}

// addBinary adds the flag that names the tilth that a command starts.
func addBinary(f *pflag.FlagSet, path *string) {
	f.StringVar(path, "binary", "bin/tilth", "tilth to start")
}
