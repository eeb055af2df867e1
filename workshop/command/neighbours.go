package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tilth/workshop/bench"
)

// neighboursBench is `workshop neighbours` with its flags. It raises the limit of open files as
// ingestBench does.
type neighboursBench struct {
	ingestBench
	sample  bool
	attacks bench.NeighbourOptions
}

func neighboursCommand() *cobra.Command {
	b := &neighboursBench{}
	c := &cobra.Command{
		Use:   "neighbours",
		Short: "Let tenants take more than their share, and measure how that affects another tenant",
		Long: `For each attack start a server of its own on an empty folder, with a tenant that
has a normal load: devices publish, alarms open and end, a screen is open, a list
is read, somebody signs in. Measure that tenant while others attack, and without
an attack, and print both in one table with the limits. Afterwards everything that
was acknowledged is read back, and all notices are compared with those that the
readings must have led to. The command fails if a limit is exceeded.

Attacks: ` + strings.Join(bench.NeighbourAttacks(), ", ") + `.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b.out = c.OutOrStdout()
			return b.runNeighbours(c.Context())
		},
	}
	f := c.Flags()
	f.BoolVar(&b.sample, "sample", false, "smaller attacks of a few seconds, to see that all of it works")
	f.StringSliceVar(&b.attacks.Only, "only", nil, "names of attacks, with commas; none: all")
	addBinary(f, &b.binary)
	f.StringVar(
		&b.dir,
		"dir",
		"",
		"where the servers' data folders are made, so that their disk is measured (default: the system's temporary folder)",
	)
	return c
}

func (b *neighboursBench) runNeighbours(ctx context.Context) (err error) {
	o := &b.attacks
	// package bench knows no store, so it gets these functions.
	o.Out, o.Apply, o.CopyRules, o.FillTenant, o.Size = b.out, applyTenant, CopyRules, FillTenant, bench.NeighbourRun
	if b.sample {
		o.Size = bench.NeighbourSample
	}
	// The attack with the most connections decides how many files are needed.
	b.options.Connections = max(o.Size.Readers, o.Size.Screens)
	if err := b.raiseFileLimit(); err != nil {
		return err
	}
	o.Binary = b.binary
	if o.Dir, err = os.MkdirTemp(b.dir, "tilth-bench-"); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	return bench.RunNeighbours(ctx, *o)
}
