package mail

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"tilth/internal/testkit"
	"tilth/internal/text"
)

var hello = Message{
	ID: "account-7-abc", To: "ada@example.com", Subject: "Yeşil: parola değişti",
	Text: "“ada” parolası değiştirildi.\n\nBunu başkası yaptıysa <b>haber</b> verin.", HTML: "<p>Ğ</p>",
}

func TestSend(t *testing.T) {
	for _, way := range []string{StartTLS, TLS, NoTLS} {
		p := serve(t, way, false)
		clock := testkit.NewClock()
		if err := NewSMTP(p.settings(way), clock.Now).Send(t.Context(), hello); err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		got := p.letters()
		if len(got) != 1 || got[0].from != "alerts@example.org" || got[0].to != "ada@example.com" {
			t.Fatalf("%s: %+v", way, got)
		}
		m, err := netmail.ReadMessage(strings.NewReader(got[0].data))
		if err != nil {
			t.Fatal(err)
		}
		var words mime.WordDecoder
		subject, err := words.DecodeHeader(m.Header.Get("Subject"))
		if err != nil || subject != hello.Subject {
			t.Errorf("%s: subject %q %v", way, subject, err)
		}
		from, err := netmail.ParseAddress(m.Header.Get("From"))
		if err != nil || from.Name != "Yeşil Alan" || from.Address != "alerts@example.org" {
			t.Errorf("%s: from %+v %v", way, from, err)
		}
		if at, err := m.Header.Date(); err != nil || !at.Equal(clock.Now()) {
			t.Errorf("%s: date %v %v", way, at, err)
		}
		for name, want := range map[string]string{
			"Message-Id": "<account-7-abc@example.org>", "To": "<ada@example.com>", "Auto-Submitted": "auto-generated", "User-Agent": "", "X-Mailer": "",
		} {
			if got := m.Header.Get(name); got != want {
				t.Errorf("%s: %s %q, want %q", way, name, got, want)
			}
		}
		if parts := partsOf(t, m); parts["text/plain"] != strings.ReplaceAll(hello.Text, "\n", "\r\n") || parts["text/html"] != hello.HTML || len(parts) != 2 {
			t.Errorf("%s: %q", way, parts)
		}
	}
}

func partsOf(t *testing.T, m *netmail.Message) map[string]string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%s %v", kind, err)
	}
	parts := map[string]string{}
	r := multipart.NewReader(m.Body, params["boundary"])
	for {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(p.Header.Get("Content-Type"), ";")
		parts[kind] = string(body)
	}
}

// A password goes over TLS, or to this machine.
func TestSignIn(t *testing.T) {
	for way, want := range map[string]string{StartTLS: "me:s3cret tls", TLS: "me:s3cret tls", NoTLS: "me:s3cret plain"} {
		p := serve(t, way, true)
		set := p.settings(way)
		set.User, set.Password = "me", "s3cret"
		if err := NewSMTP(set, time.Now).Send(t.Context(), hello); err != nil {
			t.Fatalf("%s: %v", way, err)
		}
		if len(p.signIns) != 1 || p.signIns[0] != want || len(p.letters()) != 1 {
			t.Errorf("%s: %v", way, p.signIns)
		}
		set.Password = "wr0ng"
		err := NewSMTP(set, time.Now).Send(t.Context(), hello)
		if !Temporary(err) || strings.Contains(err.Error(), "wr0ng") || len(p.letters()) != 1 {
			t.Errorf("%s, wrong password: %v", way, err)
		}
	}
}

// Where TLS is asked for and not to be had, nothing is sent, no password
// either.
func TestNoTLSToBeHad(t *testing.T) {
	plain := serve(t, NoTLS, true)
	for name, set := range map[string]Settings{
		"no STARTTLS":   plain.settings(StartTLS),
		"no TLS":        plain.settings(TLS),
		"another's TLS": func() Settings { s := serve(t, StartTLS, true).settings(StartTLS); s.Roots = plain.roots; return s }(),
	} {
		set.User, set.Password = "me", "s3cret"
		if err := NewSMTP(set, time.Now).Send(t.Context(), hello); !Temporary(err) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(plain.signIns) != 0 || len(plain.letters()) != 0 {
		t.Errorf("%v %v", plain.signIns, plain.letters())
	}
}

// Whether trying again makes sense: not where the server refuses this mail for
// good.
func TestRefusals(t *testing.T) {
	p := serve(t, NoTLS, false)
	s := NewSMTP(p.settings(NoTLS), time.Now)
	for step, kinds := range map[string]map[int]bool{
		"mail": {450: true, 550: true}, "rcpt": {450: true, 550: false}, "data": {451: true, 554: false},
	} {
		for code, again := range kinds {
			p.refuses(step, &smtp.SMTPError{Code: code, Message: "no"})
			if err := s.Send(t.Context(), hello); err == nil || Temporary(err) != again {
				t.Errorf("%s %d: %v, again %t", step, code, err, Temporary(err))
			}
		}
	}
	if n := len(p.letters()); n != 0 {
		t.Errorf("%d taken", n)
	}
}

// What would begin a header of its own, or reach somebody else, does not
// leave.
func TestInjection(t *testing.T) {
	p := serve(t, NoTLS, false)
	s := NewSMTP(p.settings(NoTLS), time.Now)
	for name, change := range map[string]func(*Message){
		"recipient, second line": func(m *Message) { m.To = "ada@example.com\r\nBcc: eve@example.com" },
		"two recipients":         func(m *Message) { m.To = "ada@example.com, eve@example.com" },
		"a named recipient":      func(m *Message) { m.To = "Ada <ada@example.com>" },
		"no recipient":           func(m *Message) { m.To = "" },
		"long recipient":         func(m *Message) { m.To = strings.Repeat("a", 250) + "@example.com" },
		"id, second line":        func(m *Message) { m.ID = "x\r\nBcc: eve@example.com" },
		"id, brackets":           func(m *Message) { m.ID = "x> <y" },
		"no id":                  func(m *Message) { m.ID = "" },
	} {
		m := hello
		change(&m)
		if err := s.Send(t.Context(), m); err == nil || Temporary(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(p.letters()); n != 0 {
		t.Fatalf("%d taken", n)
	}
	m := hello
	m.Subject = "Hello\r\nBcc: eve@example.com\r\n\r\nbody\x00"
	m.Text = "line\r\n.\r\nMAIL FROM:<eve@example.com>\r\n"
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := p.letters()
	read, err := netmail.ReadMessage(strings.NewReader(got[0].data))
	if err != nil || len(got) != 1 || got[0].to != "ada@example.com" || read.Header.Get("Bcc") != "" || read.Header.Get("Subject") != "Hello Bcc: eve@example.com body" {
		t.Errorf("%v: %+v", err, got)
	}
}

// A server that is silent or hangs up is given up with ctx, and tried again.
func TestAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	accepted := make(chan net.Conn, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			accepted <- c
			cancel() // connected, and never greeted
		}
	}()
	set := Settings{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: NoTLS, From: netmail.Address{Address: "a@example.org"}}
	if err := NewSMTP(set, time.Now).Send(ctx, hello); !Temporary(err) {
		t.Errorf("silent: %v", err)
	}
	// Our side is closed: what the server reads ends.
	c := testkit.Receive(t, "the connection", accepted)
	if err := c.SetReadDeadline(time.Now().Add(testkit.Patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is still open: %v", err)
	}
	c.Close()
	l.Close()
	if err := NewSMTP(set, time.Now).Send(t.Context(), hello); !Temporary(err) {
		t.Errorf("gone: %v", err)
	}
}

func TestParagraphs(t *testing.T) {
	got := Paragraphs(text.Turkish, "a <b>\nc & d\n\n\n\n“e”")
	for _, part := range []string{`<html lang="tr-tr">`, "<p>a &lt;b&gt;<br>c &amp; d</p><p>“e”</p>"} {
		if !strings.Contains(got, part) {
			t.Errorf("lacks %s: %s", part, got)
		}
	}
}

// A server with which nothing can be agreed is left, not kept connected.
func TestHangsUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	over := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			over <- err
			return
		}
		defer c.Close()
		if _, err := io.WriteString(c, "220 hello\r\n250 no extensions\r\n"); err != nil {
			over <- err
			return
		}
		_, err = io.Copy(io.Discard, c) // until the client hangs up
		over <- err
	}()
	set := Settings{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: StartTLS, From: netmail.Address{Address: "a@example.org"}}
	if err := NewSMTP(set, time.Now).Send(t.Context(), hello); !Temporary(err) || !strings.Contains(err.Error(), "STARTTLS") {
		t.Errorf("%v", err)
	}
	if err := testkit.Receive(t, "the end of the connection", over); err != nil {
		t.Error(err)
	}
}
