package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tilth/workshop/bench"
)

// liveBench is `workshop live` with its flags.
type liveBench struct {
	options bench.LiveOptions
	binary  string
	dir     string
	out     io.Writer
}

func liveCommand() *cobra.Command {
	b := &liveBench{}
	c := &cobra.Command{
		Use:   "live",
		Short: "Keep thousands of screens open, and measure when readings reach them",
		Long: `Start a server of its own on an empty folder with many tenants, and open live
streams as browsers do. First no device reports; then a device of each tenant
reports once a second; then the last tenant is busy; then it also has screens
that never read what they are sent. Measure how long after a reading's
acknowledgement its event is on each screen of its tenant, and what a screen
costs. The command fails if an event is lost or sent twice, if a screen that
reads is cut off, or if one that does not read stays open.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b.out = c.OutOrStdout()
			return b.run(c.Context())
		},
	}
	f, o := c.Flags(), &b.options
	f.IntVar(&o.Screens, "screens", 2000, "open screens, distributed among the tenants")
	f.IntVar(&o.Tenants, "tenants", 50, "tenants, each with a device that reports once a second")
	f.IntVar(
		&o.Busy,
		"busy",
		200,
		"further readings a second of the last tenant, in the last two parts; 0: leave them out",
	)
	f.IntVar(&o.Slow, "slow", 20, "screens of the last tenant that never read, in the last part; 0: leave it out")
	f.IntVar(&o.Values, "values", 8, "values in a reading")
	f.DurationVar(&o.Duration, "duration", 30*time.Second, "how long each part measures")
	addBinary(f, &b.binary)
	f.StringVar(&b.dir, "dir", "", "where the server's data folder is made (default: the system's temporary folder)")
	return c
}

func (b *liveBench) run(ctx context.Context) (err error) {
	o := b.options
	if err := o.Check(); err != nil {
		return err
	}
	if o.Values > maxValues {
		return fmt.Errorf("--values: at most %d", maxValues)
	}
	// Each screen needs a file, and so does each device's connection.
	connections := o.Screens + o.Slow + o.Tenants + o.Busy
	limits := &ingestBench{options: bench.Options{Connections: connections}, out: b.out}
	if err := limits.raiseFileLimit(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.dir, "tilth-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	server, tenants, err := bench.ServeLive(ctx, o, bench.ServerOptions{
		Binary: b.binary, Dir: dir, Apply: applyTenant,
		Args: []string{"--mqtt-per-address", strconv.Itoa(connections)},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	r, err := bench.RunLive(ctx, o, server, tenants)
	if err != nil {
		return err
	}
	return errors.Join(r.Print(b.out), r.Err())
}
