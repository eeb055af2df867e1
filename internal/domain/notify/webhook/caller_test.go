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

// Over TLS, to a program whose certificate counts: what it hears, and what is
// kept of its answer.
func TestSendOverTLS(t *testing.T) {
	heard := make(chan testkit.WebhookCall, 3)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.String() != "/tilth?x=%20y" {
			t.Errorf("%s %s %v", r.Method, r.URL, err)
		}
		heard <- testkit.WebhookCall{Header: r.Header, Body: body}
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
	w := newWorld(t, func(o *webhook.Options) {
		o.Roots, o.Timeout, o.Resolver = roots, 10*time.Second, resolver(t,
			func(int) []addr { return []addr{allowedAddr} })
	})
	id, secret := w.addWebhook(t, fmt.Sprintf("https://example.com:%d/tilth?x=%%20y", portOf(s.Listener)))
	said, err := w.caller.Send(t.Context(), w.notification(id))
	if err != nil || said != "202 queued as 17" {
		t.Fatalf("%q %v", said, err)
	}
	h := <-heard
	for name, want := range map[string]string{"Content-Type": "application/json", "Webhook-Id": "triggered-0123456789abcdef", "Webhook-Timestamp": fmt.Sprint(testkit.Start.Unix()), "User-Agent": "Tilth", "Accept-Encoding": "", "Authorization": "", "Cookie": ""} {
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

	// With another secret both sign, and a wrong one is told from them; a later
	// attempt has its own time, and the rest as it was.
	second, err := w.Webhooks.RotateSecret(t.Context(), w.field.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Minute)
	if _, err := w.caller.Send(t.Context(), w.notification(id)); err != nil {
		t.Fatal(err)
	}
	again := <-heard
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
		t.Error("a changed body is believed")
	}
	for _, s := range []string{secret, second, strings.TrimPrefix(secret, "whsec_")} {
		if strings.Contains(w.Log.Text(), s) {
			t.Error("a secret is in the log")
		}
	}

	// Whose certificate does not count is not told anything.
	strict := newWorld(t, func(o *webhook.Options) {
		o.Timeout, o.Resolver = 10*time.Second, resolver(t, func(int) []addr { return []addr{allowedAddr} })
	})
	wantContains(t, "untrusted", strict.send(t, fmt.Sprintf("https://example.com:%d/", portOf(s.Listener))),
		"later: the certificate is ")
	wantContains(t, "another's", strict.send(t, fmt.Sprintf("https://example.org:%d/", portOf(s.Listener))),
		"later: the certificate is ")
	if len(heard) != 0 {
		t.Error("it was told")
	}
}

// An end, by whatever.
func TestBodyResolved(t *testing.T) {
	w, program := newWorld(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, program.URL)
	over := frost
	over.Event, over.End, over.NoteName, over.Description = alertmsg.Resolved, over.Start+61_001, "", ""
	for hand, by := range map[bool]string{false: "itself", true: "hand"} {
		over.Manual, over.User, over.Remark = hand, "Ada", "private"
		l := w.notification(id)
		l.Alarms[0] = over
		if _, err := w.WebhookCaller.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Type, Timestamp string
			Data            map[string]any
		}
		body := program.TakeCalls()[0].Body
		if err := json.Unmarshal(body, &got); err != nil || got.Type != "notice.resolved" ||
			got.Timestamp != "2026-11-21T09:01:01.001Z" {
			t.Errorf("%s %v", body, err)
		}
		if _, some := got.Data["unsteady"]; some {
			t.Errorf("%s", body)
		}
		if got.Data["status"] != "resolved" || got.Data["resolvedBy"] != by || got.Data["endTime"] != got.Timestamp ||
			got.Data["noteName"] != "" || strings.Contains(string(body), "private") {
			t.Errorf("%s", body)
		}
	}
}

// Somebody is on it, or is no more: when that was, and the notice as it is then.
func TestBodyAcknowledged(t *testing.T) {
	w, program := newWorld(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, program.URL)
	const ack = `{"by":"Ada","time":"2026-11-21T09:01:01.001Z","note":"at the pump","remindTime":"2026-11-21T10:01:01.001Z"}`
	at := frost.Start + 61_001
	on := frost
	on.Event, on.At, on.Ack = alertmsg.Acknowledged, at, &alertmsg.Ack{User: "Ada", Time: at, Note: "at the pump",
		RemindAt: at + 3600_000}
	off := frost
	off.Event, off.At = alertmsg.Unacknowledged, at+1000
	over := on
	over.Event, over.End, over.At = alertmsg.Resolved, at+2000, 0
	for _, c := range []struct {
		a                       alertmsg.Alarm
		kind, time, status, ack string
	}{
		{on, "notice.acknowledged", "2026-11-21T09:01:01.001Z", "open", ack},
		{off, "notice.unacknowledged", "2026-11-21T09:01:02.001Z", "open", "null"},
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
		body := program.TakeCalls()[0].Body
		if err := json.Unmarshal(body, &got); err != nil || got.Type != c.kind || got.Timestamp != c.time ||
			got.Data.Status != c.status ||
			cmp.Or(string(got.Data.Acknowledged), "null") != c.ack {
			t.Errorf("%s %v", body, err)
		}
	}
}

// Of an unsteady notice a program is told that it is, and how often its condition changed.
func TestBodyUnsteady(t *testing.T) {
	w, program := newWorld(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, program.URL)
	over := frost
	over.Event, over.End, over.Unsteady, over.Changes = alertmsg.Resolved, over.Start+61_001, 12, 34
	l := w.notification(id)
	l.Alarms[0] = over
	if _, err := w.WebhookCaller.Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	if body := string(program.TakeCalls()[0].Body); !strings.Contains(body, `"unsteady":true,"changes":34}`) {
		t.Error(body)
	}
}

// Since when a notice holds is told where it is known, at its begin and at its end.
func TestBodyHoldsSince(t *testing.T) {
	w, program := newWorld(t), testkit.NewWebhookReceiver(t)
	id, _ := w.addWebhook(t, program.URL)
	for _, what := range []alertmsg.Event{alertmsg.Triggered, alertmsg.Resolved} {
		for since, want := range map[int64]bool{0: false, frost.Start - 61_001: true} {
			l := w.notification(id)
			l.Alarms[0].Event, l.Alarms[0].End, l.Alarms[0].HoldsSince = what, frost.Start, since
			if _, err := w.WebhookCaller.Send(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			body := string(program.TakeCalls()[0].Body)
			if strings.Contains(body, "holdsSince") != want || want &&
				!strings.Contains(body, `"holdsSince":"2026-11-21T08:58:58.999Z"`) {
				t.Errorf("%s of %d: %s", what, since, body)
			}
		}
	}
}

// What becomes of each answer.
func TestStatusCodes(t *testing.T) {
	w := newWorld(t)
	for status, want := range map[int]string{
		200: "200 words", 204: "204", 299: "299 words", 400: "later: 400 words", 401: "later: 401 words", 404: "later: 404 words", 410: "refused: 410 words",
		429: "later: 429 words", 500: "later: 500 words", 503: "later: 503 words", 999: "later: 999 words",
	} {
		url, _ := serve(t, listen(t, allowedAddr, 0), func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "words")
		})
		id, _ := w.addWebhook(t, url)
		said, err := w.caller.Send(t.Context(), w.notification(id))
		if err != nil {
			said = failureText(t, err)
		}
		if said != want {
			t.Errorf("%d: %s, want %s", status, said, want)
		}
		if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || h.Enabled != (status != 410) ||
			h.Gone != (status == 410) {
			t.Errorf("%d: %+v %v", status, h, err)
		}
	}
	if _, err := w.caller.Send(t.Context(), w.notification(99)); failureText(t,
		err) != "refused: the webhook was deleted" {
		t.Errorf("%v", err)
	}
	l := w.notification(1)
	l.Recipient = "ada@example.com"
	if _, err := w.caller.Send(t.Context(), l); !strings.HasPrefix(failureText(t, err), "refused: a fault") {
		t.Errorf("%v", err)
	}
}

// That a far end is gone switches its webhook off, which the audit log says of
// the server, once; without the entry it stays on and is told so again.
func TestGoneSwitchesOffAndIsAudited(t *testing.T) {
	w, program := newWorld(t), testkit.NewWebhookReceiver(t)
	program.SetResponse(http.StatusGone, "moved away")
	id, _ := w.addWebhook(t, program.URL)
	ctx := w.Audit.NewContext(t.Context(), audit.Actor{Kind: audit.Server})
	carry := func() string {
		_, err := w.WebhookCaller.Send(ctx, w.notification(id))
		return failureText(t, err)
	}
	mend := testkit.FailStatement(t, w.DB, "INSERT ON audit_entries")
	if said := carry(); said != "later: 410 moved away" {
		t.Error(said)
	}
	if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || !h.Enabled || h.Gone {
		t.Errorf("off without an entry: %+v %v", h, err)
	}
	mend()
	for range 2 { // two may be in flight
		if said := carry(); said != "refused: 410 moved away" {
			t.Error(said)
		}
	}
	entries, _, err := w.Audit.Page(t.Context(), w.field.ID, audit.Query{Limit: 10})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%+v %v", entries, err)
	}
	e := entries[0]
	if e.Kind != "webhook" || e.Action != "switchOff" || e.Actor != (audit.ActorRef{Kind: audit.Server}) ||
		e.Thing.ID != id || e.Thing.Name != "hook "+program.URL ||
		e.Address != "" || e.Request != "" || fmt.Sprint(e.Changes) != "[{enabled true false false}]" {
		t.Errorf("%+v", e)
	}
}

// An address is given up, and while a call to it is in flight somebody types the
// next one: that is called, and the webhook stays on.
func TestGoneIgnoredAfterURLChange(t *testing.T) {
	w := newWorld(t)
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
	if said := failureText(t, err); said != "later: 410" {
		t.Error(said)
	}
	if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || !h.Enabled || h.Gone {
		t.Errorf("off for what the address before answered: %+v %v", h, err)
	}
	if said, err := w.caller.Send(t.Context(), w.notification(id)); err != nil || said != "200" {
		t.Errorf("%q %v", said, err)
	}
}

// How long a far end wants to be left alone is told, where it may.
func TestRetryAfter(t *testing.T) {
	w := newWorld(t)
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

// Far ends that do not do as they should cost an attempt, and no more.
func TestMisbehavingServers(t *testing.T) {
	w := newWorld(t)
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
					return // the caller has hung up
				}
			}
		}
	}
	for name, c := range map[string]struct {
		answer func(c net.Conn)
		want   string
	}{
		"hangs":                  {func(net.Conn) { <-hang }, "later: no answer within"},
		"hangs up":               {func(net.Conn) {}, "later: "},
		"garbage":                {write("\x00\x01\x02 welcome\r\n\r\n"), "later: it does not speak HTTP as it should"},
		"half a head":            {write("HTTP/1.1 200 OK\r\nContent-"), "later: "},
		"an endless head":        {endless("HTTP/1.1 200 OK\r\n", "X: "+strings.Repeat("x", 1000)+"\r\n"), "later: "},
		"an endless line":        {endless("HTTP/1.1 200 ", strings.Repeat("x", 1000)), "later: "},
		"endless hints":          {endless("", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"), "later: "},
		"an endless body":        {endless("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("word ", 1000)), "200 word word"},
		"a body that never ends": {func(c net.Conn) { write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst\nsec")(c); <-hang }, "200 first"},
		"a body that never is":   {func(c net.Conn) { write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")(c); <-hang }, "200"},
		"packed":                 {write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed.String()), "200"},
		"no text":                {write("HTTP/1.1 500 No\r\n\r\n\xff\xfe\x1b[31mred\u202e"), "later: 500 [31mred"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := w.send(t, serveRaw(t, c.answer)+"/"+strings.ReplaceAll(name, " ", "-"))
			if !strings.HasPrefix(got, c.want) || len([]rune(got)) > 200 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		l := listen(t, allowedAddr, 0)
		_ = l.Close()
		if got := w.send(t, "http://"+l.Addr().String()); got != "later: the connection was refused or broken off" {
			t.Error(got)
		}
	})
	t.Run("no such name", func(t *testing.T) {
		w := newWorld(t, func(o *webhook.Options) { o.Resolver = resolver(t, func(int) []addr { return nil }) })
		if got := w.send(t, "https://planner.example/"); got != wantUnreachable {
			t.Error(got)
		}
	})
	t.Run("given up", func(t *testing.T) {
		ctx, cancel := contextWithCancel(t)
		url, _ := serve(t, listen(t, allowedAddr, 0), func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // the server notices who hangs up only then
			cancel()
			<-r.Context().Done()
		})
		id, _ := w.addWebhook(t, url)
		if _, err := w.caller.Send(ctx, w.notification(id)); failureText(t, err) != "later: given up" {
			t.Errorf("%v", err)
		}
	})
}

// Somebody tries a webhook, also one that is off, five times a minute.
func TestSendTest(t *testing.T) {
	w, program := newWorld(t), testkit.NewWebhookReceiver(t)
	id, secret := w.addWebhook(t, program.URL)
	if err := w.Webhooks.Toggle(t.Context(), w.field.ID, id); err != nil {
		t.Fatal(err)
	}
	o, err := w.WebhookCaller.SendTest(t.Context(), w.field.ID, id)
	if err != nil || o.Err != nil || o.Answer != "200 thank you" {
		t.Fatalf("%+v %v", o, err)
	}
	h := program.TakeCalls()[0]
	if err := verify(h, secret); err != nil ||
		string(h.Body) != `{"type":"webhook.test","timestamp":"2026-11-21T09:00:00.000Z","data":{}}` ||
		!strings.HasPrefix(h.Header.Get("webhook-id"), "test-") {
		t.Errorf("%v %s", err, h.Body)
	}
	for status, key := range map[int]string{410: "webhook.gone", 500: "webhook.notAccepted", 302: "webhook.notAccepted"} {
		program.SetResponse(status, "no")
		if o, err := w.WebhookCaller.SendTest(t.Context(), w.field.ID, id); err != nil || o.Err == nil ||
			o.Err.Key != key || o.Answer != fmt.Sprint(status, " no") {
			t.Errorf("%+v %v", o, err)
		}
	}
	if h, err := w.Webhooks.Get(t.Context(), w.field.ID, id); err != nil || h.Gone {
		t.Errorf("a try switches off: %+v %v", h, err)
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

var errWrong = errors.New("no signature fits")
