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

// countingMailServer is a mail server that counts the mails it accepted, by Message-ID and
// recipient.
type countingMailServer struct {
	*faultyListener
	server *smtp.Server
	served chan error

	countMu   sync.Mutex
	byMessage map[string]int // by Message-ID and recipient
	total     int
}

func newMailServer(ctx context.Context) (*countingMailServer, error) {
	l, err := listen(ctx)
	if err != nil {
		return nil, err
	}
	p := &countingMailServer{faultyListener: l, served: make(chan error, 1), byMessage: map[string]int{}}
	p.server = smtp.NewServer(p)
	p.server.ErrorLog = log.New(io.Discard, "", 0) // connections that a kill breaks
	go func() { p.served <- p.server.Serve(l) }()
	return p, nil
}

// NewSession starts the session of a connection.
func (p *countingMailServer) NewSession(*smtp.Conn) (smtp.Session, error) {
	return &mailSession{server: p}, nil
}

// counts returns how many different mails arrived, and how many in all.
func (p *countingMailServer) counts() (different, all int) {
	p.countMu.Lock()
	defer p.countMu.Unlock()
	return len(p.byMessage), p.total
}

func (p *countingMailServer) close() error {
	p.closeAll()
	// An smtp.Server that is closed before it accepts does not close its listener.
	return errors.Join(notClosed(p.server.Close()), notClosed(p.Close()), notClosed(<-p.served))
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
	c.server.countMu.Lock()
	defer c.server.countMu.Unlock()
	c.server.byMessage[m.Header.Get("Message-Id")+" "+c.to]++
	c.server.total++
	return nil
}
