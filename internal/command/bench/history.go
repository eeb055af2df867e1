package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"tilth/internal/tools/bench"
	"tilth/internal/tools/farm"
)

// historyBench is `tilth bench history` with its flags. It applies files as ingestBench does.
type historyBench struct {
	ingestBench
	days    int
	repeats int
	peers   []string
}

const (
	maxHistoryDays = 30 // days that one history call returns
	recordStep     = time.Minute
	recordSeed     = 1 // of the first farm
	mast           = "weather-mast"
)

// mastProperties are the properties of a weather mast of the demo's farm that a chart shows.
var mastProperties = []string{"airTemperature", "airHumidity", "airPressure", "windSpeed", "solarRadiation"}

func historyCommand() *cobra.Command {
	b := &historyBench{}
	c := &cobra.Command{
		Use:   "history",
		Short: "Query a month of a device's readings, in tilth and in other stores, and compare",
		Long: `Fill a folder with what weather masts measure in some days, five values a minute
each, seal it and start a server of its own on it. Query the readings of one
device after the other: every reading of all the days, the same in buckets,
one day, and a spreadsheet. Named peers get the same readings and the same
queries; every answer is compared with what was written. The times of the store
without network and server are printed separately.

scripts/bench-history.sh starts the peers that are installed.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b.out = c.OutOrStdout()
			return b.runHistory(c.Context())
		},
	}
	f := c.Flags()
	f.IntVar(&b.days, "days", maxHistoryDays, "days of readings: 5, 10, 15, 20, 25 or 30")
	f.IntVar(&b.devices, "devices", 50, "devices that have these readings")
	f.IntVar(&b.repeats, "asks", 50, "how often each query is repeated, after one query for every device")
	f.StringSliceVar(
		&b.peers,
		"peers",
		nil,
		"stores to compare with, name=address: victoriametrics=http://host:port, influxdb=http://host:port,\n"+
			"postgres=postgres://user@host:port/database; each one empty. none: tilth alone",
	)
	f.StringVar(&b.binary, "binary", "", "tilth to start in place of this one, to compare versions")
	f.StringVar(
		&b.dir,
		"dir",
		"",
		"where the data folders are made, so that their disk is measured (default: the system's temporary folder)",
	)
	return c
}

func (b *historyBench) checkHistory() ([]bench.Peer, error) {
	switch {
	case b.days < 5 || b.days > maxHistoryDays || b.days%5 != 0:
		return nil, fmt.Errorf("--days: 5, 10, 15, 20, 25 or 30")
	case b.devices < 1:
		return nil, fmt.Errorf("--devices: 1 or more")
	case b.repeats < 1:
		return nil, fmt.Errorf("--asks: 1 or more")
	}
	peers, err := bench.ParsePeers(b.peers)
	if err != nil {
		return nil, fmt.Errorf("--peers: %w", err)
	}
	return peers, nil
}

func (b *historyBench) printf(format string, a ...any) { fmt.Fprintf(b.out, format+"\n", a...) }

func (b *historyBench) runHistory(ctx context.Context) (err error) {
	peers, err := b.checkHistory()
	if err != nil {
		return err
	}
	for _, line := range bench.MissingPeers(peers) {
		b.printf("%s", line)
	}
	if b.binary == "" {
		if b.binary, err = os.Executable(); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp(b.dir, "tilth-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b.printf("Measuring on %d weather masts for %d days", b.devices, b.days)
	records, err := generateRecords(ctx, b.devices, b.days, time.Now())
	if err != nil {
		return err
	}
	load := &historyLoad{records: records, dir: dir, printf: b.printf, repeats: b.repeats}
	tenant := bench.NewTenant(b.devices, len(mastProperties))
	tenant.Properties, load.tenant = mastProperties, tenant
	server, err := bench.Start(ctx, bench.ServerOptions{
		Binary: b.binary, Dir: filepath.Join(dir, "data"), Tenant: tenant, Apply: applyTenant, Load: load.run,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	result, err := bench.RunHistory(
		ctx,
		bench.HistoryOptions{Repeats: b.repeats, Peers: peers, Progress: b.printf},
		server.Target,
		records,
	)
	if err != nil {
		return err
	}
	return errors.Join(load.figures.Print(b.out), result.Print(b.out), result.Err())
}

// generateRecords returns what weather masts have measured until some time before now. They are the
// masts of the demo's farm, and of farms under other weather.
func generateRecords(ctx context.Context, devices, days int, now time.Time) (*bench.Records, error) {
	records, err := bench.NewRecords(bench.NewTenant(devices, 0).DeviceNames(), mastProperties, days, recordStep, now)
	if err != nil {
		return nil, err
	}
	end := records.Time(records.Count() - 1)
	var masts []*farm.Device
	for seed := uint64(recordSeed); len(masts) < devices; seed++ {
		for _, d := range farm.New(seed, end).Devices() {
			if d.Product == mast {
				masts = append(masts, d)
			}
		}
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, into := range records.Values {
		work.Go(func() error { return fillRecords(ctx, masts[i], records, into) })
	}
	return records, work.Wait()
}

// fillRecords fills in what a mast measures at the times of the records.
func fillRecords(ctx context.Context, d *farm.Device, r *bench.Records, into [][]float64) error {
	for n := range r.Count() {
		values, there := d.At(r.Time(n), r.Step)
		if !there {
			return fmt.Errorf("%s measures nothing at %s", d.Name, r.Time(n))
		}
		found := 0
		for _, v := range values {
			for p, sign := range r.Properties {
				if number, is := v.Value.(float64); is && v.Identifier == sign {
					into[p][n] = number
					found++
				}
			}
		}
		if found != len(r.Properties) {
			return fmt.Errorf("%s measures %d of %d properties", d.Name, found, len(r.Properties))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
