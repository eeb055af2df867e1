package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/cluster"
	"tilth/internal/server"
	"tilth/internal/settings"
)

// yieldTimeout is how long a hand-over may take before the command says that it did not happen.
const yieldTimeout = 30 * time.Second

func clusterCommand() *cobra.Command {
	return group("cluster", "Look after a cluster", clusterStatusCommand(), clusterYieldCommand(),
		clusterForgetCommand(), clusterNewLifeCommand())
}

// withDatabase declares --database-url for a command, and reads it.
func withDatabase(c *cobra.Command, run func(c *cobra.Command, address string) error) *cobra.Command {
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		address, err := settings.DatabaseURL(c.Flags())
		if err != nil {
			return err
		}
		if address == "" {
			return fmt.Errorf("--%s: the database of the cluster is needed, by the flag or %s",
				settings.DatabaseFlag, settings.DatabaseVariable)
		}
		return run(c, address)
	}
	settings.AddDatabaseFlag(c.Flags())
	return c
}

func clusterStatusCommand() *cobra.Command {
	return withDatabase(&cobra.Command{
		Use:   "status",
		Short: "Show who leads, which nodes there are, and what needs attention",
		Long: `Show which node leads, how far each node has followed the log, how much the log
takes, and what needs attention, from the cluster's database. The command fails if
no node leads.`,
	}, func(c *cobra.Command, address string) error {
		s, err := cluster.ReadStatus(c.Context(), address)
		if err != nil {
			return err
		}
		printStatus(c.OutOrStdout(), s)
		if s.Leader == "" {
			return errSilent
		}
		return nil
	})
}

func printStatus(out io.Writer, s *cluster.Status) {
	leader := s.Leader
	if leader == "" {
		leader = "nobody"
	}
	fmt.Fprintf(out, "leads:  %s, epoch %d\n", leader, s.Epoch)
	if s.First == 0 {
		fmt.Fprintf(out, "log:    empty, at position %d\n", s.Last)
	} else {
		fmt.Fprintf(out, "log:    entries %d to %d, %s, since %s\n",
			s.First, s.Last, formatBytes(s.LogBytes), s.LogSince.Format(time.RFC3339))
	}
	switch {
	case s.ArchiveComplete:
		fmt.Fprintf(out, "archive: sealed days, %s; a node can begin with it from entry %d on\n",
			formatBytes(s.ArchiveBytes), s.Archived+1)
	case s.ArchiveBytes > 0:
		fmt.Fprintf(out, "archive: not complete yet, %s\n", formatBytes(s.ArchiveBytes))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nNODE\tADDRESS\tVERSION\tPOSITION\tBEHIND\tSEEN")
	for _, n := range s.Nodes {
		behind := uint64(0)
		if n.Position < s.Last {
			behind = s.Last - n.Position
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%s ago\n",
			n.Name, n.Address, n.Version, n.Position, behind, max(n.Seen, 0).Round(time.Second))
	}
	_ = table.Flush() // it writes to out, whose errors the other lines drop as well
	for i, p := range s.Problems {
		if i == 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, "!", p)
	}
}

func clusterYieldCommand() *cobra.Command {
	return withDatabase(&cobra.Command{
		Use:   "yield",
		Short: "Ask the node that leads to hand over to another, as before its upgrade",
		Long: `Ask the node that leads to hand over to another one, and wait until that one leads.
Nothing is repeated, and devices are unanswered for less than a second. The command
refuses if no other node is there, or the others are behind.`,
	}, func(c *cobra.Command, address string) error {
		before, err := cluster.ReadStatus(c.Context(), address)
		if err != nil {
			return err
		}
		if before.Leader == "" {
			return errors.New("no node leads now")
		}
		if !canTakeOver(before) {
			return errors.New("no other node can take over now: see tilth cluster status")
		}
		began := time.Now()
		if err := cluster.RequestYield(c.Context(), address); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(c.Context(), yieldTimeout)
		defer cancel()
		for {
			now, err := cluster.ReadStatus(ctx, address)
			if err == nil && now.Epoch > before.Epoch && now.Leader != "" {
				fmt.Fprintf(c.OutOrStdout(), "%s has handed over to %s, %s after the request\n",
					before.Leader, now.Leader, time.Since(began).Round(10*time.Millisecond))
				return nil
			}
			select {
			case <-time.After(50 * time.Millisecond): // the database tells of no change
			case <-ctx.Done():
				return fmt.Errorf("%s has not handed over within %s: look at its log", before.Leader, yieldTimeout)
			}
		}
	})
}

// maxYieldLag is how many entries of the log the next node may lack.
const maxYieldLag = 1000

// canTakeOver reports whether a node beside the one that leads is there and has nearly everything.
func canTakeOver(s *cluster.Status) bool {
	for _, n := range s.Nodes {
		if n.Name != s.Leader && n.Trouble == "" && n.Seen < 10*time.Second && n.Position+maxYieldLag >= s.Last {
			return true
		}
	}
	return false
}

func clusterForgetCommand() *cobra.Command {
	return withDatabase(&cobra.Command{
		Use:   "forget NODE",
		Short: "Forget a node that was taken away",
		Args:  cobra.ExactArgs(1),
	}, func(c *cobra.Command, address string) error {
		return cluster.ForgetNode(c.Context(), address, c.Flags().Arg(0))
	})
}

func clusterNewLifeCommand() *cobra.Command {
	c := withDatabase(&cobra.Command{
		Use:   "new-life --data-dir DIR",
		Short: "Begin a new log after the database was restored to an earlier time",
		Long: `Begin a new log after the database was restored to an earlier time, with what the
node of the data folder holds. Stop every node first, and run this where the readings
are newest. Afterwards start that node; the others take its readings with tilth join
--again. What people changed after the time of the restore is lost; readings are not.`,
	}, func(c *cobra.Command, address string) error {
		dir, err := settings.DataDir(c.Flags())
		if err != nil {
			return err
		}
		logger := slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
		position, err := server.BeginNewLife(c.Context(), dir, address, logger)
		if err != nil {
			return err
		}
		fmt.Fprintf(
			c.OutOrStdout(),
			"a new log begins after entry %d; start the node of %s, and then run on each other node: tilth join --again\n",
			position,
			filepath.Clean(dir),
		)
		return nil
	})
	c.Flags().String(settings.DataDirFlag, "",
		"the node's data folder (required, here or in "+settings.Variable(settings.DataDirFlag)+")")
	return c
}
