package mail

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"

	"tilth/internal/domain/notify"
)

const (
	defaultIdleTimeout = 20 * time.Second // of a connection that sends nothing
	maxConns           = 8                // at once: many servers accept no more than ten per sender
)

// SMTP sends mail through one server. It keeps idle connections for a while, since several alarms
// often occur at once.
type SMTP struct {
	set         Settings
	now         func() time.Time
	idleTimeout time.Duration
	slots       chan struct{} // holds one for each mail that is being sent

	mu   sync.Mutex
	idle []*smtpConn // the newest last
}

// NewSMTP makes a sender; now is the server's clock, for the mails' dates.
func NewSMTP(s Settings, now func() time.Time) *SMTP {
	return &SMTP{set: s, now: now, idleTimeout: defaultIdleTimeout, slots: make(chan struct{}, maxConns)}
}

// Send sends a mail and gives the server's answer. Every error is a *notify.Failure. A mail that
// the server accepted counts as sent, whatever happens to the connection afterwards.
func (s *SMTP) Send(ctx context.Context, m Message) (answer string, err error) {
	m.To = asciiDomain(m.To)
	content, err := s.compose(m)
	if err != nil {
		return "", &notify.Failure{Kind: notify.Permanent, Answer: err.Error(), Cause: err}
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return "", connectFailure(ctx, ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	for {
		l, kept, err := s.acquire(ctx)
		if err != nil {
			return "", connectFailure(ctx, err)
		}
		answer, err = l.send(ctx, s.set.From.Address, m.To, content)
		if !l.broken {
			s.release(l)
			return answer, err
		}
		l.closeNow()
		// The server may have closed the idle connection before it received this mail.
		if err == nil || !kept || l.inTransaction || ctx.Err() != nil {
			return answer, err
		}
	}
}

// acquire gives an idle connection, else a new one.
func (s *SMTP) acquire(ctx context.Context) (l *smtpConn, kept bool, err error) {
	s.mu.Lock()
	if n := len(s.idle) - 1; n >= 0 {
		l, s.idle = s.idle[n], s.idle[:n]
	}
	s.mu.Unlock()
	if l != nil {
		l.idleTimer.Stop()
		return l, true, nil
	}
	l, err = s.dial(ctx)
	return l, false, err
}

func (s *SMTP) release(l *smtpConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, l)
	l.idleTimer = time.AfterFunc(s.idleTimeout, func() { s.expire(l) })
}

// expire closes a connection that is still idle.
func (s *SMTP) expire(l *smtpConn) {
	s.mu.Lock()
	mine := false
	for i, other := range s.idle {
		if other == l {
			s.idle = append(s.idle[:i], s.idle[i+1:]...)
			mine = true
			break
		}
	}
	s.mu.Unlock()
	if mine {
		l.quit()
	}
}

// Close closes the idle connections.
func (s *SMTP) Close() {
	s.mu.Lock()
	spare := s.idle
	s.idle = nil
	s.mu.Unlock()
	for _, l := range spare {
		l.idleTimer.Stop()
		l.quit()
	}
}

// dial connects, negotiates TLS and signs in. The library does not close the connection if that
// fails, and ignores ctx once it is connected; so dial keeps the connection itself.
func (s *SMTP) dial(ctx context.Context) (*smtpConn, error) {
	l := &smtpConn{}
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
			// The library uses the last two over TLS or to this machine only.
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain,
				gomail.SMTPAuthLogin))
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
		l.closeNow()
		return nil, err
	}
	l.pipelining, _ = l.client.Extension("PIPELINING")
	return l, nil
}

func (s *SMTP) tls() *tls.Config {
	return &tls.Config{ServerName: s.set.Host, RootCAs: s.set.Roots, MinVersion: tls.VersionTLS12}
}
