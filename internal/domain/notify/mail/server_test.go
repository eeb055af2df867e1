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

	"tilth/internal/tools/testkit"
)

// fakeServer is a mail server that records accepted mails and refuses the steps that the test
// names.
type fakeServer struct {
	port  int
	roots *x509.CertPool

	mu      sync.Mutex
	mails   []receivedMail
	opened  int              // connections
	left    chan struct{}    // one for each connection that ended
	signIns []string         // "user:password tls" or "user:password plain"
	refuse  map[string]error // by step
}

type receivedMail struct{ from, to, data string }

// serve starts a mail server with implicit TLS, STARTTLS or neither, by tlsMode; with signIn it
// requires a password.
func serve(t *testing.T, tlsMode string, signIn bool) *fakeServer {
	t.Helper()
	p := &fakeServer{refuse: map[string]error{}, left: make(chan struct{}, 64)}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		_, encrypted := c.TLSConnectionState()
		p.mu.Lock()
		p.opened++
		p.mu.Unlock()
		plain := &session{fakeServer: p, encrypted: encrypted}
		if signIn {
			return &authSession{plain}, nil
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
	switch tlsMode {
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
		_ = l.Close() // the server does not close a listener before its first Accept
		<-done
	})
	return p
}

func (p *fakeServer) settings(tlsMode string) Settings {
	return Settings{
		Host: "127.0.0.1", Port: p.port, TLS: tlsMode, Roots: p.roots,
		From: netmail.Address{Name: "Yeşil Alan", Address: "alerts@example.org"},
	}
}

func (p *fakeServer) received() []receivedMail {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]receivedMail(nil), p.mails...)
}

func (p *fakeServer) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

func (p *fakeServer) refuseStep(step string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = map[string]error{step: err}
}

func (p *fakeServer) answer(step string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refuse[step]
}

type session struct {
	*fakeServer
	encrypted bool
	now       receivedMail
}

func (s *session) Reset()        { s.now = receivedMail{} }
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
	s.mails = append(s.mails, s.now)
	return nil
}

// authSession is a session that requires a password.
type authSession struct{ *session }

func (s *authSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *authSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		tlsMode := "plain"
		if s.encrypted {
			tlsMode = "tls"
		}
		s.signIns = append(s.signIns, user+":"+password+" "+tlsMode)
		if password != "s3cret" {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}
