package mail

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
)

// The ways to protect a connection to a mail server.
const (
	StartTLS = "starttls" // the default, except on port 465
	TLS      = "tls"      // from the first byte
	NoTLS    = "none"     // for a mail server on this machine or in a protected network
)

// Settings configure how mail is sent.
type Settings struct {
	Host     string
	Port     int
	User     string // empty: without signing in
	Password string
	TLS      string // StartTLS, TLS or NoTLS
	From     mail.Address
	Roots    *x509.CertPool // trusted authorities for Host's certificate; nil: those of the system
}

var ports = map[string]int{StartTLS: 587, TLS: 465, NoTLS: 25}

// errURLForm does not quote the URL, since it contains the password.
var errURLForm = errors.New("not of the form smtp://user:password@host:port?from=alerts@example.org&tls=starttls")

// ParseURL parses smtp://user:password@host:port?from=…&tls=starttls|tls|none. Reserved characters,
// such as an @ in the user, are escaped with %. No error quotes the URL.
func ParseURL(raw string) (*Settings, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" || u.Opaque != "" || u.Fragment != "" ||
		strings.Trim(u.Path, "/") != "" {
		return nil, errURLForm
	}
	s := &Settings{Host: u.Hostname(), User: u.User.Username(), TLS: StartTLS}
	s.Password, _ = u.User.Password()
	if p := u.Port(); p != "" {
		if s.Port, err = strconv.Atoi(p); err != nil || s.Port < 1 || s.Port > 65535 {
			return nil, errors.New("the port must be from 1 to 65535")
		}
	}
	if s.Port == ports[TLS] {
		s.TLS = TLS
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errURLForm
	}
	for name, values := range query {
		switch {
		case len(values) != 1:
			return nil, fmt.Errorf("%s is given more than once", name)
		case name == "from":
			if err := s.from(values[0]); err != nil {
				return nil, err
			}
		case name == "tls":
			if ports[values[0]] == 0 {
				return nil, errors.New("tls must be starttls, tls or none")
			}
			s.TLS = values[0]
		default:
			return nil, errors.New("only from and tls may follow the ?; escape an & in the password as %26")
		}
	}
	if s.Port == 0 {
		s.Port = ports[s.TLS]
	}
	switch {
	case s.From.Address == "":
		return nil, errors.New("from is missing: give the sender's address")
	case (s.User == "") != (s.Password == ""):
		return nil, errors.New("user and password belong together")
	case s.User != "" && s.TLS == NoTLS && !onThisMachine(s.Host):
		return nil, errors.New("a password is not sent to another machine without TLS")
	}
	return s, nil
}

func (s *Settings) from(value string) error {
	a, err := mail.ParseAddress(value)
	if err != nil {
		return errors.New("from is not an e-mail address")
	}
	s.From = *a
	return nil
}

// onThisMachine tells whether a host is this machine. It must accept no other hosts than the SMTP
// library, which sends a password without TLS to these only.
func onThisMachine(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

func (s *Settings) address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// domain gives the sender's domain, which the mails' ids end with.
func (s *Settings) domain() string {
	return s.From.Address[strings.LastIndexByte(s.From.Address, '@')+1:]
}
