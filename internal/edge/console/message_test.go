package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

const messagesPath = "/admin-api/client/pc/notify-message/"

// addMessage adds the message of a notice of a device that began now; with changes it.
func (w *fixture) addMessage(t testing.TB, d *device.Device, title string, with ...func(*alertmsg.Alarm)) int64 {
	t.Helper()
	w.Clock.Advance(time.Minute)
	now := w.Clock.Milli()
	a := &alertmsg.Alarm{
		Event:      alertmsg.Triggered,
		Rule:       7,
		Title:      title,
		Level:      2,
		DeviceID:   int64(d.ID),
		DeviceName: d.Name,
		NoteName:   d.NoteName,
		Product:    d.ProductID,
		Conditions: []alertmsg.Condition{{Join: "and", Property: "airTemperature", Operator: "<", Value: 2}},
		Values:     map[string]any{"airTemperature": 1.84},
		Start:      now,
	}
	for _, f := range with {
		f(a)
	}
	if a.Notice == 0 {
		a.Notice = w.Notice(t, testkit.Notice{Device: d, Title: title, Start: a.Start, CreateTime: now})
	}
	id, err := w.Messages.Add(t.Context(), d.Tenant, a, now)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (w *fixture) messages(t testing.TB, token, query string) *wire.NotifyMessagePage {
	t.Helper()
	return new(
		testkit.Ask[wire.NotifyMessagePage](
			t,
			w.Contract,
			testkit.Call{Path: messagesPath + "my-page" + query, Token: token},
		),
	)
}

// messageTitles returns the first lines of a user's messages, with a star at unread ones, and the
// total.
func (w *fixture) messageTitles(t testing.TB, token, query string) string {
	t.Helper()
	page := w.messages(t, token, query)
	var b strings.Builder
	for _, m := range page.List {
		title, _, _ := strings.Cut(m.TemplateContent, "\n")
		b.WriteString(title)
		if !m.ReadStatus {
			b.WriteByte('*')
		}
		b.WriteString(", ")
	}
	return fmt.Sprint(b.String(), page.Total)
}

func (w *fixture) markReadCall(path, body, token string) testkit.Call {
	return testkit.Call{Method: http.MethodPut, Path: messagesPath + path, Body: body, Token: token}
}

// Each user reads the same message in their own language and time zone, with the product's names
// and decimals.
func TestMessageTexts(t *testing.T) {
	w := newServer(t)
	w.addMessage(t, w.ws1, "Frost")
	begin := w.Clock.Now()
	for _, c := range []struct {
		header map[string]string
		want   []string
	}{
		{nil, []string{"Frost\n", "Mast", "1.8", "2", "°C", begin.In(w.field.TimeZone).Format("15:04")}},
		{map[string]string{"Time-Zone": "Asia/Kathmandu"}, []string{begin.In(mustZone(t, "Asia/Kathmandu")).Format("15:04")}},
		{map[string]string{"Accept-Language": "zh-cn"}, []string{"Frost\n", "空气温度", "Mast"}},
		{map[string]string{"Accept-Language": "tr-tr"}, []string{"Frost\n", "Hava sıcaklığı", "1,8"}},
		{map[string]string{"Accept-Language": "ru-ru"}, []string{"Frost\n", "Температура воздуха", "1,8"}},
	} {
		call := w.get(messagesPath + "my-page")
		call.Header = c.header
		page := testkit.Ask[wire.NotifyMessagePage](t, w.Contract, call)
		for _, part := range c.want {
			if !strings.Contains(page.List[0].TemplateContent, part) {
				t.Errorf("%v: %q lacks %q", c.header, page.List[0].TemplateContent, part)
			}
		}
	}
}

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// The message also has the fields from which the icon and the groups are made.
func TestMessageFields(t *testing.T) {
	w := newServer(t)
	began := w.addMessage(t, w.ws1, "Silent", func(a *alertmsg.Alarm) {
		a.Offline, a.Level, a.Conditions, a.Values, a.Window = true, 1, nil, nil, 600_000
	})
	start := w.Clock.Milli()
	open := w.messages(t, w.ada, "").List[0]
	want := fmt.Sprintf(
		`{"alarmLevel":1,"createTime":%d,"event":"triggered","id":%d,"noticeId":%d,"readStatus":false,"ruleId":7,"templateContent":"","triggerType":1}`,
		start,
		began,
		*open.NoticeId,
	)
	open.TemplateContent = ""
	if got := asJSON(t, open); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, byHand := range []bool{false, true} {
		w.addMessage(
			t,
			w.ws1,
			"Silent",
			func(a *alertmsg.Alarm) { a.Event, a.End, a.Manual = alertmsg.Resolved, w.Clock.Milli(), byHand },
		)
		if m := w.messages(t, w.ada, "").List[0]; m.Event != "resolved" || m.ByHand == nil || *m.ByHand != byHand ||
			m.TriggerType != 0 {
			t.Errorf("%s", asJSON(t, m))
		}
	}
}

// A message is still shown after its notice and its product were deleted.
func TestMessageOfDeletedNoticeAndProduct(t *testing.T) {
	w := newServer(t)
	w.addMessage(t, w.ws1, "Frost", func(a *alertmsg.Alarm) { a.Product = 9999 })
	m := w.messages(t, w.ada, "").List[0]
	if !strings.Contains(m.TemplateContent, "1.84") || m.NoticeId == nil {
		t.Errorf("%s", asJSON(t, m))
	}
}

func TestMarkMessagesRead(t *testing.T) {
	w := newServer(t)
	w.mustSucceed(t, w.markReadCall("update-all-read", "", w.ada)) // the messages of the fixture
	w.mustSucceed(t, w.markReadCall("update-all-read", "", w.bora))
	a, b, c := w.addMessage(t, w.ws1, "A"), w.addMessage(t, w.ws1, "B"), w.addMessage(t, w.ws2, "C")
	theirs := w.addMessage(t, w.rivalDevice, "Z")
	w.Run(t, []testkit.Scenario{
		{
			Name:     "no ids",
			Call:     w.markReadCall("update-read", "", w.ada),
			Code:     601,
			Contains: []string{"Ids: required"},
		},
		{
			Name:     "an empty list",
			Call:     w.markReadCall("update-read", `{"ids":[]}`, w.ada),
			Code:     601,
			Contains: []string{"Ids: required"},
		},
		{Name: "no number", Call: w.markReadCall("update-read?ids=x", "", w.ada), Code: 400},
		{Name: "0", Call: w.markReadCall("update-read?ids=0", "", w.ada), Code: 601},
		{
			Name: "too many",
			Call: w.markReadCall("update-read", `{"ids":[`+strings.Repeat("1,", 400)+`1]}`, w.ada),
			Code: 601,
		},
		{Name: "a broken body", Call: w.markReadCall("update-read", `{"ids":`, w.ada), Code: 400},
		{
			Name:     "another tenant's message, and a missing one",
			Call:     w.markReadCall(fmt.Sprint("update-read?ids=", theirs, ",99999"), "", w.ada),
			Contains: []string{`"data":true`},
		},
	})
	const all = "C*, B*, A*, "
	if got := w.messageTitles(t, w.ada, "?readStatus=false"); got != all+"3" {
		t.Errorf("%q", got)
	}
	w.mustSucceed(t, w.markReadCall(fmt.Sprint("update-read?ids=", b), "", w.ada))
	w.mustSucceed(t, w.markReadCall("update-read", fmt.Sprintf(`{"ids":[%d]}`, c), w.ada))
	for query, want := range map[string]string{
		"?readStatus=false": "A*, 1", "?readStatus=true&pageSize=2": "C, B, 3", "?pageSize=3": "C, B, A*, 4",
		"?pageSize=1&pageNo=2": "B, 4", "?pageNo=9": "4",
	} {
		if got := w.messageTitles(t, w.ada, query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	if got := w.messageTitles(t, w.bora, "?readStatus=false"); got != all+"3" {
		t.Errorf("bora: %q", got)
	}
	w.mustSucceed(t, w.markReadCall(fmt.Sprint("update-read?ids[]=", a, "&ids[]=", a), "", w.ada))
	w.mustSucceed(t, w.markReadCall("update-all-read", "", w.bora))
	for token, want := range map[string]int{w.ada: 0, w.bora: 0, w.rivalToken: 2} {
		if n := testkit.Ask[int](t, w.Contract, testkit.Call{Path: unreadPath, Token: token}); n != want {
			t.Errorf("%d unread, want %d", n, want)
		}
	}
	if got := w.messageTitles(t, w.rivalToken, ""); !strings.HasPrefix(got, "Z*, ") {
		t.Errorf("the other ada: %q", got)
	}
}

func TestMessagePaging(t *testing.T) {
	w := newServer(t)
	w.Run(t, []testkit.Scenario{
		{Name: "a page of 401", Call: w.get(messagesPath + "my-page?pageSize=401"), Code: 601},
		{Name: "page 0", Call: w.get(messagesPath + "my-page?pageNo=0"), Code: 601},
		{Name: "neither read nor unread", Call: w.get(messagesPath + "my-page?readStatus=perhaps"), Code: 400},
		{Name: "a page of 400", Call: w.get(messagesPath + "my-page?pageSize=400"), Contains: []string{`"total":1`}},
		{Name: "all", Call: w.get(messagesPath + "my-page?readStatus="), Contains: []string{`"total":1`}},
	})
}

// A new user does not get the messages from before.
func TestMessagesStartWithUser(t *testing.T) {
	w := newServer(t)
	w.addMessage(t, w.ws1, "Old")
	w.Clock.Advance(time.Minute)
	cem := w.Session(t, w.User(t, w.field.ID, "cem")).Access
	w.addMessage(t, w.ws1, "New")
	if got := w.messageTitles(t, cem, ""); got != "New*, 1" {
		t.Errorf("%q", got)
	}
}
