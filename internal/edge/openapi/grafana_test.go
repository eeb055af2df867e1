package openapi_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/edge/openapi/wire"
)

// The addresses in docs/grafana.md work as they stand, with the times that Grafana puts in, and
// answer what the page says of roots and columns.
func TestGrafanaGuide(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/grafana.md")
	if err != nil {
		t.Fatal(err)
	}
	w, day := newFixtureWithHistory(t)
	fill := strings.NewReplacer(
		"https://console.example", "", "WS-0417", "WS-1",
		"${__from}", strconv.FormatInt(day.Add(time.Hour).UnixMilli(), 10),
		"${__to}", strconv.FormatInt(day.Add(4*time.Hour).UnixMilli(), 10),
	)
	addresses := regexp.MustCompile("`https://console.example(/[^`]*)`").FindAllStringSubmatch(string(guide), -1)
	if len(addresses) != 2 {
		t.Fatalf("addresses %v", addresses)
	}
	history := ask[wire.History](t, w, call{path: fill.Replace(addresses[0][1])})
	if len(history.Items) != 3 {
		t.Errorf("%+v", history.Items)
	}
	row := string(w.do(t, call{path: fill.Replace(addresses[0][1])}).body)
	if !strings.HasPrefix(row, `{"items":[{"time":"2026-11-01T01:00:00.000Z","values":{"airTemperature":1e+21,`) {
		t.Errorf("%s", row)
	}
	for _, name := range []string{"`items`", "`time`", "`values.airTemperature`"} {
		if !strings.Contains(string(guide), name) {
			t.Errorf("the guide lacks %s", name)
		}
	}
	// Hours begin on the hour.
	if hours := w.do(t, call{path: fill.Replace(addresses[1][1])}); hours.status != 200 ||
		!strings.Contains(string(hours.body), `"resolution":"hour"`) {
		t.Errorf("%d %s", hours.status, hours.body)
	}
	w.mustRefuse(t, call{path: fill.Replace(addresses[0][1]), as: &key{}}, 401)
}
