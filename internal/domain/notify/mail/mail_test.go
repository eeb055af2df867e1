package mail

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

var hello = Message{
	ID: "account-7-abc", To: "ada@example.com", Subject: "Yeşil: parola değişti",
	Text: "“ada” parolası değiştirildi.\n\nBunu başkası yaptıysa <b>haber</b> verin.", HTML: "<p>Ğ</p>",
}

func TestSend(t *testing.T) {
	for _, tlsMode := range []string{StartTLS, TLS, NoTLS} {
		p := serve(t, tlsMode, false)
		clock := testkit.NewClock()
		answer, err := newTestSMTP(t, p.settings(tlsMode), clock.Now).Send(t.Context(), hello)
		if err != nil || answer != "250 2.0.0 OK: queued" {
			t.Fatalf("%s: %q %v", tlsMode, answer, err)
		}
		got := p.received()
		if len(got) != 1 || got[0].from != "alerts@example.org" || got[0].to != "ada@example.com" {
			t.Fatalf("%s: %+v", tlsMode, got)
		}
		m, err := netmail.ReadMessage(strings.NewReader(got[0].data))
		if err != nil {
			t.Fatal(err)
		}
		var decoder mime.WordDecoder
		subject, err := decoder.DecodeHeader(m.Header.Get("Subject"))
		if err != nil || subject != hello.Subject {
			t.Errorf("%s: subject %q %v", tlsMode, subject, err)
		}
		from, err := netmail.ParseAddress(m.Header.Get("From"))
		if err != nil || from.Name != "Yeşil Alan" || from.Address != "alerts@example.org" {
			t.Errorf("%s: from %+v %v", tlsMode, from, err)
		}
		if at, err := m.Header.Date(); err != nil || !at.Equal(clock.Now()) {
			t.Errorf("%s: date %v %v", tlsMode, at, err)
		}
		for name, want := range map[string]string{
			"Message-Id": "<account-7-abc@example.org>", "To": "<ada@example.com>", "Auto-Submitted": "auto-generated", "User-Agent": "", "X-Mailer": "",
		} {
			if got := m.Header.Get(name); got != want {
				t.Errorf("%s: %s %q, want %q", tlsMode, name, got, want)
			}
		}
		if parts := partsOf(t, m); parts["text/plain"] != strings.ReplaceAll(hello.Text, "\n", "\r\n") ||
			parts["text/html"] != hello.HTML || len(parts) != 2 {
			t.Errorf("%s: %q", tlsMode, parts)
		}
	}
}

func newTestSMTP(t *testing.T, set Settings, now func() time.Time) *SMTP {
	t.Helper()
	s := NewSMTP(set, now)
	t.Cleanup(s.Close)
	return s
}

// wantFailure sends a mail and gives its failure.
func wantFailure(t *testing.T, s *SMTP, m Message) *notify.Failure {
	t.Helper()
	answer, err := s.Send(t.Context(), m)
	var f *notify.Failure
	if !errors.As(err, &f) || answer != "" {
		t.Fatalf("%s: %q, %v is no *Failure", m.ID, answer, err)
	}
	if f.Answer == "" || strings.ContainsAny(f.Answer, "\r\n") || len([]rune(f.Answer)) > answerMost {
		t.Errorf("answer %q", f.Answer)
	}
	return f
}

// A picture is embedded for the HTML part; mails of a thread have References; the sender's name is
// that of the settings, else that of the mail.
func TestEmbeddedPicture(t *testing.T) {
	p := serve(t, NoTLS, false)
	set := p.settings(NoTLS)
	set.From.Name = ""
	m := hello
	m.Thread, m.Sender = "notice-1-17", "Yeşil Alan"
	m.Picture = &Picture{ID: "chart@letter", Name: "chart.png", PNG: []byte("\x89PNG\x00\xff")}
	if _, err := newTestSMTP(t, set, time.Now).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	read, err := netmail.ReadMessage(strings.NewReader(p.received()[0].data))
	if err != nil {
		t.Fatal(err)
	}
	from, err := netmail.ParseAddress(read.Header.Get("From"))
	if err != nil || from.Name != "Yeşil Alan" || read.Header.Get("References") != "<notice-1-17@example.org>" {
		t.Errorf("%v %v %s", from, err, read.Header.Get("References"))
	}
	kind, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/related" {
		t.Fatalf("%s %v", kind, err)
	}
	r := multipart.NewReader(read.Body, params["boundary"])
	texts, err := r.NextRawPart()
	if err != nil || !strings.HasPrefix(texts.Header.Get("Content-Type"), "multipart/alternative") {
		t.Fatalf("%v %v", texts, err)
	}
	picture, err := r.NextRawPart()
	if err != nil {
		t.Fatal(err)
	}
	png, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, picture))
	if err != nil || string(png) != "\x89PNG\x00\xff" || picture.Header.Get("Content-Id") != "<chart@letter>" ||
		!strings.HasPrefix(picture.Header.Get("Content-Type"), "image/png") ||
		!strings.HasPrefix(picture.Header.Get("Content-Disposition"), "inline") {
		t.Errorf("%q %v %v", png, err, picture.Header)
	}
}

// An international domain is converted to ASCII, which every mail server accepts.
func TestInternationalDomains(t *testing.T) {
	p := serve(t, NoTLS, false)
	s := newTestSMTP(t, p.settings(NoTLS), time.Now)
	for to, want := range map[string]string{
		"ada@bahçe.example": "ada@xn--bahe-2oa.example", "ada@农场.example": "ada@xn--j7qu0l.example", "Ada.B@Example.COM": "Ada.B@Example.COM",
	} {
		m := hello
		m.To = to
		if _, err := s.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		got := p.received()
		if last := got[len(got)-1]; last.to != want || !strings.Contains(last.data, "To: <"+want+">") {
			t.Errorf("%s reached %s", to, last.to)
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

// A password is sent over TLS, or to this machine.
func TestSignIn(t *testing.T) {
	for tlsMode, want := range map[string]string{StartTLS: "me:s3cret tls", TLS: "me:s3cret tls", NoTLS: "me:s3cret plain"} {
		p := serve(t, tlsMode, true)
		set := p.settings(tlsMode)
		set.User, set.Password = "me", "s3cret"
		if _, err := newTestSMTP(t, set, time.Now).Send(t.Context(), hello); err != nil {
			t.Fatalf("%s: %v", tlsMode, err)
		}
		if len(p.signIns) != 1 || p.signIns[0] != want || len(p.received()) != 1 {
			t.Errorf("%s: %v", tlsMode, p.signIns)
		}
		set.Password = "wr0ng"
		f := wantFailure(t, newTestSMTP(t, set, time.Now), hello)
		if f.Kind != notify.Unavailable || !strings.Contains(f.Answer, "535") ||
			strings.Contains(f.Answer+f.Cause.Error(), "wr0ng") || len(p.received()) != 1 {
			t.Errorf("%s, wrong password: %+v", tlsMode, f)
		}
	}
}

// If TLS is required and the server does not offer it, nothing is sent, not even the password.
func TestNothingSentWithoutTLS(t *testing.T) {
	plain := serve(t, NoTLS, true)
	for name, set := range map[string]Settings{
		"no STARTTLS":          plain.settings(StartTLS),
		"no TLS":               plain.settings(TLS),
		"an unknown authority": func() Settings { s := serve(t, StartTLS, true).settings(StartTLS); s.Roots = plain.roots; return s }(),
	} {
		set.User, set.Password = "me", "s3cret"
		if f := wantFailure(t, newTestSMTP(t, set, time.Now), hello); f.Kind != notify.Unavailable ||
			strings.Contains(f.Answer, "s3cret") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if len(plain.signIns) != 0 || len(plain.received()) != 0 {
		t.Errorf("%v %v", plain.signIns, plain.received())
	}
}

// A mail whose fields could begin another header or reach another recipient is refused.
func TestHeaderInjectionRefused(t *testing.T) {
	p := serve(t, NoTLS, false)
	s := newTestSMTP(t, p.settings(NoTLS), time.Now)
	for name, change := range map[string]func(*Message){
		"recipient, second line": func(m *Message) { m.To = "ada@example.com\r\nBcc: eve@example.com" },
		"two recipients":         func(m *Message) { m.To = "ada@example.com, eve@example.com" },
		"a named recipient":      func(m *Message) { m.To = "Ada <ada@example.com>" },
		"no recipient":           func(m *Message) { m.To = "" },
		"long recipient":         func(m *Message) { m.To = strings.Repeat("a", 250) + "@example.com" },
		"id, second line":        func(m *Message) { m.ID = "x\r\nBcc: eve@example.com" },
		"id, brackets":           func(m *Message) { m.ID = "x> <y" },
		"no id":                  func(m *Message) { m.ID = "" },
		"thread, second line":    func(m *Message) { m.Thread = "x\r\nBcc: eve@example.com" },
	} {
		m := hello
		change(&m)
		if f := wantFailure(t, s, m); f.Kind != notify.Permanent {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if n := len(p.received()); n != 0 {
		t.Fatalf("%d mails accepted", n)
	}
	m := hello
	m.Sender = "A\r\nBcc: eve@example.com"
	m.Subject = "Hello\r\nBcc: eve@example.com\r\n\r\nbody\x00"
	m.Text = "line\r\n.\r\nMAIL FROM:<eve@example.com>\r\n"
	if _, err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := p.received()
	read, err := netmail.ReadMessage(strings.NewReader(got[0].data))
	if err != nil || len(got) != 1 || got[0].to != "ada@example.com" || read.Header.Get("Bcc") != "" ||
		read.Header.Get("Subject") != "Hello Bcc: eve@example.com body" {
		t.Errorf("%v: %+v", err, got)
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
