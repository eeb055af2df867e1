package command

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// linkFarms give each farm of the demo a device whose secret is known, and a user who makes a rule
// for it.
const linkFarms = `
tenants:
  - name: demo
    users: [{userName: link, password: correct horse}]
    devices: [{deviceName: LINK-demo, serial: l1, product: weather-mast, secret: demo-link-test-secret-of-demo}]
  - name: yanzhao
    users: [{userName: link, password: correct horse}]
    devices: [{deviceName: LINK-yanzhao, serial: l2, product: weather-mast, secret: demo-link-test-secret-of-yanzhao}]
`

// The links in the demo's mails lead to the demo, each to the farm that the mail is about, by that
// farm's own host.
func TestDemoMailLinks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		public string
		hosts  map[string]string // where each farm's links lead; port 0: the demo's own port
	}{
		"as it is":         {"", map[string]string{"demo": "http://demo.localhost:0", "yanzhao": "http://yanzhao.localhost:0"}},
		"for a whole room": {"http://192.0.2.7:8080", map[string]string{"demo": "http://192.0.2.7:8080", "yanzhao": "http://yanzhao.localhost:8080"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			post := &slowMailServer{
				started: make(chan struct{}, 64),
				release: make(chan struct{}),
				mails:   make(chan string, 64),
			}
			close(post.release)
			p := newProcess(t)
			p.env = []string{startMailServer(t, post)}
			p.dir, p.command = filepath.Join(t.TempDir(), "demo-data"), "demo"
			p.start("--history=0", "--public-url="+c.public)
			p.apply(linkFarms)
			_, port, _ := net.SplitHostPort(p.http)
			for farm, want := range c.hosts {
				link := p.raiseAlarm(farm, post)
				if base := strings.TrimSuffix(want, ":0"); base != want {
					want = base + ":" + port
				}
				if link.Scheme+"://"+link.Host != want || link.Path != "/inform" {
					t.Errorf("%s: the link leads to %s, want %s", farm, link, want)
				}
				var owner struct{ Name string }
				p.call(
					http.MethodGet,
					"/admin-api/system/tenant/get-by-website?website="+url.QueryEscape(link.Host),
					"",
					"",
					&owner,
				)
				if owner.Name != farm {
					t.Errorf("%s: %s is of %q", farm, link, owner.Name)
				}
			}
			p.stop()
		})
	}
}

// raiseAlarm raises an alarm of a farm and returns the link of the mail about it.
func (p *process) raiseAlarm(farm string, post *slowMailServer) *url.URL {
	p.t.Helper()
	const admin = "/admin-api/client/pc/"
	token := p.signIn(farm, "link", "correct horse")
	var channel int64
	p.call(
		http.MethodPost,
		admin+"notice-channel/create",
		token,
		fmt.Sprintf(
			`{"noticeName":"Links","noticeMode":["email"],"email":{"emails":["links@%s.example"]},"language":"en-us"}`,
			farm,
		),
		&channel,
	)
	p.runRule(token, fmt.Sprintf(
		`{"alarmName":"Heat","dataSource":1,"executionId":"LINK-%s","triggerType":0,"alarmLevel":2,"manualRelease":0,"passageway":[%d],
		"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":">","value":20}]}`,
		farm,
		channel,
	))
	reading := fmt.Sprintf(`{"ts":%d,"values":{"airTemperature":30}}`, time.Now().UnixMilli()+1)
	resp, err := http.Post(
		"http://"+p.http+"/api/v1/demo-link-test-secret-of-"+farm+"/telemetry",
		"application/json",
		strings.NewReader(reading),
	)
	if err != nil {
		p.t.Fatal(err)
	}
	resp.Body.Close()
	for {
		mail := testkit.Receive(p.t, "the mail of "+farm, post.mails)
		if !strings.Contains(mail, "links@"+farm+".example") {
			continue // of the farm's own rules
		}
		link, err := url.Parse(regexp.MustCompile(`https?://\S+/inform`).FindString(mail))
		if err != nil {
			p.t.Fatal(err)
		}
		return link
	}
}
