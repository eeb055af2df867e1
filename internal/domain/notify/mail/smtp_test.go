package mail

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"tilth/internal/domain/notify"
	"tilth/internal/tools/testkit"
)

// Refusals at each step give the server's answer and the correct kind of failure.
func TestSMTPRefusals(t *testing.T) {
	p := serve(t, NoTLS, false)
	s := newTestSMTP(t, p.settings(NoTLS), time.Now)
	for _, c := range []struct {
		step string
		code int
		want notify.FailureKind
	}{
		{"mail", 450, notify.Unavailable}, {"mail", 550, notify.Unavailable}, {"mail", 530, notify.Unavailable},
		{"rcpt", 450, notify.Transient}, {"rcpt", 550, notify.Permanent}, {"rcpt", 421, notify.Unavailable}, {"rcpt", 530, notify.Unavailable},
		{"data", 451, notify.Transient}, {"data", 554, notify.Permanent}, {"data", 421, notify.Unavailable},
	} {
		p.refuseStep(c.step,
			&smtp.SMTPError{Code: c.code, EnhancedCode: smtp.EnhancedCode{c.code / 100, 7, 1}, Message: "not this one"})
		f := wantFailure(t, s, hello)
		answer := fmt.Sprintf("%d %d.7.1 not this one", c.code, c.code/100)
		if f.Kind != c.want || f.Answer != answer || f.Error() != f.Answer {
			t.Errorf("%s %d: %v %q, want %v %q", c.step, c.code, f.Kind, f.Answer, c.want, answer)
		}
	}
	if n := len(p.received()); n != 0 {
		t.Errorf("%d mails accepted", n)
	}
	p.refuseStep("", nil)
	if answer, err := s.Send(t.Context(), hello); err != nil || answer == "" || len(p.received()) != 1 {
		t.Errorf("after all refusals: %q %v", answer, err)
	}
}

// Mails that follow each other share a connection; refusals do not end it.
func TestConnectionReused(t *testing.T) {
	p := serve(t, TLS, true)
	set := p.settings(TLS)
	set.User, set.Password = "me", "s3cret"
	s := newTestSMTP(t, set, time.Now)
	for i := range 5 {
		p.refuseStep("rcpt", nil)
		if i == 2 {
			p.refuseStep("rcpt", &smtp.SMTPError{Code: 550, Message: "nobody of that name"})
		}
		if _, err := s.Send(t.Context(), hello); (err != nil) != (i == 2) {
			t.Fatalf("mail %d: %v", i, err)
		}
	}
	if n := p.connections(); n != 1 || len(p.signIns) != 1 || len(p.received()) != 4 {
		t.Errorf("%d connections, %d sign-ins, %d mails", n, len(p.signIns), len(p.received()))
	}
	s.Close()
	testkit.Receive(t, "the end of the connection", p.left)
	if _, err := s.Send(t.Context(), hello); err != nil || p.connections() != 2 {
		t.Errorf("after Close: %v, %d connections", err, p.connections())
	}
}

// An idle connection is closed after the timeout.
func TestIdleConnectionClosed(t *testing.T) {
	p := serve(t, NoTLS, false)
	s := newTestSMTP(t, p.settings(NoTLS), time.Now)
	s.idleTimeout = time.Millisecond
	if _, err := s.Send(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	testkit.Receive(t, "the end of the connection", p.left)
	if _, err := s.Send(t.Context(), hello); err != nil || p.connections() != 2 {
		t.Errorf("afterwards: %v, %d connections", err, p.connections())
	}
}

// Concurrent mails have connections of their own, up to maxConns; the others wait for one.
func TestConcurrentSends(t *testing.T) {
	p := serve(t, NoTLS, false)
	s := newTestSMTP(t, p.settings(NoTLS), time.Now)
	const mails = 24
	var all sync.WaitGroup
	for i := range mails {
		all.Go(func() {
			m := hello
			m.ID = fmt.Sprint("m", i)
			if _, err := s.Send(t.Context(), m); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	all.Wait()
	ids := map[string]bool{}
	for _, l := range p.received() {
		m, err := netmail.ReadMessage(strings.NewReader(l.data))
		if err != nil {
			t.Fatal(err)
		}
		ids[m.Header.Get("Message-Id")] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := p.connections(); len(ids) != mails || len(s.idle) != n || n == 0 || n > maxConns {
		t.Errorf("%d mails over %d connections, %d of them idle", len(ids), n, len(s.idle))
	}
}

// scriptedServer accepts one connection after the other and runs a script on each.
func scriptedServer(t *testing.T, scripts ...func(say func(string), hear func(prefix string) bool)) Settings {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, script := range scripts {
			c, err := l.Accept()
			if err != nil {
				return
			}
			lines := bufio.NewScanner(c)
			script(func(s string) { _, _ = io.WriteString(c, s+"\r\n") }, func(prefix string) bool {
				for lines.Scan() {
					if strings.HasPrefix(lines.Text(), prefix) {
						return true
					}
				}
				return false
			})
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return Settings{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: NoTLS,
		From: netmail.Address{Address: "a@example.org"}}
}

// greet plays a server's part until it has received a step of a mail.
func greet(say func(string), hear func(string) bool, step string) {
	say("220 hello")
	hear("EHLO")
	say("250 mail.example.org")
	for _, s := range []string{"MAIL", "RCPT", "DATA", "."} {
		hear(s)
		if s == step {
			return
		}
		if s == "DATA" {
			say("354 go on")
		} else {
			say("250 fine")
		}
	}
}

// A server breaks off, replies garbage or does not exist. Errors after the sender was accepted
// concern this mail; all others concern all mails.
func TestBrokenServerFailureKinds(t *testing.T) {
	type script = func(say func(string), hear func(string) bool)
	at := func(step, reply string) script {
		return func(say func(string), hear func(string) bool) {
			greet(say, hear, step)
			if reply != "" {
				say(reply)
			}
		}
	}
	for name, c := range map[string]struct {
		script script
		want   notify.FailureKind
		says   string
	}{
		"hangs up at once":            {func(func(string), func(string) bool) {}, notify.Unavailable, ""},
		"refuses the greeting":        {func(say func(string), _ func(string) bool) { say("554 not you") }, notify.Unavailable, "554 not you"},
		"too busy to greet":           {func(say func(string), _ func(string) bool) { say("421 4.3.2 too busy") }, notify.Unavailable, "421 4.3.2 too busy"},
		"garbage for a greeting":      {func(say func(string), _ func(string) bool) { say("HTTP/1.1 400 Bad Request") }, notify.Unavailable, "HTTP"},
		"hangs up at MAIL":            {at("MAIL", ""), notify.Unavailable, ""},
		"garbage at MAIL":             {at("MAIL", "what?"), notify.Unavailable, "what?"},
		"hangs up at RCPT":            {at("RCPT", ""), notify.Transient, ""},
		"garbage at RCPT":             {at("RCPT", "\x00\x01\x02 2"), notify.Transient, ""},
		"hangs up at DATA":            {at("DATA", ""), notify.Transient, ""},
		"refuses DATA":                {at("DATA", "554 5.5.1 no valid recipients"), notify.Permanent, "554 5.5.1"},
		"hangs up at the end":         {at(".", ""), notify.Transient, ""},
		"refuses the content":         {at(".", "554-5.7.1 looks like\r\n554 5.7.1 advertising"), notify.Permanent, "554 5.7.1 looks like 5.7.1 advertising"},
		"is full":                     {at(".", "452 4.3.1 no room"), notify.Transient, "452 4.3.1 no room"},
		"closes instead of accepting": {at(".", "421 4.3.2 going down"), notify.Unavailable, "421 4.3.2 going down"},
		"sends a very long reply":     {at(".", "550 "+strings.Repeat("no ", 500)), notify.Permanent, "550 no no"},
	} {
		f := wantFailure(t, newTestSMTP(t, scriptedServer(t, c.script), time.Now), hello)
		if f.Kind != c.want || !strings.Contains(f.Answer, c.says) {
			t.Errorf("%s: %v %q", name, f.Kind, f.Answer)
		}
	}
	// No server listens on port 1.
	set := Settings{Host: "127.0.0.1", Port: 1, TLS: NoTLS, From: netmail.Address{Address: "a@example.org"}}
	if f := wantFailure(t, newTestSMTP(t, set, time.Now), hello); f.Kind != notify.Unavailable ||
		!strings.Contains(f.Answer, "refused") {
		t.Errorf("no server: %+v", f)
	}
}

// If the server closed an idle connection, the mail uses a new one.
func TestRetryAfterServerClosedIdleConnection(t *testing.T) {
	closed := make(chan struct{})
	set := scriptedServer(t,
		func(say func(string), hear func(string) bool) {
			greet(say, hear, ".")
			say("250 first")
			hear("MAIL") // and hangs up
			close(closed)
		},
		func(say func(string), hear func(string) bool) {
			greet(say, hear, ".")
			say("250-second\r\n250 and last")
			hear("QUIT")
			say("221 bye")
		})
	s := newTestSMTP(t, set, time.Now)
	for _, want := range []string{"250 first", "250 second and last"} {
		if answer, err := s.Send(t.Context(), hello); err != nil || answer != want {
			t.Errorf("%q %v, want %q", answer, err, want)
		}
	}
	testkit.Receive(t, "the end of the first", closed)
}

// A server that hangs causes a failure at the timeout, which concerns all mails if the mail had not
// begun; and at once when the context is cancelled, which says nothing about the server. Either way
// the connection is closed.
func TestHangingServer(t *testing.T) {
	for name, c := range map[string]struct {
		step string // the server says nothing from here on; empty: no greeting
		stop error
		want notify.FailureKind
		says string
	}{
		"no greeting, timeout":          {"", context.DeadlineExceeded, notify.Unavailable, "did not answer in time"},
		"no greeting, cancelled":        {"", context.Canceled, notify.Transient, "given up"},
		"no reply to the mail, timeout": {".", context.DeadlineExceeded, notify.Transient, "did not answer in time"},
		"no reply to RCPT, cancelled":   {"RCPT", context.Canceled, notify.Transient, "given up"},
		"no reply to MAIL, timeout":     {"MAIL", context.DeadlineExceeded, notify.Unavailable, "did not answer in time"},
	} {
		ctx, stop := context.WithCancelCause(t.Context())
		ended := make(chan struct{})
		set := scriptedServer(t, func(say func(string), hear func(string) bool) {
			if c.step != "" {
				greet(say, hear, c.step)
			}
			stop(c.stop)
			hear("nothing") // until the client hangs up
			close(ended)
		})
		_, err := newTestSMTP(t, set, time.Now).Send(ctx, hello)
		var f *notify.Failure
		if !errors.As(err, &f) || f.Kind != c.want || f.Answer == "" || !strings.Contains(f.Answer, c.says) {
			t.Errorf("%s: %+v", name, f)
		}
		testkit.Receive(t, "the end of the connection: "+name, ended)
		stop(nil)
	}
}

// If TLS cannot be negotiated, the client closes the connection.
func TestClosesWithoutSTARTTLS(t *testing.T) {
	ended := make(chan struct{})
	set := scriptedServer(t, func(say func(string), hear func(string) bool) {
		say("220 hello")
		hear("EHLO")
		say("250 no extensions")
		hear("nothing")
		close(ended)
	})
	set.TLS = StartTLS
	if f := wantFailure(t, newTestSMTP(t, set, time.Now), hello); f.Kind != notify.Unavailable ||
		!strings.Contains(f.Answer, "STARTTLS") {
		t.Errorf("%+v", f)
	}
	testkit.Receive(t, "the end of the connection", ended)
}
