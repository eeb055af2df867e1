package farm

import (
	_ "embed"
	"fmt"
	"math"
	"time"

	"github.com/goccy/go-yaml"
)

//go:embed sites.yaml
var sitesFile []byte

// Farm is the demo's farm. It is safe for concurrent use.
type Farm struct {
	devices []*Device
}

// sitesDefinition is the content of sites.yaml.
type sitesDefinition struct {
	Sites   map[string]siteFile `yaml:"sites"`
	Devices map[string]spotFile `yaml:"devices"`
}

type siteFile struct {
	Climate    string  `yaml:"climate"`
	Latitude   float64 `yaml:"latitude"`
	Longitude  float64 `yaml:"longitude"`
	Elevation  float64 `yaml:"elevation"`
	Zone       string  `yaml:"zone"`
	Prevailing float64 `yaml:"prevailing"`
}

type spotFile struct {
	Hollow        bool    `yaml:"hollow"`
	Crop          string  `yaml:"crop"`
	IrrigatedFrom string  `yaml:"irrigatedFrom"` // device name of a water station
	Salinity      float64 `yaml:"salinity"`
	Wind          float64 `yaml:"wind"`   // share of the site's wind; 0 means 1
	Warmth        float64 `yaml:"warmth"` // °C by which a greenhouse is warmer than usual
	Story         string  `yaml:"story"`
}

// New makes the farm of farm.yaml. The same seed always gives the same weather at the same time.
// The times of the farm's faults (a sensor stuck six days ago, a device silent since yesterday) are
// relative to now.
//
// New panics if the files in the program are invalid; a test checks that they are not.
func New(seed uint64, now time.Time) *Farm {
	f, err := build(seed, now, farmFile, sitesFile)
	if err != nil {
		panic(err)
	}
	return f
}

// Devices lists the farm's devices in the order of farm.yaml. The caller owns the slice.
func (f *Farm) Devices() []*Device {
	return append([]*Device(nil), f.devices...)
}

func build(seed uint64, now time.Time, farmFile, sitesFile []byte) (*Farm, error) {
	s, err := parse(farmFile)
	if err != nil {
		return nil, err
	}
	var l sitesDefinition
	if err := yaml.UnmarshalWithOptions(sitesFile, &l, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("sites file: %w", err)
	}
	models := map[string][]Property{}
	for _, p := range s.Products {
		models[p.Name] = p.Properties
	}
	f := &Farm{}
	known := map[string]*Device{}
	for _, t := range s.Tenants {
		site, err := l.site(seed, t.Name)
		if err != nil {
			return nil, err
		}
		for _, df := range t.Devices {
			if products[df.Product] == nil {
				return nil, fmt.Errorf("%s: the simulator has no product %q", df.DeviceName, df.Product)
			}
			d := newDevice(seed, site, df.DeviceName, df.Product, models[df.Product])
			d.Tenant = t.Name
			f.devices = append(f.devices, d)
			known[d.Name] = d
		}
	}
	for name := range l.Devices {
		if known[name] == nil {
			return nil, fmt.Errorf("sites file: farm.yaml has no device %s", name)
		}
	}
	if err := f.equip(seed, l.Devices, known); err != nil {
		return nil, err
	}
	for _, d := range f.devices {
		spot := l.Devices[d.Name]
		d.hollow = spot.Hollow
		if spot.Wind > 0 {
			d.exposure *= spot.Wind
		}
		if err := d.applyScenario(spot.Story, now); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// equip gives each device the plot, tank or greenhouse that it measures.
func (f *Farm) equip(seed uint64, spots map[string]spotFile, known map[string]*Device) error {
	served := map[string][]*plot{}
	for _, d := range f.devices {
		spot := spots[d.Name]
		if spot.IrrigatedFrom != "" {
			source := known[spot.IrrigatedFrom]
			if source == nil || source.Product != "water-station" || source.site != d.site {
				return fmt.Errorf(
					"sites file: %s is irrigated from %s, which is not a water station of its site",
					d.Name,
					spot.IrrigatedFrom,
				)
			}
		}
		if err := d.equip(spot); err != nil {
			return err
		}
		if d.plot != nil && spot.IrrigatedFrom != "" {
			served[spot.IrrigatedFrom] = append(served[spot.IrrigatedFrom], d.plot)
		}
	}
	for _, d := range f.devices {
		if d.Product == "water-station" {
			d.tank = newTank(d.site, served[d.Name], seed, d.Name)
		}
	}
	return nil
}

// equip gives a soil probe its plot and a climate computer its greenhouse.
func (d *Device) equip(spot spotFile) error {
	own := namedNoise(d.seed, d.Name, "ground")
	switch d.Product {
	case "soil-probe":
		crop := spot.Crop
		if crop == "" {
			crop = "grass"
		}
		if crops[crop] == nil {
			return fmt.Errorf("sites file: %s: no crop %q", d.Name, crop)
		}
		p := plot{
			crop: crops[crop], irrigated: spot.IrrigatedFrom != "",
			demandFactor: math.Exp(.1 * own.normal(0)), salinity: max(1, spot.Salinity),
			exposure: math.Exp(.15 * own.normal(layers+1)),
		}
		for i := range p.offset {
			p.offset[i] = .8 * own.normal(int64(i)+1)
		}
		d.plot = newPlot(d.site, p)
	case "greenhouse-climate":
		d.greenhouse = &greenhouse{site: d.site, lag: d.lag, shift: .3*own.normal(0) - spot.Warmth}
	}
	return nil
}

func (l sitesDefinition) site(seed uint64, tenant string) (*site, error) {
	sf, ok := l.Sites[tenant]
	if !ok {
		return nil, fmt.Errorf("sites file: tenant %s has no site", tenant)
	}
	if climates[sf.Climate] == nil {
		return nil, fmt.Errorf("sites file: no climate %q", sf.Climate)
	}
	zone, err := time.ParseDuration(sf.Zone)
	if err != nil {
		return nil, fmt.Errorf("sites file: zone of %s: %w", tenant, err)
	}
	return newSite(seed, tenant, place{
		climate: climates[sf.Climate], latitude: sf.Latitude, longitude: sf.Longitude,
		elevation: sf.Elevation, zone: zone, prevailing: sf.Prevailing,
	}), nil
}
