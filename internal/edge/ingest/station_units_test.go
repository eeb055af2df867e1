package ingest

import (
	"fmt"
	"testing"
	"time"

	"tilth/internal/domain/device"
)

// The units of the fields that stations send, by the table and not by the spelling of a name.
func TestStationUnitsOfFields(t *testing.T) {
	for field, test := range map[string]struct{ sent, stored string }{
		"tempf":             {"50", "10"},
		"tempinf":           {"50", "10"},
		"temp1f":            {"50", "10"},
		"temp16f":           {"50", "10"},
		"tf_ch1":            {"64.4", "18"},
		"tf_co2":            {"50", "10"},
		"dewpointf":         {"50", "10"},
		"dewptf":            {"50", "10"},
		"feelslikef":        {"50", "10"},
		"windchillf":        {"50", "10"},
		"indoortempf":       {"50", "10"},
		"soiltempf":         {"50", "10"},
		"soiltemp2f":        {"50", "10"},
		"soil_ec_temp1":     {"50", "10"},
		"bgt":               {"86.0", "30"},
		"wbgt":              {"81.14", "27.3"},
		"tf_batt1":          {"1.48", "1.48"},
		"soilbatt1":         {"1.5", "1.5"},
		"leaf_batt1":        {"1.5", "1.5"},
		"wh65batt":          {"1", "1"},
		"batt1":             {"0", "0"},
		"lowbatt":           {"1", "1"},
		"co2_batt":          {"6", "6"},
		"ws90cap_volt":      {"5.2", "5.2"},
		"humidityin":        {"40", "40"},
		"soilmoisture2":     {"44", "44"},
		"soilad1":           {"210", "210"},
		"leafwetness_ch1":   {"10", "10"},
		"winddir_avg10m":    {"128", "128"},
		"baromrelin":        {"30", "1015.92"},
		"baromin":           {"30", "1015.92"},
		"absbaromin":        {"30", "1015.92"},
		"vpd":               {"0.454", "1.54"},
		"windspdmph_avg2m":  {"10", "4.47"},
		"windspdmph_avg10m": {"10", "4.47"},
		"windgustmph_10m":   {"10", "4.47"},
		"maxdailygust":      {"22.8", "10.19"},
		"rainratein":        {"0.1", "2.54"},
		"rainin":            {"0.1", "2.54"},
		"eventrainin":       {"0.1", "2.54"},
		"hourlyrainin":      {"0.1", "2.54"},
		"last24hrainin":     {"0.1", "2.54"},
		"rrain_piezo":       {"0.197", "5"},
		"drain_piezo":       {"0.104", "2.64"},
		"hrain_piezo":       {"0.1", "2.54"},
		"last24hrain_piezo": {"0.1", "2.54"},
		"srain_piezo":       {"1", "1"},
		"pm25_ch1":          {"7.1", "7.1"},
		"pm25_avg_24h_ch1":  {"7.1", "7.1"},
		"co2in":             {"415", "415"},
		"lightning":         {"12", "12"},
		"lightning_time":    {"1785009243", "1785009243"},
		"depth_ch2":         {"1250", "1250"},
		"visibility":        {"10", "18.52"},
		"AqPM2.5":           {"7", "7"},
		// Not in the table: as sent, whatever the name looks like.
		"greenhousef":    {"50", "50"},
		"tempXf":         {"50", "50"},
		"temp001f":       {"50", "50"},
		"temp0f":         {"50", "50"},
		"rainyin":        {"50", "50"},
		"battery_mphone": {"50", "50"},
	} {
		p := stationProduct()
		p.Properties = []device.Property{{ID: 1, Identifier: "x", DataType: device.Number, Upload: field}}
		e := newStations(t)
		e.registry.Replace(stationEntries(p))
		e.submit("WS-1", StationReport, field+"="+test.sent)
		got := ""
		for _, f := range e.journal.frames() {
			got += f.Fields[0].Value.String()
		}
		if got != test.stored {
			t.Errorf("%s=%s: stored %q, want %s", field, test.sent, got, test.stored)
		}
	}
}

// What stands for a sensor that is not there is no reading and no refusal. What may be a value is one.
func TestStationMissingSensors(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "-9999": "", "-9999.0": "", "-9999.00": "", "--": "", "--.-": "", "-": "", "null": "", "N/A": "",
		"-999.9": "-999.9", "9999": "9999", "65535": "65535", "-0.5": "-0.5", "0": "0",
		".": "refused", "NaN": "refused", "-x": "refused", "nulls": "refused",
	} {
		e := newStations(t)
		o := e.submit("WS-1", StationReport, "solarradiation="+value)
		got := ""
		for _, f := range e.journal.frames() {
			got += f.Fields[0].Value.String()
		}
		if o.Refused > 0 {
			got = "refused"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// Times as stations in the field write them, after the form is decoded.
func TestStationTimeForms(t *testing.T) {
	want := time.Date(2026, 1, 4, 21, 2, 5, 0, time.UTC)
	for _, text := range []string{
		"2026-01-04 21:02:05", "2026-1-4 21:2:5", "2026-1-04 21:02:5", "2026-01-04+21:02:05", "2026-1-4+21:2:5",
		"2026-01-04%2B21:02:05", "2026-1-4%2021%3A2%3A5", "2026-01-04T21:02:05", "2026-01-04T21:02:05Z",
		"2026-01-04 21:02:05Z", "2026-01-04 21:02:05.000", "2026-1-4 21:2:5.0Z",
	} {
		if at, err := readStationTime(text); err != nil || !at.Equal(want) {
			t.Errorf("%s: %v, %v", text, at, err)
		}
	}
	if at, err := readStationTime("2026-01-04 21:02:05.250"); err != nil || at.Sub(want) != 250*time.Millisecond {
		t.Errorf("%v, %v", at, err)
	}
	for _, text := range []string{
		"2026-01-04", "21:02:05", "2026-13-04 21:02:05", "2026-02-30 21:02:05", "2026-01-04 24:02:05",
		"2026-01-04 21:60:05", "26-01-04 21:02:05", "04.01.2026 21:02:05", "2026/01/04 21:02:05",
		"2026-01-04 21:02:05 +0100", "2026-01-04T21:02:05+01:00", "2026-01-04 21:02", "1767560525", "%zz", "later",
		"2026-01-04TT21:02:05", "2026-001-04 21:02:05",
	} {
		if at, err := readStationTime(text); err == nil {
			t.Errorf("%s: %v", text, at)
		}
	}
}

// A piezo gauge and probes of one report, each in its unit.
func TestStationWithPiezoGauge(t *testing.T) {
	p := &device.Product{ID: 1, Name: "mast"}
	for i, x := range [][2]string{
		{"rainfall", ""},
		{"rainRate", "rrain_piezo"},
		{"rainDay", "drain_piezo"},
		{"globe", "bgt"},
		{"vaporPressureDeficit", ""},
		{"leafWetness", ""},
	} {
		p.Properties = append(p.Properties, device.Property{
			ID: device.PropertyID(i + 1), Identifier: x[0], Upload: x[1], DataType: device.Number,
		})
	}
	store := openStore(t, t.TempDir())
	e := newStations(t, overStore(store))
	e.registry.Replace(stationEntries(p))
	e.report(0, "rrain_piezo=0.000&drain_piezo=0.004&yrain_piezo=19.669&srain_piezo=0")
	const second = "rrain_piezo=0.197&drain_piezo=0.104&yrain_piezo=19.769&bgt=86.0&vpd=1.352&leafwetness_ch1=12"
	o := e.report(time.Minute, second)
	if o.Refused != 0 || o.Values != 6 {
		t.Errorf("%+v", o)
	}
	got := ""
	for _, n := range store.Newest(t.Context(), green, 1) {
		if !n.Property.IsRainCounter() {
			got += fmt.Sprintf("%s=%s ", p.PropertyByID(n.Property).Identifier, n.Value)
		}
	}
	if got != "rainfall=2.54 rainRate=5 rainDay=2.64 globe=30 vaporPressureDeficit=4.58 leafWetness=12 " {
		t.Errorf("stored %s", got)
	}
}
