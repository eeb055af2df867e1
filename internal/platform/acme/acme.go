// Package acme has certificates issued and renewed by an ACME server (RFC 8555),
// such as Let's Encrypt, while the server runs.
package acme

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3/acme"
	"go.uber.org/zap"
)

// ALPNProtocol is what the HTTPS address must offer beside its own, for the ACME
// server to ask there for its proof (TLS-ALPN-01, RFC 8737). An address that
// speaks something else must not: clients that name their protocol would be
// turned away.
const ALPNProtocol = "acme-tls/1"

// LetsEncrypt is the directory of Let's Encrypt, in production.
const LetsEncrypt = certmagic.LetsEncryptProductionCA

const (
	// What is tried again within an attempt is certmagic's: after a minute, then
	// less and less often. These are for what it gives up at once, as a folder that
	// cannot be written, or proofs that the trial directory of Let's Encrypt takes
	// and the real one does not, which forgives five an hour.
	minRetryWait = 5 * time.Minute
	maxRetryWait = 6 * time.Hour
)

// Options say whose certificates are had from where; all but Email, Roots, HTTPS
// and CheckEvery are needed.
type Options struct {
	Names     []string       // as Names answers them; the first is met by who names none
	Directory string         // the ACME server's
	Email     string         // whom it may write to
	Roots     *x509.CertPool // by which its own certificate is checked; nil: the system's
	Dir       string         // a folder for the account, keys and certificates; made when missing
	HTTP      net.Addr       // that Challenges is served at, as port 80 to the world
	HTTPS     net.Addr       // that Config with Protocol is served at, as port 443 to the world; nil: nowhere
	Logger    *slog.Logger

	// CheckEvery is how often it is asked whether a certificate is due; default 10 min.
	CheckEvery time.Duration
}

// Certificates are those of some names. It is safe for concurrent use.
type Certificates struct {
	names  []string
	logger *slog.Logger
	cache  *certmagic.Cache
	config *certmagic.Config
	issuer *certmagic.ACMEIssuer

	failures map[string]*atomic.Uint64 // by name; the map itself never changes
}

// New loads what certificates the folder has; Run has the others issued.
func New(ctx context.Context, o Options) (*Certificates, error) {
	// Before certmagic makes it, and whatever the mode of a folder that was there.
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(o.Dir, 0o700); err != nil {
		return nil, err
	}
	c := &Certificates{names: o.Names, logger: o.Logger, failures: map[string]*atomic.Uint64{}}
	for _, name := range o.Names {
		c.failures[name] = &atomic.Uint64{}
	}
	log := zap.New(zapToSlog{logger: o.Logger})
	c.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert:   func(certmagic.Certificate) (*certmagic.Config, error) { return c.config, nil },
		RenewCheckInterval: o.CheckEvery, Logger: log,
	})
	c.config = certmagic.New(c.cache, certmagic.Config{
		Storage: &certmagic.FileStorage{Path: o.Dir}, OnEvent: c.onEvent, Logger: log, DefaultServerName: o.Names[0],
		// Nobody is asked but the ACME server that the settings name.
		OCSP: certmagic.OCSPConfig{DisableStapling: true},
	})
	c.issuer = certmagic.NewACMEIssuer(c.config, issuer(o, log))
	c.config.Issuers = []certmagic.Issuer{c.issuer}
	for _, name := range o.Names {
		if err := c.load(ctx, name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// load takes the certificate that is kept. A damaged one is removed, or it would
// pass for one that is there.
func (c *Certificates) load(ctx context.Context, name string) error {
	_, err := c.config.CacheManagedCertificate(ctx, name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
		return err
	}
	c.logger.Warn("the certificate that is kept is damaged, another is asked for", "name", name, "error", err)
	return c.config.Storage.Delete(ctx, certmagic.StorageKeys.CertsSitePrefix(c.issuer.IssuerKey(), name))
}

// issuer is where certificates come from. certmagic would open ports of its own
// for the proofs; told the server's, which are taken, it leaves them to it.
func issuer(o Options, log *zap.Logger) certmagic.ACMEIssuer {
	i := certmagic.ACMEIssuer{
		CA: o.Directory, Email: o.Email, Agreed: true, TrustedRoots: o.Roots, Logger: log,
		DisableTLSALPNChallenge: o.HTTPS == nil,
		// certmagic keeps an account without an address under "default", which it
		// then takes for the address of the next one: no ACME server knows such.
		NewAccountFunc: func(_ context.Context, _ *certmagic.ACMEIssuer, a acme.Account) (acme.Account, error) {
			a.Contact = nil
			if o.Email != "" {
				a.Contact = []string{"mailto:" + o.Email}
			}
			return a, nil
		},
	}
	host, port := hostPort(o.HTTP)
	i.AltHTTPPort, i.ListenHost = port, host
	if o.HTTPS != nil {
		var other string
		if other, i.AltTLSALPNPort = hostPort(o.HTTPS); other != host {
			i.ListenHost = ""
		}
	}
	return i
}

// hostPort is the host that an address is listened on at, empty for all of them,
// and its port.
func hostPort(a net.Addr) (host string, port int) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return "", 0
	}
	if !t.IP.IsUnspecified() {
		host = t.IP.String()
	}
	return host, t.Port
}

// Config is how TLS is met: 1.2 or later, with the certificate of the name that
// is asked for. Who asks for another is told that there is none.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			certificate, err := c.config.GetCertificate(hello)
			if err != nil {
				// Of neither, package tls makes "unrecognized name"; of an error, a fault of ours.
				return nil, nil //nolint:nilerr // see above
			}
			return certificate, nil
		},
	}
}

// Challenges answers what the ACME server asks for over HTTP, and leaves the
// rest to next.
func (c *Certificates) Challenges(next http.Handler) http.Handler {
	return c.issuer.HTTPChallengeHandler(next)
}

// Run has certificates issued that are missing, and renewed when they are due,
// until ctx ends. Both addresses must be served meanwhile.
func (c *Certificates) Run(ctx context.Context) {
	// Not waited for: it may be asking the ACME server something, for half a minute.
	defer func() { go c.cache.Stop() }()
	if err := c.cache.RenewManagedCertificates(ctx); err != nil { // those that fell due while the server was down
		c.logger.Warn("certificates not looked at, trying again", "error", err)
	}
	var obtaining sync.WaitGroup
	for _, name := range c.names {
		if len(c.cache.AllMatchingCertificates(name)) == 0 {
			obtaining.Go(func() { c.obtain(ctx, name) })
		}
	}
	obtaining.Wait()
	<-ctx.Done()
}

// obtain has the first certificate of a name issued; from then on the cache
// renews it.
func (c *Certificates) obtain(ctx context.Context, name string) {
	for wait := minRetryWait; ; wait = min(2*wait, maxRetryWait) {
		err := c.config.ObtainCertAsync(ctx, name) // not before it is there, or hopeless
		if err == nil {
			_, err = c.config.CacheManagedCertificate(ctx, name)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		c.logger.Error("there is no certificate, trying again", "name", name, "wait", wait, "error", err)
		again := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-again.C:
		}
	}
}

// onEvent is told by certmagic what happens.
func (c *Certificates) onEvent(_ context.Context, event string, data map[string]any) error {
	name := fmt.Sprint(data["identifier"])
	switch event {
	case "cert_obtained":
		c.logger.Info("a certificate was issued", "name", name, "renewal", data["renewal"])
	case "cert_failed":
		if n := c.failures[name]; n != nil {
			n.Add(1)
		}
		c.logger.Error(
			"no certificate was issued, it is tried again",
			"name",
			name,
			"renewal",
			data["renewal"],
			"error",
			data["error"],
		)
	}
	return nil
}

// NameStatus is how a name stands.
type NameStatus struct {
	Name     string
	Expires  time.Time // of its certificate; zero: it has none
	Failures uint64    // attempts to have one, or another, that came to nothing
}

// Statuses are those of all names, in their order.
func (c *Certificates) Statuses() []NameStatus {
	all := make([]NameStatus, len(c.names))
	for i, name := range c.names {
		all[i] = NameStatus{Name: name, Failures: c.failures[name].Load()}
		for _, certificate := range c.cache.AllMatchingCertificates(name) {
			if leaf := certificate.Leaf; leaf != nil && leaf.NotAfter.After(all[i].Expires) {
				all[i].Expires = leaf.NotAfter
			}
		}
	}
	return all
}
