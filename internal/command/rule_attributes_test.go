package command

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// twoModelFarm is a farm with two models, one of which may lack properties that rules use.
func twoModelFarm(pole string) string {
	return fmt.Sprintf(`products:
  - name: mast
    properties: [{identifier: airTemperature, dataType: number, precision: 1}]
  - name: pole
    properties: [%s]
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ada, password: correct horse}]
    scenes: [Orchard]
    devices:
      - {deviceName: M-1, serial: s, product: mast, scene: Orchard, secret: leaving-test-secret-number-1}
      - {deviceName: P-1, serial: s, product: pole, scene: Orchard, secret: leaving-test-secret-number-2}
`, pole)
}

// ruleView is a rule as its page shows it.
type ruleView struct {
	DeployState, DeviceCount, OpenCount int
	LeftOut                             *struct{ Limit, Misfit int }
	AttributesGone                      []string
}

func (p *process) ruleView(rule int64) (w ruleView) {
	p.t.Helper()
	p.call(http.MethodGet, fmt.Sprintf("%salarm-rules/get?id=%d", admin, rule), p.adaToken(), "", &w)
	return w
}

// endedNotices are the notices of a rule, the oldest first: of which device, and why they ended.
func (p *process) endedNotices(rule int64) string {
	p.t.Helper()
	var page struct {
		List []struct {
			ID, RuleID int64
			DeviceName string
		}
	}
	p.call(http.MethodGet, admin+"alarm-notice/page?pageSize=100", p.adaToken(), "", &page)
	line := ""
	for _, n := range page.List {
		var d struct {
			AlarmNotice struct{ ResolveReason, ResolveAttribute string }
		}
		p.call(http.MethodGet, fmt.Sprintf("%salarm-notice/get?id=%d", admin, n.ID), p.adaToken(), "", &d)
		if n.RuleID == rule {
			line = strings.TrimSpace(
				n.DeviceName+" "+d.AlarmNotice.ResolveReason+" "+d.AlarmNotice.ResolveAttribute,
			) + "; " + line
		}
	}
	return strings.TrimSuffix(line, "; ")
}

// getRaw makes a call of the console and returns the answer, whatever it is.
func (p *process) getRaw(path string) string {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+p.http+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.adaToken())
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(body)
}

// attributeScenario is a farm whose poles lose properties that rules use, with the notices that it
// must have.
type attributeScenario struct {
	*process
	rules   map[string]int64
	notices map[string][]string // by rule, the oldest first
}

// If the provider's file removes a property from a model, its devices leave the rules that use the
// property, and their notices end for that reason, however soon the server is killed afterwards. If
// the file adds the property again, the devices rejoin.
func TestModelLosesAttributeAndRegainsIt(t *testing.T) {
	t.Parallel()
	const air, rain = "{identifier: airTemperature, dataType: number, precision: 1}", "{identifier: rain, dataType: number}"
	l := &attributeScenario{process: newProcess(t), rules: map[string]int64{}, notices: map[string][]string{}}
	l.start(unlimitedArgs...)
	l.apply(twoModelFarm(air))
	l.createRules()
	l.triggerFrost()
	l.checkPoleFits(true)

	// This holds while the server runs; a restart changes nothing of it.
	l.apply(twoModelFarm(rain))
	l.checkPoleLeft()
	l.killAndRestart()
	l.checkPoleLeft()
	said := l.getRaw(fmt.Sprintf("%salarm-rules/publish?alarmRulesId=%d", admin, l.rules["model"]))
	if !strings.Contains(said, `"code":601`) || !strings.Contains(said, "airTemperature") {
		t.Error(said)
	}
	l.apply(twoModelFarm(air))
	l.checkPoleFits(true)
	l.triggerFrost()

	// The server is killed as soon as it has accepted the file.
	for range 2 {
		l.apply(twoModelFarm(rain))
		l.killAndRestart()
		l.checkPoleLeft()
		l.apply(twoModelFarm(air))
		l.killAndRestart()
		l.checkPoleFits(true)
		l.triggerFrost()
	}
	l.stop()
}

func (l *attributeScenario) killAndRestart() {
	l.t.Helper()
	l.kill()
	l.start(unlimitedArgs...)
}

// createRules makes rules for the scene of both devices, for both by name, and for the pole's
// model.
func (l *attributeScenario) createRules() {
	l.t.Helper()
	var page struct {
		List []struct {
			DeviceName         string
			GroupID, ProductID int64
		}
	}
	l.call(http.MethodGet, admin+"device/page?deviceName=P-1", l.adaToken(), "", &page)
	for name, targets := range map[string]string{
		"scene": fmt.Sprintf(`{"groups":[%d]}`, page.List[0].GroupID), "named": `{"devices":["P-1","M-1"]}`,
		"model": fmt.Sprintf(`{"products":[%d]}`, page.List[0].ProductID),
	} {
		var id int64
		l.call(http.MethodPost, admin+"alarm-rules/create", l.adaToken(), fmt.Sprintf(
			`{"alarmName":%q,"dataSource":1,"targets":%s,"triggerType":0,"durations":60000,"hitCounts":1,"alarmLevel":1,
			"manualRelease":0,"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":1}]}`, name, targets), &id)
		l.rules[name] = id
	}
}

// triggerFrost starts all rules, and makes both devices measure warmth and then cold.
func (l *attributeScenario) triggerFrost() {
	l.t.Helper()
	for name, rule := range l.rules {
		var done bool
		l.call(
			http.MethodGet,
			fmt.Sprintf("%salarm-rules/publish?alarmRulesId=%d", admin, rule),
			l.adaToken(),
			"",
			&done,
		)
		for i, n := range l.notices[name] {
			if !strings.Contains(n, " ") {
				l.notices[name][i] += " recovered"
			}
		}
		if name != "model" {
			l.notices[name] = append(l.notices[name], "M-1")
		}
		l.notices[name] = append(l.notices[name], "P-1")
	}
	for _, degrees := range []int{9, 0} {
		for n := range 2 {
			body := fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":%d}}`, time.Now().UnixMilli(), degrees)
			status, said := l.post(fmt.Sprintf("/api/v1/leaving-test-secret-number-%d/telemetry", n+1), "", body)
			if status != http.StatusOK {
				l.t.Fatal(said)
			}
			l.waitEvaluated()
		}
	}
	l.checkNotices()
}

// checkNotices compares the notices with those that there must be.
func (l *attributeScenario) checkNotices() {
	l.t.Helper()
	for name, list := range l.notices {
		want := strings.Join(list, "; ")
		got := ""
		testkit.Eventually(l.t, name+": "+want, func() bool { got = l.endedNotices(l.rules[name]); return got == want })
	}
}

// checkPoleFits waits until the pole can be a device of the rules for both, or cannot: who belongs to a
// rule is decided after the file is accepted, as soon as the server gets to it.
func (l *attributeScenario) checkPoleFits(want bool) {
	l.t.Helper()
	devices := 1
	if want {
		devices = 2
	}
	for _, name := range []string{"scene", "named"} {
		l.awaitRule(name, func(w ruleView) bool {
			out := w.LeftOut != nil && w.LeftOut.Misfit == 1
			return w.DeployState == 1 && out != want && w.DeviceCount == devices
		})
	}
}

// awaitRule waits until a rule's page shows what it must.
func (l *attributeScenario) awaitRule(name string, shows func(ruleView) bool) {
	l.t.Helper()
	var w ruleView
	defer func() {
		if l.t.Failed() {
			l.t.Logf("%s: %+v", name, w)
		}
	}()
	testkit.Eventually(l.t, "the devices of the rule "+name, func() bool {
		w = l.ruleView(l.rules[name])
		return shows(w)
	})
}

// checkPoleLeft checks that the pole has left all rules, and that one of them does not run.
func (l *attributeScenario) checkPoleLeft() {
	l.t.Helper()
	for _, list := range l.notices {
		if last := &list[len(list)-1]; *last == "P-1" {
			*last += " attributeGone airTemperature"
		}
	}
	l.checkNotices()
	l.checkPoleFits(false)
	l.awaitRule("model", func(w ruleView) bool {
		return w.DeployState == 2 && w.DeviceCount == 0 && w.LeftOut != nil && w.LeftOut.Misfit == 1 &&
			fmt.Sprint(w.AttributesGone) == "[airTemperature]"
	})
}
