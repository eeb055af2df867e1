package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const searchPath = "/admin-api/client/pc/search?text="

// found names all that a search of the field's ada finds, with the totals.
func (w *fixture) found(t *testing.T, text, more string) string {
	t.Helper()
	r := testkit.Ask[wire.SearchResult](t, w.Contract, w.get(searchPath+url.QueryEscape(text)+more))
	var b strings.Builder
	for _, d := range r.Devices.List {
		fmt.Fprintf(&b, "device %s %s %s %d; ", d.DeviceName, d.NoteName, d.GroupName, d.OnlineState)
	}
	for _, s := range r.Scenes.List {
		fmt.Fprintf(&b, "scene %s; ", s.GroupName)
	}
	for _, a := range r.Rules.List {
		fmt.Fprintf(&b, "rule %s %d %d; ", a.AlarmName, a.AlarmLevel, a.DeployState)
	}
	for _, n := range r.Notices.List {
		fmt.Fprintf(&b, "notice %s %s; ", n.Title, n.DeviceName)
	}
	return fmt.Sprintf("%s%d %d %d %d", &b, r.Devices.Total, r.Scenes.Total, r.Rules.Total, r.Notices.Total)
}

// A search finds devices, scenes, rules and notices by any part of their names, in any case, and
// nothing of another tenant.
func TestSearch(t *testing.T) {
	w := newServer(t)
	w.openRuleNotice(t, frostForm("WS-1", body{"alarmName": "North frost"}),
		map[string]reading.Value{"airTemperature": reading.Number(1.5)})
	w.createRule(t, frostForm("WS-2", body{"alarmName": "Orta frost", "alarmLevel": 0}))
	for text, want := range map[string]string{
		"NORTH":        "scene North; rule North frost 2 1; notice North frost WS-1; 0 1 1 1",
		"frost":        "rule North frost 2 1; rule Orta frost 0 0; notice North frost WS-1; notice Frost WS-1; 0 0 2 2",
		" frost ":      "rule North frost 2 1; rule Orta frost 0 0; notice North frost WS-1; notice Frost WS-1; 0 0 2 2",
		marker:         "0 0 0 0",
		"  ":           "0 0 0 0",
		"%":            "0 0 0 0",
		"no such name": "0 0 0 0",
	} {
		if got := w.found(t, text, ""); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	all := w.found(t, "-1", "")
	if !strings.Contains(all, "device WS-1 ") || !strings.Contains(all, "device CAM-1 ") ||
		strings.Contains(all, marker) {
		t.Error(all)
	}
	if got := w.found(t, "s", "&pageSize=1"); strings.Count(got, "device ") != 1 || strings.Count(got, "rule ") != 1 {
		t.Error(got)
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "no text",
			Call:     w.get(strings.TrimSuffix(searchPath, "?text=")),
			Code:     601,
			Contains: []string{"Search text"},
		},
		{Name: "empty", Call: w.get(searchPath), Code: 601, Contains: []string{"Search text"}},
		{Name: "long", Call: w.get(searchPath + strings.Repeat("x", 65)), Code: 601, Contains: []string{"Search text"}},
		{Name: "many", Call: w.get(searchPath + "x&pageSize=21"), Code: 601},
	})
}
