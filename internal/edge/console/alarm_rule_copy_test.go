package console_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func TestCopyAlarmRule(t *testing.T) {
	w := newServer(t)
	bare := &device.Product{Name: "bare", Properties: []device.Property{{Identifier: "rain", DataType: device.Number}}}
	if err := w.Catalog.PutProduct(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	w.Device(t, w.field.ID, bare, "BARE", func(d *device.Device) { d.NoteName = "Çıplak" })
	id := w.createRule(t, frostForm("WS-1", body{"hitCounts": 4}))
	w.mustSucceed(t, w.deployCall("publish", id))
	copied := func(names ...string) testkit.Call {
		return w.adaCall(
			http.MethodPost,
			rulesPath+"copy",
			body{"id": id, "executionIds": append([]string{}, names...)},
		)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name: "one device does not fit",
			Call: copied("WS-2", "BARE"),
			Code: 601,
			Contains: []string{
				`"msg":"The device “Çıplak” cannot take this rule: its attribute “Air temperature” is missing or of another kind"`,
			},
		},
		{
			Name:     "one device does not exist",
			Call:     copied("WS-2", "none"),
			Code:     601,
			Contains: []string{`"msg":"Device names: unknown: none"`},
		},
		{
			Name:     "one device is another tenant's",
			Call:     copied("WS-2", rivalDeviceName),
			Code:     601,
			Contains: []string{"unknown: " + rivalDeviceName},
		},
		{
			Name:     "twice",
			Call:     copied("WS-2", "WS-2"),
			Code:     601,
			Contains: []string{`The device “WS-2” is named twice`},
		},
		{Name: "no device", Call: copied(), Code: 601, Contains: []string{"The device source cannot be empty"}},
		{
			Name: "no rule",
			Call: w.adaCall(http.MethodPost, rulesPath+"copy", body{"id": 99999, "executionIds": []string{"WS-2"}}),
			Code: 404,
		},
	})
	if page := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page")); page.Total != 1 {
		t.Fatalf("a refused copy left rules: %s", asJSON(t, page))
	}
	ids := testkit.Ask[[]int64](t, w.Contract, copied("CAM-1", " WS-2 "))
	if len(ids) != 2 {
		t.Fatal(ids)
	}
	for i, name := range []string{"CAM-1", "WS-2"} {
		if r := w.rule(t, ids[i]); r.ExecutionId != name || r.DeployState != 0 || r.HitCounts != 4 ||
			r.AlarmName != "Frost" {
			t.Errorf("%s", asJSON(t, r))
		}
	}
}

// A rule can be copied to the devices whose products have all its attributes, except to its own
// device.
func TestRuleCopyTargets(t *testing.T) {
	w := newServer(t)
	bare := &device.Product{
		Name:       "bare",
		Properties: []device.Property{{Identifier: "airTemperature", DataType: device.Text}},
	}
	if err := w.Catalog.PutProduct(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	w.Device(t, w.field.ID, bare, "BARE")
	frostRule := w.createRule(t, frostForm("WS-1", nil))
	offline := w.createRule(t, frostForm("WS-1", body{"alarmName": "Gone", "triggerType": 1, "conditions": []body{}}))
	taking := func(path string, rule int64) string {
		return path + "?pageSize=400&takesRule=" + strconv.FormatInt(rule, 10)
	}
	names := func(rule int64) (listed []string) {
		t.Helper()
		for _, d := range testkit.Ask[wire.DevicePage](t, w.Contract, w.get(taking(pagePath, rule))).List {
			listed = append(listed, d.DeviceName)
		}
		slices.Sort(listed)
		var grouped []string
		counted := 0
		call := w.get(groupsPath + "?takesRule=" + strconv.FormatInt(rule, 10))
		for _, g := range testkit.Ask[[]wire.Group](t, w.Contract, call) {
			counted += g.DeviceCount
			for _, d := range g.DeviceList {
				grouped = append(grouped, d.DeviceName)
			}
		}
		slices.Sort(grouped)
		if !slices.Equal(listed, grouped) || counted != len(listed) {
			t.Errorf("the page has %v, the groups have %v and count %d", listed, grouped, counted)
		}
		return listed
	}
	all := map[string]bool{}
	for _, d := range testkit.Ask[wire.DevicePage](t, w.Contract, w.get(pagePath+"?pageSize=400")).List {
		all[d.DeviceName] = true
	}
	for _, c := range []struct {
		rule    int64
		without []string
	}{{frostRule, []string{"WS-1", "BARE"}}, {offline, []string{"WS-1"}}} {
		got := names(c.rule)
		if len(got) != len(all)-len(c.without) {
			t.Errorf("rule %d: %v of %v", c.rule, got, all)
		}
		for _, name := range c.without {
			if slices.Contains(got, name) {
				t.Errorf("rule %d can be copied to %s", c.rule, name)
			}
		}
		// The rule can be copied to all devices that are offered.
		ids := testkit.Ask[[]int64](
			t,
			w.Contract,
			w.adaCall(http.MethodPost, rulesPath+"copy", body{"id": c.rule, "executionIds": got}),
		)
		if len(ids) != len(got) {
			t.Errorf("rule %d: %d copies for %v", c.rule, len(ids), got)
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "no such rule", Call: w.get(taking(pagePath, 99999)), Code: 404},
		{Name: "no such rule, groups", Call: w.get(groupsPath + "?takesRule=99999"), Code: 404},
	})
}
