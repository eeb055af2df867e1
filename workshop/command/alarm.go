package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tilth/workshop/bench"
)

// alarmBench is `workshop alarm` with its flags. It starts a server as ingestBench does.
type alarmBench struct {
	ingestBench
	alarms bench.AlarmOptions
}

func alarmCommand() *cobra.Command {
	b := &alarmBench{}
	c := &cobra.Command{
		Use:   "alarm",
		Short: "Publish readings that open and resolve alarm notices, and measure when people learn of them",
		Long: `Start a server of its own on an empty folder, make devices and alarm rules, and
let the devices publish at a given rate: first while no rule runs, then while all
do. Measure how much is acknowledged, and how long after a reading's
acknowledgement its notice is on an open screen and in the list. The command
fails if a notice is missing, or if there is one that no reading led to.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b.out = c.OutOrStdout()
			return b.runAlarms(c.Context())
		},
	}
	f := c.Flags()
	f.IntVar(&b.alarms.Rules, "rules", 10_000, "alarm rules, distributed among the devices; a multiple of their number")
	f.BoolVar(
		&b.alarms.Together,
		"together",
		false,
		"each rule is for all devices, so that --rules counts pairs of a rule and a device",
	)
	f.IntVar(&b.devices, "devices", 2000, "devices, each with a connection")
	f.IntVar(&b.values, "values", 8, "values in a message, at least as many as a device has rules")
	f.IntVar(&b.alarms.Rate, "rate", 20_000, "messages a second that are offered")
	f.IntVar(&b.alarms.NoticesPerSecond, "turns", 125, "notices a second that open, and as many that are resolved")
	f.DurationVar(&b.alarms.Duration, "duration", 30*time.Second, "how long each of the two parts measures")
	f.DurationVar(
		&b.alarms.FlatOut,
		"flat-out",
		10*time.Second,
		"how long two more parts offer as much as the server accepts; 0: leave them out",
	)
	f.IntVar(&b.alarms.Window, "window", 32, "messages of a connection in flight at most")
	addBinary(f, &b.binary)
	f.StringVar(
		&b.dir,
		"dir",
		"",
		"where the server's data folder is made, so that its disk is measured (default: the system's temporary folder)",
	)
	return c
}

func (b *alarmBench) checkAlarms() error {
	o := b.alarms
	switch {
	case b.devices < 1:
		return fmt.Errorf("--devices: 1 or more")
	case b.values < 1 || b.values > maxValues:
		return fmt.Errorf("--values: 1 to %d", maxValues)
	case o.Rules < 1 || o.Rules%b.devices != 0 || o.Rules/b.devices > b.values:
		return fmt.Errorf("--rules: a multiple of the devices, at most --values for each")
	case o.Rate < 1 || o.NoticesPerSecond < 1:
		return fmt.Errorf("--rate, --turns: 1 or more")
	case o.Duration <= 0 || o.FlatOut < 0:
		return fmt.Errorf("--duration: above 0; --flat-out: not below 0")
	case o.Window < 1 || o.Window > 65535:
		return fmt.Errorf("--window: 1 to 65535")
	}
	return nil
}

func (b *alarmBench) runAlarms(ctx context.Context) error {
	if err := b.checkAlarms(); err != nil {
		return err
	}
	b.options.Connections = b.devices
	if err := b.raiseFileLimit(); err != nil {
		return err
	}
	return b.withServer(ctx, func(ctx context.Context, t bench.Target) error {
		r, err := bench.RunAlarm(ctx, b.alarms, t)
		if err != nil {
			return err
		}
		return errors.Join(r.Print(b.out), r.Err())
	})
}
