package mail

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	netmail "net/mail"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"tilth/internal/testkit"
)

// post is a mail server: it keeps what it took and refuses what it is told to.
type post struct {
	port  int
	roots *x509.CertPool

	mu      sync.Mutex
	taken   []letter
	opened  int           // connections
	left    chan struct{} // one for each connection that ended
	signIns []string      // user:password, tls or plain
	refuse  map[string]error
}

type letter struct{ from, to, data string }

// serve starts a mail server that asks for a password where secret is set.
// Implicit TLS, STARTTLS or neither, as way says.
func serve(t *testing.T, way string, secret bool) *post {
	t.Helper()
	p := &post{refuse: map[string]error{}, left: make(chan struct{}, 64)}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		_, encrypted := c.TLSConnectionState()
		p.mu.Lock()
		p.opened++
		p.mu.Unlock()
		plain := &session{post: p, encrypted: encrypted}
		if secret {
			return &locked{plain}, nil
		}
		return plain, nil
	}))
	cert, key, roots := testkit.Certificate(t, t.TempDir(), time.Now())
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	p.roots = roots
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if p.port, err = strconv.Atoi(port); err != nil {
		t.Fatal(err)
	}
	switch way {
	case TLS:
		l = tls.NewListener(l, config)
	case StartTLS:
		s.TLSConfig = config
	}
	s.Domain, s.AllowInsecureAuth = "mail.example.org", true
	s.ErrorLog = log.New(io.Discard, "", 0)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		_ = l.Close() // unknown to a server that did not accept yet
		<-done
	})
	return p
}

func (p *post) settings(way string) Settings {
	return Settings{
		Host: "127.0.0.1", Port: p.port, TLS: way, Roots: p.roots,
		From: netmail.Address{Name: "Yeşil Alan", Address: "alerts@example.org"},
	}
}

func (p *post) letters() []letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]letter(nil), p.taken...)
}

func (p *post) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

func (p *post) refuses(step string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = map[string]error{step: err}
}

func (p *post) answer(step string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refuse[step]
}

type session struct {
	*post
	encrypted bool
	now       letter
}

func (s *session) Reset()        { s.now = letter{} }
func (s *session) Logout() error { s.left <- struct{}{}; return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.now.from = from
	return s.answer("mail")
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.now.to += to
	return s.answer("rcpt")
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.answer("data"); err != nil {
		return err
	}
	s.now.data = string(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, s.now)
	return nil
}

// locked is a session that asks for a password.
type locked struct{ *session }

func (s *locked) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *locked) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		way := "plain"
		if s.encrypted {
			way = "tls"
		}
		s.signIns = append(s.signIns, user+":"+password+" "+way)
		if password != "s3cret" {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}
