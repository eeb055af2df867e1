package ingest

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// Certificate is the server's own certificate with its key, from two PEM files. It reads the files
// again when they change, so that a renewal needs no restart.
type Certificate struct {
	certFile, keyFile string
	now               func() time.Time
	logger            *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	read [2]fs.FileInfo // the files at the last read, valid or not; nil: the file was missing
}

// unchanged tells whether a file is the one that was read.
func unchanged(was, is fs.FileInfo) bool {
	return was != nil && os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// LoadCertificate reads the pair. An error is one line. now is the clock for the warning about an
// expired certificate.
func LoadCertificate(certFile, keyFile string, now func() time.Time, logger *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: now, logger: logger}
	if _, err := c.refresh(); err != nil {
		return nil, err
	}
	return c, nil
}

// Config is the TLS configuration for devices: TLS 1.2 or later, with the certificate that is in
// the files at the time of the handshake.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
	}
}

// Expiry is when the current certificate expires, and its first host name, or else its subject's
// name.
func (c *Certificate) Expiry() (name string, until time.Time) {
	leaf := c.current().Leaf
	if len(leaf.DNSNames) > 0 {
		return leaf.DNSNames[0], leaf.NotAfter
	}
	return leaf.Subject.CommonName, leaf.NotAfter
}

// current returns the pair in the files, or the previous one if the files hold no valid pair: a
// half-finished renewal does not shut devices out.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, err := c.refresh()
	switch {
	case err != nil:
		c.logger.Warn("the changed certificate cannot be used; the previous one stays in use", "error", err)
	case changed:
		c.logger.Info("a new certificate was read", "file", c.certFile)
	}
	return c.pair
}

// refresh reads the files if they changed since the last read; changed is true if there is a new
// pair. It returns an error once per change of the files. The caller holds the lock, or is the only
// user.
func (c *Certificate) refresh() (changed bool, err error) {
	var infos [2]fs.FileInfo
	for i, path := range []string{c.certFile, c.keyFile} {
		if infos[i], err = os.Stat(path); err != nil {
			if c.pair != nil && c.read[i] == nil {
				return false, nil // reported already
			}
			c.read[i] = nil
			return false, err
		}
	}
	if unchanged(c.read[0], infos[0]) && unchanged(c.read[1], infos[1]) {
		return false, nil
	}
	c.read = infos
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return false, fmt.Errorf("%s with %s: %s", c.certFile, c.keyFile, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if now := c.now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		c.logger.Warn("the certificate is not valid now; devices that check it do not connect", "file", c.certFile,
			"from", pair.Leaf.NotBefore, "until", pair.Leaf.NotAfter)
	}
	c.pair = &pair
	return true, nil
}
