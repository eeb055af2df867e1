// Package authority is an ACME server for tests. It is a package of its own because most users of
// testkit do not need its dependencies.
package authority

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

// Authority is an ACME server in this process: Pebble, with which Let's Encrypt tests clients.
type Authority struct {
	Directory string         // its address
	RootFile  string         // PEM: the root of its own certificate
	Roots     *x509.CertPool // of the certificates that it issues

	newHandler func(httpPort int) http.Handler
	httpPort   int
	handler    http.Handler  // set before ready is closed
	ready      chan struct{} // closed by Unblock
	startOnce  sync.Once
}

// Options say where an Authority checks challenges, and what it issues.
type Options struct {
	HTTPPort, TLSPort int           // instead of 80 and 443; SetChallengePort changes HTTPPort
	Names             []string      // names that resolve, to 127.0.0.1
	ValidFor          time.Duration // of certificates, whole seconds; default 90 days
	Blocked           bool          // it accepts requests and answers none until Unblock
}

// setPebbleEnv sets what Pebble takes only from the environment.
var setPebbleEnv = sync.OnceValue(func() error {
	return errors.Join(
		os.Setenv("PEBBLE_VA_NOSLEEP", "1"),
		os.Setenv("PEBBLE_AUTHZREUSE", "0"), // each certificate needs a challenge
	)
})

// New starts an Authority, which ends with the test.
func New(t *testing.T, o Options) *Authority {
	t.Helper()
	if err := setPebbleEnv(); err != nil {
		t.Fatal(err)
	}
	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{
		"default": {Description: "default", ValidityPeriod: uint64(o.ValidFor / time.Second)},
	})
	names := startResolver(t, o.Names)

	a := &Authority{Roots: x509.NewCertPool(), ready: make(chan struct{}), httpPort: o.HTTPPort}
	a.Roots.AddCert(issuer.GetRootCert(0).Cert)
	a.newHandler = func(httpPort int) http.Handler {
		validator := va.New(quiet, httpPort, o.TLSPort, false, names, store)
		front := wfe.New(quiet, store, validator, issuer, []string{"pebble.example"}, false, false, 0, 0)
		return front.Handler()
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-a.ready:
			a.handler.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	if !o.Blocked {
		a.Unblock()
	}
	a.Directory = server.URL + wfe.DirectoryPath
	a.RootFile = filepath.Join(t.TempDir(), "root.pem")
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(a.RootFile, root, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// Unblock makes the Authority answer all requests, earlier ones too.
func (a *Authority) Unblock() {
	a.startOnce.Do(func() {
		a.handler = a.newHandler(a.httpPort)
		close(a.ready)
	})
}

// SetChallengePort makes the Authority check HTTP challenges at the port of an address, which is
// known only after a server listens on it. The Authority must still be blocked.
func (a *Authority) SetChallengePort(t *testing.T, address string) {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		a.httpPort, err = strconv.Atoi(port)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// startResolver starts a name server that knows only these names, and returns its address.
func startResolver(t *testing.T, names []string) string {
	t.Helper()
	known := dns.NewServeMux()
	known.HandleFunc(".", func(w dns.ResponseWriter, asked *dns.Msg) {
		answer := new(dns.Msg).SetRcode(asked, dns.RcodeNameError)
		_ = w.WriteMsg(answer) // the client may have disconnected
	})
	for _, name := range names {
		known.HandleFunc(dns.Fqdn(name), func(w dns.ResponseWriter, asked *dns.Msg) {
			answer := new(dns.Msg).SetReply(asked)
			if q := asked.Question[0]; q.Qtype == dns.TypeA {
				answer.Answer = []dns.RR{&dns.A{
					Hdr: dns.RR_Header{
						Name:   q.Name,
						Rrtype: dns.TypeA,
						Class:  dns.ClassINET,
						Ttl:    1,
					},
					A: net.IPv4(127, 0, 0, 1),
				}}
			}
			_ = w.WriteMsg(answer)
		})
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // the name server may have closed it
	server := &dns.Server{Listener: l, Net: "tcp", Handler: known}
	go func() { _ = server.ActivateAndServe() }() // ends with the listener
	return l.Addr().String()
}

// FetchCertificate returns the certificate that a TLS server presents for a name. The authority
// must have issued it.
func (a *Authority) FetchCertificate(ctx context.Context, address, name string) (*x509.Certificate, error) {
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: a.Roots, ServerName: name}}
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }() // the certificate is known
	return c.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}
