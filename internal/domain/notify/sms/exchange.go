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
	sendWithin  = 8 * time.Second // the console waits ten
	answerLimit = 64 << 10        // bytes read of a gateway's answer
)

// newClient makes what speaks to a gateway. It follows no redirect: a request
// carries the token, which is for one host.
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

// exchange asks a gateway and reads its answer, of which no more than
// answerLimit bytes count.
func exchange(ctx context.Context, c *http.Client, r *http.Request) (int, []byte, *Failure) {
	resp, err := c.Do(r.WithContext(ctx))
	if err != nil {
		return 0, nil, &Failure{Retry: true, Unavailable: true, Detail: "no answer from the SMS gateway: " +
			describeError(err)}
	}
	defer func() { _ = resp.Body.Close() }() // what was read of it counts
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return 0, nil, &Failure{Retry: true, Unavailable: true, Detail: "the SMS gateway broke off its answer: " +
			describeError(err)}
	}
	return resp.StatusCode, body, nil
}

// describeError is what went wrong without the request's address or anything that was
// received: a token or a code may stand in either.
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

// statusFailure is the failure that a status tells of; nil for 2xx. What is no fault
// of the one message keeps all of them: a gateway that is away, moved, asks for
// a sign-in or money, or has had too many.
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

// shownAnswer is a gateway's answer as it is shown beside a message: its status
// and the beginning of its words, unless they repeat what was sent.
func shownAnswer(status int, body []byte, sent ...string) string {
	answer := strconv.Itoa(status)
	words := text.SingleLine(strings.ToValidUTF8(string(body), ""))
	for _, s := range sent {
		if s = text.SingleLine(s); s != "" && strings.Contains(words, s) {
			return answer
		}
	}
	return strings.TrimSpace(text.Shorten(answer+" "+words, answerMost))
}
