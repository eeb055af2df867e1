package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const dayLinesPath = "/admin-api/client/pc/device/get/day-lines"

// The mean of each hour of the last 24, for several devices; what the tenant does not have is left
// out.
func TestDayLines(t *testing.T) {
	w := newServer(t)
	hour := w.Clock.Now().Truncate(time.Hour)
	for _, r := range []struct {
		at    time.Time
		value float64
	}{
		{hour.Add(-24*time.Hour - time.Millisecond), 60}, // before the first hour
		{hour.Add(-24 * time.Hour), 1},
		{hour.Add(-24*time.Hour + 20*time.Minute), 2},
		{hour.Add(-24*time.Hour + 40*time.Minute), 2},
		{hour.Add(-time.Millisecond), -7.25},
	} {
		w.measure(t, w.ws2, r.at, map[string]reading.Value{"airTemperature": reading.Number(r.value)})
	}
	ask := func(names, signs string) wire.DayLines {
		t.Helper()
		path := fmt.Sprint(dayLinesPath, "?deviceNames=", names, "&yeuSigns=", signs)
		return testkit.Ask[wire.DayLines](t, w.Contract, w.get(path))
	}
	got := ask("WS-2,WS-1,CAM-1,none,"+rivalDeviceName, "airTemperature,heating,note,unknown,airTemperature")
	want := fmt.Sprintf(
		`{"from":%d,"lines":{"CAM-1":{},"WS-1":{"airTemperature":[%s21.5]},"WS-2":{"airTemperature":[1.6667,%s-7.25,null]}}}`,
		hour.Add(-24*time.Hour).UnixMilli(),
		strings.Repeat("null,", 24),
		strings.Repeat("null,", 22),
	)
	if asJSON(t, got) != want {
		t.Errorf("%s\nwant %s", asJSON(t, got), want)
	}
	if err := w.readings.Seal(t.Context(), w.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	if sealed := ask("WS-2", "airTemperature"); asJSON(t, sealed.Lines["WS-2"]) != asJSON(t, got.Lines["WS-2"]) {
		t.Errorf("sealed: %s", asJSON(t, sealed))
	}
}

func TestDayLinesRefusals(t *testing.T) {
	w := newServer(t)
	many := strings.TrimSuffix(strings.Repeat("x,", 51), ",")
	for query, refusal := range map[string]string{
		"?yeuSigns=rain":                                  "Device names: required",
		"?deviceNames=WS-1":                               "Attributes: required",
		"?yeuSigns=rain&deviceNames=" + many:              "Device names: choose at most 50",
		"?deviceNames=WS-1&yeuSigns=" + many + "," + many: "Attributes: choose at most 64",
	} {
		a := w.Do(t, w.get(dayLinesPath+query))
		if a.Code != 601 || !strings.Contains(string(a.Body), refusal) {
			t.Errorf("%s: %d %s", query, a.Code, a.Body)
		}
	}
}
