// Package mail sends e-mail over SMTP.
package mail

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"tilth/internal/platform/text"
)

const addressMax = 254 // bytes, RFC 5321

// Message is one mail to one person.
type Message struct {
	ID      string // letters, digits, . - and _; the same for each attempt to send the mail
	Thread  string // likewise; mail programs show mails of one thread together; may be empty
	To      string
	Sender  string // the sender's name if the settings give none; may be empty
	Subject string
	Text    string
	HTML    string   // the same as HTML; empty: the mail has text only
	Picture *Picture // shown within HTML as cid:ID; nil: none
}

// Picture is a PNG image within a mail.
type Picture struct {
	ID   string // chart@letter
	Name string // chart.png
	PNG  []byte
}

var id = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// compose encodes the mail. Characters that could begin another header are refused in an address
// and become a space in the subject.
func (s *SMTP) compose(m Message) ([]byte, error) {
	to, err := mail.ParseAddress(m.To)
	switch {
	case err != nil || to.Address != m.To || len(m.To) > addressMax:
		return nil, errors.New("the recipient is not an e-mail address")
	case !id.MatchString(m.ID):
		return nil, fmt.Errorf("the message id of %d bytes is not valid", len(m.ID))
	case m.Thread != "" && !id.MatchString(m.Thread):
		return nil, fmt.Errorf("the thread id of %d bytes is not valid", len(m.Thread))
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := s.set.From
	if from.Name == "" {
		from.Name = text.SingleLine(m.Sender)
	}
	msg.FromMailAddress(&from)
	msg.ToMailAddress(to)
	msg.Subject(text.SingleLine(m.Subject))
	msg.SetMessageIDWithValue(m.ID + "@" + s.set.domain())
	if m.Thread != "" {
		msg.SetGenHeader(gomail.HeaderReferences, "<"+m.Thread+"@"+s.set.domain()+">")
	}
	msg.SetDateWithValue(s.now())
	// Auto-Submitted keeps absence notices from answering.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	if m.Picture != nil {
		err := msg.EmbedReader(m.Picture.Name, bytes.NewReader(m.Picture.PNG),
			gomail.WithFileContentID("<"+m.Picture.ID+">"), gomail.WithFileContentType("image/png"))
		if err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// asciiDomain gives an address with its domain in ASCII, which every mail server accepts:
// bahçe.example becomes xn--bahe-2oa.example. It keeps an invalid domain as it is.
func asciiDomain(address string) string {
	at := strings.LastIndexByte(address, '@')
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil || ascii(address[at+1:]) {
		return address
	}
	return address[:at+1] + domain
}

// Paragraphs gives the HTML form of a plain text whose paragraphs are separated by empty lines. It
// escapes the text.
func Paragraphs(language text.Language, plain string) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="` + html.EscapeString(string(language)) + `">`)
	b.WriteString(`<body style="font-family:sans-serif;font-size:16px;line-height:1.6;color:#1f2a24;` +
		`background:#ffffff;max-width:36em;margin:0 auto;padding:24px">`)
	for part := range strings.SplitSeq(plain, "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			written := strings.ReplaceAll(html.EscapeString(part), "\n", "<br>")
			if isAddress(part) {
				written = `<a href="` + html.EscapeString(part) + `">` + written + "</a>"
			}
			b.WriteString("<p>" + written + "</p>")
		}
	}
	b.WriteString("</body></html>")
	return b.String()
}

// isAddress tells whether a paragraph is a web address and nothing else.
func isAddress(paragraph string) bool {
	return (strings.HasPrefix(paragraph, "https://") || strings.HasPrefix(paragraph, "http://")) &&
		!strings.ContainsFunc(paragraph, unicode.IsSpace)
}

// sendWithin bounds one mail, from dialling to the server's answer.
const sendWithin = 30 * time.Second
