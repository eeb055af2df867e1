package command

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

	"tilth/internal/tools/farm"
	"tilth/workshop/bench"
)

// historyBench is `workshop history` with its flags. It applies files as ingestBench does.
type historyBench struct {
	ingestBench
	days        int
	repeats     int
	yearDevices int
	yearRepeats int
	peers       []string
}

const (
	maxHistoryDays = 30 // days that one history call returns
	recordStep     = time.Minute
	tenYearsStep   = 10 * time.Minute
	recordSeed     = 1 // of the first farm
	mast           = "weather-mast"
)

// mastProperties are the properties of a weather mast of the demo's farm that a chart shows.
var mastProperties = []string{"airTemperature", "airHumidity", "airPressure", "windSpeed", "solarRadiation"}

func historyCommand() *cobra.Command {
	b := &historyBench{}
	c := &cobra.Command{
		Use:   "history",
		Short: "Query a month and years of a device's readings, in tilth and in other stores, and compare",
		Long: `Fill a folder with what weather masts measure in some days, five values a minute
each, seal it and start a server of its own on it. Query the readings of one
device after the other: every reading of all the days, the same in buckets,
one day, and a spreadsheet. Named peers get the same readings and the same
queries; every answer is compared with what was written. The times of the store
without network and server are printed separately.

Other masts have a year of the same values, and others ten years of one value each
ten minutes. Their lowest value, mean and highest value are queried by hour and by
day.

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
	f.IntVar(
		&b.yearDevices,
		"year-devices",
		3,
		"devices that have a year, and others ten years; 0: no questions about years",
	)
	f.IntVar(&b.yearRepeats, "year-asks", 20, "the same as --asks for questions about years")
	f.StringSliceVar(
		&b.peers,
		"peers",
		nil,
		"stores to compare with, name=address: victoriametrics=http://host:port, influxdb=http://host:port,\n"+
			"postgres=postgres://user@host:port/database; each one empty. none: tilth alone",
	)
	addBinary(f, &b.binary)
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
	case b.yearDevices < 0:
		return nil, fmt.Errorf("--year-devices: 0 or more")
	case b.yearRepeats < 1:
		return nil, fmt.Errorf("--year-asks: 1 or more")
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
	dir, err := os.MkdirTemp(b.dir, "tilth-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b.printf("Measuring on %d weather masts for %d days", b.devices, b.days)
	now, tenant := time.Now(), bench.NewTenant(b.devices+2*b.yearDevices, 0)
	tenant.Properties = mastProperties
	names := tenant.DeviceNames()
	records, err := generateRecords(ctx, names[:b.devices], b.days, now)
	if err != nil {
		return err
	}
	years, err := b.generateYears(ctx, names[b.devices:], now)
	if err != nil {
		return err
	}
	load := &historyLoad{
		historyRecords: &historyRecords{records: records, batchSteps: batchSteps},
		years:          newYearsLoad(years),
		tenant:         tenant, dir: dir, printf: b.printf, repeats: b.repeats,
	}
	server, err := bench.Start(ctx, bench.ServerOptions{
		Binary: b.binary, Dir: filepath.Join(dir, "data"), Tenant: tenant, Apply: applyTenant, Load: load.run,
		Args: []string{"--retention", historyRetention.String()},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	result, err := bench.RunHistory(
		ctx,
		bench.HistoryOptions{Repeats: b.repeats, Peers: peers, Years: years, Progress: b.printf},
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
func generateRecords(ctx context.Context, devices []string, days int, now time.Time) (*bench.Records, error) {
	records, err := bench.NewRecords(devices, mastProperties, days, recordStep, now)
	if err != nil {
		return nil, err
	}
	return records, measureRecords(ctx, records)
}

// generateYears returns what one half of the devices has measured in a year, and the other in ten
// years; nil if there are no devices.
func (b *historyBench) generateYears(ctx context.Context, devices []string, now time.Time) (*bench.Years, error) {
	if b.yearDevices == 0 {
		return nil, nil
	}
	b.printf("Measuring on %d weather masts for a year, on %d for ten years", b.yearDevices, b.yearDevices)
	year, ten := devices[:b.yearDevices], devices[b.yearDevices:]
	years, err := bench.NewYears(year, ten, mastProperties, recordStep, tenYearsStep, now)
	if err != nil {
		return nil, err
	}
	years.Repeats = b.yearRepeats
	return years, errors.Join(measureRecords(ctx, years.Year), measureRecords(ctx, years.Ten))
}

// measureRecords fills in what masts measure, each device's records by one of its own.
func measureRecords(ctx context.Context, records *bench.Records) error {
	end, devices := records.Time(records.Count()-1), len(records.Devices)
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
	return work.Wait()
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
