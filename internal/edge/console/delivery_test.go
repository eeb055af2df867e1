package console_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/notify"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// A rule keeps its channels and its reminder interval and passes them to its copies; its notices
// keep them, too.
func TestRuleChannelsAndReminder(t *testing.T) {
	w := newServer(t)
	a, b := w.Channel(t, w.field.ID, "Staff").ID, w.Channel(t, w.field.ID, "Owner").ID
	id, notice := w.openRuleNotice(
		t,
		frostForm("WS-1", body{"passageway": []int64{b, a, b}, "remindEvery": 15}),
		air(1),
	)
	if r := w.rule(t, id); fmt.Sprint(r.Passageway) != fmt.Sprint([]int64{a, b}) || r.RemindEvery == nil ||
		*r.RemindEvery != 15 {
		t.Errorf("%s", asJSON(t, r))
	}
	d, err := w.Notices.Get(t.Context(), w.field.ID, notice)
	if err != nil || fmt.Sprint(d.RuleCopy.Channels) != fmt.Sprint([]int64{a, b}) || d.RuleCopy.RemindEvery != 15 {
		t.Errorf("%+v %v", d, err)
	}
	copies := testkit.Ask[[]int64](
		t,
		w.Contract,
		w.adaCall("POST", rulesPath+"copy", body{"id": id, "executionIds": []string{"WS-2"}}),
	)
	if r := w.rule(t, copies[0]); fmt.Sprint(r.Passageway) != fmt.Sprint([]int64{a, b}) || r.RemindEvery == nil ||
		*r.RemindEvery != 15 {
		t.Errorf("%s", asJSON(t, r))
	}
	// After any change, the open notice belongs to the earlier revision.
	for _, change := range []body{{"passageway": []int64{a}, "remindEvery": 15}, {"passageway": []int64{a}, "remindEvery": 0}, {"passageway": []int64{a}, "startTime": "06:00", "endTime": "07:00"}} {
		open := w.rule(t, id).OpenNotice
		if open == nil {
			w.Clock.Advance(time.Second)
			w.evaluate(t, w.ws1, air(1))
			open = w.rule(t, id).OpenNotice
		}
		w.mustSucceed(t, w.updateRuleCall(id, frostForm("WS-1", change)))
		if n := w.notice(t, open.Id).AlarmNotice; n.ResolveStatus != 1 ||
			*n.ResolveReason != wire.AlarmNoticeDetailResolveReason(alarm.Changed) {
			t.Errorf("%v: %s", change, asJSON(t, n))
		}
	}
	if r := w.rule(t, id); fmt.Sprint(r.Passageway) != fmt.Sprint([]int64{a}) || r.RemindEvery != nil {
		t.Errorf("%s", asJSON(t, r))
	}
}

// A notice shows its deliveries and the answers of the servers that took them.
func TestNoticeDeliveries(t *testing.T) {
	w := newServer(t)
	channel := w.Channel(t, w.field.ID, "Staff").ID
	w.SMSSender.Break(&notify.Failure{Kind: notify.Permanent, Answer: "30005 unknown"})
	rule, id := w.openRuleNotice(t, frostForm("WS-1", body{"passageway": []int64{channel}}), air(1))
	began := w.Clock.Milli()
	queued := w.notice(t, id).Deliveries
	if len(queued) != 2 || queued[0].State != "queued" || queued[0].NextTime != nil || queued[0].Reason != nil ||
		queued[0].Digest != nil ||
		len(queued[0].Steps) != 1 {
		t.Errorf("%s", asJSON(t, queued))
	}
	w.Clock.Advance(time.Second)
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(
		`[{"attempts":1,"channel":"Staff","createTime":%d,"event":"triggered","id":%d,"mode":"email","recipient":"staff@example.com","state":"sent",`+
			`"steps":[{"step":"queued","time":%d},{"answer":"accepted","step":"accepted","time":%d}],"updateTime":%d},`+
			`{"attempts":1,"channel":"Staff","createTime":%d,"event":"triggered","id":%d,"lastError":"30005 unknown","mode":"phoneMessage","reason":"refused","recipient":"+905551112233","state":"failed",`+
			`"steps":[{"step":"queued","time":%d},{"answer":"30005 unknown","step":"refused","time":%d}],"updateTime":%d}]`,
		began,
		queued[0].Id,
		began,
		began+1000,
		began+1000,
		began,
		queued[1].Id,
		began,
		began+1000,
		began+1000,
	)
	if got := asJSON(t, w.notice(t, id).Deliveries); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	letters := w.MailSender.Sent()
	if len(letters) != 1 || len(letters[0].Alarms) != 1 {
		t.Fatalf("%+v", letters)
	}
	if a := letters[0].Alarms[0]; a.Notice != id || a.Event != alertmsg.Triggered || a.Title != "Frost" ||
		a.Values["airTemperature"] != 1.0 ||
		a.NoteName != "Mast" {
		t.Errorf("%+v", a)
	}
	// The in-app messages show the notice, too, and the resolution goes to the same recipients.
	w.Clock.Advance(time.Minute)
	w.evaluate(t, w.ws1, air(5))
	w.Clock.Advance(time.Second)
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if letters = w.MailSender.Sent(); len(letters) != 2 || letters[1].Alarms[0].Event != alertmsg.Resolved {
		t.Errorf("%+v", letters)
	}
	if m := w.messages(t, w.ada, "").List; m[0].Event != "resolved" || m[1].Event != "triggered" ||
		*m[0].NoticeId != id || *m[0].RuleId != rule {
		t.Errorf("%s", asJSON(t, m))
	}
}

// A delivery names the tenant's users who have its address or number, and nobody of another tenant.
func TestDeliveriesNamePeople(t *testing.T) {
	w := newServer(t)
	for _, u := range []struct {
		of                      *identity.User
		nickname, email, mobile string
	}{
		{w.field.Ada, "Ada Field", "Staff@Example.com", ""},
		{w.field.Bora, "", "", "+905551112233"},
		{w.rival.Ada, "Ada Rival", "staff@example.com", ""},
		{w.rival.Bora, "Bora Rival", "", "+905551112233"},
	} {
		u.of.Nickname, u.of.Email, u.of.Mobile = u.nickname, u.email, u.mobile
		if err := w.Users.Update(t.Context(), u.of.Tenant, u.of); err != nil {
			t.Fatal(err)
		}
	}
	channel := w.Channel(t, w.field.ID, "Staff", func(c *notify.Channel) {
		c.To[notify.KindEmail] = append(c.To[notify.KindEmail], "else@example.com")
	}).ID
	_, id := w.openRuleNotice(t, frostForm("WS-1", body{"passageway": []int64{channel}}), air(1))
	people := map[string]string{}
	for _, d := range w.notice(t, id).Deliveries {
		people[d.Recipient] = asJSON(t, d.People)
	}
	want := map[string]string{
		"staff@example.com": `["Ada Field"]`, "else@example.com": "null", "+905551112233": `["bora"]`,
	}
	if !maps.Equal(people, want) {
		t.Errorf("%v, want %v", people, want)
	}
}

// A delivery that went only into the log is not called sent.
func TestNoticeDeliveriesLogged(t *testing.T) {
	w := newServer(t)
	w.SMSSender.OnlyLog()
	channel := w.Channel(t, w.field.ID, "Staff").ID
	_, id := w.openRuleNotice(t, frostForm("WS-1", body{"passageway": []int64{channel}}), air(1))
	if _, err := w.Outbox.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"email": "sent ", "phoneMessage": "skipped logged"}
	list := w.notice(t, id).Deliveries
	if len(list) != len(want) {
		t.Errorf("%s", asJSON(t, list))
	}
	for _, d := range list {
		reason := ""
		if d.Reason != nil {
			reason = *d.Reason
		}
		if got := string(d.State) + " " + reason; got != want[d.Mode] {
			t.Errorf("%s", asJSON(t, d))
		}
	}
}

// While a rule is muted, nobody is notified; at the end of the mute, people are.
func TestMutedRuleNotifiesAfterMute(t *testing.T) {
	w := newServer(t)
	channel := w.Channel(t, w.field.ID, "Staff", func(c *notify.Channel) { delete(c.To, notify.KindSMS) }).ID
	rule := w.createRule(t, frostForm("WS-1", body{"passageway": []int64{channel}}))
	w.mustSucceed(t, w.deployCall("publish", rule))
	mute := func(until int64) testkit.Call {
		return w.adaCall("PUT", rulesPath+"mute", body{"id": rule, "until": until})
	}
	w.mustSucceed(t, mute(w.Clock.Milli()+time.Hour.Milliseconds()))
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(1))
	notice := w.rule(t, rule).OpenNotice.Id
	step := func() wire.Delivery {
		t.Helper()
		if _, err := w.Outbox.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		list := w.notice(t, notice).Deliveries
		if len(list) != 1 {
			t.Fatalf("%s", asJSON(t, list))
		}
		return list[0]
	}
	if d := step(); d.State != "queued" || d.Reason == nil || *d.Reason != "muted" || len(w.MailSender.Sent()) != 0 {
		t.Errorf("%s", asJSON(t, d))
	}
	w.Clock.Advance(time.Minute)
	w.mustSucceed(t, mute(0))
	if d := step(); d.State != "sent" || len(w.MailSender.Sent()) != 1 {
		t.Errorf("%s", asJSON(t, d))
	}
}
