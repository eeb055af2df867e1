package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// Every list of devices shows how many open notices they have and the highest level. Ended notices
// and those of other tenants do not count.
func TestDevicesShowOpenAlarms(t *testing.T) {
	w := newServer(t) // WS-1 has a serious one, as the rival's device has
	for _, n := range []testkit.Notice{
		{Device: w.ws1, Level: alarm.LevelGeneral},
		{Device: w.ws1, Level: alarm.LevelSerious, Status: alarm.ResolvedAutomatically},
		{Device: w.ws2, Level: alarm.LevelGeneral}, {Device: w.ws2, Level: alarm.LevelGeneral},
		{Device: w.cam1, Level: alarm.LevelSerious, Status: alarm.ResolvedManually},
		{Device: w.rivalDevice, Level: alarm.LevelImportant}, {Device: w.rivalDevice, Level: alarm.LevelImportant},
	} {
		w.Notice(t, n)
	}
	openAlarms := func(list []wire.Device) string {
		var shown []string
		for _, d := range list {
			one := d.DeviceName
			if d.OpenAlarms != nil {
				one += fmt.Sprint(" ", *d.OpenAlarms)
			}
			if d.AlarmLevel != nil {
				one += fmt.Sprint(" of ", *d.AlarmLevel)
			}
			shown = append(shown, one)
		}
		return strings.Join(shown, ", ")
	}
	const want = "CAM-1, WS-1 2 of 2, WS-2 2 of 0"
	sorted := func(list []wire.Device) []wire.Device {
		byName := map[string]wire.Device{}
		for _, d := range list {
			byName[d.DeviceName] = d
		}
		return []wire.Device{byName["CAM-1"], byName["WS-1"], byName["WS-2"]}
	}
	page := testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath))
	if got := openAlarms(sorted(page.List)); got != want || len(page.List) != 3 {
		t.Errorf("page: %s", got)
	}
	cards := testkit.Ask[wire.DevicePage](
		t,
		w.Contract,
		w.get(namesPath+"?deviceNames=WS-1,WS-2,CAM-1,"+rivalDeviceName),
	)
	if got := openAlarms(sorted(cards.List)); got != want || len(cards.List) != 3 {
		t.Errorf("cards: %s", got)
	}
	var grouped []wire.Device
	for _, g := range testkit.Ask[[]wire.Group](t, w.Contract, w.get(groupsPath)) {
		grouped = append(grouped, g.DeviceList...)
	}
	if got := openAlarms(sorted(grouped)); got != want || len(grouped) != 3 {
		t.Errorf("groups: %s", got)
	}
	rival := testkit.Ask[wire.DevicePage](t, w.Contract, testkit.Call{Path: pagePath, Token: w.rivalToken})
	if got := openAlarms(rival.List); got != rivalDeviceName+" 3 of 2" {
		t.Errorf("the rival's list:  %s", got)
	}
	// A device without open notices has no such field.
	err := w.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, "UPDATE notices SET resolve_status = 1 WHERE device_name = 'WS-1'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if a := w.Do(t, w.get(pagePath+"?executionId=WS-1")); strings.Contains(string(a.Body), "openAlarms") ||
		strings.Contains(string(a.Body), `"alarmLevel"`) {
		t.Errorf("%s", a.Body)
	}
}
