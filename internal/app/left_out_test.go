package app

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/testkit"
)

// leavingFarm is a farm with two models, of which one may lack what rules look at.
func leavingFarm(pole string) string {
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

// watched is a rule as its page shows it.
type watched struct {
	DeployState, DeviceCount, OpenCount int
	LeftOut                             *struct{ Limit, Misfit int }
	AttributesGone                      []string
}

func (p *process) watched(rule int64) (w watched) {
	p.t.Helper()
	p.call(http.MethodGet, fmt.Sprintf("%salarm-rules/get?id=%d", admin, rule), p.ada(), "", &w)
	return w
}

// ends are the notices of a rule, the oldest first: of which device, and why they ended.
func (p *process) ends(rule int64) string {
	p.t.Helper()
	var page struct {
		List []struct {
			ID, RuleID int64
			DeviceName string
		}
	}
	p.call(http.MethodGet, admin+"alarm-notice/page?pageSize=100", p.ada(), "", &page)
	line := ""
	for _, n := range page.List {
		var d struct {
			AlarmNotice struct{ ResolveReason, ResolveAttribute string }
		}
		p.call(http.MethodGet, fmt.Sprintf("%salarm-notice/get?id=%d", admin, n.ID), p.ada(), "", &d)
		if n.RuleID == rule {
			line = strings.TrimSpace(n.DeviceName+" "+d.AlarmNotice.ResolveReason+" "+d.AlarmNotice.ResolveAttribute) + "; " + line
		}
	}
	return strings.TrimSuffix(line, "; ")
}

// tells makes a call of the console and gives what it is answered, whatever that is.
func (p *process) tells(path string) string {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+p.http+path, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.ada())
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

// leaving is a farm whose poles lose what rules look at, and the notices that there are to be.
type leaving struct {
	*process
	rules   map[string]int64
	notices map[string][]string // by rule, the oldest first
}

// What the provider's file takes from a model leaves its devices out of the rules that look
// at it, and their notices end for that, however soon after that the server is killed; what
// it gives back lets them join.
func TestModelLosesAnAttributeAndHasItAgain(t *testing.T) {
	t.Parallel()
	const air, rain = "{identifier: airTemperature, dataType: number, precision: 1}", "{identifier: rain, dataType: number}"
	l := &leaving{process: newProcess(t), rules: map[string]int64{}, notices: map[string][]string{}}
	l.start(unlimited...)
	l.apply(leavingFarm(air))
	l.watch()
	l.frost()
	l.fit(true)

	// While it runs; a start changes nothing of it.
	l.apply(leavingFarm(rain))
	l.lost()
	l.killed()
	l.lost()
	if said := l.tells(fmt.Sprintf("%salarm-rules/publish?alarmRulesId=%d", admin, l.rules["model"])); !strings.Contains(said, `"code":601`) || !strings.Contains(said, "airTemperature") {
		t.Error(said)
	}
	l.apply(leavingFarm(air))
	testkit.Eventually(t, "it to join", func() bool {
		return l.watched(l.rules["scene"]).DeviceCount == 2 && l.watched(l.rules["named"]).DeviceCount == 2
	})
	l.fit(true)
	l.frost()

	// Killed as soon as the file is taken.
	for range 2 {
		l.apply(leavingFarm(rain))
		l.killed()
		l.lost()
		l.apply(leavingFarm(air))
		l.killed()
		l.fit(true)
		l.frost()
	}
	l.stop()
}

func (l *leaving) killed() {
	l.t.Helper()
	l.kill()
	l.start(unlimited...)
}

// watch makes rules for the scene of both devices, for both by name, and for the pole's model.
func (l *leaving) watch() {
	l.t.Helper()
	var page struct {
		List []struct {
			DeviceName         string
			GroupID, ProductID int64
		}
	}
	l.call(http.MethodGet, admin+"device/page?deviceName=P-1", l.ada(), "", &page)
	for name, targets := range map[string]string{
		"scene": fmt.Sprintf(`{"groups":[%d]}`, page.List[0].GroupID), "named": `{"devices":["P-1","M-1"]}`,
		"model": fmt.Sprintf(`{"products":[%d]}`, page.List[0].ProductID),
	} {
		var id int64
		l.call(http.MethodPost, admin+"alarm-rules/create", l.ada(), fmt.Sprintf(
			`{"alarmName":%q,"dataSource":1,"targets":%s,"triggerType":0,"durations":60000,"hitCounts":1,"alarmLevel":1,
			"manualRelease":0,"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":1}]}`, name, targets), &id)
		l.rules[name] = id
	}
}

// frost lets all rules run, and both devices measure warmth and then cold.
func (l *leaving) frost() {
	l.t.Helper()
	for name, rule := range l.rules {
		var done bool
		l.call(http.MethodGet, fmt.Sprintf("%salarm-rules/publish?alarmRulesId=%d", admin, rule), l.ada(), "", &done)
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
			if status, said := l.post(fmt.Sprintf("/api/v1/leaving-test-secret-number-%d/telemetry", n+1), "", body); status != http.StatusOK {
				l.t.Fatal(said)
			}
			l.judged()
		}
	}
	l.wants()
}

// wants compares the notices with those that there are to be.
func (l *leaving) wants() {
	l.t.Helper()
	for name, list := range l.notices {
		want := strings.Join(list, "; ")
		got := ""
		testkit.Eventually(l.t, name+": "+want, func() bool { got = l.ends(l.rules[name]); return got == want })
	}
}

// fit tells whether the pole is to be a device of the rules for both.
func (l *leaving) fit(want bool) {
	l.t.Helper()
	for _, name := range []string{"scene", "named"} {
		w := l.watched(l.rules[name])
		out := w.LeftOut != nil && w.LeftOut.Misfit == 1
		if w.DeployState != 1 || out == want || want && w.DeviceCount != 2 || !want && w.DeviceCount != 1 {
			l.t.Errorf("%s: %+v, the pole fits: %t", name, w, want)
		}
	}
}

// lost looks whether the pole has left all rules, and one of them does not run.
func (l *leaving) lost() {
	l.t.Helper()
	for _, list := range l.notices {
		if last := &list[len(list)-1]; *last == "P-1" {
			*last += " attributeGone airTemperature"
		}
	}
	l.wants()
	l.fit(false)
	w := l.watched(l.rules["model"])
	if w.DeployState != 2 || w.DeviceCount != 0 || w.LeftOut == nil || w.LeftOut.Misfit != 1 || fmt.Sprint(w.AttributesGone) != "[airTemperature]" {
		l.t.Errorf("model: %+v", w)
	}
}
