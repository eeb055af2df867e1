package webhook

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/platform/text"
)

const (
	callWithin  = 10 * time.Second // a whole attempt
	dialWithin  = 5 * time.Second
	answerLimit = 4 << 10 // bytes read of an answer
	headerLimit = 16 << 10
	answerMost  = 120     // characters of an answer that people see
	longestWait = 1 << 32 // seconds that a server may ask to wait; the outbox waits less
)

// clients are the HTTP clients for calls with TLS and without. Each call makes its own connection,
// whose address the guard checks just before. They use no proxy and follow no redirect.
type clients struct{ secure, plain *http.Client }

func newClients(g *guard.Guard, o *Options) clients {
	newClient := func(plain bool) *http.Client {
		dialer := &net.Dialer{Timeout: dialWithin, Control: g.Control(plain), Resolver: o.Resolver}
		return &http.Client{
			Timeout:       o.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:            dialer.DialContext,
				TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
				TLSHandshakeTimeout:    dialWithin,
				MaxResponseHeaderBytes: headerLimit,
				DisableKeepAlives:      true,
				DisableCompression:     true,
				ForceAttemptHTTP2:      true,
			},
		}
	}
	return clients{secure: newClient(false), plain: newClient(true)}
}

// answer is a server's answer.
type answer struct {
	url         string // the URL that was called
	status      int
	text        string // the status and the first line of the body
	retryHeader string // Retry-After; empty: there is none
}

// post calls a URL. It gives an error if there was no answer.
func (c clients) post(ctx context.Context, address string, header http.Header, body []byte) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "Tilth")
	r.Header = header
	client := c.plain
	if r.URL.Scheme == "https" {
		client = c.secure
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // the answer is read already
	a := &answer{url: address, status: resp.StatusCode, text: strconv.Itoa(resp.StatusCode),
		retryHeader: resp.Header.Get("Retry-After")}
	if line := firstLine(resp.Body); line != "" {
		a.text = text.Shorten(a.text+" "+line, answerMost)
	}
	return a, nil
}

// retryAfter gives how long from now on the server asks to wait, by seconds or a date in
// Retry-After of 429 and 503; 0: it does not say, or the header is not valid.
func (a *answer) retryAfter(now time.Time) time.Duration {
	if a.status != http.StatusTooManyRequests && a.status != http.StatusServiceUnavailable {
		return 0
	}
	seconds, err := strconv.ParseUint(a.retryHeader, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, longestWait)) * time.Second
	}
	if at, err := http.ParseTime(a.retryHeader); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// firstLine gives the first line of an answer that is not empty. It ignores read errors, since the
// status alone decides.
func firstLine(body io.Reader) string {
	lines := bufio.NewReader(io.LimitReader(body, answerLimit))
	for {
		line, err := lines.ReadString('\n')
		if shown := text.SingleLine(strings.ToValidUTF8(line, "")); shown != "" || err != nil {
			return shown
		}
	}
}

// errUnreadable is the error of a webhook whose row or secret cannot be read.
var errUnreadable = errors.New("a fault of the server, see its log")

// describeError says what went wrong with a call that had no answer, without details of this
// server's network.
func describeError(err error) string {
	var timeout interface{ Timeout() bool }
	refusal, refused := errors.AsType[*guard.Refusal](err)
	_, network := errors.AsType[*net.OpError](err)
	var unknown x509.UnknownAuthorityError
	certificate, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(err, errUnreachableHost):
		return errUnreachableHost.Error()
	case refused:
		return refusal.Error()
	case errors.Is(err, errUnreadable):
		return errUnreadable.Error()
	case errors.Is(err, context.Canceled):
		return "given up"
	case errors.As(err, &timeout) && timeout.Timeout():
		// Also for the shorter timeouts of dialing: people need one number, and an answer within it
		// would have been enough.
		return fmt.Sprintf("no answer within %d s", callWithin/time.Second)
	case errors.As(err, &unknown):
		return "the certificate is signed by an unknown authority"
	case untrusted:
		return text.Shorten("the certificate is not valid: "+certificate.Err.Error(), answerMost)
	case network:
		return "the connection was refused or broken off"
	}
	return "it does not speak HTTP as it should"
}
