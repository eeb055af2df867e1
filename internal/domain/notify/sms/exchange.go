package sms

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"tilth/internal/domain/notify/remote"
	"tilth/internal/platform/text"
)

// exchange sends a request to a gateway and gives its answer.
func exchange(ctx context.Context, c *http.Client, r *http.Request) (int, []byte, *Failure) {
	status, body, err := remote.Exchange(ctx, c, r, "the SMS gateway")
	if err != nil {
		return 0, nil, &Failure{Retry: true, Unavailable: true, Detail: err.Error()}
	}
	return status, body, nil
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
