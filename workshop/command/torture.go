package command

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tilth/workshop/torture"
)

// tortureCommand is `workshop torture`. Its flags are those of Go's package flag, with one dash.
func tortureCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "torture",
		Short: "Inject faults of machines and networks into servers, and count what is lost; -h lists the flags",
		Long: `Start servers and make them and what they stand on fail, in ways that machines
and networks have. Then compare what the servers have with all that they
acknowledged. scripts/torture.sh and scripts/cluster-torture.sh build what it needs.`,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			o := torture.Options{Out: c.OutOrStdout()}
			f := flag.NewFlagSet(c.CommandPath(), flag.ContinueOnError)
			f.SetOutput(c.ErrOrStderr())
			f.StringVar(&o.Binary, "binary", "bin/tilth", "path of the tilth to test")
			f.StringVar(
				&o.SteppedBinary,
				"stepped",
				"",
				"path of a tilth whose clock can be stepped (scripts/torture.sh builds it)",
			)
			f.IntVar(&o.Rounds, "rounds", 10, "rounds of the faults that repeat")
			f.IntVar(&o.IdleConnections, "crowd", 10_000, "number of idle connections")
			only := f.String("only", "", "faults to run, separated by commas; empty: all")
			dir := f.String("dir", "", "folder for temporary files (default: the system's temporary folder)")
			cluster := f.Bool("cluster", false, "run the faults of a cluster, with PostgreSQL and three nodes")
			paced := f.Bool("paced", false, "with -cluster: judge an orderly end by what a kill took in this run")
			if err := f.Parse(args); err != nil {
				if errors.Is(err, flag.ErrHelp) {
					return nil
				}
				return err
			}
			if *only != "" {
				o.Only = strings.Split(*only, ",")
			}
			if o.Rounds < 1 || o.IdleConnections < 1 {
				return errors.New("-rounds and -crowd must be 1 or more")
			}
			var asCluster *torture.ClusterOptions
			if *cluster {
				asCluster = &torture.ClusterOptions{Fsync: true, Paced: *paced}
			}
			return runTorture(c.Context(), o, *dir, asCluster)
		},
	}
}

// runTorture runs the faults of one server or, if cluster is set, of a cluster, in a folder of their own.
func runTorture(ctx context.Context, o torture.Options, dir string, cluster *torture.ClusterOptions) (err error) {
	if o.Dir, err = os.MkdirTemp(dir, "tilth-torture-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	if cluster == nil {
		return torture.Run(ctx, o)
	}
	cluster.Binary, cluster.Dir, cluster.Rounds, cluster.Only, cluster.Out = o.Binary, o.Dir, o.Rounds, o.Only, o.Out
	return torture.RunCluster(ctx, *cluster)
}
