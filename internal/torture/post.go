package torture

import (
	"context"
	"errors"
	"io"
	"log"
	"net/mail"
	"sync"

	"github.com/emersion/go-smtp"
)

// postOffice is a mail server that keeps the Message-ID and the recipient of
// what it accepted.
type postOffice struct {
	*moody
	server *smtp.Server
	served chan error

	count sync.Mutex
	came  map[string]int // by Message-ID and recipient
	all   int
}

func newPostOffice(ctx context.Context) (*postOffice, error) {
	l, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	p := &postOffice{moody: l, served: make(chan error, 1), came: map[string]int{}}
	p.server = smtp.NewServer(p)
	p.server.ErrorLog = log.New(io.Discard, "", 0) // connections that a kill breaks
	go func() { p.served <- p.server.Serve(l) }()
	return p, nil
}

// NewSession takes a connection's mails.
func (p *postOffice) NewSession(*smtp.Conn) (smtp.Session, error) { return &counter{office: p}, nil }

// numbers are how many different mails came, and how many in all.
func (p *postOffice) numbers() (different, all int) {
	p.count.Lock()
	defer p.count.Unlock()
	return len(p.came), p.all
}

func (p *postOffice) close() error {
	p.hangUp()
	// A server that is closed before it began to accept does not know its
	// listener yet.
	return errors.Join(notClosed(p.server.Close()), notClosed(p.Close()), notClosed(<-p.served))
}

// counter is one connection to a post office.
type counter struct {
	office *postOffice
	to     string
}

func (c *counter) Reset()                                    {}
func (c *counter) Logout() error                             { return nil }
func (c *counter) Mail(string, *smtp.MailOptions) error      { return nil }
func (c *counter) Rcpt(to string, _ *smtp.RcptOptions) error { c.to = to; return nil }

func (c *counter) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, m.Body); err != nil {
		return err
	}
	c.office.count.Lock()
	defer c.office.count.Unlock()
	c.office.came[m.Header.Get("Message-Id")+" "+c.to]++
	c.office.all++
	return nil
}
