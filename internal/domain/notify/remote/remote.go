// Package remote calls the servers that carry messages: it follows no redirect, waits for no slow
// answer, reads no long one, and tells nothing secret.
package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// Within is how long a call may take: the console waits 10 seconds.
	Within = 8 * time.Second
	// AnswerLimit is how many bytes of an answer are read.
	AnswerLimit = 64 << 10
)

// NewClient makes a client. It follows no redirect, since a request contains a token, which is for
// one host only.
func NewClient() *http.Client {
	return &http.Client{
		Timeout:       Within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:    5 * time.Second,
			MaxResponseHeaderBytes: AnswerLimit,
			MaxIdleConns:           4,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
		},
	}
}

// Exchange sends a request and gives the status and at most AnswerLimit bytes of the answer. Its
// error tells what went wrong, as DescribeError does, and never what was sent.
func Exchange(ctx context.Context, c *http.Client, r *http.Request, server string) (int, []byte, error) {
	resp, err := c.Do(r.WithContext(ctx))
	if err != nil {
		return 0, nil, errors.New("no answer from " + server + ": " + DescribeError(err))
	}
	defer func() { _ = resp.Body.Close() }() // the answer is read already
	body, err := io.ReadAll(io.LimitReader(resp.Body, AnswerLimit))
	if err != nil {
		return 0, nil, errors.New(server + " broke off its answer: " + DescribeError(err))
	}
	return resp.StatusCode, body, nil
}

// DescribeError says what went wrong without the request's URL or anything that was received, since
// either may contain a token or a code.
func DescribeError(err error) string {
	var timeout interface{ Timeout() bool }
	var name *net.DNSError
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.As(err, &name):
		return name.Error()
	case errors.As(err, &network):
		return network.Error()
	case errors.As(err, &certificate):
		return certificate.Error()
	case errors.Is(err, context.Canceled):
		return "given up"
	}
	return "it does not speak HTTP as it should"
}
