// Command cmd tortures a tilth and prints what that has shown; scripts/torture.sh
// builds what it needs.
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
	flag.StringVar(&o.Binary, "binary", "bin/tilth", "the tilth that is tortured")
	flag.StringVar(&o.SteppedBinary, "stepped", "", "a tilth whose clock can be stepped (scripts/torture.sh builds it)")
	flag.IntVar(&o.Rounds, "rounds", 10, "how often what is repeated is made")
	flag.IntVar(&o.IdleConnections, "crowd", 10_000, "idle connections")
	only := flag.String("only", "", "names of faults, with commas; empty: all")
	dir := flag.String("dir", "", "where folders are made (default: the system's temporary folder)")
	flag.Parse()
	if *only != "" {
		o.Only = strings.Split(*only, ",")
	}
	if o.Rounds < 1 || o.IdleConnections < 1 {
		return errors.New("-rounds and -crowd: 1 or more")
	}
	if o.Dir, err = os.MkdirTemp(*dir, "tilth-torture-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return torture.Run(ctx, o)
}
