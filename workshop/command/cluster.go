package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/platform/db"
	"tilth/internal/tools/pgpair"
	"tilth/workshop/bench"
)

// clusterBench is `workshop cluster` with its flags. It raises the limit of open files as ingestBench
// does.
type clusterBench struct {
	ingestBench
	cluster bench.ClusterOptions
	sizes   []int // devices with which nodes take over
	times   int
}

// largeSize is a number of devices from which on a node takes over only twice in each way, since filling
// and starting take long.
const largeSize = 50_000

func clusterCommand() *cobra.Command {
	b := &clusterBench{}
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Compare a node of a cluster with one server alone, and measure how soon nodes take over",
		Long: `Start in turn one server alone, a node over PostgreSQL, and a node with a standby,
each on empty folders, and load each by devices: at a fixed rate and fully. Everything
that was acknowledged is read back. Then let two nodes take over from each other, by
kill -9 and by tilth cluster yield, with devices and alarm rules registered, and measure
how long a device is unanswered. The command fails if anything that was acknowledged is
missing.

PostgreSQL and its synchronous copy are started on this machine, and wait for the disk.
That needs Debian's PostgreSQL, or initdb on the PATH.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b.out = c.OutOrStdout()
			return b.runCluster(c.Context())
		},
	}
	f := c.Flags()
	o := &b.cluster
	f.IntVar(&o.Rounds, "rounds", 3, "how often each is loaded, in turn; 0: none is")
	f.DurationVar(&o.Duration, "duration", 6*time.Second, "how long one measurement takes")
	f.IntVar(&o.Connections, "connections", 2000, "MQTT connections at full load")
	f.IntVar(&o.Window, "window", 32, "messages of a connection in flight at full load")
	f.IntVar(&o.Values, "values", 8, "values in a message")
	f.IntVar(&o.Rate, "rate", 2000, "messages a second of the fixed rate")
	f.IntSliceVar(&b.sizes, "takeovers", []int{1000, 20_000, 100_000},
		"numbers of devices with which nodes take over; 0: none")
	f.IntVar(&o.RuledShare, "ruled-share", 1, "one in so many of these devices has a rule")
	f.IntVar(&b.times, "times", 3, "how often a node takes over in each way; at most 2 with "+
		strconv.Itoa(largeSize)+" devices or more")
	addBinary(f, &b.binary)
	f.StringVar(
		&b.dir,
		"dir",
		"",
		"where all folders are made, so that their disk is measured (default: the system's temporary folder)",
	)
	return c
}

func (b *clusterBench) checkCluster() error {
	o := &b.cluster
	switch {
	case o.Rounds < 0:
		return fmt.Errorf("--rounds: not below 0")
	case o.Duration <= 0:
		return fmt.Errorf("--duration: above 0")
	case o.Connections < 1:
		return fmt.Errorf("--connections: 1 or more")
	case o.Window < 1 || o.Window > 65535:
		return fmt.Errorf("--window: 1 to 65535")
	case o.Values < 1 || o.Values > maxValues:
		return fmt.Errorf("--values: 1 to %d", maxValues)
	case o.Rate < 1:
		return fmt.Errorf("--rate: 1 or more")
	case o.RuledShare < 1:
		return fmt.Errorf("--ruled-share: 1 or more")
	case b.times < 1:
		return fmt.Errorf("--times: 1 or more")
	}
	if slices.Equal(b.sizes, []int{0}) {
		return nil
	}
	for _, n := range b.sizes {
		if n < 1 {
			return fmt.Errorf("--takeovers: 1 or more each, or 0 alone")
		}
		size := bench.ClusterSize{Devices: n, Times: b.times}
		if n >= largeSize {
			size.Times = min(size.Times, 2)
		}
		o.Takeovers = append(o.Takeovers, size)
	}
	return nil
}

func (b *clusterBench) runCluster(ctx context.Context) (err error) {
	if err := b.checkCluster(); err != nil {
		return err
	}
	o := &b.cluster
	b.options.Connections = o.Connections
	if err := b.raiseFileLimit(); err != nil {
		return err
	}
	o.Binary = b.binary
	if o.Dir, err = os.MkdirTemp(b.dir, "tilth-bench-"); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	if err := os.Chmod(o.Dir, 0o755); err != nil { // PostgreSQL runs as another user than root
		return err
	}
	// package bench knows no store, so it gets these functions.
	o.Out, o.Apply, o.CopyRules, o.MoveDatabase = b.out, applyTenant, CopyRules, db.Move
	o.StartDatabase = func(ctx context.Context, dir string) (bench.ClusterDatabase, error) {
		return pgpair.Start(ctx, pgpair.Options{Dir: dir, Fsync: true})
	}
	o.Args = []string{
		"--device-rate", strconv.Itoa(unlimitedRate), "--device-burst", strconv.Itoa(unlimitedRate),
		"--mqtt-per-address", strconv.Itoa(o.Connections + spareFiles),
	}
	return bench.RunCluster(ctx, *o)
}
