// Command cmd runs the faults of package torture against a tilth and prints the results;
// scripts/torture.sh builds what it needs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"tilth/internal/tools/torture"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	o := torture.Options{Out: os.Stdout}
	flag.StringVar(&o.Binary, "binary", "bin/tilth", "path of the tilth to test")
	flag.StringVar(
		&o.SteppedBinary,
		"stepped",
		"",
		"path of a tilth whose clock can be stepped (scripts/torture.sh builds it)",
	)
	flag.IntVar(&o.Rounds, "rounds", 10, "rounds of the faults that repeat")
	flag.IntVar(&o.IdleConnections, "crowd", 10_000, "number of idle connections")
	only := flag.String("only", "", "faults to run, separated by commas; empty: all")
	dir := flag.String("dir", "", "folder for temporary files (default: the system's temporary folder)")
	cluster := flag.Bool("cluster", false, "run the faults of a cluster, with PostgreSQL and three nodes")
	fsync := flag.Bool("fsync", true, "with -cluster: PostgreSQL waits for the disk")
	keep := flag.Bool("keep", false, "with -cluster: keep the folder")
	paced := flag.Bool("paced", false, "with -cluster: judge an orderly end by what a kill took in this run")
	flag.Parse()
	if *only != "" {
		o.Only = strings.Split(*only, ",")
	}
	if o.Rounds < 1 || o.IdleConnections < 1 {
		return errors.New("-rounds and -crowd must be 1 or more")
	}
	if o.Dir, err = os.MkdirTemp(*dir, "tilth-torture-"); err != nil {
		return err
	}
	defer func() {
		if !*keep {
			err = errors.Join(err, os.RemoveAll(o.Dir))
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *cluster {
		return torture.RunCluster(ctx, torture.ClusterOptions{
			Binary: o.Binary, Dir: o.Dir, Rounds: o.Rounds, Only: o.Only, Fsync: *fsync, Keep: *keep, Paced: *paced,
			Out: o.Out,
		})
	}
	return torture.Run(ctx, o)
}
