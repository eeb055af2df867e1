package command

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"tilth/internal/tools/testkit"
)

// maxMailsInFlight is how many mails a kill may repeat.
const maxMailsInFlight = 16

// countingMailServer is a mail server that notes the Message-ID and the recipient of each mail that
// it accepts.
type countingMailServer struct {
	mu        sync.Mutex
	byMessage map[string]int // by Message-ID and recipient
	total     int
	reached   map[int]chan struct{} // closed when so many mails have arrived
}

func (o *countingMailServer) NewSession(*smtp.Conn) (smtp.Session, error) {
	return &mailSession{server: o}, nil
}

// afterMore returns a channel that is closed when so many more mails have arrived.
func (o *countingMailServer) afterMore(more int) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := make(chan struct{})
	o.reached[o.total+more] = c
	return c
}

// distinct is how many mails have arrived, each counted once.
func (o *countingMailServer) distinct() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.byMessage)
}

// mailSession is one connection to the mail server.
type mailSession struct {
	server *countingMailServer
	to     string
}

func (c *mailSession) Reset()                                    {}
func (c *mailSession) Logout() error                             { return nil }
func (c *mailSession) Mail(string, *smtp.MailOptions) error      { return nil }
func (c *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error { c.to = to; return nil }

func (c *mailSession) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, m.Body); err != nil {
		return err
	}
	o := c.server
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byMessage[m.Header.Get("Message-Id")+" "+c.to]++
	o.total++
	if reached := o.reached[o.total]; reached != nil {
		close(reached)
	}
	return nil
}

// The test kills the server with kill -9 again and again while alarms open and end and their mails
// are sent. Everybody gets each mail once; mails in flight may arrive twice, with the same
// Message-ID.
func TestKillLosesNoAlertMail(t *testing.T) {
	t.Parallel()
	rounds := killRoundsFromEnv(t)
	server := &countingMailServer{byMessage: map[string]int{}, reached: map[int]chan struct{}{}}
	p := newProcess(t)
	p.env = []string{startMailServer(t, server)}
	start := func() { p.start(append([]string{"--digest-after=0"}, unlimitedArgs...)...) }
	start()
	p.apply(`products:
  - name: mast
    properties: [{identifier: airTemperature, dataType: number, precision: 1}]
tenants:
  - name: farm
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: ada, password: correct horse}]
    devices: [{deviceName: T-0, serial: s, product: mast, secret: telling-test-secret-number-0}]
`)
	token := p.signIn("farm", "ada", "correct horse")
	var channel int64
	p.call(
		http.MethodPost,
		"/admin-api/client/pc/notice-channel/create",
		token,
		`{"noticeName":"Field","noticeMode":["email"],"email":{"emails":["ada@example.com","bora@example.com"]}}`,
		&channel,
	)
	p.runRule(token, fmt.Sprintf(
		`{"alarmName":"Frost","dataSource":1,"executionId":"T-0","triggerType":0,"durations":60000,"hitCounts":1,"alarmLevel":1,"manualRelease":0,
		"passageway":[%d],"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":1}]}`,
		channel,
	))

	const noticesPerRound = 40
	at := time.Now().UnixMilli()
	for range rounds {
		// Two recipients are told of the beginning and of the end of each notice. Enough mails remain for
		// some to be in flight at the kill.
		enough := server.afterMore(1 + rand.IntN(2*2*noticesPerRound-2*maxMailsInFlight))
		var values []string
		for range noticesPerRound { // a notice opens and ends
			values = append(
				values,
				fmt.Sprintf(
					`{"ts":%d,"values":{"airTemperature":0}},{"ts":%d,"values":{"airTemperature":9}}`,
					at+1,
					at+2,
				),
			)
			at += 2
		}
		at = max(at, time.Now().UnixMilli())
		resp, err := http.Post(
			"http://"+p.http+"/api/v1/telling-test-secret-number-0/telemetry",
			"application/json",
			strings.NewReader("["+strings.Join(values, ",")+"]"),
		)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
		testkit.Receive(t, "the mails before the kill", enough)
		p.kill()
		start()
	}
	want := 4 * rounds * noticesPerRound
	for server.distinct() < want {
		another := server.afterMore(1)
		if server.distinct() < want {
			testkit.Receive(t, "another mail", another)
		}
	}
	p.waitEvaluated()
	testkit.Eventually(
		t,
		"the queue to be empty",
		func() bool { return p.metricText("tilth_notify_mail_queued") == "0" },
	)

	token = p.signIn("farm", "ada", "correct horse")
	var notices struct {
		Total int
		List  []struct {
			ID            int64
			ResolveStatus int
		}
	}
	p.call(http.MethodGet, "/admin-api/client/pc/alarm-notice/page?pageNo=1&pageSize=400", token, "", &notices)
	if want := min(400, rounds*noticesPerRound); len(notices.List) != want || notices.Total != rounds*noticesPerRound {
		t.Errorf("%d notices, want %d", notices.Total, rounds*noticesPerRound)
	}
	for _, n := range notices.List {
		var detail struct {
			Deliveries []struct{ State, Event, Recipient string }
		}
		p.call(http.MethodGet, fmt.Sprintf("/admin-api/client/pc/alarm-notice/get?id=%d", n.ID), token, "", &detail)
		if len(detail.Deliveries) != 4 {
			t.Fatalf("notice %d: %+v", n.ID, detail.Deliveries)
		}
		for _, d := range detail.Deliveries {
			if d.State != "sent" {
				t.Errorf("notice %d: %+v", n.ID, d)
			}
		}
	}
	p.stop()
	server.mu.Lock()
	defer server.mu.Unlock()
	if len(server.byMessage) != want {
		t.Errorf("%d mails, want %d", len(server.byMessage), want)
	}
	if twice := server.total - len(server.byMessage); twice > rounds*maxMailsInFlight {
		t.Errorf("%d mails came twice after %d kills", twice, rounds)
	} else {
		t.Logf("%d mails, %d of them twice after %d kills", len(server.byMessage), twice, rounds)
	}
}
