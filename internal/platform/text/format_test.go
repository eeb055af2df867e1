package text

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

// formatRow is a row of testdata/formats.json, which the console's tests read,
// too: how something is written in each language.
type formatRow struct {
	Kind     string
	Value    float64
	Decimals *int
	Unit     string
	Name     string // of what the reading is, where it stands beside it
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

// The console alone writes these: ages, days beside a clock that runs, shares,
// days of the week.
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
		"wait":     func(l Language, f *formatRow) string { return WaitTime(l, time.Duration(f.MS)*time.Millisecond) },
	}
	seen := map[string]int{}
	for _, row := range formats(t) {
		write, known := writers[row.Kind]
		if !known {
			if !slices.Contains(consoleOnlyKinds, row.Kind) {
				t.Errorf("nothing writes %q", row.Kind)
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

// A part of units that is written otherwise in a language has its row, so that
// the server and the console know the same.
func TestFormatsHaveAllUnits(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range formats(t) {
		if row.Kind == "unit" {
			rows[row.Unit] = true
		}
	}
	for l, known := range units {
		for unit := range known {
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
	if got := Number("xx", 1234.5, nil); got != "1,234.5" { // as sentences are, in English
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
	if said := LocalizeArgs(
		English,
		args,
	); said["limit"] != "10,000" || said["value"] != "10000" ||
		args["limit"] != "10000" {
		t.Error(said, args)
	}
}
