// Package command is the command line of tilth: serve and the other subcommands.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // time zones for machines without a time zone database

	"github.com/spf13/cobra"

	"tilth/internal/settings"
)

// errSilent ends a command that has reported its failure already.
var errSilent = errors.New("already told")

// Main runs the command line and returns the process's exit code.
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
	c.SetFlagErrorFunc(settings.ExplainFlagError)
	c.CompletionOptions.DisableDefaultCmd = true
	c.AddCommand(
		serveCommand(),
		demoCommand(),
		simulateCommand(),
		doctorCommand(),
		backupCommand(),
		restoreCommand(),
		outboxCommand(),
		clusterCommand(),
		joinCommand(),
		healthcheckCommand(),
		versionCommand(),
	)
	c.AddCommand(providerCommands()...)
	return c
}

// group is a command that only holds subcommands. It refuses any other word, whatever flags follow,
// where cobra would print help and succeed.
func group(name, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: short, DisableFlagsInUseLine: true, SuggestionsMinimumDistance: 2,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if args := c.Flags().Args(); len(args) > 0 && c.HasSubCommands() {
			return unknownCommand(c, args[0])
		}
		return settings.ExplainFlagError(c, err)
	})
	c.AddCommand(below...)
	return c
}

// unknownCommand is the error for a word that is not a subcommand of a group, in the words of
// cobra's root command.
func unknownCommand(c *cobra.Command, name string) error {
	meant := ""
	if similar := c.SuggestionsFor(name); len(similar) > 0 {
		meant = "\n\nDid you mean this?\n\t" + strings.Join(similar, "\n\t") + "\n"
	}
	return fmt.Errorf("unknown command %q for %q%s", name, c.CommandPath(), meant)
}
