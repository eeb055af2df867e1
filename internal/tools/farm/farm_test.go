package farm

import (
	"strings"
	"testing"
)

func TestFarmHoldsTheDevicesOfTheFile(t *testing.T) {
	f := testFarm(t)
	i := 0
	for _, tenant := range parseFarmFile(t).Tenants {
		for _, df := range tenant.Devices {
			d := f.Devices()[i]
			if d.Name != df.DeviceName || d.Tenant != tenant.Name || d.Product != df.Product {
				t.Errorf("device %d is %s of %s, a %s", i, d.Name, d.Tenant, d.Product)
			}
			if d.HistoryInterval != products[df.Product].history || d.LiveInterval != products[df.Product].live {
				t.Errorf("%s reports every %v, live every %v", d.Name, d.HistoryInterval, d.LiveInterval)
			}
			i++
		}
	}
	if i != len(f.Devices()) {
		t.Errorf("%d devices, the file has %d", len(f.Devices()), i)
	}
}

func TestDevicesBelongToTheCaller(t *testing.T) {
	f := testFarm(t)
	f.Devices()[0] = nil
	if f.Devices()[0] == nil {
		t.Error("a caller changed the farm")
	}
}

func TestEquipment(t *testing.T) {
	for _, d := range testFarm(t).Devices() {
		if (d.plot != nil) != (d.Product == "soil-probe") ||
			(d.greenhouse != nil) != (d.Product == "greenhouse-climate") ||
			(d.tank != nil) != (d.Product == "water-station") {
			t.Errorf(
				"%s, a %s, has a plot %v, a greenhouse %v, a tank %v",
				d.Name,
				d.Product,
				d.plot != nil,
				d.greenhouse != nil,
				d.tank != nil,
			)
		}
	}
	f := testFarm(t)
	if !findDevice(t, f, "SP-1203").plot.irrigated || findDevice(t, f, "SP-1288").plot.irrigated {
		t.Error("the wrong plot is irrigated")
	}
	if !findDevice(t, f, "WS-0417").hollow || findDevice(t, f, "WS-0422").hollow {
		t.Error("the wrong mast is in the hollow")
	}
	sheltered, open := findDevice(t, f, "WS-0417"), findDevice(t, f, "WS-0422")
	if sheltered.exposure >= open.exposure {
		t.Errorf("the hollow gets %v of the wind, the ridge %v", sheltered.exposure, open.exposure)
	}
	if findDevice(t, f, "WS-0417").site == findDevice(t, f, "HB-WS-01").site {
		t.Error("devices in Ankara and Hebei have the same site")
	}
	if findDevice(t, f, "WS-0417").site != findDevice(t, f, "SP-1203").site {
		t.Error("devices of a tenant have different sites")
	}
}

// A nursery is warmer than a greenhouse of tomatoes.
func TestGreenhouseTemperaturesDiffer(t *testing.T) {
	f := testFarm(t)
	tomatoes, nursery := findDevice(t, f, "GC-0032"), findDevice(t, f, "GC-0035")
	warmer := 0.
	for night := range 5 {
		m := at(tomatoes.site, dayOf(2026, 11, 10+night), 3)
		warmer += (nursery.greenhouse.at(m).temperature - tomatoes.greenhouse.at(m).temperature) / 5
	}
	assertNear(t, "°C warmer", warmer, 3, 1)
}

const smallFile = `
products:
  - {name: soil-probe, properties: [{identifier: soilMoisture10, precision: 1}]}
  - {name: water-station, properties: [{identifier: waterLevel, precision: 2}]}
tenants:
  - name: a
    devices:
      - {deviceName: P, serial: P, product: soil-probe}
      - {deviceName: W, serial: W, product: water-station}
`

const smallSites = "sites:\n  a: {climate: ankara, latitude: 40, longitude: 33, elevation: 900, zone: 3h}\n"

// A device that is listed only in farm.yaml reports.
func TestUnlistedDevicesUseDefaults(t *testing.T) {
	f, err := build(1, demoNow, []byte(smallFile), []byte(smallSites))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.devices {
		values, ok := d.At(demoNow, d.LiveInterval)
		if !ok || len(values) != 1 {
			t.Errorf("%s reports %v, %v", d.Name, values, ok)
		}
	}
}

func TestInvalidFilesAreRefused(t *testing.T) {
	for _, c := range []struct{ name, file, sites, want string }{
		{"an unreadable farm", "tenants: [", smallSites, "farm file"},
		{"unreadable sites", smallFile, "sites: 7", "sites file"},
		{"an unknown word", smallFile, smallSites + "devices:\n  P: {holow: true}\n", "sites file"},
		{"a tenant without a site", smallFile, "sites: {}", "tenant a has no site"},
		{"an unknown climate", smallFile, "sites:\n  a: {climate: mars, zone: 3h}\n", `no climate "mars"`},
		{"an unknown zone", smallFile, "sites:\n  a: {climate: ankara, zone: Ankara}\n", "zone of a"},
		{"an unknown product", strings.Replace(smallFile, "product: soil-probe", "product: plough", 1), smallSites, `the simulator has no product "plough"`},
		{"an unknown device", smallFile, smallSites + "devices:\n  Q: {hollow: true}\n", "farm.yaml has no device Q"},
		{"an unknown crop", smallFile, smallSites + "devices:\n  P: {crop: money}\n", `no crop "money"`},
		{"water from a probe", smallFile, smallSites + "devices:\n  P: {irrigatedFrom: P}\n", "not a water station"},
		{"water from nowhere", smallFile, smallSites + "devices:\n  P: {irrigatedFrom: X}\n", "not a water station"},
		{"an unknown story", smallFile, smallSites + "devices:\n  P: {story: once-upon-a-time}\n", "once-upon-a-time"},
	} {
		_, err := build(1, demoNow, []byte(c.file), []byte(c.sites))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBuiltInFarmLoads(t *testing.T) {
	if _, err := build(1, demoNow, farmFile, sitesFile); err != nil {
		t.Error(err)
	}
}
