package command

import (
	"net/http"
	"strings"
	"testing"
	"time"

	benchcommand "tilth/internal/command/bench"
	"tilth/internal/domain/alarm"
	"tilth/internal/tools/bench"
	"tilth/internal/tools/testkit"
)

// The command reports what it cannot run. `make prove` tries a sample of all attacks.
func TestBenchNeighbours(t *testing.T) {
	t.Parallel()
	for flags, says := range map[string]string{
		"--only weather": `no attack is called "weather"`, "--dir none": "--dir:", "--binary none --only starting": "none",
	} {
		out, err := (&process{t: t}).tilth(
			append([]string{"bench", "neighbours", "--sample"}, strings.Fields(flags)...)...)
		if err == nil || !strings.Contains(out, says) {
			t.Errorf("%s: %v\n%s", flags, err, out)
		}
	}
}

// Rules that are copied into a folder run once a server starts on it, however many they are; the
// rule that they are copies of does not run.
func TestCopyRules(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	if p.database != "" {
		t.Skip("the test needs a folder with its own database")
	}
	p.start()
	w := bench.NewTenant(2, 1)
	file, err := w.File()
	if err != nil {
		t.Fatal(err)
	}
	p.apply(string(file))
	var rule int64
	p.call(
		http.MethodPost,
		"/admin-api/client/pc/alarm-rules/create",
		p.signIn(w.Name, w.User, w.Password),
		`{"alarmName":"like these","dataSource":1,
		"executionId":"`+w.Devices[0].Name+`","triggerType":0,"hitCounts":1,"durations":60000,"alarmLevel":1,"passageway":[],"manualRelease":0,
		"conditions":[{"andor":"and","tslAttribute":"`+w.Properties[0]+`","subconditions":">","value":1}]}`,
		&rule,
	)
	p.stop()
	copies := bench.RuleCopies{
		Tenant:  w.Name,
		Rule:    rule,
		Devices: w.DeviceNames(),
		Each:    alarm.MaxRulesPerDevice + 1,
		Since:   time.Now().Add(-time.Hour),
	}
	if err := benchcommand.CopyRules(t.Context(), p.dir, []bench.RuleCopies{copies}); err != nil {
		t.Fatal(err)
	}
	for says, wrong := range map[string]bench.RuleCopies{
		"rule 9999": {Tenant: w.Name, Rule: 9999},
		"NOBODY":    {Tenant: w.Name, Rule: rule, Devices: []string{"NOBODY"}},
		"elsewhere": {Tenant: "elsewhere", Rule: rule},
	} {
		err := benchcommand.CopyRules(t.Context(), p.dir, []bench.RuleCopies{copies, wrong})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	p.start()
	if running := p.metricText("tilth_alarm_rules"); running != "402" {
		t.Errorf("%s rules run", running)
	}
	p.stop()
}

// A filled tenant has everything that was asked for, and its open notices belong to rules that run.
func TestFillTenant(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	if p.database != "" {
		t.Skip("the test needs a folder with its own database")
	}
	p.start()
	w := bench.NewTenant(2, 1)
	file, err := w.File()
	if err != nil {
		t.Fatal(err)
	}
	p.apply(string(file))
	var rule int64
	token := p.signIn(w.Name, w.User, w.Password)
	p.call(http.MethodPost, "/admin-api/client/pc/alarm-rules/create", token, `{"alarmName":"filled","dataSource":1,
		"executionId":"`+w.Devices[0].Name+`","triggerType":0,"hitCounts":1,"durations":60000,"alarmLevel":1,"passageway":[],"manualRelease":0,
		"conditions":[{"andor":"and","tslAttribute":"`+w.Properties[0]+`","subconditions":">","value":1}]}`, &rule)
	p.stop()
	fill := bench.TenantFill{Tenant: w.Name, Rule: rule, Devices: w.DeviceNames(), Each: 3, Unread: 20, Old: 250}
	if err := benchcommand.FillTenant(t.Context(), p.dir, fill); err != nil {
		t.Fatal(err)
	}
	for says, wrong := range map[string]bench.TenantFill{
		"rule 9999": {Tenant: w.Name, Rule: 9999}, "NOBODY": {Tenant: w.Name, Rule: rule, Devices: []string{"NOBODY"}}, "error.404": {Tenant: "elsewhere"},
	} {
		err := benchcommand.FillTenant(t.Context(), p.dir, wrong)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	p.start()
	token = p.signIn(w.Name, w.User, w.Password)
	for path, want := range map[string]int{"alarm-notice/page?resolveStatus=0&pageNo=1": 6, "notify-message/my-page?readStatus=false&pageNo=1": 20} {
		var page struct{ Total int }
		if p.call(http.MethodGet, "/admin-api/client/pc/"+path, token, "", &page); page.Total != want {
			t.Errorf("%s: %d, want %d", path, page.Total, want)
		}
	}
	if running := p.metricText("tilth_alarm_rules"); running != "6" {
		t.Errorf("%s rules run", running)
	}
	testkit.Eventually(
		t,
		"the old messages to be gone",
		func() bool { return p.metricText("tilth_messages_removed_total") == "250" },
	)
	p.stop()
}
