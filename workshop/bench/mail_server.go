package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/mail"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// MailServer is a mail server that accepts every mail and remembers what it was about.
type MailServer struct {
	delay  time.Duration // for each mail
	server *smtp.Server
	listen net.Listener
	served chan error

	mu    sync.Mutex
	mails []receivedMail
}

// receivedMail is a mail that arrived.
type receivedMail struct {
	id, to string
	notice int64 // the notice that it is about; 0: several
	ended  bool  // it says that the notice was closed
	alarms int   // number of alarms that it is about; 0: unreadable
	at     time.Time
}

// StartMailServer starts a mail server on a free port of this machine that accepts mails at once.
func StartMailServer(ctx context.Context) (*MailServer, error) { return startMailServer(ctx, 0) }

// startMailServer starts one that takes a time for each mail.
func startMailServer(ctx context.Context, takes time.Duration) (*MailServer, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &MailServer{delay: takes, listen: l, served: make(chan error, 1)}
	newSession := func(*smtp.Conn) (smtp.Session, error) { return &mailSession{mailServer: p}, nil }
	p.server = smtp.NewServer(smtp.BackendFunc(newSession))
	p.server.ErrorLog = log.New(io.Discard, "", 0) // connections that a stop of the server breaks
	go func() { p.served <- p.server.Serve(l) }()
	return p, nil
}

// URL returns the server's address as the setting of a tilth.
func (p *MailServer) URL() string {
	return "smtp://" + p.listen.Addr().String() + "?tls=none&from=alerts@bench.example.org"
}

// Close ends the server. An smtp.Server that is closed before it accepts does not close its
// listener.
func (p *MailServer) Close() error {
	err := p.server.Close()
	for _, e := range []error{p.listen.Close(), <-p.served} {
		if !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// received returns the mails that have arrived so far.
func (p *MailServer) received() []receivedMail {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mails[:len(p.mails):len(p.mails)]
}

// mailSession is one connection to the mail server.
type mailSession struct {
	mailServer *MailServer
	to         string
}

// Reset does nothing: each mail names its recipient again.
func (c *mailSession) Reset() {}

// Logout does nothing.
func (c *mailSession) Logout() error { return nil }

// Mail accepts any sender.
func (c *mailSession) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt accepts any recipient.
func (c *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.to = to
	return nil
}

// Data accepts a mail.
func (c *mailSession) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, m.Body); err != nil {
		return err
	}
	time.Sleep(c.mailServer.delay)
	one := parseMail(m.Header, c.to)
	one.at = time.Now()
	c.mailServer.mu.Lock()
	defer c.mailServer.mu.Unlock()
	c.mailServer.mails = append(c.mailServer.mails, one)
	return nil
}

// parseMail reads what a mail is about from its header: a mail about one notice has a reference, a
// digest has the number in its subject.
func parseMail(h mail.Header, to string) receivedMail {
	m := receivedMail{id: h.Get("Message-Id"), to: to}
	m.ended = strings.HasPrefix(m.id, "<resolved-")
	var tenant int64
	if n, err := fmt.Sscanf(h.Get("References"), "<notice-%d-%d@", &tenant, &m.notice); err == nil && n == 2 {
		m.alarms = 1
		return m
	}
	m.notice = 0
	subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	if err != nil {
		return m // it is about 0 alarms, which the comparison counts as stray
	}
	if count, bracketed := strings.CutPrefix(subject, "["); bracketed {
		number, _, _ := strings.Cut(count, " ")
		m.alarms, _ = strconv.Atoi(number) // 0 after an error, as above
	}
	return m
}

// toTenant tells whether a mail went to somebody of a tenant; their addresses contain its name.
func (m *receivedMail) toTenant(tenant string) bool {
	return strings.HasSuffix(m.to, "@"+tenant+".example.org")
}
