package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const fourHours = 4 * 3600_000

// The list, the detail and the messages show an acknowledgement until the notice ends; invalid
// acknowledgements are refused.
func TestAcknowledge(t *testing.T) {
	w := newServer(t)
	_, id := w.openRuleNotice(
		t,
		frostForm("WS-1", body{"manualRelease": 0}),
		air(-1),
	) // it does not matter whether it may be resolved
	w.Run(t, []testkit.Scenario{
		{
			Name:     "too long a note",
			Call:     w.acknowledge(id, body{"note": strings.Repeat("ş", 501)}),
			Code:     601,
			Contains: []string{`"msg":"Note: at most 500 characters"`},
		},
		{
			Name:     "a note of invisible characters",
			Call:     w.acknowledge(id, body{"note": "a\u0007b"}),
			Code:     601,
			Contains: []string{`"msg":"Note: `},
		},
		{
			Name:     "hours",
			Call:     w.acknowledge(id, body{"remindHours": 2}),
			Code:     601,
			Contains: []string{`"msg":"Remind again after (hours): not one of the choices"`},
		},
		{
			Name:     "no hours",
			Call:     w.acknowledge(id, body{"remindHours": 0}),
			Code:     601,
			Contains: []string{"Remind again after (hours)"},
		},
		{
			Name:     "no number",
			Call:     w.acknowledge(id, body{"remindHours": "4"}),
			Code:     400,
			Contains: []string{"Remind again after (hours)"},
		},
		{Name: "none", Call: w.acknowledge(99999, nil), Code: 404},
		{Name: "0", Call: w.acknowledge(0, nil), Code: 601},
		{Name: "unacknowledge a missing notice", Call: w.unacknowledge(99999), Code: 404},
		{
			Name:     "unacknowledge without an acknowledgement",
			Call:     w.unacknowledge(id),
			Code:     601,
			Contains: []string{`"msg":"Nobody has said to be on this alarm"`},
		},
		{
			Name: "signed out",
			Call: testkit.Call{
				Method: http.MethodPut,
				Path:   noticesPath + "acknowledge",
				Body:   fmt.Sprintf(`{"id":%d}`, id),
			},
			Code: 401,
		},
	})
	is := func(want *wire.AlarmAck) {
		t.Helper()
		page := testkit.Ask[wire.AlarmNoticePage](t, w.Contract, w.get(noticesPath+"page?title=frost&resolveStatus=0"))
		all := testkit.Ask[[]wire.AlarmNotice](t, w.Contract, w.get(noticesPath+"get/all"))
		for what, got := range map[string]*wire.AlarmAck{
			"detail": w.notice(t, id).AlarmNotice.Ack, "page": page.List[0].Ack, "all": all[0].Ack, "message": w.messages(t, w.ada, "").List[0].Ack,
		} {
			if asJSON(t, got) != asJSON(t, want) {
				t.Errorf("%s: %s, want %s", what, asJSON(t, got), asJSON(t, want))
			}
		}
	}
	is(nil)
	w.Clock.Advance(time.Minute)
	call := w.acknowledge(id, body{"note": " at the\npump "})
	call.Token = w.bora
	w.mustSucceed(t, call)
	now := w.Clock.Milli()
	is(&wire.AlarmAck{User: w.field.Bora.Nickname, Time: now, Note: "at the\npump", RemindAt: now + fourHours})
	for hours, more := range map[int]body{1: {"remindHours": 1, "note": nil}, 4: {"remindHours": nil}, 12: {"remindHours": 12}} {
		w.Clock.Advance(time.Minute)
		w.mustSucceed(t, w.acknowledge(id, more))
		now := w.Clock.Milli()
		is(&wire.AlarmAck{User: w.field.Ada.Nickname, Time: now, RemindAt: now + int64(hours)*3600_000})
	}
	w.mustSucceed(t, w.unacknowledge(id))
	is(nil)
	w.mustSucceed(t, w.acknowledge(id, nil))
	last := w.notice(t, id).AlarmNotice.Ack
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(5))
	if d := w.notice(t, id).AlarmNotice; asJSON(t, d.Ack) != asJSON(t, last) || d.ResolveStatus != 1 {
		t.Errorf("over: %s", asJSON(t, d))
	}
	for _, m := range w.messages(t, w.ada, "").List {
		if m.Ack != nil {
			t.Errorf("the message of an ended notice: %s", asJSON(t, m))
		}
	}
	w.Run(t, []testkit.Scenario{
		{
			Name:     "over",
			Call:     w.acknowledge(id, nil),
			Code:     601,
			Contains: []string{`"msg":"This alarm is over already"`},
		},
		{
			Name:     "unacknowledge an ended notice",
			Call:     w.unacknowledge(id),
			Code:     601,
			Contains: []string{`"msg":"This alarm is over already"`},
		},
	})
}
