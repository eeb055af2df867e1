package command

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/oapi-codegen/runtime/types"
	"github.com/spf13/cobra"

	"tilth/internal/command/client"
	"tilth/internal/edge/provider/wire"
)

func deriveCommand() *cobra.Command {
	var ask wire.DeriveRequest
	var product, device, after, from string
	var at client.Flags
	c := &cobra.Command{
		Use:   "derive --tenant TENANT",
		Short: "Compute derived values of the past again, after formulas have changed",
		Long: `Compute derived values from the stored readings, with the present formulas of the
products. By itself, a new or changed formula holds only for the readings that
arrive from then on; this command does the rest, device by device, while the
devices go on sending. It leaves values that are right already, so you may stop
it and run it again. It opens and resolves no alarm.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, f := range []struct {
				value string
				to    **string
			}{{product, &ask.Product}, {device, &ask.Device}, {after, &ask.After}} {
				if f.value != "" {
					*f.to = &f.value
				}
			}
			if from != "" {
				day, err := time.Parse(time.DateOnly, from)
				if err != nil {
					return fmt.Errorf("--from: %q is not a day like 2026-03-15", from)
				}
				ask.From = &types.Date{Time: day}
			}
			return derive(c, &at, ask)
		},
	}
	f := c.Flags()
	f.StringVar(&ask.Tenant, "tenant", "", "name of the devices' tenant (required)")
	f.StringVar(&product, "product", "", "only devices of this product")
	f.StringVar(&device, "device", "", "only this device")
	f.StringVar(
		&from,
		"from",
		"",
		"the first day, as 2026-03-15, in the tenant's time zone (default: as far back as there are readings)",
	)
	f.StringVar(&after, "after", "", "continue after this device")
	c.MarkFlagsMutuallyExclusive("device", "after")
	at.Add(c)
	if err := c.MarkFlagRequired("tenant"); err != nil {
		panic(err) // the flag is declared above
	}
	return c
}

// derive makes one call for each device.
func derive(c *cobra.Command, at *client.Flags, ask wire.DeriveRequest) error {
	devices, values := 0, 0
	for {
		var out wire.DeriveResult
		if err := at.Call(c, "v1/derive", ask, &out); err != nil {
			if c.Context().Err() != nil {
				err = errors.New("stopped; what is written stays, and the command may be run again")
			}
			if devices > 0 {
				err = fmt.Errorf("%w; go on with --after %q", err, *ask.After)
			}
			return err
		}
		if out.Device != nil {
			devices++
			values += out.Values
			printDerived(c.OutOrStdout(), &out)
			ask.After = out.Device
		}
		if out.Device == nil || out.Left == 0 {
			break
		}
	}
	if devices == 0 {
		_, err := fmt.Fprintf(c.OutOrStdout(), "no device%s has derived values\n", describeFilter(ask))
		return err
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s; %s written\n", plural(devices, "device"), plural(values, "value"))
	return err
}

// describeFilter says which devices the call was limited to.
func describeFilter(ask wire.DeriveRequest) (text string) {
	if ask.Product != nil {
		text = fmt.Sprintf(" of product %q", *ask.Product)
	}
	if ask.After != nil {
		text += fmt.Sprintf(" after %q", *ask.After)
	}
	return text
}

func printDerived(w io.Writer, r *wire.DeriveResult) {
	fmt.Fprintf(w, "%s: %s, %s written\n", *r.Device, plural(r.Days, "day"), plural(r.Values, "value"))
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
