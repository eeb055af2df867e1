package mail

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"

	"tilth/internal/notify"
)

const (
	keepOpen  = 20 * time.Second // a connection without a mail
	mostLines = 8                // connections at once: many servers take no more than ten from one sender
)

// SMTP sends mail through one server. Connections stay open for a while, since
// alarms seldom come alone.
type SMTP struct {
	set  Settings
	now  func() time.Time
	keep time.Duration
	busy chan struct{} // holds one for each mail that goes over a connection

	mu    sync.Mutex
	spare []*line // the newest last
}

// NewSMTP makes a sender; now is the server's clock, for the mails' dates.
func NewSMTP(s Settings, now func() time.Time) *SMTP {
	return &SMTP{set: s, now: now, keep: keepOpen, busy: make(chan struct{}, mostLines)}
}

// Send sends a mail and gives what the server answered when it took it. Every
// error is a *notify.Failure. A mail that the server took counts as sent,
// whatever happens to the connection afterwards.
func (s *SMTP) Send(ctx context.Context, m Message) (answer string, err error) {
	m.To = plain(m.To)
	content, err := s.compose(m)
	if err != nil {
		return "", &notify.Failure{Kind: notify.Permanent, Answer: err.Error(), Cause: err}
	}
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return "", unreached(ctx, ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	for {
		l, kept, err := s.line(ctx)
		if err != nil {
			return "", unreached(ctx, err)
		}
		answer, err = l.send(ctx, s.set.From.Address, m.To, content)
		if !l.broken {
			s.put(l)
			return answer, err
		}
		l.hangUp()
		// The server may have closed what was kept; it knows of no mail then.
		if err == nil || !kept || l.begun || ctx.Err() != nil {
			return answer, err
		}
	}
}

// line is a connection: one that was kept, else a new one.
func (s *SMTP) line(ctx context.Context) (l *line, kept bool, err error) {
	s.mu.Lock()
	if n := len(s.spare) - 1; n >= 0 {
		l, s.spare = s.spare[n], s.spare[:n]
	}
	s.mu.Unlock()
	if l != nil {
		l.idle.Stop()
		return l, true, nil
	}
	l, err = s.dial(ctx)
	return l, false, err
}

func (s *SMTP) put(l *line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spare = append(s.spare, l)
	l.idle = time.AfterFunc(s.keep, func() { s.drop(l) })
}

// drop ends a connection that nobody wanted, unless somebody took it meanwhile.
func (s *SMTP) drop(l *line) {
	s.mu.Lock()
	mine := false
	for i, other := range s.spare {
		if other == l {
			s.spare = append(s.spare[:i], s.spare[i+1:]...)
			mine = true
			break
		}
	}
	s.mu.Unlock()
	if mine {
		l.goodbye()
	}
}

// Close ends the connections that are kept.
func (s *SMTP) Close() {
	s.mu.Lock()
	spare := s.spare
	s.spare = nil
	s.mu.Unlock()
	for _, l := range spare {
		l.idle.Stop()
		l.goodbye()
	}
}

// dial connects, agrees on TLS and signs in. The library leaves a connection
// open when nothing can be agreed, and forgets ctx once it is made; so it is
// held here.
func (s *SMTP) dial(ctx context.Context) (*line, error) {
	l := &line{}
	dial := func(dialing context.Context, network, address string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		l.conn = conn
		l.watch(ctx)
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
		gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tls()), gomail.WithHELO(s.set.domain()),
	}
	if s.set.User != "" {
		options = append(options, gomail.WithUsername(s.set.User), gomail.WithPassword(s.set.Password),
			// Of these the library sends the last two over TLS or to this machine only.
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	c, err := gomail.NewClient(s.set.Host, options...)
	if err != nil {
		return nil, err
	}
	l.client, err = c.DialToSMTPClientWithContext(ctx)
	if err == nil && !l.unwatch() {
		err = context.Cause(ctx)
	}
	if err != nil {
		l.hangUp()
		return nil, err
	}
	l.ahead, _ = l.client.Extension("PIPELINING")
	return l, nil
}

func (s *SMTP) tls() *tls.Config {
	return &tls.Config{ServerName: s.set.Host, RootCAs: s.set.Roots, MinVersion: tls.VersionTLS12}
}
