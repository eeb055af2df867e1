package command

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"tilth/internal/settings"
	"tilth/internal/tools/farm"
)

// simulateGiveUpAfter is how long a device with --count tries in vain. A device without it goes on
// trying, since the server may come back.
const simulateGiveUpAfter = 30 * time.Second

func simulateCommand() *cobra.Command {
	var file, broker string
	var seed uint64
	var every time.Duration
	var reports int
	c := &cobra.Command{
		Use:   "simulate -f FILE",
		Short: "Publish for the devices of a provider's file over MQTT",
		Long: "Publish for every device of a provider's file that has a secret, over MQTT, each on a\n" +
			"connection of its own. Devices of the demo's products measure weather, soil and so on;\n" +
			"others report numbers that wander within their product's bounds. The command reports once\n" +
			"what keeps them from publishing. They go on trying, with --count for half a minute.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if every < 0 || reports < 0 {
				return fmt.Errorf("--every and --count: must be 0 or more")
			}
			devices, err := readSimulatedDevices(file)
			if err != nil {
				return err
			}
			fmt.Fprintf(
				c.OutOrStdout(),
				"Publishing for %s to %s. Stop with Ctrl-C.\n",
				plural(len(devices), "device"),
				broker,
			)
			troubles := newTroubleLog(c.ErrOrStderr())
			link := farm.LinkOptions{OnTrouble: troubles.add}
			if reports > 0 {
				link.GiveUp = simulateGiveUpAfter
			}
			return farm.Simulate(c.Context(), farm.SimulateOptions{
				Broker: broker, Devices: devices, Seed: seed, Every: every, Count: reports,
				OnAck: func(device string, _ farm.Report) { troubles.clear(device) }, LinkOptions: link,
			})
		},
	}
	c.Flags().StringVarP(&file, "file", "f", "", "provider's file with products and devices")
	c.Flags().StringVar(
		&broker,
		"broker",
		"tcp://127.0.0.1:1883",
		"address of the server's MQTT listener; of several nodes with commas, of which each device uses the first that lets it in",
	)
	c.Flags().Uint64Var(&seed, "seed", 1, "the same seed gives the same readings at the same time")
	c.Flags().DurationVar(
		&every,
		"every",
		0,
		"interval of all devices; 0: each product's own, ten seconds for products that are not the demo's",
	)
	c.Flags().IntVar(&reports, "count", 0, "end after this number of reports of each device; 0: never")
	if err := c.MarkFlagRequired("file"); err != nil {
		panic(err) // the flag is declared above
	}
	return c
}

// simulateFile is the part of a provider's file that simulate reads.
type simulateFile struct {
	Products []struct {
		Name       string          `yaml:"name"`
		Properties []farm.Property `yaml:"properties"`
	} `yaml:"products"`
	Tenants []struct {
		Devices []struct {
			DeviceName string   `yaml:"deviceName"`
			Product    string   `yaml:"product"`
			Secret     string   `yaml:"secret"`
			Secrets    []string `yaml:"secrets"`
			Longitude  float64  `yaml:"longitude"`
			Latitude   float64  `yaml:"latitude"`
		} `yaml:"devices"`
	} `yaml:"tenants"`
}

func readSimulatedDevices(path string) ([]farm.SimulatedDevice, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f simulateFile
	if err := yaml.Unmarshal(raw, &f); err != nil {
		return nil, settings.YAMLError(path, err)
	}
	models := map[string][]farm.Property{}
	for _, p := range f.Products {
		models[p.Name] = p.Properties
	}
	var devices []farm.SimulatedDevice
	for _, t := range f.Tenants {
		for _, d := range t.Devices {
			secret := d.Secret
			if secret == "" && len(d.Secrets) > 0 {
				secret = d.Secrets[len(d.Secrets)-1]
			}
			if secret == "" {
				continue
			}
			model, listed := models[d.Product]
			if !listed {
				return nil, fmt.Errorf(
					"%s: product %q of %s is not in the file; list it, so that its properties are known",
					path,
					d.Product,
					d.DeviceName,
				)
			}
			devices = append(devices, farm.SimulatedDevice{
				Name: d.DeviceName, Secret: secret, Product: d.Product, Properties: model,
				Latitude: d.Latitude, Longitude: d.Longitude,
			})
		}
	}
	if len(devices) == 0 {
		return nil, errors.New(path + ": no device has a secret")
	}
	return devices, nil
}
