package bench

import (
	"net/mail"
	"net/smtp"
	"strings"
	"testing"
	"time"
)

// The mail server remembers what the mails it receives are about.
func TestMailServer(t *testing.T) {
	p, err := StartMailServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address, _, found := strings.Cut(strings.TrimPrefix(p.URL(), "smtp://"), "?")
	if !found {
		t.Fatal(p.URL())
	}
	before := time.Now()
	to := []string{"ada@example.org"}
	for _, m := range []string{
		"Message-ID: <triggered-1a@x>\r\nReferences: <notice-3-14@x>\r\n" +
			"Subject: [Important] bench rule 01: T\r\n\r\nHello.\r\n.\r\n",
		"Message-ID: <resolved-2b@x>\r\nSubject: [90 alarms resolved] telling-001\r\n\r\nHello.\r\n",
	} {
		if err := smtp.SendMail(address, nil, "alerts@example.org", to, []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	// The server refuses a message without a header.
	if err := smtp.SendMail(address, nil, "alerts@example.org", to, []byte("nothing\r\n")); err == nil {
		t.Error("accepted a mail without a header")
	}
	mails := p.received()
	if len(mails) != 2 {
		t.Fatalf("%+v", mails)
	}
	for i := range mails {
		if mails[i].at.Before(before) || mails[i].at.After(time.Now()) {
			t.Errorf("received at %v", mails[i].at)
		}
		mails[i].at = time.Time{}
	}
	if want := (receivedMail{id: "<triggered-1a@x>", to: "ada@example.org", notice: 14, alarms: 1}); mails[0] != want {
		t.Errorf("%+v, want %+v", mails[0], want)
	}
	if want := (receivedMail{id: "<resolved-2b@x>", to: "ada@example.org", ended: true, alarms: 90}); mails[1] != want {
		t.Errorf("%+v, want %+v", mails[1], want)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := smtp.SendMail(address, nil, "a@example.org", to, []byte("Subject: x\r\n\r\n")); err == nil {
		t.Error("a closed mail server accepted a mail")
	}
}

// A mail server without clients closes at once, whether or not it accepts connections already.
func TestMailServerClosedEarly(t *testing.T) {
	for range 1000 {
		p, err := StartMailServer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// An unreadable mail is about 0 alarms, so that the comparison counts it as stray.
func TestParseMail(t *testing.T) {
	for name, c := range map[string]struct {
		header mail.Header
		want   receivedMail
	}{
		"an opening":    {mail.Header{"Message-Id": {"<triggered-1@x>"}, "References": {"<notice-1-2@x>"}}, receivedMail{id: "<triggered-1@x>", notice: 2, alarms: 1}},
		"a closing":     {mail.Header{"Message-Id": {"<resolved-1@x>"}, "References": {"<notice-1-2@x>"}}, receivedMail{id: "<resolved-1@x>", notice: 2, ended: true, alarms: 1}},
		"a digest":      {mail.Header{"Subject": {"[12 alarms] x"}}, receivedMail{alarms: 12}},
		"encoded":       {mail.Header{"Subject": {"=?UTF-8?q?[12_alarms]_=C4=9F?="}}, receivedMail{alarms: 12}},
		"no count":      {mail.Header{"Subject": {"[many alarms] x"}}, receivedMail{}},
		"no brackets":   {mail.Header{"Subject": {"12 alarms"}}, receivedMail{}},
		"half a thread": {mail.Header{"References": {"<notice-1@x>"}}, receivedMail{}},
		"odd charset":   {mail.Header{"Subject": {"=?none?q?[12_alarms]?="}}, receivedMail{}},
	} {
		if got := parseMail(c.header, ""); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
