package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/errs"
	"tilth/internal/server"
	"tilth/internal/settings"
	"tilth/internal/tools/farm"
)

// The demo's sign-in, as the documentation gives it.
const (
	demoTenant   = "demo"
	demoUser     = "demo"
	demoPassword = "demo-farm"
)

const (
	defaultHistory = 30 * 24 * time.Hour
	longestHistory = 365 * 24 * time.Hour
)

func demoCommand() *cobra.Command {
	var seed uint64
	history := defaultHistory
	var days int
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run the server on a fresh data folder with a simulated farm",
		Long: "Run the server on a fresh data folder with a built-in farm: its history, then simulated\n" +
			"devices that publish over MQTT. Each start deletes what the last one left. It takes the settings of serve,\n" +
			"but for --database-url.\n" +
			"The history holds all readings of the last 31 days, up to one a minute, and before that one in ten minutes.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("days") {
				if days < 0 || days > 365 {
					return fmt.Errorf("--days: between 0 and 365")
				}
				history = time.Duration(days) * 24 * time.Hour
			}
			set, err := settings.Read(c.Flags())
			if err != nil {
				return err
			}
			switch {
			case history < 0 || history > longestHistory:
				return fmt.Errorf("--history: between 0 and 365d")
			case history > set.Retention:
				return fmt.Errorf("--history: longer than --retention, which keeps %s", set.Retention)
			}
			if set.DatabaseURL != "" {
				return fmt.Errorf(
					"--%s: the demo deletes its data at each start, and keeps all of it in its folder",
					settings.DatabaseFlag,
				)
			}
			if set.PasswordMin > len(demoPassword) {
				return fmt.Errorf(
					"--password-min: %d: the demo's password has %d characters",
					set.PasswordMin,
					len(demoPassword),
				)
			}
			return (&demo{set: set, seed: seed, history: history, dense: denseHistory, out: c.OutOrStdout()}).run(
				c.Context(),
			)
		},
	}
	settings.AddFlags(c.Flags())
	for name, value := range map[string]string{"data-dir": "./demo-data", "default-tenant": demoTenant, "log-level": "warn", "sms": settings.SMSLog} {
		f := c.Flags().Lookup(name)
		f.DefValue = value
		if err := f.Value.Set(value); err != nil {
			panic(err) // the values are part of the program
		}
	}
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of the farm's weather and accidents: the same seed gives the same farm")
	settings.DurationVar(c.Flags(), &history, "history", "how much history the farm has, up to 365d")
	c.Flags().Lookup("history").DefValue = "30d"
	c.Flags().IntVar(&days, "days", 0, "days of history")
	if err := c.Flags().MarkDeprecated("days", "use --history, for example --history 30d"); err != nil {
		panic(err) // the flag is part of the program
	}
	return c
}

type demo struct {
	set     *settings.Server
	seed    uint64
	history time.Duration
	dense   time.Duration // see denseHistory
	out     io.Writer

	farm       *farm.Farm
	historyEnd time.Time // where the history ends and the simulated devices begin
	secrets    map[string]string
	password   string
}

func (d *demo) run(ctx context.Context) error {
	unlock, err := freshFolder(d.set.DataDir)
	if err != nil {
		return err
	}
	defer unlock()
	d.set.LinksToHTTPAddr = true // nobody serves the hosts of the demo's farms over HTTPS
	logger := d.set.Logger()
	defer server.LimitStop(ctx, logger)()
	running, err := server.New(ctx, d.set, logger)
	if err != nil {
		return err
	}
	running.WrapHTTP(func(next http.Handler) http.Handler { return withCameras(next, time.Now) })
	d.password = demoPassword
	if servesOthers(d.set) {
		// Everybody who can reach the console may have read the password in the documentation.
		d.password = rand.Text()
	}
	d.secrets = map[string]string{}
	d.historyEnd = time.Now()
	d.farm = farm.New(d.seed, d.historyEnd)

	publishing, stopPublishing := context.WithCancel(ctx)
	defer stopPublishing()
	var publisher sync.WaitGroup
	announced := false
	err = running.Run(ctx, func(ctx context.Context) error {
		return d.prepare(ctx, running)
	}, func() {
		announced = true
		d.announce(running)
		publisher.Go(func() {
			err := farm.Publish(publishing, farm.PublishOptions{
				Broker: "tcp://" + server.LocalAddr(running.MQTTAddr()), Devices: d.farm.Devices(),
				Secrets: d.secret, From: d.historyEnd, LinkOptions: farm.LinkOptions{Logger: logger},
			})
			if err != nil {
				logger.Error("simulated devices stopped", "error", err)
			}
		})
	})
	stopPublishing()
	publisher.Wait()
	if err == nil && !announced {
		fmt.Fprintln(d.out, "Stopped before the farm was ready. The next start begins anew.")
	}
	return err
}

// prepare sets the farm up as a provider would, and writes its history through the ingest pipeline.
func (d *demo) prepare(ctx context.Context, s *server.Server) error {
	for _, dev := range d.farm.Devices() {
		d.secrets[dev.Name] = rand.Text()
	}
	file, err := farm.FileSince(
		d.historyEnd.Add(-d.history),
		d.historyEnd,
		d.secret,
		func(string, string) string { return d.password },
	)
	if err != nil {
		return err
	}
	if _, err := s.Provider.Apply(ctx, file, true); err != nil {
		return fmt.Errorf("set up the demo's farm: %w", err)
	}
	if err := d.setUpCameras(ctx, s); err != nil {
		return err
	}
	if err := d.setPublicHost(ctx, s); err != nil {
		return err
	}
	if d.history > 0 {
		if err := d.writeHistory(ctx, s); err != nil {
			return err
		}
	}
	return d.createAllAlarms(ctx, s)
}

// setPublicHost makes the host of --public-url the first host of the demo's farm. Otherwise links
// in its mails would lead to a name that other machines do not know.
func (d *demo) setPublicHost(ctx context.Context, s *server.Server) error {
	public, err := url.Parse(d.set.PublicURL)
	if err != nil || public.Host == "" || strings.Contains(public.Hostname(), ":") {
		return err // there is none, or it cannot be a tenant's host
	}
	t, err := s.Stores.Tenants.ByName(ctx, demoTenant)
	if err != nil {
		return err
	}
	host := tenant.NormalizeHost(public.Host)
	if owner, err := s.Stores.Tenants.ByHost(ctx, host); err == nil && owner.ID != t.ID {
		return nil // the other farm has it already
	} else if err != nil && !errs.Is(err, errs.NotFound) {
		return err
	}
	hosts := append([]string{host}, slices.DeleteFunc(t.Hosts, func(h string) bool { return h == host })...)
	file, err := yaml.Marshal(map[string]any{"tenants": []any{map[string]any{"name": t.Name, "hosts": hosts}}})
	if err != nil {
		return err
	}
	if _, err := s.Provider.Apply(ctx, file, false); err != nil {
		return fmt.Errorf("--public-url: %w", err)
	}
	return nil
}

func (d *demo) secret(deviceName string) string { return d.secrets[deviceName] }

func (d *demo) announce(s *server.Server) {
	fmt.Fprintf(
		d.out,
		"\nTilth is ready:  http://%s\n\n  user      %s\n  password  %s\n\n",
		server.LocalAddr(s.HTTPAddr()),
		demoUser,
		d.password,
	)
	fmt.Fprintf(
		d.out,
		"Devices: MQTT on %s, HTTP on %s. Provider API on %s, its token in %s.\nStop with Ctrl-C.\n",
		s.MQTTAddr(),
		s.HTTPAddr(),
		s.AdminAddr(),
		filepath.Join(d.set.DataDir, "provider-token"),
	)
}

// demoMarker is the file by which the demo recognizes its own data folder.
const demoMarker = "made-by-tilth-demo"

// freshFolder empties or creates the demo's data folder, and locks it until the returned function
// is called. It refuses a folder that holds anything else, or that a running demo uses.
func freshFolder(dir string) (func(), error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	path := filepath.Join(dir, demoMarker)
	if len(entries) > 0 {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("--data-dir: %s holds data that the demo did not make; name another folder", dir)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	if err := datafolder.LockFile(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("--data-dir: a demo is running in %s", dir), lock.Close())
	}
	for _, e := range entries {
		if e.Name() == demoMarker {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return nil, errors.Join(fmt.Errorf("--data-dir: %w", err), lock.Close())
		}
	}
	return func() { _ = lock.Close() }, nil // closing unlocks the file; nothing was written
}

// servesOthers tells whether other machines may reach the console.
func servesOthers(s *settings.Server) bool {
	return !isLoopbackAddr(s.HTTPAddr) || s.HTTPSAddr != "" && !isLoopbackAddr(s.HTTPSAddr)
}

func isLoopbackAddr(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
