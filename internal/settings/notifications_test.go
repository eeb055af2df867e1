package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/sms"
	"tilth/internal/platform/errs"
	"tilth/internal/tools/testkit"
)

const twilioAccount = "AC0123456789abcdef0123456789abcdef"

func tempFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNotificationDefaults(t *testing.T) {
	s, err := parseArgs(t)
	if err != nil {
		t.Fatal(err)
	}
	if s.Notifications.Mail != nil || s.Notifications.SMS != SMSOff || s.Notifications.DigestAfter != 10 {
		t.Errorf("%+v", s.Notifications)
	}
	if len(s.Notifications.WebhookPrivate) != 0 {
		t.Errorf("webhooks may call %v", s.Notifications.WebhookPrivate)
	}
	opened, err := parseArgs(t, "--webhook-private", "10.1.2.3/24,127.0.0.1")
	if err != nil || fmt.Sprint(opened.Notifications.WebhookPrivate) != "[10.1.2.0/24 127.0.0.1/32]" {
		t.Errorf("%v %v", opened, err)
	}
	log := testkit.NewLog()
	_, err = s.Notifications.SMSSender(log.Logger).Send(t.Context(), sms.Message{})
	if errs.As(err).Key != "channel.smsOff" {
		t.Error(err)
	}
}

func TestSmsSettings(t *testing.T) {
	log := testkit.NewLog()
	for name, row := range map[string]struct {
		args []string
		env  map[string]string
		is   func(sms.Sender) bool
	}{
		"log":  {args: []string{"--sms", "log"}, is: func(s sms.Sender) bool { _, ok := s.(sms.Log); return ok }},
		"http": {args: []string{"--sms=http", "--sms-url=https://gw.example", "--sms-body=to={to}&text={text}"}, is: isHTTP},
		"http, token in the environment": {
			args: []string{"--sms=http", "--sms-url=https://gw.example", `--sms-body={"to":"{to}","text":"{text}"}`, "--sms-header", "Authorization: Bearer {token}", "--sms-header", "X-A: b, c"},
			env:  map[string]string{"TILTH_SMS_TOKEN": "s3cret"}, is: isHTTP,
		},
		"http, all in the environment": {
			env: map[string]string{
				"TILTH_SMS": "http", "TILTH_SMS_URL": "https://gw.example/?to={to}&text={text}", "TILTH_SMS_METHOD": "GET",
				"TILTH_SMS_HEADER": "Authorization: Bearer {token}\nX-A: b, c\n", "TILTH_SMS_TOKEN": "s3cret", "TILTH_SMS_SUCCESS": "code=0",
			}, is: isHTTP,
		},
		"http, token in a file": {
			args: []string{"--sms=http", "--sms-url=https://gw.example/{token}", "--sms-body=to={to}&text={text}", "--sms-token-file", tempFile(t, "s3cret\n")}, is: isHTTP,
		},
		"twilio": {
			args: []string{"--sms=twilio", "--twilio-account", twilioAccount, "--twilio-from", "+15005550006"},
			env:  map[string]string{"TILTH_TWILIO_TOKEN": "s3cret"}, is: isTwilio,
		},
		"twilio, token in a file": {
			args: []string{"--sms=twilio", "--twilio-account", twilioAccount, "--twilio-from", "Greenfield", "--twilio-token-file", tempFile(t, "s3cret")}, is: isTwilio,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range row.env {
				t.Setenv(k, v)
			}
			s, err := parseArgs(t, row.args...)
			if err != nil {
				t.Fatal(err)
			}
			if sender := s.Notifications.SMSSender(log.Logger); !row.is(sender) {
				t.Errorf("%T", sender)
			}
		})
	}
}

func isHTTP(s sms.Sender) bool { h, ok := s.(*sms.HTTP); return ok && h != nil }

func isTwilio(s sms.Sender) bool { h, ok := s.(*sms.Twilio); return ok && h != nil }

func TestNotificationsFromFile(t *testing.T) {
	file := tempFile(
		t,
		"sms: http\nsms-url: https://gw.example\nsms-body: 'to={to}&text={text}'\nsms-header: ['X-A: b', 'X-C: d']\nsmtp-url: smtp://me:s3cret@mail.example.org?from=a@example.org\n",
	)
	s, err := parseArgs(t, "--config", file)
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Notifications.Mail; m == nil || m.Host != "mail.example.org" || m.Password != "s3cret" ||
		m.TLS != mail.StartTLS ||
		s.Notifications.SMS != SMSHTTP {
		t.Errorf("%+v", s.Notifications)
	}
}

// botToken is shaped like the token of a bot.
const botToken = "123456789:AAs3ttings_test-0123456789abcdefghi"

// Telegram is set up by its token, from the environment or a file.
func TestTelegramSettings(t *testing.T) {
	if s, err := parseArgs(t); err != nil || len(s.Notifications.Messengers) != 0 {
		t.Errorf("%v %v", s, err)
	}
	s, err := parseArgs(t, "--telegram-token-file", tempFile(t, botToken+"\n"), "--telegram-api=http://127.0.0.1:8081")
	if err != nil || s.Notifications.Messengers[notify.KindTelegram] == nil {
		t.Errorf("%+v %v", s, err)
	}
	t.Setenv("TILTH_TELEGRAM_TOKEN", botToken)
	if s, err = parseArgs(t); err != nil || s.Notifications.Messengers[notify.KindTelegram] == nil {
		t.Errorf("%+v %v", s, err)
	}
}

// The error for a wrong setting is one line that holds no secret.
func TestWrongNotificationSettings(t *testing.T) {
	http := func(args ...string) []string {
		return append([]string{"--sms=http", "--sms-url=https://gw.example", "--sms-body=to={to}&text={text}"}, args...)
	}
	twilio := []string{"--sms=twilio", "--twilio-account", twilioAccount, "--twilio-from", "+15005550006"}
	for name, row := range map[string]struct {
		args []string
		env  map[string]string
		want string
	}{
		"way":                   {args: []string{"--sms=carrier-pigeon"}, want: "--sms: "},
		"mails a day":           {args: []string{"--mails-a-day=-1"}, want: "--mails-a-day: -1: must be 0 to 1000000"},
		"sms a day":             {args: []string{"--sms-a-day=1000001"}, want: "--sms-a-day: 1000001"},
		"digest":                {args: []string{"--digest-after=-1"}, want: "--digest-after: -1"},
		"url for nothing":       {args: []string{"--sms-url=https://gw.example"}, want: "--sms-url: nothing uses it without --sms=http"},
		"header for twilio":     {args: append(twilio, "--sms-header=a: b"), want: "--sms-header: nothing"},
		"account for http":      {args: http("--twilio-account=x"), want: "--twilio-account: nothing"},
		"no address":            {args: []string{"--sms=http"}, want: "--sms-url: not"},
		"address":               {args: http("--sms-url=s3cret"), want: "--sms-url: not"},
		"method":                {args: http("--sms-method=PATCH"), want: "--sms-method: "},
		"header":                {args: http("--sms-header=s3cret"), want: "--sms-header: each"},
		"body":                  {args: http(`--sms-body={"to":{to},"t":"{text}"}`), want: "--sms-body: "},
		"success":               {args: http("--sms-success=fine"), want: "--sms-success: "},
		"no token":              {args: http("--sms-header=a: {token}"), want: "TILTH_SMS_TOKEN: "},
		"token for nothing":     {args: http(), env: map[string]string{"TILTH_SMS_TOKEN": "s3cret"}, want: "TILTH_SMS_TOKEN: "},
		"token of two words":    {args: http("--sms-header=a: {token}"), env: map[string]string{"TILTH_SMS_TOKEN": "s3cret s3cret"}, want: "TILTH_SMS_TOKEN: "},
		"token twice":           {args: http("--sms-header=a: {token}", "--sms-token-file", tempFile(t, "s3cret")), env: map[string]string{"TILTH_SMS_TOKEN": "s3cret"}, want: "--sms-token-file: TILTH_SMS_TOKEN"},
		"token file, not there": {args: http("--sms-header=a: {token}", "--sms-token-file", "/does/not/exist"), want: "--sms-token-file: "},
		"token file, empty":     {args: http("--sms-header=a: {token}", "--sms-token-file", tempFile(t, "\n")), want: "--sms-token-file: "},
		"account":               {args: []string{"--sms=twilio", "--twilio-account=s3cret"}, env: map[string]string{"TILTH_TWILIO_TOKEN": "s3cret"}, want: "--twilio-account: "},
		"no twilio token":       {args: twilio, want: "TILTH_TWILIO_TOKEN: "},
		"from":                  {args: append(twilio, "--twilio-from="), env: map[string]string{"TILTH_TWILIO_TOKEN": "s3cret"}, want: "--twilio-from: "},
		"telegram token":        {env: map[string]string{"TILTH_TELEGRAM_TOKEN": "s3cret"}, want: "TILTH_TELEGRAM_TOKEN, --telegram-api: the token"},
		"telegram address":      {args: []string{"--telegram-api=s3cret"}, env: map[string]string{"TILTH_TELEGRAM_TOKEN": botToken}, want: "TILTH_TELEGRAM_TOKEN, --telegram-api: the address"},
		"telegram for nothing":  {args: []string{"--telegram-api=https://bots.example"}, want: "--telegram-api: nothing uses it without"},
		"telegram token twice":  {args: []string{"--telegram-token-file", tempFile(t, "s3cret")}, env: map[string]string{"TILTH_TELEGRAM_TOKEN": botToken}, want: "--telegram-token-file: TILTH_TELEGRAM_TOKEN"},
		"mail":                  {args: []string{"--smtp-url=smtp://me:s3cret@mail.example.org"}, want: "--smtp-url: from"},
		"mail, no address":      {env: map[string]string{"TILTH_SMTP_URL": "s3cret"}, want: "--smtp-url: "},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range row.env {
				t.Setenv(k, v)
			}
			_, err := parseArgs(t, row.args...)
			if err == nil || !strings.HasPrefix(err.Error(), row.want) || strings.Contains(err.Error(), "\n") ||
				strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, want one line that begins with %s", err, row.want)
			}
		})
	}
}

// Each messenger of the registry of kinds has its settings, and each has an entry in the console.
func TestMessengersAreKinds(t *testing.T) {
	console, err := os.ReadFile("../../web/src/lib/channel/kinds.ts")
	if err != nil {
		t.Fatal(err)
	}
	set := map[notify.ChannelKind]bool{}
	for _, m := range messengers {
		set[m.kind] = true
	}
	others := 0
	for _, k := range notify.AllKinds() {
		if !k.Other {
			continue
		}
		others++
		if !set[k.Name] {
			t.Errorf("%s has no settings in messengers", k.Name)
		}
		if !strings.Contains(string(console), fmt.Sprintf("\n  %s: {", k.Name)) {
			t.Errorf("%s has no entry in kinds.ts", k.Name)
		}
	}
	if len(set) != others {
		t.Errorf("settings of %d messengers, %d are kinds", len(set), others)
	}
}
