package text

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

// formatRow is a row of testdata/formats.json: how a value is written in each language. The
// console's tests read the file too.
type formatRow struct {
	Kind     string
	Value    float64
	Decimals *int
	Unit     string
	Name     string // name of the property, if it is shown beside the reading
	Time     time.Time
	Earlier  time.Time
	Zone     string
	MS       int64
	Is       map[Language]string
}

func formats(t *testing.T) (rows []formatRow) {
	t.Helper()
	raw, err := os.ReadFile("testdata/formats.json")
	if err == nil {
		err = json.Unmarshal(raw, &rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Only the console writes these: ages, days beside a running clock, shares, days of the week.
var consoleOnlyKinds = []string{"age", "ago", "day", "lasting", "near", "nearSeconds", "picker", "share", "weekdays"}

func TestFormats(t *testing.T) {
	writers := map[string]func(l Language, f *formatRow) string{
		"number": func(l Language, f *formatRow) string { return Number(l, f.Value, f.Decimals) },
		"reading": func(l Language, f *formatRow) string {
			return NumberWithUnit(l, f.Value, f.Decimals, UnitUnlessInName(l, f.Name, f.Unit))
		},
		"sms": func(l Language, f *formatRow) string {
			return FoldSMS(l, NumberWithUnit(l, f.Value, f.Decimals, f.Unit))
		},
		"unit":     func(l Language, f *formatRow) string { return Unit(l, f.Unit) },
		"moment":   func(l Language, f *formatRow) string { return DateTime(l, f.Time) },
		"zoned":    func(l Language, f *formatRow) string { return DateTimeWithZone(l, f.Time) },
		"brief":    func(l Language, f *formatRow) string { return ShortDateTime(l, f.Time) },
		"after":    func(l Language, f *formatRow) string { return DateTimeAfter(l, f.Time, f.Earlier, DateTime) },
		"tick":     func(l Language, f *formatRow) string { return AxisDate(l, f.Time) },
		"duration": func(l Language, f *formatRow) string { return Duration(l, time.Duration(f.MS)*time.Millisecond) },
		"interval": func(l Language, f *formatRow) string { return Interval(l, time.Duration(f.MS)*time.Millisecond) },
		"wait":     func(l Language, f *formatRow) string { return WaitTime(l, time.Duration(f.MS)*time.Millisecond) },
	}
	seen := map[string]int{}
	for _, row := range formats(t) {
		write, known := writers[row.Kind]
		if !known {
			if !slices.Contains(consoleOnlyKinds, row.Kind) {
				t.Errorf("no function writes %q", row.Kind)
			}
			continue
		}
		seen[row.Kind]++
		zone, err := time.LoadLocation(row.Zone)
		if err != nil {
			t.Fatal(err)
		}
		row.Time, row.Earlier = row.Time.In(zone), row.Earlier.In(zone)
		for _, l := range Languages {
			if got := write(l, &row); got != row.Is[l] {
				t.Errorf("%s: %s of %+v is %q, want %q", l, row.Kind, row, got, row.Is[l])
			}
		}
	}
	for kind := range writers {
		if seen[kind] == 0 {
			t.Errorf("no row for %q", kind)
		}
	}
}

// Every part of units that a language writes differently has a row, so that the server and the
// console know the same ones.
func TestFormatsHaveAllUnits(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range formats(t) {
		if row.Kind == "unit" {
			rows[row.Unit] = true
		}
	}
	for _, l := range Languages {
		for unit := range descriptorOf(l).units {
			if !rows[unit] {
				t.Errorf("%s: no row for %s", l, unit)
			}
		}
	}
}

func TestNumberNegativeZeroAndUnknownLanguage(t *testing.T) {
	if got := Number(English, math.Copysign(0, -1), nil); got != "0" {
		t.Error(got)
	}
	if got := Number("xx", 1234.5, nil); got != "1,234.5" { // in English, like sentences
		t.Error(got)
	}
}

func TestFormatDigits(t *testing.T) {
	for digits, want := range map[string]string{
		"10000": "10.000", "-180": "−180", "0.5": "0,5", "": "", "1e3": "1e3", "NaN": "NaN", "a": "a", "-": "-",
		"12345678901234567890": "12345678901234567890",
	} {
		if got := FormatDigits(Turkish, digits); got != want {
			t.Errorf("%q: %q, want %q", digits, got, want)
		}
	}
	args := map[string]string{"limit": "10000", "value": "10000"}
	got := LocalizeArgs(English, args)
	if got["limit"] != "10,000" || got["value"] != "10000" || args["limit"] != "10000" {
		t.Error(got, args)
	}
}
