package command

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// If a program says that it is gone, the server switches its webhook off, and the audit log names
// the server as the actor.
func TestGoneWebhookIsSwitchedOffAndAudited(t *testing.T) {
	t.Parallel()
	program := testkit.NewWebhookReceiver(t)
	program.SetResponse(http.StatusGone, "moved away")
	p := newProcess(t)
	p.start("--webhook-private", "127.0.0.0/8")
	p.apply(frostFarm)
	token := p.signIn("farm", "ada", "correct horse")
	const admin = "/admin-api/client/pc/"
	var hook struct{ ID int64 }
	p.call(
		http.MethodPost,
		admin+"webhook/create",
		token,
		fmt.Sprintf(`{"name":"Planner","url":%q,"events":["opened"],"alarmLevel":0}`, program.URL),
		&hook,
	)
	p.runRule(token, `{"alarmName":"Frost","dataSource":1,"executionId":"M-1","triggerType":0,"alarmLevel":2,
		"manualRelease":0,"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":-2}]}`)
	p.sendReadings(fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":-2.4}}`, time.Now().UnixMilli()+1))

	type entry struct {
		By, Name, Action, Thing, Address string
		ThingID                          int64
		Changes                          []struct {
			Field         string
			Before, After bool
		}
	}
	var log struct{ List []entry }
	testkit.Eventually(t, "the webhook to be switched off", func() bool {
		p.call(http.MethodGet, admin+"audit/page?kind=webhook&who=server", token, "", &log)
		return len(log.List) > 0
	})
	e := log.List[0]
	if len(log.List) != 1 || e.By != "server" || e.Name != "" || e.Action != "switchOff" || e.Thing != "Planner" ||
		e.ThingID != hook.ID ||
		e.Address != "" ||
		fmt.Sprint(e.Changes) != "[{enabled true false}]" {
		t.Errorf("%+v", log.List)
	}
	p.stop()
}
