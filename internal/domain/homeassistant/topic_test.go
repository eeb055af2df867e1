package homeassistant

import (
	"encoding/hex"
	"strings"
	"testing"

	"tilth/internal/domain/device"
)

func TestSegment(t *testing.T) {
	for name, want := range map[string]string{
		"WS-0417": "WS-0417", "soil_moisture": "soil_moisture", "d-7k3q9dmx": "d-7k3q9dmx", "a.b": "a_2eb",
		"a_2eb": "a_5f2eb", "a_": "a_", "a_2": "a_2", "a_2E": "a_2E", "__ab": "__5fab", "ü": "_c3_bc", "": "",
		"tarla 1": "tarla_201", "_5f.": "_5f5f_2e",
	} {
		if got := segment(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// No two names have the same segment: each can be read back.
func FuzzSegment(f *testing.F) {
	for _, name := range []string{"a.b", "a_2eb", "__ab", "_5f.", "ü", "_", "a_2"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s := segment(name)
		if strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || !isPlain(byte(r)) }) {
			t.Fatalf("%q: %q", name, s)
		}
		var back strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '_' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
				decoded, err := hex.DecodeString(s[i+1 : i+3])
				if err != nil {
					t.Fatal(err)
				}
				back.Write(decoded)
				i += 2
				continue
			}
			back.WriteByte(s[i])
		}
		if back.String() != name {
			t.Errorf("%q: %q reads as %q", name, s, back.String())
		}
	})
}

func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		identifier, formula, unit string
		shown, class, state       string
	}{
		{"airTemperature", "", "°C", "°C", "temperature", "measurement"},
		{"airTemperature", "", "℃", "°C", "temperature", "measurement"},
		{"airTemperature", "", "K·10", "K·10", "", "measurement"},
		{"soilTemperature10", "", "°C", "°C", "temperature", "measurement"},
		{"tempNorth", "dewPoint", "°C", "°C", "temperature", "measurement"},
		{"deltaT", "deltaT", "°C", "°C", "", "measurement"},
		{"growingDegreeDays", "", "°C·d", "°C·d", "", "measurement"},
		{"soilMoisture30", "", "%", "%", "moisture", "measurement"},
		{"leafWetness", "", "%", "%", "", "measurement"},
		{"rainfall", "", "mm", "mm", "precipitation", "measurement"},
		{"referenceEvapotranspiration", "", "mm", "mm", "", "measurement"},
		{"windDirection", "", "°", "°", "", ""},
		{"waterPh", "", "pH", "", "ph", "measurement"},
		{"acidity", "", "pH", "pH", "", "measurement"},
		{"conductivity", "", "mS/cm", "mS/cm", "conductivity", "measurement"},
		{"solarRadiation", "", "W/m2", "W/m²", "irradiance", "measurement"},
		{"ppfd", "", "µmol/m²/s", "µmol/m²/s", "", "measurement"},
		{"co2", "", "ppm", "ppm", "carbon_dioxide", "measurement"},
		{"ammonia", "", "ppm", "ppm", "", "measurement"},
		{"uvIndex", "", "", "", "", "measurement"},
	} {
		p := &device.Property{Identifier: c.identifier, Formula: c.formula, DataType: device.Number}
		if shown, class, state := classOf(p, c.unit); shown != c.shown || class != c.class || state != c.state {
			t.Errorf("%s in %s: %q %q %q", c.identifier, c.unit, shown, class, state)
		}
	}
}

func TestBoundedPackets(t *testing.T) {
	for _, c := range []struct {
		read []byte
		ok   bool
	}{
		{[]byte{0x20, 2, 0, 0, 0x40, 2, 0, 1}, true},
		{[]byte{0x30, 0x80, 0x80, 0x01}, true}, // 16 KB
		{[]byte{0x30, 0x81, 0x80, 0x01}, false},
		{[]byte{0x30, 0xff, 0xff, 0xff, 0x7f}, false},
		{[]byte{0x30, 0x80, 0x80, 0x80, 0x80}, false}, // a length of more than four bytes
		{[]byte{0xd0, 0, 0xd0, 0, 0x20, 2, 0, 0}, true},
	} {
		for _, atOnce := range []int{1, 3, len(c.read)} {
			x, ok := &boundedConn{}, true
			for rest := c.read; len(rest) > 0 && ok; rest = rest[min(atOnce, len(rest)):] {
				ok = x.follow(rest[:min(atOnce, len(rest))])
			}
			if ok != c.ok {
				t.Errorf("% x, %d at once: %v", c.read, atOnce, ok)
			}
		}
	}
}
