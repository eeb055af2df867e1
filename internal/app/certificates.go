package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/internal/edge/ingest"
	"tilth/internal/platform/acme"
)

// certificates are what TLS is met with: the operator's own or, where the
// settings name some, those that an ACME server issues; neither without TLS.
type certificates struct {
	own    *ingest.Certificate
	issued *acme.Certificates
}

// ownCertificate reads the operator's, where there is one: before anything else,
// since a wrong one ends the start.
func (s *Server) ownCertificate() (err error) {
	if s.set.TLSCert == "" {
		return nil
	}
	if s.certificates.own, err = ingest.LoadCertificate(s.set.TLSCert, s.set.TLSKey, time.Now, s.logger); err != nil {
		return fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	return nil
}

// issuedCertificates loads those that were issued before; runs, once devices are
// let in, has the others issued. The ports are taken, and the folder is open.
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
	if s.certificates.issued, err = acme.New(ctx, o); err != nil {
		return fmt.Errorf("--acme-domains: %w", err)
	}
	s.logger.Info("certificates are issued by an ACME server", "names", set.Names, "directory", set.Directory)
	return nil
}

// devices is how devices are met over TLS.
func (c *certificates) devices() *tls.Config {
	if c.issued != nil {
		return c.issued.Config()
	}
	return c.own.Config()
}

// web is how people and programs are met over TLS: as devices are, and with
// HTTP/2. Both names stand here, since a plain listener of the same server may
// be the first to look.
func (c *certificates) web() *tls.Config {
	config := c.devices()
	config.NextProtos = []string{"h2", "http/1.1"}
	if c.issued != nil {
		config.NextProtos = append(config.NextProtos, acme.ALPNProtocol)
	}
	return config
}

// challenges answers what an ACME server asks for, before anything else has a
// say: its proofs are asked for at the HTTP address, whatever that redirects.
func (c *certificates) challenges(next http.Handler) http.Handler {
	if c.issued == nil {
		return next
	}
	return c.issued.Challenges(next)
}

// run keeps issued certificates in force until ctx ends.
func (c *certificates) run(ctx context.Context) {
	if c.issued != nil {
		c.issued.Run(ctx)
	}
}

// statuses are the names that there are certificates for, or should be.
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
