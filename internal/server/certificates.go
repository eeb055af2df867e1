package server

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/internal/app"
	"tilth/internal/edge/ingest"
	"tilth/internal/platform/acme"
)

// certificates are the server's certificates for TLS: the operator's own, or those that an ACME
// server issues if the settings name domains; neither without TLS.
type certificates struct {
	own    *ingest.Certificate
	issued *acme.Certificates
}

// ownCertificate reads the operator's certificate, if there is one. The server does so first, since
// a wrong certificate prevents the start.
func (s *Server) ownCertificate() (err error) {
	if s.set.TLSCert == "" {
		return nil
	}
	if s.certificates.own, err = ingest.LoadCertificate(s.set.TLSCert, s.set.TLSKey, time.Now, s.logger); err != nil {
		return fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	return nil
}

// issuedCertificates loads the certificates that were issued before. run has the others issued,
// once the server accepts devices. The ports are open and the data folder is locked by then.
func (s *Server) issuedCertificates(ctx context.Context) (err error) {
	set := s.set.ACME
	if len(set.Names) == 0 {
		return nil
	}
	o := acme.Options{
		Names:     set.Names,
		Directory: set.Directory,
		Email:     set.Email,
		Roots:     set.Roots,
		Dir:       filepath.Join(s.set.DataDir, "acme"),
		HTTP:      s.listeners.http.Addr(),
		Logger:    s.logger,
	}
	if s.listeners.https != nil {
		o.HTTPS = s.listeners.https.Addr()
	}
	if s.node != nil {
		key, err := app.DeriveKey(s.Stores.Key, app.ACMEFiles)
		if err != nil {
			return err
		}
		if o.Table, err = acme.NewTable(s.Stores.DB, key, time.Now); err != nil {
			return err
		}
	}
	if s.certificates.issued, err = acme.New(ctx, o); err != nil {
		return fmt.Errorf("--acme-domains: %w", err)
	}
	s.logger.Info("an ACME server issues the certificates", "names", set.Names, "directory", set.Directory)
	return nil
}

// devices is the TLS configuration for devices.
func (c *certificates) devices() *tls.Config {
	if c.issued != nil {
		return c.issued.Config()
	}
	return c.own.Config()
}

// web is the TLS configuration for people and programs: that for devices, with HTTP/2. It names
// both protocols, since http.Server looks for them once, perhaps when it begins to serve a plain
// listener.
func (c *certificates) web() *tls.Config {
	config := c.devices()
	config.NextProtos = []string{"h2", "http/1.1"}
	if c.issued != nil {
		config.NextProtos = append(config.NextProtos, acme.ALPNProtocol)
	}
	return config
}

// challenges answers the requests of an ACME server before any other handler: the ACME server asks
// for its proofs at the HTTP address, even if that redirects everything else.
func (c *certificates) challenges(next http.Handler) http.Handler {
	if c.issued == nil {
		return next
	}
	return c.issued.Challenges(next)
}

// run renews issued certificates until ctx ends.
func (c *certificates) run(ctx context.Context) {
	if c.issued != nil {
		c.issued.Run(ctx)
	}
}

// statuses are the names that have a certificate, or should have one.
func (c *certificates) statuses() []acme.NameStatus {
	switch {
	case c.issued != nil:
		return c.issued.Statuses()
	case c.own != nil:
		name, expires := c.own.Expiry()
		return []acme.NameStatus{{Name: name, Expires: expires}}
	}
	return nil
}

var (
	certificateExpiry = prometheus.NewDesc("tilth_certificate_expiry_timestamp_seconds",
		"When the certificate of a name expires; 0: there is none.", []string{"name"}, nil)
	certificateFailures = prometheus.NewDesc("tilth_certificate_failures_total",
		"Attempts to have a name's certificate issued or renewed that failed.", []string{"name"}, nil)
)

// Describe implements prometheus.Collector.
func (c *certificates) Describe(ch chan<- *prometheus.Desc) {
	ch <- certificateExpiry
	ch <- certificateFailures
}

// Collect implements prometheus.Collector.
func (c *certificates) Collect(ch chan<- prometheus.Metric) {
	for _, s := range c.statuses() {
		expires := 0.
		if !s.Expires.IsZero() {
			expires = float64(s.Expires.Unix())
		}
		ch <- prometheus.MustNewConstMetric(certificateExpiry, prometheus.GaugeValue, expires, s.Name)
		ch <- prometheus.MustNewConstMetric(certificateFailures, prometheus.CounterValue, float64(s.Failures), s.Name)
	}
}
