package console_test

import (
	"fmt"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// A saved rule counts what it would have recorded on all of its devices, unless they are too many.
func TestRehearsedCount(t *testing.T) {
	w := newServer(t)
	expect := func(rule int64, want string) {
		t.Helper()
		c := testkit.Ask[wire.RehearsedCount](t, w.Contract, w.get(fmt.Sprint(rulesPath, "get/rehearsed?id=", rule)))
		now := w.Clock.Now()
		if c.EndTime != now.UnixMilli() || c.StartTime != now.AddDate(0, 0, -30).UnixMilli() ||
			asJSON(t, c.Total) != want {
			t.Errorf("%s, want %s", asJSON(t, c), want)
		}
	}
	form := w.sceneWithFrosts(t)
	expect(w.createRule(t, form), "41") // 39 of WS-2, two of Aft, none of WS-1
	expect(w.createRule(t, frostForm("WS-1", nil)), "0")
	for i := range 18 {
		w.Device(t, w.field.ID, w.station, fmt.Sprint("MORE-", i), func(d *device.Device) { d.SceneID = w.north })
	}
	w.Stores.Reload(t)
	expect(w.createRule(t, form), "null")
}
