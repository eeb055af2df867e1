package sms

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

const account = "AC0123456789abcdef0123456789abcdef"

func twilio(t *testing.T, address, from string) *Twilio {
	t.Helper()
	s, err := NewTwilio(account, "s3cret", from)
	if err != nil {
		t.Fatal(err)
	}
	if s.api != "https://api.twilio.com" {
		t.Fatal(s.api)
	}
	s.api = address
	return s
}

func TestTwilio(t *testing.T) {
	address, asked := fakeGateway(t, 201, `{"sid":"SM1","status":"queued","error_code":null,"error_message":null}`)
	for from, field := range map[string]string{
		"+15005550006": "From", "Greenfield": "From", "24567": "From", "MG0123456789abcdef0123456789abcdef": "MessagingServiceSid",
	} {
		if answer, err := twilio(t, address, from).Send(t.Context(), message); err != nil || answer != "201 SM1" {
			t.Fatalf("%q %v", answer, err)
		}
		form, err := url.ParseQuery(asked.body)
		if err != nil || len(form) != 3 || form.Get(field) != from || form.Get("To") != message.To ||
			form.Get("Body") != message.Text {
			t.Errorf("%s: %s", from, asked.body)
		}
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(account+":s3cret"))
		if asked.method != "POST" || asked.path != "/2010-04-01/Accounts/"+account+"/Messages.json" ||
			asked.header.Get("Authorization") != basic {
			t.Errorf("%+v", asked)
		}
	}
}

func TestNewTwilioErrors(t *testing.T) {
	for name, c := range map[string][4]string{
		"account":        {"0123", "s3cret", "+15005550006", "account"},
		"account's path": {account + "/../x", "s3cret", "+15005550006", "account"},
		"no token":       {account, "", "+15005550006", "token"},
		"no sender":      {account, "s3cret", "", "from"},
		"long sender":    {account, "s3cret", "Greenfield Co", "from"},
		"bad service":    {account, "s3cret", "MG01234567890123", "from"},
	} {
		_, err := NewTwilio(c[0], c[1], c[2])
		var wrong *ConfigError
		if !errors.As(err, &wrong) || wrong.Part != c[3] || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTwilioAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		key    string
		kind   errs.Kind
		retry  bool
		says   string
	}{
		"not a number":        {400, `{"code":21211,"message":"The 'To' number +905551112233 is not valid","more_info":"…","status":400}`, "phone.unreachable", errs.Refused, false, "21211"},
		"not a mobile":        {400, `{"code":21614,"status":400}`, "phone.unreachable", errs.Refused, false, "21614"},
		"unsubscribed":        {400, `{"code":21610,"status":400}`, "phone.unreachable", errs.Refused, false, "21610"},
		"wrong sender":        {400, `{"code":21606,"status":400}`, "channel.smsFail", errs.Upstream, false, "21606"},
		"wrong token":         {401, `{"code":20003,"message":"s3cret"}`, "channel.smsFail", errs.Upstream, false, "20003"},
		"too many":            {429, `{"code":20429}`, "channel.smsFail", errs.Upstream, true, "20429"},
		"queue full":          {400, `{"code":21611}`, "channel.smsFail", errs.Upstream, true, "21611"},
		"fault":               {500, `<html>`, "channel.smsFail", errs.Upstream, true, "status 500"},
		"accepted and failed": {201, `{"sid":"SM1","status":"failed","error_code":30001}`, "channel.smsFail", errs.Upstream, true, "30001"},
		"accepted, no sid":    {200, `{}`, "channel.smsFail", errs.Upstream, false, "status 200"},
		"accepted, not JSON":  {200, `OK`, "channel.smsFail", errs.Upstream, false, "not JSON"},
		"a redirect":          {307, ``, "channel.smsFail", errs.Upstream, false, "307"},
	} {
		address, _ := fakeGateway(t, c.status, c.body)
		_, err := twilio(t, address, "+15005550006").Send(t.Context(), message)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if e := errs.As(err); e.Kind != c.kind || e.Key != c.key || Temporary(err) != c.retry ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, retry %t", name, err, Temporary(err))
		}
		wantNoSecrets(t, name, err)
	}
	if _, err := twilio(t, "http://127.0.0.1:1", "+15005550006").Send(t.Context(), message); !Temporary(err) {
		t.Errorf("no server: %v", err)
	}
}

// Codes and statuses that concern all messages are Unavailable, others concern one message.
func TestTwilioUnavailable(t *testing.T) {
	for body, all := range map[string]bool{
		`{"code":21211}`: false, `{"code":21606}`: true, `{"code":21611}`: false, `{"code":21617}`: false, `{"code":20003}`: true,
	} {
		address, _ := fakeGateway(t, 400, body)
		_, err := twilio(t, address, "+15005550006").Send(t.Context(), message)
		var f *Failure
		if !errors.As(err, &f) || f.Unavailable != all || f.BadRecipient && f.Unavailable {
			t.Errorf("%s: %+v", body, f)
		}
	}
	for status, all := range map[int]bool{400: false, 401: true, 404: true, 429: true, 500: true} {
		address, _ := fakeGateway(t, status, `{}`)
		_, err := twilio(t, address, "+15005550006").Send(t.Context(), message)
		var f *Failure
		if !errors.As(err, &f) || f.Unavailable != all {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

func TestOff(t *testing.T) {
	_, err := Off{}.Send(t.Context(), message)
	if e := errs.As(err); e.Kind != errs.NotConfigured || e.Key != "channel.smsOff" || Temporary(e) {
		t.Errorf("%+v", e)
	}
}

// A logged message is one line.
func TestLog(t *testing.T) {
	log := testkit.NewLog()
	answer, err := Log{log.Logger}.Send(t.Context(), Message{To: "+905551112233", Text: "code 123456\nlevel=ERROR"})
	if err != nil || answer != "" {
		t.Fatalf("%q %v", answer, err)
	}
	if got := log.Text(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=WARN") ||
		!strings.Contains(got, "123456") || !strings.Contains(got, "+905551112233") {
		t.Error(got)
	}
}
