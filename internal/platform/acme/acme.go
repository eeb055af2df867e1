// Package acme obtains and renews certificates from an ACME server (RFC 8555), such as Let's
// Encrypt, while the server runs.
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

// ALPNProtocol is the protocol that the HTTPS address must offer beside its own, so that the ACME
// server can ask there for its proof (TLS-ALPN-01, RFC 8737). An address that serves another
// protocol must not offer it: TLS would refuse clients that name their protocol.
const ALPNProtocol = "acme-tls/1"

// LetsEncrypt is the production directory of Let's Encrypt.
const LetsEncrypt = certmagic.LetsEncryptProductionCA

const (
	// certmagic retries within an attempt: after a minute, then less and less often. These waits
	// are for failures that it gives up on at once: a folder that cannot be written, or proofs that
	// the staging directory of Let's Encrypt accepts and the production directory does not. The
	// production directory allows five failures an hour.
	minRetryWait = 5 * time.Minute
	maxRetryWait = 6 * time.Hour
)

// Options say for which names New obtains certificates, and from where. All but Email, Roots, HTTPS
// and CheckEvery are required.
type Options struct {
	Names     []string       // as NormalizeNames gives them; clients that name no host get the certificate of the first
	Directory string         // the URL of the ACME server's directory
	Email     string         // the address that the ACME server may write to
	Roots     *x509.CertPool // verify the ACME server's own certificate; nil: the system's roots
	Dir       string         // the folder for the account, keys and certificates; created if missing
	Table     *Table         // holds them in place of the folder, and takes over what is there; nil: the folder does
	HTTP      net.Addr       // where Challenges is served, as port 80 to the world
	HTTPS     net.Addr       // where Config with ALPNProtocol is served, as port 443 to the world; nil: nowhere
	Logger    *slog.Logger

	// CheckEvery is how often to check whether a certificate is due for renewal; default 10 min.
	CheckEvery time.Duration
}

// Certificates holds the certificates of its names. It is safe for concurrent use.
type Certificates struct {
	names  []string
	logger *slog.Logger
	cache  *certmagic.Cache
	config *certmagic.Config
	issuer *certmagic.ACMEIssuer

	failures map[string]*atomic.Uint64 // by name; the map itself never changes
}

// New loads the stored certificates; Run obtains the others.
func New(ctx context.Context, o Options) (*Certificates, error) {
	storage, err := openStorage(ctx, o)
	if err != nil {
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
		Storage: storage, OnEvent: c.onEvent, Logger: log, DefaultServerName: o.Names[0],
		// Only the ACME server that the settings name is contacted.
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

// openStorage opens what holds the account, keys and certificates.
func openStorage(ctx context.Context, o Options) (certmagic.Storage, error) {
	if o.Table != nil {
		imported, err := o.Table.Import(ctx, o.Dir)
		if err != nil {
			return nil, err
		}
		if imported > 0 {
			o.Logger.Info(
				"the certificates of this folder are in the database now, for all nodes; the folder is used no more",
				"folder",
				o.Dir,
				"files",
				imported,
			)
		}
		return o.Table, nil
	}
	// Before certmagic makes it, and for any mode of an existing folder.
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	return &certmagic.FileStorage{Path: o.Dir}, os.Chmod(o.Dir, 0o700)
}

// load loads the stored certificate of a name. It removes a damaged one, so that Run obtains
// another.
func (c *Certificates) load(ctx context.Context, name string) error {
	_, err := c.config.CacheManagedCertificate(ctx, name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if unread := (*fs.PathError)(nil); errors.As(err, &unread) {
		return err
	}
	c.logger.Warn("the stored certificate is damaged; requesting another", "name", name, "error", err)
	return c.config.Storage.Delete(ctx, certmagic.StorageKeys.CertsSitePrefix(c.issuer.IssuerKey(), name))
}

// issuer configures where certificates come from. certmagic would open its own ports for the
// proofs; given the server's ports, which are taken, it leaves the proofs to the server.
func issuer(o Options, log *zap.Logger) certmagic.ACMEIssuer {
	i := certmagic.ACMEIssuer{
		CA: o.Directory, Email: o.Email, Agreed: true, TrustedRoots: o.Roots, Logger: log,
		DisableTLSALPNChallenge: o.HTTPS == nil,
		// certmagic stores an account without an address as "default" and then uses that as the
		// address of the next account, which no ACME server accepts.
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

// hostPort gives the host and the port of a listening address; the host is empty if it listens on
// all.
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

// Config gives the TLS configuration: version 1.2 or later, with the certificate of the name that
// the client asks for. A client that asks for another name gets the alert "unrecognized name".
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			certificate, err := c.config.GetCertificate(hello)
			if err != nil {
				// For neither a certificate nor an error, package tls sends "unrecognized name";
				// for an error, "internal error".
				return nil, nil //nolint:nilerr // see above
			}
			return certificate, nil
		},
	}
}

// Challenges answers the ACME server's challenges over HTTP, and passes other requests to next.
func (c *Certificates) Challenges(next http.Handler) http.Handler {
	return c.issuer.HTTPChallengeHandler(next)
}

// Run obtains missing certificates and renews those that are due, until ctx ends. Both addresses
// must be served meanwhile.
func (c *Certificates) Run(ctx context.Context) {
	// Run does not wait for Stop: a request to the ACME server may take half a minute.
	defer func() { go c.cache.Stop() }()
	if err := c.cache.RenewManagedCertificates(ctx); err != nil { // those that became due while the server was down
		c.logger.Warn("certificates not checked, trying again", "error", err)
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

// obtain obtains the first certificate of a name; from then on the cache renews it.
func (c *Certificates) obtain(ctx context.Context, name string) {
	for wait := minRetryWait; ; wait = min(2*wait, maxRetryWait) {
		err := c.config.ObtainCertAsync(ctx, name) // returns only with a certificate or a permanent failure
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

// onEvent handles an event of certmagic.
func (c *Certificates) onEvent(_ context.Context, event string, data map[string]any) error {
	name := fmt.Sprint(data["identifier"])
	switch event {
	case "cert_obtained":
		c.logger.Info("a certificate was issued", "name", name, "renewal", data["renewal"])
	case "cert_failed":
		if n := c.failures[name]; n != nil {
			n.Add(1)
		}
		c.logger.Error("no certificate was issued, it is tried again",
			"name", name, "renewal", data["renewal"], "error", data["error"])
	}
	return nil
}

// NameStatus is the state of a name's certificate.
type NameStatus struct {
	Name     string
	Expires  time.Time // when the certificate expires; zero: the name has none
	Failures uint64    // failed attempts to obtain or renew one
}

// Statuses gives the status of each name, in order.
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
