package sender

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext"
	"tilth/internal/domain/notify/alerttext/chart"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/sms"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit"
)

var greenfield = tenant.Tenant{ID: 1, Name: "greenfield", TimeZone: east3, Language: text.Turkish}

// fixture has everything that a sender needs; asked records the properties whose readings it
// requested.
type fixture struct {
	Options
	log         *testkit.Log
	clock       *testkit.Clock
	asked       []string
	readingsErr error // that Readings gives
	tenantErr   error // that Tenants gives
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	o := &fixture{log: testkit.NewLog(), clock: testkit.NewClock()}
	o.clock.Set(dawn.Add(3 * time.Second))
	o.Options = Options{
		Names:     propertyName,
		Now:       o.clock.Now,
		Logger:    o.log.Logger,
		PublicURL: "https://tilth.example:8443",
		Tenants: func(_ context.Context, id tenant.ID) (*tenant.Tenant, error) {
			if id != greenfield.ID {
				return nil, errs.Missing()
			}
			found := greenfield
			return &found, o.tenantErr
		},
		Readings: func(
			ctx context.Context, id tenant.ID, a *alertmsg.Alarm, identifier string, from, to int64, points int,
		) ([]chart.Point, error) {
			o.asked = append(o.asked, identifier)
			if o.readingsErr != nil {
				return nil, o.readingsErr
			}
			return night(ctx, id, a, identifier, from, to, points)
		},
	}
	return o
}

func newNotification(alarms ...alertmsg.Alarm) *notify.Notification {
	return &notify.Notification{
		ID:        "1-17-triggered-0",
		Tenant:    1,
		Kind:      notify.KindEmail,
		Recipient: "ada@example.com",
		Language:  text.English,
		Channel:   "Night crew",
		Alarms:    alarms,
	}
}

func TestMailSend(t *testing.T) {
	o := newFixture(t)
	var sent []mail.Message
	c := NewMail(func(_ context.Context, m mail.Message) (string, error) {
		sent = append(sent, m)
		return "250 2.0.0 Ok: queued as 7F2", nil
	}, o.Options)
	answer, err := c.Send(t.Context(), newNotification(frost(text.English)))
	if err != nil || answer != "250 2.0.0 Ok: queued as 7F2" {
		t.Fatalf("%q %v", answer, err)
	}
	m := sent[0]
	if m.ID != "1-17-triggered-0" || m.Thread != "notice-1-17" || m.To != "ada@example.com" ||
		m.Sender != "greenfield" || m.Subject != "[Serious] Spring frost, north orchard: North mast" {
		t.Errorf("%+v", m)
	}
	if !strings.Contains(m.Text, "05:40 (UTC+3)") ||
		!strings.Contains(m.Text, "https://tilth.example:8443/inform?id=17") {
		t.Error(m.Text)
	}
	if m.Picture == nil || m.Picture.ID != alerttext.PictureID ||
		!strings.Contains(m.HTML, "cid:"+alerttext.PictureID) {
		t.Fatalf("picture: %+v", m.Picture)
	}
	if _, err := png.Decode(bytes.NewReader(m.Picture.PNG)); err != nil {
		t.Error(err)
	}
	// Other recipients get the same picture; a minute later it is drawn anew.
	if _, err := c.Send(t.Context(), newNotification(frost(text.English))); err != nil || len(o.asked) != 1 ||
		!bytes.Equal(sent[1].Picture.PNG, m.Picture.PNG) {
		t.Errorf("%v, asked %v", err, o.asked)
	}
	other := newNotification(frost(text.English))
	other.Alarms[0].Notice = 18
	o.clock.Advance(time.Minute)
	for _, l := range []*notify.Notification{newNotification(frost(text.English)), other} {
		if _, err := c.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(o.asked, []string{"airTemperature", "airTemperature", "airTemperature"}) || o.log.Text() != "" {
		t.Errorf("asked %v, log %s", o.asked, o.log.Text())
	}
}

// Mails that have nothing to draw, and those whose picture fails, are sent without a picture, and
// the log says what went wrong.
func TestMailWithoutChart(t *testing.T) {
	o := newFixture(t)
	var m mail.Message
	send := func(l *notify.Notification) {
		t.Helper()
		c := NewMail(func(_ context.Context, one mail.Message) (string, error) { m = one; return "250", nil },
			o.Options)
		if _, err := c.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if m.Picture != nil || strings.Contains(m.HTML, "<img") || m.Text == "" {
			t.Errorf("%+v", m)
		}
	}
	offline := frost(text.English)
	offline.Offline, offline.Conditions = true, nil
	send(newNotification(offline))
	send(newNotification())
	if m.Thread != "" {
		t.Error(m.Thread)
	}
	send(newNotification(frost(text.English), frost(text.English)))
	if len(o.asked) != 0 || o.log.Text() != "" {
		t.Errorf("asked %v, log %s", o.asked, o.log.Text())
	}
	o.readingsErr = errors.New("disk")
	send(newNotification(frost(text.English)))
	if logged := o.log.Text(); !strings.Contains(logged, "level=WARN") || !strings.Contains(logged, "notice=17") ||
		!strings.Contains(logged, "disk") {
		t.Error(logged)
	}
	gone := newFixture(t)
	gone.Readings = func(
		context.Context, tenant.ID, *alertmsg.Alarm, string, int64, int64, int,
	) ([]chart.Point, error) {
		return nil, nil
	}
	o = gone
	send(newNotification(frost(text.English)))
	o.Readings = nil
	send(newNotification(frost(text.English)))
}

// A picture shows five minutes around the alarm, half an hour at least, and marks the readings that
// led to it, as many as the rule requires.
func TestChartRange(t *testing.T) {
	for name, c := range map[string]struct {
		now, end time.Duration // since the start
		from, to time.Duration
	}{
		"just started": {3 * time.Second, 0, -24*time.Minute - 57*time.Second, 5*time.Minute + 3*time.Second},
		"hours open":   {2 * time.Hour, 0, -10 * time.Minute, 125 * time.Minute},
		"over":         {2 * time.Hour, time.Hour, -10 * time.Minute, 65 * time.Minute},
		"future":       {-time.Minute, 0, -25 * time.Minute, 5 * time.Minute},
	} {
		var from, to int64
		o := newFixture(t)
		o.Readings = func(
			_ context.Context, _ tenant.ID, _ *alertmsg.Alarm, _ string, f, t int64, _ int,
		) ([]chart.Point, error) {
			from, to = f, t
			return nil, nil
		}
		o.clock.Set(dawn.Add(c.now))
		a := frost(text.English)
		if c.end != 0 {
			a.End = dawn.Add(c.end).UnixMilli()
		}
		v := o.renderer(newNotification(), &greenfield, o.clock.Now())
		if b, err := o.drawChart(t.Context(), 1, v, &a); err != nil || b != nil {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
		if got, want := time.UnixMilli(from).Sub(dawn), c.from; got != want {
			t.Errorf("%s: from %v, want %v", name, got, want)
		}
		if got, want := time.UnixMilli(to).Sub(dawn), c.to; got != want {
			t.Errorf("%s: to %v, want %v", name, got, want)
		}
	}
	a := frost(text.English) // three below -2 within ten minutes
	var points []chart.Point
	for i, value := range []float64{-3, -3, -1, -3, -3, -3, -1} {
		points = append(points, chart.Point{Time: a.Start + int64(i-5)*120_000, Value: value})
	}
	if got := triggers(&a, points); len(got) != 3 || got[0] != points[5] || got[1] != points[4] || got[2] != points[3] {
		t.Errorf("%v", got)
	}
	a.Window = 300_000
	if got := triggers(&a, points); len(got) != 3 {
		t.Errorf("%v", got)
	}
	a.Window = 200_000
	if got := triggers(&a, points); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// A channel without a language uses the tenant's, and the tenant's title replaces its name.
func TestRendererLanguageAndTenant(t *testing.T) {
	o := newFixture(t)
	l := newNotification()
	l.Language = ""
	if v := o.renderer(l, &greenfield, o.clock.Now()); v.Language != text.Turkish || v.Tenant != "greenfield" ||
		v.Zone != east3 {
		t.Errorf("%+v", v)
	}
	titled := greenfield
	titled.Branding.Title = "Yeşil Alan"
	if v := o.renderer(newNotification(), &titled, o.clock.Now()); v.Language != text.English ||
		v.Tenant != "Yeşil Alan" {
		t.Errorf("%+v", v)
	}
}

func wantFailure(t *testing.T, c notify.Sender, ctx context.Context, l *notify.Notification) *notify.Failure {
	t.Helper()
	answer, err := c.Send(ctx, l)
	var f *notify.Failure
	if !errors.As(err, &f) || answer != "" || f.Answer == "" {
		t.Fatalf("%q, %v is no *Failure", answer, err)
	}
	return f
}

// Failing to read the tenant is Transient; a mail server's failure is passed on unchanged.
func TestFailures(t *testing.T) {
	o := newFixture(t)
	o.tenantErr = errors.New("locked")
	refused := &notify.Failure{Kind: notify.Permanent, Answer: "550 5.1.1 nobody"}
	byMail := NewMail(func(context.Context, mail.Message) (string, error) { return "", refused }, o.Options)
	bySMS := NewSMS(captureSender{new(string)}, o.Options)
	for _, c := range []notify.Sender{byMail, bySMS} {
		if f := wantFailure(t, c, t.Context(), newNotification(frost(text.English))); f.Kind != notify.Transient ||
			!errors.Is(f, o.tenantErr) {
			t.Errorf("%+v", f)
		}
	}
	o.tenantErr = nil
	if f := wantFailure(t, byMail, t.Context(), newNotification(frost(text.English))); f != refused {
		t.Errorf("%+v", f)
	}
	unknown := newNotification(frost(text.English))
	unknown.Tenant = 2
	if f := wantFailure(t, byMail, t.Context(), unknown); f.Kind != notify.Transient {
		t.Errorf("%+v", f)
	}
}

// A real HTTP gateway: the requests that reach it, and the failures for its answers.
func TestSMSThroughGateway(t *testing.T) {
	status, body := 200, `{"status":"queued","id":"a-1"}`
	var asked url.Values
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err == nil {
			asked, err = url.ParseQuery(string(b))
		}
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer gateway.Close()
	sender, err := sms.NewHTTP(sms.HTTPConfig{URL: gateway.URL, Body: "to={to}&text={text}", Success: "status=queued"})
	if err != nil {
		t.Fatal(err)
	}
	c := NewSMS(sender, newFixture(t).Options)
	l := newNotification(frost(text.English))
	l.Kind, l.Recipient = notify.KindSMS, "+905551112233"
	answer, err := c.Send(t.Context(), l)
	if err != nil || answer != `200 {"status":"queued","id":"a-1"}` {
		t.Fatalf("%q %v", answer, err)
	}
	if asked.Get("to") != "+905551112233" ||
		asked.Get(
			"text",
		) != `greenfield: Serious alarm "Spring frost, north orchard". North mast: Air temperature -2.4 C (limit < -2 C). Nov 21, 05:40` {
		t.Errorf("%v", asked)
	}
	for _, c := range []struct {
		status int
		body   string
		want   notify.FailureKind
		says   string
	}{
		{400, "", notify.Permanent, "status 400"}, {401, "", notify.Unavailable, "status 401"}, {429, "", notify.Unavailable, "status 429"}, {503, "", notify.Unavailable, "status 503"},
		{200, `{"status":"rejected"}`, notify.Transient, "status is rejected"}, {200, "<html>", notify.Permanent, "not JSON"},
	} {
		status, body = c.status, c.body
		if f := wantFailure(t, NewSMS(sender, newFixture(t).Options), t.Context(), l); f.Kind != c.want ||
			!strings.Contains(f.Answer, c.says) || f.Cause == nil {
			t.Errorf("%d %s: %+v", c.status, c.body, f)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if f := wantFailure(t, c, cancelled, l); f.Kind != notify.Transient || f.Answer != "given up" {
		t.Errorf("cancelled: %+v", f)
	}
	gateway.Close()
	if f := wantFailure(t, c, t.Context(), l); f.Kind != notify.Unavailable ||
		!strings.Contains(f.Answer, "no answer") {
		t.Errorf("closed: %+v", f)
	}
}

// A number that cannot receive is a Permanent failure; other errors here are Transient.
func TestSMSFailureKinds(t *testing.T) {
	for _, c := range []struct {
		err  error
		want notify.FailureKind
	}{
		{errs.New(errs.Refused, "phone.unreachable").WithCause(&sms.Failure{BadRecipient: true, Unavailable: true, Detail: "21211"}), notify.Permanent},
		{errors.New("unknown"), notify.Transient},
		{errs.New(errs.Upstream, "channel.smsFail").WithCause(&sms.Failure{Retry: true, Detail: "queue full"}), notify.Transient},
	} {
		if f := wantFailure(t, NewSMS(failingSender{c.err}, newFixture(t).Options), t.Context(),
			newNotification()); f.Kind != c.want {
			t.Errorf("%v: %+v", c.err, f)
		}
	}
}

type failingSender struct{ err error }

func (b failingSender) Send(context.Context, sms.Message) (string, error) { return "", b.err }

// LogsOnly tells whether an SMS sender only logs.
func TestLogsOnly(t *testing.T) {
	o := newFixture(t)
	if !NewSMS(sms.Log{Logger: o.log.Logger}, o.Options).LogsOnly() ||
		NewSMS(captureSender{new(string)}, o.Options).LogsOnly() {
		t.Error("only the log sender must report LogsOnly")
	}
}
