package sms

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tilth/internal/platform/text"
)

const (
	sendWithin  = 8 * time.Second // the console waits 10 seconds
	answerLimit = 64 << 10        // bytes read of a gateway's answer
)

// newClient makes the client for a gateway. It follows no redirect, since a request contains the
// token, which is for one host only.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       sendWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:    5 * time.Second,
			MaxResponseHeaderBytes: answerLimit,
			MaxIdleConns:           4,
			IdleConnTimeout:        time.Minute,
			ForceAttemptHTTP2:      true,
		},
	}
}

// exchange sends a request to a gateway and gives at most answerLimit bytes of its answer.
func exchange(ctx context.Context, c *http.Client, r *http.Request) (int, []byte, *Failure) {
	resp, err := c.Do(r.WithContext(ctx))
	if err != nil {
		return 0, nil, &Failure{Retry: true, Unavailable: true, Detail: "no answer from the SMS gateway: " +
			describeError(err)}
	}
	defer func() { _ = resp.Body.Close() }() // the answer is read already
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return 0, nil, &Failure{Retry: true, Unavailable: true, Detail: "the SMS gateway broke off its answer: " +
			describeError(err)}
	}
	return resp.StatusCode, body, nil
}

// describeError says what went wrong without the request's URL or anything that was received, since
// either may contain a token or a code.
func describeError(err error) string {
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

// statusFailure gives the failure for a status; nil for 2xx. It is Unavailable, so that all
// messages wait, unless this one message may be at fault: the gateway is down or moved, requires
// sign-in or payment, or received too many requests.
func statusFailure(status int) *Failure {
	f := &Failure{Detail: fmt.Sprintf("the SMS gateway answered status %d", status)}
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		f.Retry, f.Unavailable = true, true
	case status < 400,
		status == http.StatusUnauthorized,
		status == http.StatusPaymentRequired,
		status == http.StatusForbidden,
		status == http.StatusNotFound,
		status == http.StatusMethodNotAllowed,
		status == http.StatusProxyAuthRequired:
		f.Unavailable = true
	}
	return f
}

const answerMost = 120 // characters

// shownAnswer gives a gateway's answer as people see it: its status and the beginning of its text,
// without the text if that repeats something that was sent.
func shownAnswer(status int, body []byte, sent ...string) string {
	answer := strconv.Itoa(status)
	line := text.SingleLine(strings.ToValidUTF8(string(body), ""))
	for _, s := range sent {
		if s = text.SingleLine(s); s != "" && strings.Contains(line, s) {
			return answer
		}
	}
	return strings.TrimSpace(text.Shorten(answer+" "+line, answerMost))
}
