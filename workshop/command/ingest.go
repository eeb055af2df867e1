package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/internal/command/client"
	"tilth/workshop/bench"
)

func fileCommand() *cobra.Command {
	var devices, values int
	c := &cobra.Command{
		Use:   "file",
		Short: "Print a provider's file with devices for workshop ingest --file",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if devices < 1 || values < 1 || values > maxValues {
				return fmt.Errorf("--devices: 1 or more; --values: 1 to %d", maxValues)
			}
			file, err := bench.NewTenant(devices, values).File()
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(file)
			return err
		},
	}
	c.Flags().IntVar(&devices, "devices", 2000, "how many devices")
	c.Flags().IntVar(&values, "values", 8, "properties of each")
	return c
}

const (
	maxValues            = 64            // properties that one history call returns
	connectionsPerDevice = 16            // connections that one device may have
	spareFiles           = 2048          // the server keeps a part of its limit for files
	unlimitedRate        = 1_000_000_000 // messages a second and at once, in place of a device's limits
)

// ingestBench is `workshop ingest` with its flags.
type ingestBench struct {
	options bench.Options
	windows []int
	idle    int // idle connections, in place of a run; 0: a run
	values  int
	devices int
	version int
	server  string // of a running server, with mqtt and file
	mqtt    string
	file    string
	peer    string
	peerPID int
	binary  string
	dir     string
	out     io.Writer
}

func ingestCommand() *cobra.Command {
	b := &ingestBench{}
	c := &cobra.Command{
		Use:   "ingest",
		Short: "Publish as many devices do, measure, and read everything back",
		Long: `Start a server of its own on an empty folder, connect devices, keep a number of
QoS 1 messages of each in flight, match every acknowledgement to its message,
and afterwards read every acknowledged value back through the console's calls.
One live stream is open meanwhile. The command fails if anything that was
acknowledged is missing.

With --server, --mqtt and --file it loads a running server: first apply to it what
workshop file prints. That server's own limits hold.
With --idle it opens so many connections, publishes nothing and prints how much
memory each connection costs the server that it starts.
With --peer-mqtt it does the same to another MQTT server after each run, without
reading back, and prints both in one table.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b.out = c.OutOrStdout()
			return b.run(c.Context())
		},
	}
	f := c.Flags()
	f.IntVar(&b.options.Connections, "connections", 2000, "MQTT connections, all open during the whole run")
	f.IntSliceVar(&b.windows, "window", []int{32}, "messages of a connection in flight; several: a run for each")
	f.IntVar(&b.values, "values", 8, "values in a message")
	f.DurationVar(&b.options.Duration, "duration", 30*time.Second, "how long a run measures")
	f.IntVar(&b.version, "protocol", 4, "4 (MQTT 3.1.1) or 5")
	f.IntVar(
		&b.devices,
		"devices",
		0,
		"devices among which the connections are distributed; 0: one for each connection",
	)
	f.StringVar(&b.server, "server", "", "console of a running server, for example http://127.0.0.1:8080")
	f.StringVar(&b.mqtt, "mqtt", "", "its MQTT address, host:port")
	f.StringVar(&b.file, "file", "", "provider's file with its devices and their secrets")
	f.IntVar(
		&b.idle,
		"idle",
		0,
		"only open so many idle connections, and print how much memory each costs",
	)
	f.StringVar(&b.peer, "peer-mqtt", "", "another MQTT server to compare with, host:port")
	f.IntVar(&b.peerPID, "peer-pid", 0, "its process on this machine, for its processor time and memory")
	addBinary(f, &b.binary)
	f.StringVar(
		&b.dir,
		"dir",
		"",
		"where the server's data folder is made, so that its disk is measured (default: the system's temporary folder)",
	)
	return c
}

// check finds what is wrong with the flags.
func (b *ingestBench) check() error {
	if b.idle > 0 {
		b.options.Connections = b.idle
	}
	if b.devices == 0 {
		b.devices = b.options.Connections
	}
	switch {
	case b.options.Connections < 1:
		return fmt.Errorf("--connections: 1 or more")
	case b.values < 1 || b.values > maxValues:
		return fmt.Errorf("--values: 1 to %d", maxValues)
	case b.devices < 1 || b.devices > b.options.Connections:
		return fmt.Errorf("--devices: from 1 to the number of connections")
	case b.devices*connectionsPerDevice < b.options.Connections:
		return fmt.Errorf(
			"--devices: a device may have %d connections, so %d are too few",
			connectionsPerDevice,
			b.devices,
		)
	case b.idle < 0 || b.idle > 0 && b.server+b.peer != "":
		return fmt.Errorf("--idle: 1 or more, of a server that is started for it")
	case b.options.Duration <= 0:
		return fmt.Errorf("--duration: above 0")
	case b.version != 4 && b.version != 5:
		return fmt.Errorf("--protocol: 4 or 5")
	case (b.server == "") != (b.mqtt == "") || (b.server == "") != (b.file == ""):
		return fmt.Errorf("--server, --mqtt and --file: all of them, or none")
	}
	if u, err := url.Parse(b.server); b.server != "" && (err != nil || u.Host == "") {
		return fmt.Errorf("--server: %q is not an http or https address", b.server)
	}
	for _, w := range b.windows {
		if w < 1 || w > 65535 {
			return fmt.Errorf("--window: 1 to 65535")
		}
	}
	b.options.Protocol = byte(b.version)
	return nil
}

// run makes the runs, and returns why one of them does not count.
func (b *ingestBench) run(ctx context.Context) error {
	if err := b.check(); err != nil {
		return err
	}
	if err := b.raiseFileLimit(); err != nil {
		return err
	}
	if b.idle > 0 {
		return b.withServer(ctx, b.measureIdle)
	}
	var trouble error
	var pairs []bench.Pair
	for _, window := range b.windows {
		b.options.Window = window
		own, err := b.runOwn(ctx)
		if err != nil {
			return err
		}
		trouble = errors.Join(trouble, own.Err())
		if b.peer == "" {
			continue
		}
		peer, err := b.runPeer(ctx)
		if err != nil {
			return err
		}
		trouble = errors.Join(trouble, peer.Err())
		pairs = append(pairs, bench.Pair{Own: own, Peer: peer})
	}
	if len(pairs) > 0 {
		if err := bench.Compare(b.out, pairs); err != nil {
			return err
		}
	}
	return trouble
}

// runOwn loads the named server, or one that it starts for the run.
func (b *ingestBench) runOwn(ctx context.Context) (*bench.Result, error) {
	if b.server != "" {
		return b.runNamed(ctx)
	}
	var result *bench.Result
	err := b.withServer(ctx, func(ctx context.Context, t bench.Target) (err error) {
		result, err = b.measure(ctx, t)
		return err
	})
	return result, err
}

// withServer starts a server for f and stops it afterwards.
func (b *ingestBench) withServer(ctx context.Context, f func(context.Context, bench.Target) error) (err error) {
	dir, err := os.MkdirTemp(b.dir, "tilth-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	limits := []string{
		"--device-rate", strconv.Itoa(unlimitedRate), "--device-burst", strconv.Itoa(unlimitedRate),
		"--mqtt-per-address", strconv.Itoa(b.options.Connections + spareFiles),
	}
	fmt.Fprintf(b.out, "Limits raised: %s\n", strings.Join(limits, " "))
	server, err := bench.Start(ctx, bench.ServerOptions{
		Binary: b.binary, Dir: dir, Args: limits,
		Tenant: bench.NewTenant(b.devices, b.values), Apply: applyTenant,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	return f(ctx, server.Target)
}

func (b *ingestBench) runNamed(ctx context.Context) (*bench.Result, error) {
	raw, err := os.ReadFile(b.file)
	if err != nil {
		return nil, fmt.Errorf("--file: %w", err)
	}
	tenant, err := bench.ReadTenant(raw)
	if err != nil {
		return nil, fmt.Errorf("--file: %s: %w", b.file, err)
	}
	if b.devices > len(tenant.Devices) || b.values > len(tenant.Properties) {
		return nil, fmt.Errorf(
			"--file: %s has %d devices with %d properties, %d with %d are needed; fewer --devices or --values will do",
			b.file,
			len(tenant.Devices),
			len(tenant.Properties),
			b.devices,
			b.values,
		)
	}
	tenant.Devices, tenant.Properties = tenant.Devices[:b.devices], tenant.Properties[:b.values]
	fmt.Fprintf(b.out, "Limits: those of the server at %s\n", b.mqtt)
	return b.measure(ctx, bench.Target{
		Name: "tilth", MQTT: b.mqtt, Tenant: tenant, Console: strings.TrimSuffix(b.server, "/"),
	})
}

func (b *ingestBench) runPeer(ctx context.Context) (*bench.Result, error) {
	return b.measure(ctx, bench.Target{
		Name: "peer", MQTT: b.peer, PID: b.peerPID, Tenant: bench.NewTenant(b.devices, b.values),
	})
}

func (b *ingestBench) measureIdle(ctx context.Context, t bench.Target) error {
	i, err := bench.MeasureIdle(ctx, b.options, t)
	if err != nil {
		return err
	}
	return errors.Join(i.Print(b.out), i.Err())
}

func (b *ingestBench) measure(ctx context.Context, t bench.Target) (*bench.Result, error) {
	r, err := bench.Run(ctx, b.options, t)
	if err != nil {
		return nil, err
	}
	return r, r.Print(b.out)
}

// applyTenant applies a provider's file to a server.
func applyTenant(ctx context.Context, admin, token string, file []byte) error {
	p := &client.Client{Base: admin, Token: token, HTTP: http.DefaultClient}
	status, body, err := p.Post(ctx, "v1/apply", "application/yaml", file)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("apply the devices: %d %s", status, body)
	}
	return err
}
