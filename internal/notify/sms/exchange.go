package sms

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
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
		return 0, nil, &Failure{Retry: true, Detail: "no answer from the SMS gateway: " + reason(err)}
	}
	defer func() { _ = resp.Body.Close() }() // what was read of it counts
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return 0, nil, &Failure{Retry: true, Detail: "the SMS gateway broke off its answer: " + reason(err)}
	}
	return resp.StatusCode, body, nil
}

// reason is what went wrong without the request's address or anything that was
// received: a token or a code may stand in either.
func reason(err error) string {
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

// unwanted is the failure that a status tells of; nil for 2xx.
func unwanted(status int) *Failure {
	if status >= 200 && status < 300 {
		return nil
	}
	again := status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
	return &Failure{Retry: again, Detail: fmt.Sprintf("the SMS gateway answered status %d", status)}
}
