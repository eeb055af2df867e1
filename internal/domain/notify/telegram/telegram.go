// Package telegram sends messages to Telegram chats through the Bot API.
package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/remote"
	"tilth/internal/platform/text"
)

// DefaultAPI is the address of Telegram's own Bot API.
const DefaultAPI = "https://api.telegram.org"

const answerMost = 120 // characters of an answer that people see

var tokenShape = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{20,100}$`)

// Bot sends messages as a bot. It is safe for concurrent use.
type Bot struct {
	address string // of sendMessage; holds the token
	token   string
	client  *http.Client
	moved   sync.Map // the ids of groups that Telegram has moved, to the new ids
}

// New makes a bot that has a token and calls the Bot API at an address. Its errors name neither.
func New(api, token string) (*Bot, error) {
	if !tokenShape.MatchString(token) {
		return nil, errors.New("the token does not look like one of a bot: 123456789:AA…")
	}
	u, err := url.Parse(api)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, errors.New("the address must be http(s)://host, perhaps with a port and a path")
	}
	address := strings.TrimRight(u.String(), "/") + "/bot" + token + "/sendMessage"
	return &Bot{address: address, token: token, client: remote.NewClient()}, nil
}

type request struct {
	Chat    any     `json:"chat_id"` // a number, or @name
	Text    string  `json:"text"`
	Preview preview `json:"link_preview_options"`
}

// preview keeps Telegram from fetching the console's page.
type preview struct {
	Off bool `json:"is_disabled"`
}

type answer struct {
	OK     bool `json:"ok"`
	Result struct {
		ID int64 `json:"message_id"`
	} `json:"result"`
	Code        int    `json:"error_code"`
	Description string `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"` // seconds
		MovedTo    int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// Post sends a plain text to a chat: the recipient is its id or @name. The answer has the message's
// number, the proof that Telegram has it. A group that was moved is written to where it is now.
func (b *Bot) Post(ctx context.Context, l *notify.Notification, said string) (string, error) {
	chat, to := l.Recipient, l.Recipient
	if moved, ok := b.moved.Load(chat); ok {
		to = moved.(string) //nolint:forcetypeassert // only texts are stored
	}
	a, err := b.call(ctx, to, said)
	if err == nil && !a.OK && a.Parameters.MovedTo != 0 {
		to = strconv.FormatInt(a.Parameters.MovedTo, 10)
		b.moved.Store(chat, to)
		a, err = b.call(ctx, to, said)
	}
	switch {
	case err != nil:
		return "", err
	case !a.OK:
		return "", b.failure(a)
	case to != chat:
		return fmt.Sprintf("message %d in the group's new chat %s", a.Result.ID, to), nil
	}
	return fmt.Sprintf("message %d", a.Result.ID), nil
}

// call sends one request. Its error is a *notify.Failure.
func (b *Bot) call(ctx context.Context, chat, said string) (*answer, error) {
	q := request{Chat: chat, Text: said, Preview: preview{Off: true}}
	if id, err := strconv.ParseInt(chat, 10, 64); err == nil {
		q.Chat = id
	}
	body, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address of the Bot API cannot be called") // err has the token
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "tilth")
	status, raw, err := remote.Exchange(ctx, b.client, r, "Telegram")
	if err != nil {
		return nil, &notify.Failure{Kind: notify.Transient, Answer: err.Error()}
	}
	a := &answer{}
	if json.Unmarshal(raw, a) != nil || a.OK != (status == http.StatusOK) || a.OK && a.Result.ID == 0 {
		// A proxy's page, or not the Bot API at all.
		*a = answer{Code: status, Description: http.StatusText(status)}
		if status < 300 {
			return nil, &notify.Failure{Kind: notify.Transient, Answer: "the answer is not one of the Bot API"}
		}
	}
	if !a.OK && a.Code == 0 {
		a.Code = status
	}
	return a, nil
}

// failure says what to do about a refusal.
func (b *Bot) failure(a *answer) *notify.Failure {
	f := &notify.Failure{Kind: notify.Permanent, Answer: b.shown(a)}
	said := strings.ToLower(a.Description)
	switch {
	case a.Code == http.StatusTooManyRequests:
		f.Kind, f.RetryAfter = notify.Transient, time.Duration(max(0, a.Parameters.RetryAfter))*time.Second
	case a.Code >= 500:
		f.Kind = notify.Transient
	case a.Code == http.StatusUnauthorized, a.Code == http.StatusNotFound, a.Code < 400:
		f.Kind = notify.Unavailable // the token or the address is wrong
	case strings.Contains(said, "can't initiate conversation"), strings.Contains(said, "chat not found"),
		strings.Contains(said, "user not found"), strings.Contains(said, "peer_id_invalid"):
		f.Reason = notify.UnknownRecipient
	case a.Code == http.StatusForbidden:
		f.Reason = notify.BlockedByRecipient
	}
	return f
}

// shown is a refusal as people see it: its code and description, without the token.
func (b *Bot) shown(a *answer) string {
	said := text.SingleLine(strings.ToValidUTF8(a.Description, ""))
	if strings.Contains(said, b.token) {
		said = ""
	}
	return strings.TrimSpace(text.Shorten(strconv.Itoa(a.Code)+" "+said, answerMost))
}
