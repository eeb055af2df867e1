package webhook_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

// A call over TLS to a server with a trusted certificate: its header and body, and the part of the
// answer that is kept.
func TestSendOverTLS(t *testing.T) {
	calls := make(chan testkit.WebhookCall, 3)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.String() != "/tilth?x=%20y" {
			t.Errorf("%s %s %v", r.Method, r.URL, err)
		}
		calls <- testkit.WebhookCall{Header: r.Header, Body: body}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "\r\n  queued as\t17\x00 \nand more")
	}))
	_ = s.Listener.Close()
	s.Listener = listen(t, allowedAddr, 0)
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	// The certificate of httptest is for example.com.
	w := newFixture(t, func(o *webhook.Options) {
		o.Roots = roots
		o.Resolver = resolver(t, func(int) []addr { return []addr{allowedAddr} })
	})
	id, secret := w.addWebhook(t, fmt.Sprintf("https://example.com:%d/tilth?x=%%20y", portOf(s.Listener)))
	answer, err := w.caller.Send(t.Context(), w.notification(id))
	if err != nil || answer != "202 queued as 17" {
		t.Fatalf("%q %v", answer, err)
	}
	h := <-calls
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "Tilth",
		"Webhook-Id": "triggered-0123456789abcdef", "Webhook-Timestamp": fmt.Sprint(testkit.Start.Unix()),
		"Accept-Encoding": "", "Authorization": "", "Cookie": "",
	} {
		if got := h.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if err := verify(h, secret); err != nil {
		t.Error(err)
	}
	const want = `{"type":"notice.opened","timestamp":"2026-11-21T09:00:00.000Z","data":{"id":4711,"title":"Frost \u003cb\u003e","level":"serious","status":"open",` +
		`"deviceName":"WS-1","noteName":"Mast","startTime":"2026-11-21T09:00:00.000Z","description":"Close the vents"}}`
	if string(h.Body) != want {
		t.Errorf("%s\nwant %s", h.Body, want)
	}

	// After a rotation both secrets sign, and a wrong secret does not verify. A later attempt has
	// its own timestamp and the same body and id.
	second, err := w.Webhooks.RotateSecret(t.Context(), w.field.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Minute)
	if _, err := w.caller.Send(t.Context(), w.notification(id)); err != nil {
		t.Fatal(err)
	}
	again := <-calls
	if verify(again, secret) != nil || verify(again, second) != nil || verify(again, "whsec_AAAA") == nil ||
		verify(h, second) == nil {
		t.Errorf("%s", again.Header.Get("webhook-signature"))
	}
	if !bytes.Equal(again.Body, h.Body) || again.Header.Get("webhook-id") != h.Header.Get("webhook-id") ||
		again.Header.Get("webhook-timestamp") == h.Header.Get("webhook-timestamp") {
		t.Errorf("%v", again.Header)
	}
	again.Body[20] ^= 1
	if verify(again, second) == nil {
		t.Error("a changed body is verified")
	}
	for _, s := range []string{secret, second, strings.TrimPrefix(secret, "whsec_")} {
		if strings.Contains(w.Log.Text(), s) {
			t.Error("a secret is in the log")
		}
	}

	// A server whose certificate is not trusted is not called.
	strict := newFixture(t, func(o *webhook.Options) {
		o.Resolver = resolver(t, func(int) []addr { return []addr{allowedAddr} })
	})
	wantContains(t, "untrusted", strict.send(t, fmt.Sprintf("https://example.com:%d/", portOf(s.Listener))),
		"later: the certificate is ")
	wantContains(t, "another's", strict.send(t, fmt.Sprintf("https://example.org:%d/", portOf(s.Listener))),
		"later: the certificate is ")
	if len(calls) != 0 {
		t.Error("the untrusted server was called")
	}
}

// The body of an end, automatic or manual.
func TestBodyResolved(t *testing.T) {
	w, receiver := newFixture(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, receiver.URL)
	over := frost
	over.Event, over.End, over.NoteName, over.Description = alertmsg.Resolved, over.Start+61_001, "", ""
	for manual, by := range map[bool]string{false: "itself", true: "hand"} {
		over.Manual, over.User, over.Remark = manual, "Ada", "private"
		l := w.notification(id)
		l.Alarms[0] = over
		if _, err := w.WebhookCaller.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Type, Timestamp string
			Data            map[string]any
		}
		body := receiver.TakeCalls()[0].Body
		if err := json.Unmarshal(body, &got); err != nil || got.Type != "notice.resolved" ||
			got.Timestamp != "2026-11-21T09:01:01.001Z" {
			t.Errorf("%s %v", body, err)
		}
		if _, present := got.Data["unsteady"]; present {
			t.Errorf("%s", body)
		}
		if got.Data["status"] != "resolved" || got.Data["resolvedBy"] != by || got.Data["endTime"] != got.Timestamp ||
			got.Data["noteName"] != "" || strings.Contains(string(body), "private") {
			t.Errorf("%s", body)
		}
	}
}

// The bodies of an acknowledgement and of its withdrawal have their time and the notice at that
// time.
func TestBodyAcknowledged(t *testing.T) {
	w, receiver := newFixture(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, receiver.URL)
	const ack = `{"by":"Ada","time":"2026-11-21T09:01:01.001Z","note":"at the pump","remindTime":"2026-11-21T10:01:01.001Z"}`
	at := frost.Start + 61_001
	acked := frost
	acked.Event, acked.At = alertmsg.Acknowledged, at
	acked.Ack = &alertmsg.Ack{User: "Ada", Time: at, Note: "at the pump", RemindAt: at + 3600_000}
	back := frost
	back.Event, back.At = alertmsg.Unacknowledged, at+1000
	over := acked
	over.Event, over.End, over.At = alertmsg.Resolved, at+2000, 0
	for _, c := range []struct {
		a                       alertmsg.Alarm
		kind, time, status, ack string
	}{
		{acked, "notice.acknowledged", "2026-11-21T09:01:01.001Z", "open", ack},
		{back, "notice.unacknowledged", "2026-11-21T09:01:02.001Z", "open", "null"},
		{over, "notice.resolved", "2026-11-21T09:01:03.001Z", "resolved", ack},
	} {
		l := w.notification(id)
		l.Alarms[0] = c.a
		if _, err := w.WebhookCaller.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Type, Timestamp string
			Data            struct {
				Status       string
				Acknowledged json.RawMessage
			}
		}
		body := receiver.TakeCalls()[0].Body
		if err := json.Unmarshal(body, &got); err != nil || got.Type != c.kind || got.Timestamp != c.time ||
			got.Data.Status != c.status ||
			cmp.Or(string(got.Data.Acknowledged), "null") != c.ack {
			t.Errorf("%s %v", body, err)
		}
	}
}

// The body of an unsteady notice says so, and how often its condition changed.
func TestBodyUnsteady(t *testing.T) {
	w, receiver := newFixture(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, receiver.URL)
	over := frost
	over.Event, over.End, over.Unsteady, over.Changes = alertmsg.Resolved, over.Start+61_001, 12, 34
	l := w.notification(id)
	l.Alarms[0] = over
	if _, err := w.WebhookCaller.Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if body := string(receiver.TakeCalls()[0].Body); !strings.Contains(body, `"unsteady":true,"changes":34}`) {
		t.Error(body)
	}
}

// The body says since when a notice holds if that is known, at its opening and at its end.
func TestBodyHoldsSince(t *testing.T) {
	w, receiver := newFixture(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, receiver.URL)
	for _, what := range []alertmsg.Event{alertmsg.Triggered, alertmsg.Resolved} {
		for since, want := range map[int64]bool{0: false, frost.Start - 61_001: true} {
			l := w.notification(id)
			l.Alarms[0].Event, l.Alarms[0].End, l.Alarms[0].HoldsSince = what, frost.Start, since
			if _, err := w.WebhookCaller.Send(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			body := string(receiver.TakeCalls()[0].Body)
			if strings.Contains(body, "holdsSince") != want || want &&
				!strings.Contains(body, `"holdsSince":"2026-11-21T08:58:58.999Z"`) {
				t.Errorf("%s of %d: %s", what, since, body)
			}
		}
	}
}

// The result of each status.
func TestStatusCodes(t *testing.T) {
	w := newFixture(t)
	for status, want := range map[int]string{
		200: "200 text", 204: "204", 299: "299 text",
		400: "later: 400 text", 401: "later: 401 text", 404: "later: 404 text", 410: "refused: 410 text",
		429: "later: 429 text", 500: "later: 500 text", 503: "later: 503 text", 999: "later: 999 text",
	} {
		url, _ := serve(t, listen(t, allowedAddr, 0), func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "text")
		})
		id, _ := w.addWebhook(t, url)
		got, err := w.caller.Send(t.Context(), w.notification(id))
		if err != nil {
			got = failureText(t, err)
		}
		if got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
		if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || h.Enabled != (status != 410) ||
			h.Gone != (status == 410) {
			t.Errorf("%d: %+v %v", status, h, err)
		}
	}
	_, err := w.caller.Send(t.Context(), w.notification(99))
	if got := failureText(t, err); got != "refused: the webhook was deleted" {
		t.Error(got)
	}
	l := w.notification(1)
	l.Recipient = "ada@example.com"
	if _, err := w.caller.Send(t.Context(), l); !strings.HasPrefix(failureText(t, err), "refused: a fault") {
		t.Errorf("%v", err)
	}
}

// The status 410 switches the webhook off, with one entry of the server in the audit log; if the
// entry cannot be written, the webhook stays on and is called again.
func TestGoneSwitchesOffAndIsAudited(t *testing.T) {
	w, receiver := newFixture(t), testkit.NewWebhookReceiver(t)
	receiver.SetResponse(http.StatusGone, "moved away")
	id, _ := w.addWebhook(t, receiver.URL)
	ctx := w.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.Server})
	send := func() string {
		_, err := w.WebhookCaller.Send(ctx, w.notification(id))
		return failureText(t, err)
	}
	repair := testkit.FailStatement(t, w.DB, "INSERT ON audit_entries")
	if got := send(); got != "later: 410 moved away" {
		t.Error(got)
	}
	if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || !h.Enabled || h.Gone {
		t.Errorf("switched off without an entry: %+v %v", h, err)
	}
	repair()
	for range 2 { // two calls may be in flight
		if got := send(); got != "refused: 410 moved away" {
			t.Error(got)
		}
	}
	entries, _, err := w.Audit.Page(t.Context(), w.field.ID, audit.Query{Limit: 10})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%+v %v", entries, err)
	}
	e := entries[0]
	if e.Kind != "webhook" || e.Action != "switchOff" || e.Actor != (audit.ActorRef{Kind: audit.Server}) ||
		e.Thing.ID != id || e.Thing.Name != "hook "+receiver.URL ||
		e.Address != "" || e.Request != "" || fmt.Sprint(e.Changes) != "[{enabled true false false}]" {
		t.Errorf("%+v", e)
	}
}

// While a call is in flight that will get 410, a user changes the URL: the webhook stays on, and
// the new URL is called.
func TestGoneIgnoredAfterURLChange(t *testing.T) {
	w := newFixture(t)
	var id int64
	next, _ := serve(t, listen(t, allowedAddr, 0), func(http.ResponseWriter, *http.Request) {})
	url, _ := serve(t, listen(t, allowedAddr, 0), func(rw http.ResponseWriter, _ *http.Request) {
		moved := &notify.Webhook{ID: id, Name: "moved", URL: next, Opened: true, Enabled: true}
		if err := w.Webhooks.Update(t.Context(), w.field.ID, moved); err != nil {
			t.Error(err)
		}
		rw.WriteHeader(http.StatusGone)
	})
	id, _ = w.addWebhook(t, url)
	_, err := w.caller.Send(t.Context(), w.notification(id))
	if got := failureText(t, err); got != "later: 410" {
		t.Error(got)
	}
	if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || !h.Enabled || h.Gone {
		t.Errorf("switched off for the answer of the previous URL: %+v %v", h, err)
	}
	if answer, err := w.caller.Send(t.Context(), w.notification(id)); err != nil || answer != "200" {
		t.Errorf("%q %v", answer, err)
	}
}

// The failure has the wait of Retry-After for 429 and 503 only.
func TestRetryAfter(t *testing.T) {
	w := newFixture(t)
	date := func(after time.Duration) string { return w.Clock.Now().Add(after).UTC().Format(http.TimeFormat) }
	for _, c := range []struct {
		status int
		after  string
		want   time.Duration
	}{
		{429, "120", 2 * time.Minute}, {503, "1", time.Second}, {503, "86400", 24 * time.Hour}, {429, date(90 * time.Second), 90 * time.Second},
		{503, date(-time.Hour), 0}, {429, "", 0}, {429, "0", 0}, {429, "-5", 0}, {429, "soon", 0}, {429, "1.5", 0},
		{503, "4294967296", 1 << 32 * time.Second}, {503, "99999999999999999999999", 1 << 32 * time.Second},
		{500, "120", 0}, {404, "120", 0},
	} {
		url, _ := serve(t, listen(t, allowedAddr, 0), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", c.after)
			w.WriteHeader(c.status)
		})
		id, _ := w.addWebhook(t, url)
		_, err := w.caller.Send(t.Context(), w.notification(id))
		f, ok := errors.AsType[*notify.Failure](err)
		if !ok || f.Kind != notify.Transient || f.RetryAfter != c.want {
			t.Errorf("%d %q: %+v, want %v", c.status, c.after, f, c.want)
		}
	}
}

// Servers that violate HTTP, hang or send endless data cause one failed attempt and nothing worse.
func TestMisbehavingServers(t *testing.T) {
	w, hasty := newFixture(t), newFixture(t, withTimeout(5*testTimeout))
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	write := func(s string) func(c net.Conn) {
		return func(c net.Conn) { _, _ = io.WriteString(c, s) }
	}
	endless := func(head, piece string) func(c net.Conn) {
		return func(c net.Conn) {
			_, _ = io.WriteString(c, head)
			for {
				if _, err := io.WriteString(c, piece); err != nil {
					return // the caller has closed the connection
				}
			}
		}
	}
	for name, c := range map[string]struct {
		answer func(c net.Conn)
		want   string
		from   *fixture
	}{
		"hangs":                    {func(net.Conn) { <-hang }, "later: no answer within", hasty},
		"hangs up":                 {func(net.Conn) {}, "later: ", w},
		"garbage":                  {write("\x00\x01\x02 welcome\r\n\r\n"), "later: it does not speak HTTP as it should", w},
		"half a header":            {write("HTTP/1.1 200 OK\r\nContent-"), "later: ", w},
		"an endless header":        {endless("HTTP/1.1 200 OK\r\n", "X: "+strings.Repeat("x", 1000)+"\r\n"), "later: ", w},
		"an endless line":          {endless("HTTP/1.1 200 ", strings.Repeat("x", 1000)), "later: ", w},
		"endless early hints":      {endless("", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"), "later: ", w},
		"an endless body":          {endless("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("word ", 1000)), "200 word word", w},
		"a body that never ends":   {func(c net.Conn) { write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst\nsec")(c); <-hang }, "200 first", hasty},
		"a body that never begins": {func(c net.Conn) { write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")(c); <-hang }, "200", hasty},
		"compressed":               {write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed.String()), "200", w},
		"no text":                  {write("HTTP/1.1 500 No\r\n\r\n\xff\xfe\x1b[31mred\u202e"), "later: 500 [31mred", w},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.from.send(t, serveRaw(t, c.answer)+"/"+strings.ReplaceAll(name, " ", "-"))
			if !strings.HasPrefix(got, c.want) || len([]rune(got)) > 200 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	t.Run("no server", func(t *testing.T) {
		l := listen(t, allowedAddr, 0)
		_ = l.Close()
		if got := w.send(t, "http://"+l.Addr().String()); got != "later: the connection was refused or broken off" {
			t.Error(got)
		}
	})
	t.Run("no such name", func(t *testing.T) {
		w := newFixture(t, withTimeout(testTimeout), func(o *webhook.Options) {
			o.Resolver = resolver(t, func(int) []addr { return nil })
		})
		if got := w.send(t, "https://planner.example/"); got != wantUnreachable {
			t.Error(got)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := contextWithCancel(t)
		url, _ := serve(t, listen(t, allowedAddr, 0), func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // only then does the server notice a closed connection
			cancel()
			<-r.Context().Done()
		})
		id, _ := w.addWebhook(t, url)
		if _, err := w.caller.Send(ctx, w.notification(id)); failureText(t, err) != "later: given up" {
			t.Errorf("%v", err)
		}
	})
}

// SendTest calls a webhook, also one that is switched off, five times a minute.
func TestSendTest(t *testing.T) {
	w, receiver := newFixture(t), testkit.NewWebhookReceiver(t)
	id, secret := w.addWebhook(t, receiver.URL)
	if err := w.Webhooks.Toggle(t.Context(), w.field.ID, id); err != nil {
		t.Fatal(err)
	}
	o, err := w.WebhookCaller.SendTest(t.Context(), w.field.ID, id)
	if err != nil || o.Err != nil || o.Answer != "200 thank you" {
		t.Fatalf("%+v %v", o, err)
	}
	h := receiver.TakeCalls()[0]
	if err := verify(h, secret); err != nil ||
		string(h.Body) != `{"type":"webhook.test","timestamp":"2026-11-21T09:00:00.000Z","data":{}}` ||
		!strings.HasPrefix(h.Header.Get("webhook-id"), "test-") {
		t.Errorf("%v %s", err, h.Body)
	}
	for status, key := range map[int]string{410: "webhook.gone", 500: "webhook.notAccepted", 302: "webhook.notAccepted"} {
		receiver.SetResponse(status, "no")
		if o, err := w.WebhookCaller.SendTest(t.Context(), w.field.ID, id); err != nil || o.Err == nil ||
			o.Err.Key != key || o.Answer != fmt.Sprint(status, " no") {
			t.Errorf("%+v %v", o, err)
		}
	}
	if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || h.Gone {
		t.Errorf("a test switches the webhook off: %+v %v", h, err)
	}
	dead := w.Tenant(t, "other")
	theirs, _, err := w.Webhooks.Create(t.Context(), dead.ID, webhookTo("http://127.0.0.1:1/"))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := w.WebhookCaller.SendTest(t.Context(), dead.ID, theirs); err != nil || o.Err == nil ||
		o.Err.Key != "webhook.noAnswer" {
		t.Errorf("%+v %v", o, err)
	}
	if _, err := w.WebhookCaller.SendTest(t.Context(), w.field.ID, id); err != nil {
		t.Error(err)
	}
	_, err = w.WebhookCaller.SendTest(t.Context(), w.field.ID, id)
	if e := errs.As(err); e.Kind != errs.TooMany || e.Retry != time.Minute {
		t.Errorf("%v", err)
	}
	w.Clock.Advance(time.Minute)
	if _, err := w.WebhookCaller.SendTest(t.Context(), w.field.ID, id); err != nil {
		t.Error(err)
	}
	if _, err := w.WebhookCaller.SendTest(t.Context(), w.field.ID, 99); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
}

var errWrong = errors.New("no signature matches")
