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

// Certificate is the server's own certificate with its key, from two PEM
// files. They are read anew when they change, so that a renewal needs no
// restart.
type Certificate struct {
	certFile, keyFile string
	now               func() time.Time
	logger            *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	read [2]fs.FileInfo // the files when they were read last, right or wrong; nil: was not there
}

// unchanged tells whether a file is still the one that was read.
func unchanged(was, is fs.FileInfo) bool {
	return was != nil && os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// LoadCertificate reads the pair, or tells in one line why it cannot be used.
// now is the clock by which an expired certificate is warned of.
func LoadCertificate(certFile, keyFile string, now func() time.Time, logger *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: now, logger: logger}
	if _, err := c.refresh(); err != nil {
		return nil, err
	}
	return c, nil
}

// Config is how devices are met over TLS: 1.2 or later, with the certificate as
// it is in the files at that moment.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
	}
}

// Expiry is until when the certificate that devices are met with is good, and
// the first host name in it, else its subject's.
func (c *Certificate) Expiry() (name string, until time.Time) {
	leaf := c.current().Leaf
	if len(leaf.DNSNames) > 0 {
		return leaf.DNSNames[0], leaf.NotAfter
	}
	return leaf.Subject.CommonName, leaf.NotAfter
}

// current is the pair in the files, or the one before where they do not hold a
// right one: half a renewal keeps nobody out.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, err := c.refresh()
	switch {
	case err != nil:
		c.logger.Warn("the changed certificate cannot be used, going on with the one before", "error", err)
	case changed:
		c.logger.Info("the certificate was read anew", "file", c.certFile)
	}
	return c.pair
}

// refresh reads the files if they are not those read last; changed tells that
// there is a new pair. An error is told once for every change of the files.
// Callers hold the lock, or are alone.
func (c *Certificate) refresh() (changed bool, err error) {
	var infos [2]fs.FileInfo
	for i, path := range []string{c.certFile, c.keyFile} {
		if infos[i], err = os.Stat(path); err != nil {
			if c.pair != nil && c.read[i] == nil {
				return false, nil // told already
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
		c.logger.Warn("the certificate is not valid now; devices that check will stay away", "file", c.certFile,
			"from", pair.Leaf.NotBefore, "until", pair.Leaf.NotAfter)
	}
	c.pair = &pair
	return true, nil
}
