package sms

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"tilth/internal/domain/notify/remote"
)

// HTTPConfig configures the requests to a gateway. URL, header values and body may contain {to}
// (E.164), {digits} (the same without the plus), {text} and {token}; each value is escaped for its
// place.
type HTTPConfig struct {
	URL     string
	Method  string   // POST if empty
	Headers []string // "Name: value"
	// Body is JSON, a form, XML or plain text, by the Content-Type header; without that header it
	// is JSON if it begins with { or [, else a form.
	Body    string
	Success string // what a 2xx answer must contain (see parseSuccess); empty: anything
	Token   string // secret
}

// HTTP sends messages through a gateway.
type HTTP struct {
	method  string
	host    string
	address [2]template // path and query
	headers []header
	body    template
	success success
	token   string
	client  *http.Client
}

type header struct {
	name  string
	value template
}

// ConfigError is a mistake in a gateway's configuration.
type ConfigError struct {
	Part   string // url, method, header, body, success or token
	Reason string
}

// Error gives the part and the reason.
func (w *ConfigError) Error() string { return w.Part + ": " + w.Reason }

// NewHTTP makes a sender; a mistake in g is a *ConfigError.
func NewHTTP(g HTTPConfig) (*HTTP, error) {
	h := &HTTP{method: g.Method, token: g.Token, client: remote.NewClient()}
	switch h.method {
	case "":
		h.method = http.MethodPost
	case http.MethodGet, http.MethodPost, http.MethodPut:
	default:
		return nil, &ConfigError{"method", fmt.Sprintf("%q is not GET, POST or PUT", g.Method)}
	}
	if err := h.parseAddress(g.URL); err != nil {
		return nil, err
	}
	kind, err := h.parseHeaders(g.Headers)
	if err != nil {
		return nil, err
	}
	if h.method == http.MethodGet && g.Body != "" {
		return nil, &ConfigError{"body", "a GET request has none"}
	}
	if err := h.parseBody(g.Body, kind); err != nil {
		return nil, err
	}
	if h.success, err = parseSuccess(g.Success); err != nil {
		return nil, &ConfigError{"success", err.Error()}
	}
	return h, h.checkPlaceholders()
}

func (h *HTTP) parseAddress(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, "{}"):
		return &ConfigError{"url", "not an http or https address"} // not quoted: it may contain a secret
	case u.User != nil:
		return &ConfigError{"url", "user and password belong in a header, not in the address"}
	case strings.Contains(raw, "#"):
		return &ConfigError{"url", "the address must not contain #"}
	}
	h.host = u.Host
	path, query, _ := strings.Cut(raw, "?")
	if h.address[0], err = parseTemplate(path, url.PathEscape); err == nil {
		h.address[1], err = parseTemplate(query, url.QueryEscape)
	}
	if err != nil {
		return &ConfigError{"url", err.Error()}
	}
	return nil
}

// parseHeaders parses the headers and gives the media type of Content-Type; empty: there is none.
func (h *HTTP) parseHeaders(lines []string) (kind string, err error) {
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
		if !ok || !isToken(name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "", &ConfigError{"header", "each must have the form Name: value"}
		}
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Connection":
			return "", &ConfigError{"header", name + " is set by the server itself"}
		case "Content-Type":
			if kind, _, err = mime.ParseMediaType(value); err != nil {
				return "", &ConfigError{"header", "Content-Type is not a media type"}
			}
		}
		t, err := parseTemplate(value, oneLine)
		if err != nil {
			return "", &ConfigError{"header", err.Error()}
		}
		h.headers = append(h.headers, header{name, t})
	}
	return kind, nil
}

func isToken(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}

func (h *HTTP) parseBody(raw, kind string) error {
	if kind == "" && raw != "" {
		kind = "application/x-www-form-urlencoded"
		if start := strings.TrimSpace(raw); start != "" && (start[0] == '{' || start[0] == '[') {
			kind = "application/json"
		}
		h.headers = append(h.headers, header{"Content-Type", template{text: kind}})
	}
	escape, err := escapeFor(kind)
	if err == nil {
		h.body, err = parseTemplate(raw, escape)
	}
	if err == nil && strings.HasSuffix(kind, "json") && raw != "" {
		err = h.body.checkJSON()
	}
	if err != nil {
		return &ConfigError{"body", err.Error()}
	}
	return nil
}

// checkPlaceholders checks that the request contains number and text, and that {token} and the
// token are given together.
func (h *HTTP) checkPlaceholders() error {
	all := []template{h.address[0], h.address[1], h.body}
	for _, x := range h.headers {
		all = append(all, x.value)
	}
	uses := func(name string) bool {
		for _, t := range all {
			if strings.Contains(t.text, name) {
				return true
			}
		}
		return false
	}
	switch {
	case !uses("{to}") && !uses("{digits}"):
		return &ConfigError{"body", "neither it nor the address contains {to} or {digits}"}
	case !uses("{text}"):
		return &ConfigError{"body", "neither it nor the address contains {text}"}
	case uses("{token}") && h.token == "":
		return &ConfigError{"token", "the request contains {token}, but there is no token"}
	case !uses("{token}") && h.token != "":
		return &ConfigError{"token", "there is a token, but the request does not contain {token}"}
	}
	return nil
}

// Send asks the gateway to send a message.
func (h *HTTP) Send(ctx context.Context, m Message) (string, error) {
	values := map[string]string{"{to}": m.To, "{digits}": strings.TrimPrefix(m.To, "+"), "{text}": m.Text,
		"{token}": h.token}
	address := h.address[0].fill(values)
	if h.address[1].text != "" {
		address += "?" + h.address[1].fill(values)
	}
	r, err := http.NewRequestWithContext(ctx, h.method, address, strings.NewReader(h.body.fill(values)))
	if err != nil || r.URL.Host != h.host {
		// err is not quoted: it may contain the token.
		return "", userError(&Failure{Detail: "the request to the SMS gateway cannot be made"})
	}
	r.Header.Set("User-Agent", "tilth")
	for _, x := range h.headers {
		r.Header.Set(x.name, x.value.fill(values))
	}
	status, body, failure := exchange(ctx, h.client, r)
	if failure == nil {
		failure = statusFailure(status)
	}
	if failure == nil {
		failure = h.success.check(body)
	}
	if failure != nil {
		return "", userError(failure)
	}
	return shownAnswer(status, body, m.To, values["{digits}"], m.Text, h.token), nil
}
