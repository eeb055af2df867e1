package oidc

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	callWithin   = 10 * time.Second // a whole call
	dialWithin   = 5 * time.Second
	answerLimit  = 1 << 20 // bytes of an answer
	headerLimit  = 64 << 10
	localhost    = "localhost"
	schemeSecure = "https"
)

// errTooLarge is the error of an answer of more than answerLimit.
var errTooLarge = errors.New("the answer is too large")

// isLoopback tells whether a host is this machine. A name other than localhost is not, whatever
// address it leads to.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == localhost || strings.HasSuffix(host, "."+localhost) || err == nil && addr.Unmap().IsLoopback()
}

// newHTTPClient makes the HTTP client for the addresses of an issuer. It uses no proxy, follows no
// redirect and reads no more than answerLimit. An address without TLS is called only if the issuer
// itself is one on this machine.
func (c *Client) newHTTPClient(issuerURL string) *http.Client {
	u, err := url.Parse(issuerURL)
	local := err == nil && isLoopback(u.Hostname())
	newTransport := func(plain bool) http.RoundTripper {
		dialer := &net.Dialer{Timeout: dialWithin, Control: c.control(local, plain)}
		return &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Roots},
			TLSHandshakeTimeout:    dialWithin,
			MaxResponseHeaderBytes: headerLimit,
			DisableKeepAlives:      true, // the address of each connection is checked
			ForceAttemptHTTP2:      true,
		}
	}
	transport := &boundedTransport{secure: newTransport(false)}
	if local && u.Scheme != schemeSecure {
		transport.plain = newTransport(true)
	}
	return &http.Client{
		Timeout:       callWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     transport,
	}
}

// control is that of a net.Dialer for an issuer. The provider has named an issuer on this machine,
// so its loopback addresses need no other leave.
func (c *Client) control(local, plain bool) func(string, string, syscall.RawConn) error {
	check := c.Control(plain)
	return func(network, address string, raw syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); local && err == nil && at.Addr().Unmap().IsLoopback() {
			return nil
		}
		return check(network, address, raw)
	}
}

// boundedTransport limits the answers that it passes on.
type boundedTransport struct {
	secure http.RoundTripper
	plain  http.RoundTripper // nil: only https is called
}

// RoundTrip implements http.RoundTripper.
func (b *boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	transport := b.secure
	switch {
	case r.URL.Scheme == schemeSecure:
	case b.plain != nil && isLoopback(r.URL.Hostname()):
		transport = b.plain
	default:
		return nil, fmt.Errorf("%s is not called without TLS", r.URL.Host)
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "Tilth")
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: answerLimit}
	return resp, nil
}

// boundedBody fails once more than left bytes were read.
type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
