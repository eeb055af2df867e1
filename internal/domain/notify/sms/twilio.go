package sms

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tilth/internal/domain/notify/remote"
)

const twilioAPI = "https://api.twilio.com"

var (
	twilioAccount = regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`)
	twilioService = regexp.MustCompile(`^MG[0-9a-fA-F]{32}$`)
	twilioMessage = regexp.MustCompile(`^(SM|MM)[0-9a-zA-Z]{1,40}$`)
	twilioSender  = regexp.MustCompile(`^(\+[1-9][0-9]{1,14}|[1-9][0-9]{2,7}|[A-Za-z0-9 ]{1,11})$`)
)

// Twilio's error codes: of the account or the sender, which last until they are corrected; of the
// recipient's number; and temporary ones.
var (
	twilioAccounts  = []int{20003, 20005, 20429, 21603, 21606, 21659, 21660, 21661}
	twilioRecipient = []int{21211, 21217, 21265, 21610, 21612, 21614, 21635}
	twilioPasses    = []int{20429, 20500, 20503, 21611, 30001}
)

// Twilio sends messages through Twilio's REST API.
type Twilio struct {
	account, token, from string
	api                  string
	client               *http.Client
}

// NewTwilio makes a sender for an account and its token; from is a number in E.164, a short code, a
// name of up to 11 characters, or a messaging service (MG…). A mistake is a *ConfigError.
func NewTwilio(account, token, from string) (*Twilio, error) {
	switch {
	case !twilioAccount.MatchString(account):
		return nil, &ConfigError{"account", "it must be AC and 32 hexadecimal digits"}
	case token == "":
		return nil, &ConfigError{"token", "there is none"}
	case !twilioService.MatchString(from) && !twilioSender.MatchString(from):
		return nil, &ConfigError{"from",
			"it must be a number such as +905551112233, a sender's name or a messaging service (MG…)"}
	}
	return &Twilio{account: account, token: token, from: from, api: twilioAPI, client: remote.NewClient()}, nil
}

// Send asks Twilio to send a message.
func (t *Twilio) Send(ctx context.Context, m Message) (string, error) {
	form := url.Values{"To": {m.To}, "Body": {m.Text}}
	if twilioService.MatchString(t.from) {
		form.Set("MessagingServiceSid", t.from)
	} else {
		form.Set("From", t.from)
	}
	address := t.api + "/2010-04-01/Accounts/" + t.account + "/Messages.json"
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.SetBasicAuth(t.account, t.token)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("User-Agent", "tilth")
	var answer string
	status, body, failure := exchange(ctx, t.client, r)
	if failure == nil {
		answer, failure = twilioAnswer(status, body)
	}
	if failure != nil {
		return "", userError(failure)
	}
	return answer, nil
}

// twilioAnswer parses an answer: 201 for an accepted message, otherwise an error code.
func twilioAnswer(status int, body []byte) (string, *Failure) {
	var answer struct {
		SID       string `json:"sid"`
		Code      int    `json:"code"`
		ErrorCode *int   `json:"error_code"`
	}
	readable := json.Unmarshal(body, &answer) == nil
	if answer.ErrorCode != nil {
		answer.Code = *answer.ErrorCode
	}
	failure := statusFailure(status)
	switch {
	case failure == nil && !readable:
		return "", &Failure{Detail: "Twilio's answer is not JSON"}
	case failure == nil && answer.Code == 0 && twilioMessage.MatchString(answer.SID):
		return fmt.Sprintf("%d %s", status, answer.SID), nil
	case failure == nil:
		failure = &Failure{}
	}
	failure.Detail = fmt.Sprintf("Twilio answered status %d, error %d", status, answer.Code)
	failure.BadRecipient = slices.Contains(twilioRecipient, answer.Code)
	failure.Retry = !failure.BadRecipient && (failure.Retry || slices.Contains(twilioPasses, answer.Code))
	failure.Unavailable = !failure.BadRecipient && (failure.Unavailable || slices.Contains(twilioAccounts, answer.Code))
	return "", failure
}
