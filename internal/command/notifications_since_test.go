package command

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

// The server finds out since when a frost holds from readings before the rule was published, and
// gives the same second everywhere: in the console's list and detail, its messages, the open API,
// webhooks, the mail and the SMS.
func TestHoldsSinceIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	texts := make(chan string, 8)
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m struct{ Text string }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		texts <- m.Text
	}))
	defer gateway.Close()
	post := &slowMailServer{started: make(chan struct{}, 8), release: make(chan struct{}), mails: make(chan string, 8)}
	close(post.release)
	program := testkit.NewWebhookReceiver(t)
	p := newProcess(t)
	p.env = []string{startMailServer(t, post)}
	p.start(
		"--webhook-private", "127.0.0.0/8",
		"--sms=http",
		"--sms-url", gateway.URL,
		"--sms-body",
		`{"to":"{to}","text":"{text}"}`,
	)
	p.apply(frostFarm)
	token := p.signIn("farm", "ada", "correct horse")
	const admin = "/admin-api/client/pc/"
	var channel int64
	p.call(
		http.MethodPost,
		admin+"notice-channel/create",
		token,
		`{"noticeName":"Field","noticeMode":["email","phoneMessage"],"email":{"emails":["ada@example.com"]},"phoneMessage":["+90 555 000 00 01"]}`,
		&channel,
	)
	var hook struct{ ID int64 }
	p.call(
		http.MethodPost,
		admin+"webhook/create",
		token,
		fmt.Sprintf(`{"name":"Planner","url":%q,"events":["opened","resolved"],"alarmLevel":0}`, program.URL),
		&hook,
	)
	var made struct{ AppKey, AppSecret string }
	p.call(http.MethodPost, admin+"apicredentials/create", token, `{"name":"Test"}`, &made)

	// The frost holds since 26 hours ago, after a gap of a day.
	start := time.Now().UnixMilli()
	since := start - 26*3_600_000 - 123
	p.sendReadings(
		fmt.Sprintf(
			`[{"ts":%d,"values":{"airTemperature":4}},{"ts":%d,"values":{"airTemperature":-2.3}},{"ts":%d,"values":{"airTemperature":-2.6}}]`,
			since-60_000,
			since,
			start-3_600_000,
		),
	)
	p.runRule(token, fmt.Sprintf(
		`{"alarmName":"Frost","dataSource":1,"executionId":"M-1","triggerType":0,"alarmLevel":2,"manualRelease":0,"passageway":[%d],
		"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":-2}]}`,
		channel,
	))
	p.sendReadings(fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":-2.4}}`, time.Now().UnixMilli()+1))

	var notices struct {
		List []struct{ ID, HoldsSince int64 }
	}
	testkit.Eventually(t, "the time to be found", func() bool {
		p.call(http.MethodGet, admin+"alarm-notice/page", token, "", &notices)
		return len(notices.List) == 1 && notices.List[0].HoldsSince != 0
	})
	notice := notices.List[0]
	var detail struct {
		AlarmNotice struct {
			HoldsSince int64
			Holds      bool
			Newest     struct{ Values map[string]float64 }
		}
	}
	p.call(http.MethodGet, fmt.Sprint(admin, "alarm-notice/get?id=", notice.ID), token, "", &detail)
	if n := detail.AlarmNotice; notice.HoldsSince != since || n.HoldsSince != since || !n.Holds ||
		n.Newest.Values["airTemperature"] != -2.4 {
		t.Errorf("the list says %d, the detail %+v, want %d", notice.HoldsSince, n, since)
	}
	moment := time.UnixMilli(since).UTC().Format("2006-01-02T15:04:05.000Z")
	for _, path := range []string{"/open-api/v1/notices", fmt.Sprint("/open-api/v1/notices/", notice.ID)} {
		said := p.getOpenAPI(path, made.AppKey, made.AppSecret)
		if !strings.Contains(said, `"holdsSince":"`+moment+`"`) {
			t.Errorf("%s: %s, want %s", path, said, moment)
		}
	}
	zone, err := time.LoadLocation("Europe/Istanbul")
	if err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(since).In(zone)
	messages := func() (said string) {
		var page struct {
			List []struct{ TemplateContent string }
		}
		p.call(http.MethodGet, admin+"notify-message/my-page", token, "", &page)
		return plainText(page.List[0].TemplateContent)
	}
	if said, want := messages(), "Air temperature below −2 °C since "+text.DateTime(
		text.English,
		at,
	)+", noticed "; !strings.Contains(
		said,
		want,
	) {
		t.Errorf("the message: %s, want %s", said, want)
	}
	// These may have been sent before the time was known, but never with another time.
	mailed, texted := plainText(
		mailText(t, testkit.Receive(t, "the mail", post.mails)),
	), testkit.Receive(
		t,
		"the SMS",
		texts,
	)
	if strings.Contains(mailed, " since ") &&
		!strings.Contains(mailed, "below −2 °C since "+text.DateTimeWithZone(text.English, at)+", noticed ") {
		t.Error(mailed)
	}
	if strings.Contains(texted, "Since ") &&
		!strings.Contains(texted, "Since "+text.ShortDateTime(text.English, at)+", noticed ") {
		t.Error(texted)
	}

	// The notification of the end always has the time.
	p.sendReadings(fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":3}}`, time.Now().UnixMilli()+2))
	mailed = plainText(mailText(t, testkit.Receive(t, "the mail of the end", post.mails)))
	if want := "Air temperature below −2 °C from " + text.DateTime(
		text.English,
		at,
	) + " on."; !strings.Contains(
		mailed,
		want,
	) {
		t.Errorf("%s, want %s", mailed, want)
	}
	var heard []testkit.WebhookCall
	testkit.Eventually(t, "the program", func() bool {
		heard = append(heard, program.TakeCalls()...)
		return len(heard) == 2
	})
	if said := string(heard[0].Body); strings.Contains(said, "holdsSince") && !strings.Contains(said, moment) {
		t.Error(said)
	}
	said := string(heard[1].Body)
	if !strings.Contains(said, `"type":"notice.resolved"`) || !strings.Contains(said, `"holdsSince":"`+moment+`"`) {
		t.Error(said)
	}
	p.call(http.MethodGet, admin+"alarm-notice/get/all", token, "", &notices.List)
	if notices.List[0].HoldsSince != since {
		t.Errorf("after the end: %+v", notices.List)
	}
	p.stop()
}

// getOpenAPI makes a call of the open API, and returns the body.
func (p *process) getOpenAPI(path, key, secret string) string {
	p.t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+p.http+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	r.SetBasicAuth(key, secret)
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

// mailText is the text of a mail for readers without HTML.
func mailText(t *testing.T, raw string) string {
	t.Helper()
	m := parseMail(t, raw)
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	var body io.Reader = m.Body
	header := func(name string) string { return m.Header.Get(name) }
	for err == nil && strings.HasPrefix(kind, "multipart/") {
		var part *multipart.Part
		if part, err = multipart.NewReader(body, params["boundary"]).NextRawPart(); err == nil {
			body, header = part, part.Header.Get
			kind, params, err = mime.ParseMediaType(part.Header.Get("Content-Type"))
		}
	}
	if err != nil || kind != "text/plain" {
		t.Fatalf("%s: %v\n%s", kind, err, raw)
	}
	if header("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	said, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// plainText is a text in one line, with plain spaces.
func plainText(said string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(said, "\u00a0", " ")), " ")
}
