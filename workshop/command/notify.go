package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/domain/notify"
	"tilth/workshop/bench"
)

// notifyBench is `workshop telling` with its flags. It raises the limit of open files as
// ingestBench does.
type notifyBench struct {
	ingestBench
	notify  bench.NotifyOptions
	digests []int
}

func notifyCommand() *cobra.Command {
	b := &notifyBench{}
	c := &cobra.Command{
		Use:   "telling",
		Short: "Let volleys of alarm notices open and end, and measure when people are told on screens and by mail",
		Long: `Start a server of its own on an empty folder, and a mail server that counts. In
each of some tenants open a screen for every user, and make alarm rules that
notify two addresses. Another tenant's devices send as much as the server
accepts: first nothing else happens, then volleys of notices open within a second
and end a little later. Measure how that slows the devices, and how long after a
reading's acknowledgement its notice is in the list, notice and message are on
each screen, and the mail has arrived. The command fails if a mail or an event is
lost or sent twice.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b.out = c.OutOrStdout()
			return b.runNotify(c.Context())
		},
	}
	f, o := c.Flags(), &b.notify
	f.IntVar(&o.Tenants, "tenants", 10, "tenants whose people are told")
	f.IntVar(&o.Users, "users", 20, "users of each, every one with an open screen")
	f.IntVar(
		&o.Notices,
		"notices",
		1000,
		"notices of a volley, distributed among the tenants; a multiple of their number",
	)
	f.IntVar(&o.Volleys, "volleys", 3, "volleys, one after the other")
	f.DurationVar(&o.Every, "every", 15*time.Second, "from the beginning of a volley to that of the next")
	f.DurationVar(&o.Hold, "hold", 5*time.Second, "from the beginning of a volley until its notices begin to end")
	f.IntVar(&o.Load, "connections", 500, "connections that send as much as the server accepts meanwhile")
	f.IntVar(&o.Window, "window", 32, "messages of such a connection in flight at most")
	f.IntVar(&o.Values, "values", 8, "values in such a message")
	f.DurationVar(
		&o.Duration,
		"duration",
		30*time.Second,
		"how long to measure without volleys; the part with them lasts as long as they do",
	)
	f.IntSliceVar(
		&b.digests,
		"digest-after",
		[]int{0, notify.DefaultDigestAfter},
		"the server's setting; several: a run for each",
	)
	f.DurationVar(&o.Patience, "patience", 10*time.Minute, "how long to wait for the outbox after the last burst")
	addBinary(f, &b.binary)
	f.StringVar(
		&b.dir,
		"dir",
		"",
		"where the server's data folder is made, so that its disk is measured (default: the system's temporary folder)",
	)
	return c
}

func (b *notifyBench) runNotify(ctx context.Context) error {
	o := &b.notify
	for _, o.DigestAfter = range b.digests {
		if err := o.Check(); err != nil {
			return err
		}
	}
	if o.Values > maxValues {
		return fmt.Errorf("--values: at most %d", maxValues)
	}
	b.options.Connections = o.Load + o.Notices + o.Tenants*o.Users
	if err := b.raiseFileLimit(); err != nil {
		return err
	}
	var trouble error
	for _, o.DigestAfter = range b.digests {
		r, err := b.measureNotify(ctx)
		if err != nil {
			return err
		}
		trouble = errors.Join(trouble, r.Print(b.out), r.Err())
	}
	return trouble
}

// measureNotify makes one run against a server and a mail server of its own.
func (b *notifyBench) measureNotify(ctx context.Context) (r *bench.NotifyResult, err error) {
	dir, err := os.MkdirTemp(b.dir, "tilth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	mailServer, err := bench.StartMailServer(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, mailServer.Close()) }()
	server, audiences, err := bench.ServeNotify(ctx, b.notify, bench.ServerOptions{
		Binary: b.binary, Dir: dir, Apply: applyTenant,
		Args: []string{
			"--device-rate", strconv.Itoa(unlimitedRate), "--device-burst", strconv.Itoa(unlimitedRate),
			"--mqtt-per-address", strconv.Itoa(b.options.Connections + spareFiles),
			"--smtp-url", mailServer.URL(), "--digest-after", strconv.Itoa(b.notify.DigestAfter), "--mails-a-day", "0",
		},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	return bench.RunNotify(ctx, b.notify, server, audiences, mailServer)
}
