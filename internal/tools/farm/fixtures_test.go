package farm

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

// demoNow is when the tests' demo starts: a Saturday morning.
var demoNow = time.Date(2026, 11, 21, 6, 0, 0, 0, time.FixedZone("", 3*3600))

const testSeed = 1

func testFarm(t testing.TB) *Farm {
	t.Helper()
	return New(testSeed, demoNow)
}

// findDevice returns the farm's device with a name.
func findDevice(t testing.TB, f *Farm, name string) *Device {
	t.Helper()
	for _, d := range f.devices {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("the farm has no device %s", name)
	return nil
}

// places is a farm whose sites the tests share, so that their weather is computed once.
var places = sync.OnceValue(func() *Farm { return New(testSeed, demoNow) })

func ankara(t testing.TB) *site { return findDevice(t, places(), "WS-0417").site }
func hebei(t testing.TB) *site  { return findDevice(t, places(), "HB-WS-01").site }

// assertNear fails unless got is within tolerance of want.
func assertNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

// assertBetween fails unless low <= got <= high.
func assertBetween(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if math.IsNaN(got) || got < low || got > high {
		t.Errorf("%s is %v, want %v to %v", what, got, low, high)
	}
}

// dayOf returns the number of a date's day since 1970.
func dayOf(year int, month time.Month, day int) int {
	return int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsADay)
}

// at returns the moment of local hour h on a site's day.
func at(s *site, number int, h float64) moment {
	return s.momentAt(s.start(number) + h*3600)
}

// number returns the value of a reading; the test fails if there is none.
func number(t testing.TB, values []Value, identifier string) float64 {
	t.Helper()
	for _, v := range values {
		if v.Identifier == identifier {
			n, ok := v.Value.(float64)
			if !ok {
				t.Fatalf("%s is %v, not a number", identifier, v.Value)
			}
			return n
		}
	}
	t.Fatalf("no %s in %v", identifier, values)
	return 0
}

// bigFarm returns a farm of full size: 40 devices on one site.
func bigFarm(t testing.TB) *Farm {
	t.Helper()
	s, err := parse(farmFile)
	if err != nil {
		t.Fatal(err)
	}
	var devices, spots strings.Builder
	for product, count := range map[string]int{
		"weather-mast": 6, "soil-probe": 14, "greenhouse-climate": 6,
		"water-station": 5, "light-station": 5, "field-camera": 4,
	} {
		for i := range count {
			fmt.Fprintf(
				&devices,
				"      - {deviceName: %s-%d, serial: S-%s-%d, product: %s}\n",
				product,
				i,
				product,
				i,
				product,
			)
			if product == "soil-probe" {
				fmt.Fprintf(&spots, "  %s-%d: {crop: orchard, irrigatedFrom: water-station-%d}\n", product, i, i%5)
			}
		}
	}
	head, _, found := strings.Cut(string(farmFile), "\ntenants:\n")
	if !found || len(s.Tenants) == 0 {
		t.Fatal("farm.yaml has no tenants")
	}
	file := head + "\ntenants:\n  - name: demo\n    devices:\n" + devices.String()
	sites := "sites:\n  demo: {climate: ankara, latitude: 39.9, longitude: 32.9, elevation: 938, zone: 3h, prevailing: 45}\ndevices:\n" + spots.String()
	f, err := build(testSeed, demoNow, []byte(file), []byte(sites))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
