package command

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/emersion/go-smtp"

	"tilth/internal/tools/testkit"
)

const notifyFarm = `
tenants:
  - name: farm
    hosts: [farm.localhost]
    timeZone: Europe/Istanbul
    language: tr-tr
    diy: {title: Yeşil Alan}
    users:
      - {userName: ada, password: "correct horse", email: ada@example.com, mobile: "+905551112233"}
`

// slowMailServer is a mail server that accepts a mail only once the test releases it.
type slowMailServer struct {
	started, release chan struct{}
	mails            chan string
}

func (p *slowMailServer) Reset()                               {}
func (p *slowMailServer) Logout() error                        { return nil }
func (p *slowMailServer) Mail(string, *smtp.MailOptions) error { return nil }
func (p *slowMailServer) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (p *slowMailServer) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	p.started <- struct{}{}
	<-p.release
	p.mails <- string(data)
	return nil
}

func (p *slowMailServer) NewSession(*smtp.Conn) (smtp.Session, error) { return p, nil }

// startMailServer runs a mail server and returns the setting for it.
func startMailServer(t *testing.T, post smtp.Backend) (setting string) {
	t.Helper()
	server := smtp.NewServer(post)
	server.ErrorLog = log.New(io.Discard, "", 0) // connections that a kill breaks
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() { _, _ = server.Close(), l.Close(); <-served })
	return "TILTH_SMTP_URL=smtp://" + l.Addr().String() + "?tls=none&from=alerts@farm.example"
}

// The test goes from the settings to the phone and the mailbox: a code arrives through an SMS
// gateway, a password is changed with it, and the mails about the change are sent although the
// server is told to stop while the mail server is slow.
func TestPasswordChangeIsMailed(t *testing.T) {
	t.Parallel()
	texts := make(chan string, 1)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct{ To, Text string }
		err := json.NewDecoder(r.Body).Decode(&m)
		if err != nil || m.To != "+905551112233" || r.Header.Get("Authorization") != "Bearer s3cret" {
			t.Errorf("%+v %v %v", m, err, r.Header)
		}
		texts <- m.Text
		_, _ = io.WriteString(w, `{"status":"ok"}`)
	}))
	defer gateway.Close()
	post := &slowMailServer{started: make(chan struct{}, 2), release: make(chan struct{}), mails: make(chan string, 2)}
	p := newProcess(t)
	p.env = []string{"TILTH_SMS_TOKEN=s3cret", startMailServer(t, post)}
	p.start(
		"--sms=http",
		"--sms-url", gateway.URL,
		"--sms-header",
		"Authorization: Bearer {token}",
		"--sms-body",
		`{"to":"{to}","text":"{text}"}`,
		"--sms-success", "status=ok",
		"--log-level", "debug",
	)
	p.apply(notifyFarm)
	token := p.signIn("farm", "ada", "correct horse")
	var done bool
	p.call(http.MethodPost, "/app-api/member/auth/send-sms-code", token, `{"mobile":"+905551112233","scene":2}`, &done)
	code := regexp.MustCompile(`\d{6}`).FindString(testkit.Receive(t, "the SMS", texts))
	p.call(
		http.MethodPut,
		"/app-api/member/user/update-password",
		token,
		`{"code":"`+code+`","password":"another horse"}`,
		&done,
	)
	testkit.Receive(t, "the mail", post.started)
	// A second mail waits behind the first.
	p.call(http.MethodPut, "/app-api/member/user/update", token, `{"nickname":"Ada","email":"new@example.com"}`, &done)
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the server to stop listening", func() bool {
		c, err := net.Dial("tcp", p.http)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	close(post.release)
	testkit.Receive(t, "the server's end", p.ended)
	if p.err != nil {
		t.Fatalf("%v\n%s", p.err, p.stderr)
	}
	if n := len(post.mails); n != 2 {
		t.Fatalf("%d mails of 2\n%s", n, p.stderr)
	}
	for range 2 {
		if mail := <-post.mails; !strings.Contains(mail, "@farm.example>") ||
			!strings.Contains(mail, "To: <ada@example.com>") ||
			!strings.Contains(mail, "text/html") {
			t.Error(mail)
		}
	}
	for _, secret := range []string{"s3cret", code, "another horse", "5551112233"} {
		if strings.Contains(p.stderr.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}

	// The changed password is stored, and so are the limits: the next code must wait.
	p.start("--sms=log")
	token = p.signIn("farm", "ada", "another horse")
	resp := askForCode(t, p, token)
	if !strings.Contains(resp, `"code":429`) {
		t.Error(resp)
	}
	p.stop()
}

// Wrong passwords for one account, each from another network, all get the same answer. The server
// tells the account's owner by one mail, and the owner can still sign in.
func TestOwnerIsMailedAboutGuesses(t *testing.T) {
	t.Parallel()
	post := &slowMailServer{
		started: make(chan struct{}, 30),
		release: make(chan struct{}),
		mails:   make(chan string, 30),
	}
	close(post.release)
	p := newProcess(t)
	p.env = []string{startMailServer(t, post)}
	p.start("--captcha", "off")
	p.apply(notifyFarm)
	for i := range 30 {
		client := &http.Client{
			Transport: &http.Transport{
				DialContext:       dialViaBalancer(fmt.Sprintf("127.0.%d.1", i+1), ""),
				DisableKeepAlives: true,
			},
		}
		res, err := client.Post("http://"+p.http+"/app-api/member/auth/login-username", "application/json",
			strings.NewReader(`{"userName":"ada","password":"wrong horse","tenantName":"farm"}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || !strings.Contains(string(body), `"code":601`) {
			t.Errorf("guess %d: %s, %v", i+1, body, err)
		}
		res.Body.Close()
	}
	mail := testkit.Receive(t, "the mail", post.mails)
	if !strings.Contains(mail, "To: <ada@example.com>") || !strings.Contains(mail, "text/html") {
		t.Error(mail)
	}
	p.signIn("farm", "ada", "correct horse")
	p.stop() // queued mails would be sent by then
	if n := len(post.mails); n != 0 {
		t.Errorf("%d more mails", n)
	}
}

// askForCode requests a code and returns the whole answer.
func askForCode(t *testing.T, p *process, token string) string {
	t.Helper()
	r, err := http.NewRequest(
		http.MethodPost,
		"http://"+p.http+"/app-api/member/auth/send-sms-code",
		strings.NewReader(`{"mobile":"+905551112233","scene":2}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
