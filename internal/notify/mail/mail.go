// Package mail sends e-mail over SMTP.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html"
	"net"
	"net/mail"
	"regexp"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"tilth/internal/text"
)

const (
	sendWithin = 30 * time.Second // one mail, from dialling to the server's word
	addressMax = 254              // bytes, RFC 5321
)

// Message is one mail to one person.
type Message struct {
	ID      string // letters, digits, . - and _: the same mail sent again has the same one
	To      string
	Subject string
	Text    string
	HTML    string // the same for readers that show it; empty: text alone
}

// Failure is why a mail did not leave.
type Failure struct {
	Retry bool // sending it again, later, makes sense
	cause error
}

// Error is for logs.
func (f *Failure) Error() string { return "mail not sent: " + f.cause.Error() }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.cause }

// Temporary tells whether sending the mail again, later, makes sense.
func Temporary(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Retry
}

// SMTP sends mail through one server.
type SMTP struct {
	set Settings
	now func() time.Time
}

// NewSMTP makes a sender; now is the server's clock, for the mails' dates.
func NewSMTP(s Settings, now func() time.Time) *SMTP { return &SMTP{set: s, now: now} }

// Send sends a mail; every error is a *Failure. One that the server took
// counts as sent, whatever happens to the connection afterwards.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg, err := s.compose(m)
	if err != nil {
		return &Failure{cause: err}
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	if err := s.deliver(ctx, msg); err != nil && !msg.IsDelivered() {
		return &Failure{Retry: !final(err), cause: err}
	}
	return nil
}

// deliver dials by itself: the library leaves a connection open when nothing
// can be agreed, and forgets ctx once it is made. Here it ends with ctx, which
// must end when deliver returns.
func (s *SMTP) deliver(ctx context.Context, msg *gomail.Msg) error {
	dial := func(dialing context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() }) // closed already unless something failed
		if s.set.TLS == TLS {
			return tls.Client(conn, s.tls()), nil
		}
		return conn, nil
	}
	policy := gomail.NoTLS
	if s.set.TLS == StartTLS {
		policy = gomail.TLSMandatory
	}
	options := []gomail.Option{
		gomail.WithPort(s.set.Port), gomail.WithTimeout(sendWithin), gomail.WithDialContextFunc(dial),
		gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tls()), gomail.WithoutRset(), gomail.WithoutNoop(),
		gomail.WithHELO(s.set.domain()),
	}
	if s.set.User != "" {
		options = append(options, gomail.WithUsername(s.set.User), gomail.WithPassword(s.set.Password),
			// Of these the library sends the last two over TLS or to this machine only.
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	c, err := gomail.NewClient(s.set.Host, options...)
	if err != nil {
		return err
	}
	client, err := c.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	err = c.SendWithSMTPClient(client, msg)
	_ = c.CloseWithSMTPClient(client) // a goodbye; the server has said what counts
	return err
}

func (s *SMTP) tls() *tls.Config {
	return &tls.Config{ServerName: s.set.Host, RootCAs: s.set.Roots, MinVersion: tls.VersionTLS12}
}

var id = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// compose writes the mail. What could begin a header of its own is refused in
// an address and becomes a space in the subject.
func (s *SMTP) compose(m Message) (*gomail.Msg, error) {
	to, err := mail.ParseAddress(m.To)
	switch {
	case err != nil || to.Address != m.To || len(m.To) > addressMax:
		return nil, errors.New("the recipient is not an e-mail address")
	case !id.MatchString(m.ID):
		return nil, fmt.Errorf("a message id of %d bytes that is no id", len(m.ID))
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&s.set.From)
	msg.ToMailAddress(to)
	msg.Subject(text.Line(m.Subject))
	msg.SetMessageIDWithValue(m.ID + "@" + s.set.domain())
	msg.SetDateWithValue(s.now())
	// A machine wrote it: no absence notice shall answer.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return msg, nil
}

// final tells whether the server refused this mail for good: its recipient or
// its content. A refused sign-in or sender is a matter of settings, which
// somebody may mend while the mail waits.
func final(err error) bool {
	var e *gomail.SendError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		return e.ErrorCode() >= 500
	case gomail.ErrGetSender, gomail.ErrGetRcpts, gomail.ErrNoUnencoded:
		return true
	}
	return false
}

// Paragraphs is the HTML form of a plain text whose paragraphs are parted by
// empty lines. Nothing in it is taken for markup.
func Paragraphs(language text.Language, plain string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><html lang="%s"><body style="font-family:sans-serif;font-size:16px;line-height:1.6;color:#1f2a24;background:#ffffff;max-width:36em;margin:0 auto;padding:24px">`, html.EscapeString(string(language)))
	for part := range strings.SplitSeq(plain, "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(part), "\n", "<br>") + "</p>")
		}
	}
	b.WriteString("</body></html>")
	return b.String()
}
