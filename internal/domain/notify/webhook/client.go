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
	callWithin  = 10 * time.Second // an attempt, in all
	dialWithin  = 5 * time.Second
	answerLimit = 4 << 10 // bytes read of an answer
	headerLimit = 16 << 10
	answerMost  = 120     // characters of it that are shown
	longestWait = 1 << 32 // seconds that a far end may ask for; the outbox waits less
)

// clients call far ends, over TLS and without. Each call makes a connection of
// its own, whose address is judged just before; no proxy, no redirect.
type clients struct{ secure, plain *http.Client }

func newClients(g *guard.Guard, o *Options) clients {
	make := func(plain bool) *http.Client {
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
	return clients{secure: make(false), plain: make(true)}
}

// answer is what a far end said.
type answer struct {
	url         string // that was called
	status      int
	text        string // the status, and the first line of what it said
	retryHeader string // when it wants to be asked again, in its own words; empty: it does not say
}

// post calls an address. The error is of a call that had no answer.
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
	defer func() { _ = resp.Body.Close() }() // what was read of it counts
	a := &answer{url: address, status: resp.StatusCode, text: strconv.Itoa(resp.StatusCode),
		retryHeader: resp.Header.Get("Retry-After")}
	if line := firstLine(resp.Body); line != "" {
		a.text = text.Shorten(a.text+" "+line, answerMost)
	}
	return a, nil
}

// retryAfter is how long from now on the far end wants to be left alone: seconds, or
// until a date. 0 where it does not say, or nothing that can be understood.
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

// firstLine is the first line of an answer that holds anything, as far as it
// comes: the status alone decides.
func firstLine(body io.Reader) string {
	lines := bufio.NewReader(io.LimitReader(body, answerLimit))
	for {
		line, err := lines.ReadString('\n')
		if shown := text.SingleLine(strings.ToValidUTF8(line, "")); shown != "" || err != nil {
			return shown
		}
	}
}

// errUnreadable is of a webhook whose row or secret cannot be read.
var errUnreadable = errors.New("a fault of the server, see its log")

// describeError says what went wrong with a call that had no answer, without what only
// this server's network knows.
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
