package sms

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify/remote"
	"tilth/internal/platform/errs"
)

const hostileText = "Ünal's \"farm\": код 123456 & {to} {token} 100% +1\r\nX-Evil: 1\\</a>"

var message = Message{To: "+905551112233", Text: hostileText}

// gatewayRequest is a request that a gateway received.
type gatewayRequest struct {
	method, path, query, body string
	header                    http.Header
}

// fakeGateway is a server that answers with status and body.
func fakeGateway(t *testing.T, status int, body string) (address string, asked *gatewayRequest) {
	t.Helper()
	asked = &gatewayRequest{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*asked = gatewayRequest{r.Method, r.URL.Path, r.URL.RawQuery, string(b), r.Header}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func newTestHTTP(t *testing.T, g HTTPConfig) *HTTP {
	t.Helper()
	h, err := NewHTTP(g)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestGatewayJSON(t *testing.T) {
	address, asked := fakeGateway(t, 201, "")
	h := newTestHTTP(t, HTTPConfig{
		URL: address + "/v1/send?n={digits}&t={text}", Method: "PUT", Token: "s3cret",
		Headers: []string{"Authorization: Bearer {token}", "X-Text: {text}"},
		Body:    `{"to":"{to}","sms":[{"text":"{text}"}]}`,
	})
	if answer, err := h.Send(t.Context(), message); err != nil || answer != "201" {
		t.Fatalf("%q %v", answer, err)
	}
	var body struct {
		To  string
		SMS []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(asked.body), &body); err != nil || body.To != message.To || len(body.SMS) != 1 ||
		body.SMS[0].Text != hostileText {
		t.Errorf("%v in %s", err, asked.body)
	}
	query, err := url.ParseQuery(asked.query)
	if err != nil || len(query) != 2 || query.Get("n") != "905551112233" || query.Get("t") != hostileText {
		t.Errorf("query %q: %v", asked.query, err)
	}
	if asked.method != "PUT" || asked.path != "/v1/send" || asked.header.Get("Authorization") != "Bearer s3cret" ||
		asked.header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v", asked)
	}
	if asked.header.Get("X-Evil") != "" || !strings.Contains(asked.header.Get("X-Text"), "  X-Evil: 1") {
		t.Errorf("a text begins a header: %v", asked.header)
	}
}

func TestGatewayForm(t *testing.T) {
	address, asked := fakeGateway(t, 200, "")
	if _, err := newTestHTTP(t, HTTPConfig{URL: address, Body: "to={to}&text={text}"}).
		Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	form, err := url.ParseQuery(asked.body)
	if err != nil || len(form) != 2 || form.Get("to") != message.To || form.Get("text") != hostileText ||
		asked.header.Get("Content-Type") != "application/x-www-form-urlencoded" || asked.method != "POST" {
		t.Errorf("%v: %+v", err, asked)
	}
}

func TestGatewayOtherBodies(t *testing.T) {
	address, asked := fakeGateway(t, 200, "")
	for kind, want := range map[string]string{
		"text/xml; charset=utf-8": "<t>Ünal&#39;s &#34;farm&#34;: код 123456 &amp; {to} {token} 100% +1&#xD;&#xA;X-Evil: 1\\&lt;/a&gt;</t>",
		"text/plain":              "<t>" + hostileText + "</t>",
	} {
		g := HTTPConfig{URL: address + "/{to}", Headers: []string{"content-type: " + kind}, Body: "<t>{text}</t>"}
		if _, err := newTestHTTP(t, g).Send(t.Context(), message); err != nil {
			t.Fatal(err)
		}
		if asked.body != want || asked.path != "/+905551112233" || asked.header.Get("Content-Type") != kind {
			t.Errorf("%s: %+v", kind, asked)
		}
	}
	if _, err := newTestHTTP(t, HTTPConfig{URL: address + "/?q={text}&n={to}", Method: "GET"}).
		Send(t.Context(), message); err != nil || asked.method != "GET" || asked.body != "" ||
		asked.header.Get("Content-Type") != "" {
		t.Errorf("%v %+v", err, asked)
	}
}

func TestNewHTTPErrors(t *testing.T) {
	good := HTTPConfig{URL: "https://gw.example/send", Body: "to={to}&text={text}"}
	for name, c := range map[string]struct {
		change func(*HTTPConfig)
		part   string
	}{
		"no address":            {func(g *HTTPConfig) { g.URL = "" }, "url"},
		"another scheme":        {func(g *HTTPConfig) { g.URL = "file:///etc/passwd" }, "url"},
		"placeholder host":      {func(g *HTTPConfig) { g.URL = "https://{to}.example/" }, "url"},
		"user in address":       {func(g *HTTPConfig) { g.URL = "https://me:s3cret@gw.example/" }, "url"},
		"broken, secret":        {func(g *HTTPConfig) { g.URL = "https://gw.example:s3cret/" }, "url"},
		"fragment":              {func(g *HTTPConfig) { g.URL += "#{to}" }, "url"},
		"unknown name":          {func(g *HTTPConfig) { g.URL += "?t={message}" }, "url"},
		"method":                {func(g *HTTPConfig) { g.Method = "DELETE" }, "method"},
		"GET with body":         {func(g *HTTPConfig) { g.Method = "GET" }, "body"},
		"header, no colon":      {func(g *HTTPConfig) { g.Headers = []string{"s3cret"} }, "header"},
		"header, bad name":      {func(g *HTTPConfig) { g.Headers = []string{"a b: s3cret"} }, "header"},
		"header, two lines":     {func(g *HTTPConfig) { g.Headers = []string{"a: b\r\nc: s3cret"} }, "header"},
		"header, host":          {func(g *HTTPConfig) { g.Headers = []string{"host: other.example"} }, "header"},
		"header, unknown":       {func(g *HTTPConfig) { g.Headers = []string{"a: {tok}"} }, "header"},
		"media type":            {func(g *HTTPConfig) { g.Headers = []string{"Content-Type: application/x-protobuf"} }, "body"},
		"JSON unquoted":         {func(g *HTTPConfig) { g.Body = `{"to":{to},"text":"{text}"}` }, "body"},
		"JSON broken":           {func(g *HTTPConfig) { g.Body = `{"to":"{to}","text":"{text}"` }, "body"},
		"no number":             {func(g *HTTPConfig) { g.Body = "text={text}" }, "body"},
		"no text":               {func(g *HTTPConfig) { g.Body = "to={to}" }, "body"},
		"{token} without token": {func(g *HTTPConfig) { g.Headers = []string{"Authorization: {token}"} }, "token"},
		"token without {token}": {func(g *HTTPConfig) { g.Token = "s3cret" }, "token"},
		"success, nonsense":     {func(g *HTTPConfig) { g.Success = "ok" }, "success"},
		"success, no value":     {func(g *HTTPConfig) { g.Success = "a.b=" }, "success"},
		"success, path":         {func(g *HTTPConfig) { g.Success = "a..b=1" }, "success"},
		"success, no text":      {func(g *HTTPConfig) { g.Success = "contains:" }, "success"},
		"content type wrong":    {func(g *HTTPConfig) { g.Headers = []string{"Content-Type: /"} }, "header"},
	} {
		g := good
		c.change(&g)
		_, err := NewHTTP(g)
		var wrong *ConfigError
		if !errors.As(err, &wrong) || wrong.Part != c.part || wrong.Reason == "" ||
			strings.ContainsAny(err.Error(), "\r\n") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want one about %s", name, err, c.part)
		}
	}
	newTestHTTP(t, good)
}

// A gateway's answer decides whether the message was accepted and whether to retry; no error
// repeats what was sent.
func TestGatewayAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status        int
		body, success string
		ok, retry     bool
		says          string
	}{
		"accepted":              {200, "{}", "", true, false, ""},
		"accepted, no body":     {204, "", "", true, false, ""},
		"refused":               {400, message.Text, "", false, false, "status 400"},
		"not allowed":           {401, "s3cret", "", false, false, "status 401"},
		"too many":              {429, "", "", false, true, "status 429"},
		"overloaded":            {503, "", "", false, true, "status 503"},
		"fault":                 {500, "", "", false, true, "status 500"},
		"a redirect":            {302, "", "", false, false, "status 302"},
		"says ok":               {200, `{"data":[{"status":"ok"}]}`, "data.0.status=ok", true, false, ""},
		"says queued":           {200, `{"status":"queued"}`, "status = ok|queued", true, false, ""},
		"number":                {200, `{"code":0}`, "code=0", true, false, ""},
		"number as text":        {200, `{"code":"0"}`, "code=0", true, false, ""},
		"boolean":               {200, `{"success":true}`, "success=true", true, false, ""},
		"not":                   {200, `{"status":"sent"}`, "status!=error", true, false, ""},
		"is not":                {200, `{"status":"error"}`, "status!=error", false, true, "status is error"},
		"another code":          {200, `{"code":-17}`, "code=0", false, true, "code is -17"},
		"an echo":               {200, `{"code":"your code 123456"}`, "code=0", false, true, "something else"},
		"an echo of the code":   {200, `{"code":123456}`, "code=0", false, true, "something else"},
		"no such part":          {200, `{"data":[]}`, "data.0.status=ok", false, false, "no data.0.status"},
		"a part that is a list": {200, `{"data":[1]}`, "data=1", false, false, "no data"},
		"null":                  {200, `{"data":null}`, "data!=x", false, false, "no data"},
		"not JSON":              {200, `<html>`, "code=0", false, false, "not JSON"},
		"text":                  {200, `OK 17`, "contains:OK", true, false, ""},
		"no text":               {200, `ERR 17`, "contains:OK", false, false, "does not say"},
		"endless":               {200, strings.Repeat("x", remote.AnswerLimit) + "OK", "contains:OK", false, false, "does not say"},
		"status before body":    {500, `OK`, "contains:OK", false, true, "status 500"},
	} {
		address, _ := fakeGateway(t, c.status, c.body)
		h := newTestHTTP(t,
			HTTPConfig{URL: address, Body: "to={to}&text={text}&k={token}", Token: "s3cret", Success: c.success})
		_, err := h.Send(t.Context(), message)
		if c.ok != (err == nil) || Temporary(err) != c.retry {
			t.Errorf("%s: %v, retry %t", name, err, Temporary(err))
			continue
		}
		if err == nil {
			continue
		}
		if e := errs.As(err); e.Kind != errs.Upstream || e.Key != "channel.smsFail" ||
			!strings.Contains(e.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		wantNoSecrets(t, name, err)
	}
}

// Statuses that concern all messages are Unavailable, others concern one message.
func TestGatewayUnavailable(t *testing.T) {
	for status, all := range map[int]bool{
		301: true, 400: false, 401: true, 402: true, 403: true, 404: true, 405: true, 407: true, 408: true,
		413: false, 422: false, 429: true, 500: true, 503: true,
	} {
		address, _ := fakeGateway(t, status, "")
		_, err := newTestHTTP(t, HTTPConfig{URL: address, Body: "to={to}&text={text}"}).Send(t.Context(), message)
		var f *Failure
		if !errors.As(err, &f) || f.Unavailable != all || f.BadRecipient {
			t.Errorf("%d: %+v", status, f)
		}
	}
	address, _ := fakeGateway(t, 200, `{"code":7}`)
	_, err := newTestHTTP(t, HTTPConfig{URL: address, Body: "to={to}&text={text}", Success: "code=0"}).
		Send(t.Context(), message)
	var f *Failure
	if !errors.As(err, &f) || f.Unavailable || !f.Retry {
		t.Errorf("a code of the gateway's own: %+v", f)
	}
}

// The answer is the gateway's own, short and on one line, and repeats nothing that was sent.
func TestGatewayAnswerShown(t *testing.T) {
	for body, want := range map[string]string{
		"":                                    "202",
		`{"id":"abc-1",` + "\r\n" + `"ok":1}`: `202 {"id":"abc-1", "ok":1}`,
		"queued for 905551112233":             "202",
		"queued for " + message.To:            "202",
		"said " + message.Text:                "202",
		"token s3cret":                        "202",
		"\xff\xfe ok":                         "202 ok",
		strings.Repeat("x", 500):              "202 " + strings.Repeat("x", 113) + "...",
	} {
		address, _ := fakeGateway(t, 202, body)
		h := newTestHTTP(t, HTTPConfig{URL: address, Body: "to={to}&text={text}&k={token}", Token: "s3cret"})
		if answer, err := h.Send(t.Context(), message); err != nil || answer != want {
			t.Errorf("%q: %q %v, want %q", body, answer, err, want)
		}
	}
}

func wantNoSecrets(t *testing.T, name string, err error) {
	t.Helper()
	for _, secret := range []string{"s3cret", "123456", "farm", "5551112233"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error contains %q: %v", name, secret, err)
		}
	}
}

// A redirect is not followed, since the token is for the configured host only.
func TestGatewayRedirectNotFollowed(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := httptest.NewServer(http.RedirectHandler(other.URL, status))
		h := newTestHTTP(
			t,
			HTTPConfig{
				URL:     s.URL,
				Headers: []string{"Authorization: Bearer {token}"},
				Body:    "to={to}&text={text}",
				Token:   "s3cret",
			},
		)
		if _, err := h.Send(t.Context(), message); err == nil || Temporary(err) {
			t.Errorf("%d: %v", status, err)
		}
		s.Close()
	}
	if reached {
		t.Error("the redirect was followed")
	}
}

// Failures of a gateway that is down, silent or broken are temporary; their errors contain no
// secret of the URL.
func TestGatewayUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "s3cret 123456 farm\r\n\r\n")
			_ = c.Close()
		}
	}()
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	torn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "s3cret")
	}))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		url  string
		says string
	}{
		"garbage": {t.Context(), "http://" + l.Addr().String(), "no answer"},
		"silent":  {short, silent.URL, "timeout"},
		"torn":    {t.Context(), torn.URL, "broke off"},
		"gone":    {t.Context(), gone.URL, "refused"},
		"not TLS": {t.Context(), strings.Replace(torn.URL, "http:", "https:", 1), "no answer"},
	} {
		h := newTestHTTP(t, HTTPConfig{URL: c.url + "/{token}?t={text}&n={to}", Token: "s3cret"})
		_, err := h.Send(c.ctx, message)
		if !Temporary(err) || !errs.Is(err, errs.Upstream) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantNoSecrets(t, name, err)
	}
	close(release)
	silent.Close()
	torn.Close()
	_ = l.Close()
	<-done
}
