package command

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

const frostFarm = `products:
  - name: mast
    properties: [{identifier: airTemperature, functionName: Air temperature, elementUnit: "°C",
                  dataType: number, precision: 1}]
tenants:
  - name: farm
    hosts: [farm.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    diy: {title: Greenfield}
    users: [{userName: ada, password: correct horse}]
    devices: [{deviceName: M-1, serial: s, noteName: North mast, product: mast, secret: frost-test-secret-number-0}]
`

// The test follows an alarm from a reading to the mailbox and the phone, with all that the settings
// and the stores contribute: the senders, the names of the properties, the readings of the chart,
// the links.
func TestFrostIsSentByMailAndSMS(t *testing.T) {
	t.Parallel()
	texts := make(chan string, 8)
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m struct{ To, Text string }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		texts <- m.To + " " + m.Text
	}))
	defer gateway.Close()
	post := &slowMailServer{started: make(chan struct{}, 8), release: make(chan struct{}), mails: make(chan string, 8)}
	close(post.release)
	p := newProcess(t)
	p.env = []string{startMailServer(t, post)}
	p.start("--sms=http", "--sms-url", gateway.URL, "--sms-body", `{"to":"{to}","text":"{text}"}`)
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

	// A test message of the channel goes the same way, and says that it is one.
	var outcomes []struct {
		Recipient string
		Ok        bool
		Answer    string
	}
	p.call(http.MethodPost, fmt.Sprint(admin, "notice-channel/test?id=", channel), token, "", &outcomes)
	if len(outcomes) != 2 || !outcomes[0].Ok || !outcomes[1].Ok || outcomes[0].Recipient != "ada@example.com" ||
		outcomes[1].Recipient != "+905550000001" ||
		outcomes[0].Answer == "" {
		t.Errorf("%+v", outcomes)
	}
	if m := parseMail(t, testkit.Receive(t, "the test mail", post.mails)); m.Header.Get("To") != "<ada@example.com>" {
		t.Errorf("%v", m.Header)
	}
	if sms := testkit.Receive(t, "the test SMS", texts); !strings.HasPrefix(sms, "+905550000001 Greenfield") {
		t.Error(sms)
	}

	now := time.Now().UnixMilli()
	p.sendReadings(
		fmt.Sprintf(
			`[{"ts":%d,"values":{"airTemperature":4}},{"ts":%d,"values":{"airTemperature":1.5}}]`,
			now-120_000,
			now-60_000,
		),
	)
	p.runRule(token, fmt.Sprintf(
		`{"alarmName":"Frost","dataSource":1,"executionId":"M-1","triggerType":0,"alarmLevel":2,"manualRelease":0,"passageway":[%d],
		"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":-2}]}`,
		channel,
	))
	p.sendReadings(fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":-2.4}}`, time.Now().UnixMilli()+1))

	mailed := testkit.Receive(t, "the mail", post.mails)
	m := parseMail(t, mailed)
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "[Serious] Frost: North mast" ||
		!strings.HasSuffix(m.Header.Get("Message-Id"), "@farm.example>") {
		t.Errorf("%v %v", m.Header, err)
	}
	for _, part := range []string{"text/plain", "text/html", "image/png", "farm.localhost/inform?id"} {
		if !strings.Contains(mailed, part) {
			t.Errorf("no %s in %s", part, mailed)
		}
	}
	sms := testkit.Receive(t, "the SMS", texts)
	if !strings.HasPrefix(
		sms,
		`+905550000001 Greenfield: Serious alarm "Frost". North mast: Air temperature -2.4 C (limit < -2 C).`,
	) {
		t.Error(sms)
	}
	var notices struct{ List []struct{ ID int64 } }
	p.call(http.MethodGet, admin+"alarm-notice/page", token, "", &notices)
	if len(notices.List) != 1 {
		t.Fatalf("%+v", notices)
	}
	testkit.Eventually(t, "both deliveries to be shown as sent", func() bool {
		var detail struct{ Deliveries []struct{ State string } }
		p.call(http.MethodGet, fmt.Sprint(admin, "alarm-notice/get?id=", notices.List[0].ID), token, "", &detail)
		return len(detail.Deliveries) == 2 && detail.Deliveries[0].State == "sent" &&
			detail.Deliveries[1].State == "sent"
	})
	p.stop()
}

// runRule makes an alarm rule of the body and publishes it.
func (p *process) runRule(token, body string) {
	p.t.Helper()
	const rules = "/admin-api/client/pc/alarm-rules/"
	var rule int64
	p.call(http.MethodPost, rules+"create", token, body, &rule)
	var done bool
	p.call(http.MethodGet, fmt.Sprint(rules, "publish?alarmRulesId=", rule), token, "", &done)
}

// sendReadings sends readings of the mast over HTTP.
func (p *process) sendReadings(payload string) {
	p.t.Helper()
	resp, err := http.Post(
		"http://"+p.http+"/api/v1/frost-test-secret-number-0/telemetry",
		"application/json",
		strings.NewReader(payload),
	)
	if err != nil {
		p.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.t.Fatal(resp.Status)
	}
}

func parseMail(t *testing.T, raw string) *mail.Message {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
