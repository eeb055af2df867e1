package agronomy_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"tilth/internal/platform/agronomy"
)

// The console knows the formulas that have one value a day.
func TestConsoleKnowsDailyFormulas(t *testing.T) {
	source, err := os.ReadFile("../../../web/src/lib/device/derivation.ts")
	if err != nil {
		t.Fatal(err)
	}
	set := regexp.MustCompile(`(?s)dailyFormulas.*?new Set\(\[(.*?)\]\)`).FindSubmatch(source)
	if set == nil {
		t.Fatal("derivation.ts has no dailyFormulas")
	}
	var console, daily []string
	for _, name := range regexp.MustCompile(`'(\w+)'`).FindAllSubmatch(set[1], -1) {
		console = append(console, string(name[1]))
	}
	for _, name := range agronomy.Names() {
		if agronomy.Find(name).Kind != agronomy.Instant {
			daily = append(daily, name)
		}
	}
	slices.Sort(console)
	slices.Sort(daily)
	if !slices.Equal(console, daily) {
		t.Errorf("daily formulas of derivation.ts: %v, want %v", console, daily)
	}
}
