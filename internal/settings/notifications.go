package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"strings"

	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/sms"
	"tilth/internal/domain/notify/telegram"
	"tilth/internal/domain/tenant"
)

// How SMS leave: the values of --sms.
const (
	SMSOff    = "off"
	SMSLog    = "log"
	SMSHTTP   = "http"
	SMSTwilio = "twilio"
)

// Notifications is how the server reaches people who have no console open.
type Notifications struct {
	Mail *mail.Settings // nil: no mail is sent
	SMS  string         // SMSOff, SMSLog, SMSHTTP or SMSTwilio
	// DigestAfter is how many notices a minute a channel reports one by one; 0: all.
	DigestAfter int
	// PerDay is how many notifications of a kind a tenant may send in a day, unless the tenant has
	// a number of its own; 0: any number.
	PerDay map[notify.ChannelKind]int
	// WebhookPrivate are private networks that webhooks may call, beside the internet.
	WebhookPrivate []netip.Prefix

	// Messengers are what hands texts to the messengers that are set up.
	Messengers map[notify.ChannelKind]notify.Poster

	gateway sms.Sender // for SMSHTTP and SMSTwilio
}

// messenger is the settings of a kind of channel that is a messenger: its flags, and what it reads
// from them; nil if it is not set up.
type messenger struct {
	kind  notify.ChannelKind
	flags func(f *pflag.FlagSet)
	read  func(k *koanf.Koanf) (notify.Poster, error)
}

// messengers are all messengers.
var messengers = []messenger{{
	kind: notify.KindTelegram,
	flags: func(f *pflag.FlagSet) {
		f.String(
			"telegram-token-file",
			"",
			"file with the token of a Telegram bot, unless it is in TILTH_TELEGRAM_TOKEN; "+
				"none: no messages go to Telegram",
		)
		f.String("telegram-api", telegram.DefaultAPI, "address of the Bot API, if you run a server of it yourself")
	},
	read: func(k *koanf.Koanf) (notify.Poster, error) {
		token, err := readSecret(k, "telegram-token")
		api := k.String("telegram-api")
		if err != nil || token == "" {
			if err == nil && api != telegram.DefaultAPI {
				err = errors.New("--telegram-api: nothing uses it without TILTH_TELEGRAM_TOKEN")
			}
			return nil, err
		}
		bot, err := telegram.New(api, token)
		if err != nil {
			return nil, fmt.Errorf("TILTH_TELEGRAM_TOKEN, --telegram-api: %w", err)
		}
		return bot, nil
	},
}}

// addNotificationFlags declares the settings of notifications. Tokens have no flag, since everybody
// on the machine can read a flag's value.
func addNotificationFlags(f *pflag.FlagSet) {
	f.String(
		"smtp-url",
		"",
		"mail server: smtp://user:password@host:port?from=alerts@example.org&tls=starttls (or tls, none); "+
			"put it in TILTH_SMTP_URL rather than in a flag; empty: no mail is sent",
	)
	f.String("sms", SMSOff, "how SMS are sent: off, log (written to the log only), http (any gateway) or twilio")
	f.String("sms-url", "", "the gateway's address; may hold {to}, {digits}, {text} and {token}")
	f.String("sms-method", "POST", "GET, POST or PUT")
	f.StringArray(
		"sms-header",
		nil,
		"a header for the gateway, Name: value; may hold {token}; the flag may be repeated",
	)
	f.String("sms-body", "", `the request's body, for example {"to":"{to}","text":"{text}"} or to={to}&text={text}`)
	f.String(
		"sms-success",
		"",
		"what the gateway's answer must hold, beside a status of 2xx: path=value or path!=value of its JSON, or contains:text",
	)
	f.String("sms-token-file", "", "file with the gateway's token, unless it is in TILTH_SMS_TOKEN")
	f.String("twilio-account", "", "Twilio's account SID (AC…)")
	f.String("twilio-from", "", "number, name or messaging service (MG…) that SMS come from")
	f.String("twilio-token-file", "", "file with Twilio's auth token, unless it is in TILTH_TWILIO_TOKEN")
	f.Int(
		"digest-after",
		notify.DefaultDigestAfter,
		"so many alarms a minute go to a notification channel at once, the rest of the minute together at its end; "+
			"serious alarms never wait; 0: each alarm by itself",
	)
	f.Int(
		"mails-a-day",
		notify.DefaultMailsADay,
		"mails that a tenant may send in a day; beyond that only serious alarms go at once, up to twice as many, and the others in one mail an hour; "+
			"the provider's file may set mailsADay for a tenant; 0: any number",
	)
	f.Int("sms-a-day", notify.DefaultSMSADay, "the same for SMS (smsADay)")
	for _, m := range messengers {
		m.flags(f)
	}
	f.StringSlice(
		"webhook-private",
		nil,
		"private networks that tenants' webhooks may call, even without TLS, for example 10.1.2.0/24; empty: only the internet",
	)
}

// flagOfBudget is the setting behind the budget of each kind that has one.
var flagOfBudget = map[notify.ChannelKind]string{
	notify.KindEmail: "mails-a-day", notify.KindSMS: "sms-a-day",
}

// flagOfPart is the setting behind each part of a sender's configuration that the sender may
// refuse.
var flagOfPart = map[string]map[string]string{
	SMSHTTP: {
		"url": "--sms-url", "method": "--sms-method", "header": "--sms-header", "body": "--sms-body",
		"success": "--sms-success", "token": "TILTH_SMS_TOKEN",
	},
	SMSTwilio: {"account": "--twilio-account", "from": "--twilio-from", "token": "TILTH_TWILIO_TOKEN"},
}

// flagsOfSMSMode are the settings that only one value of --sms uses.
var flagsOfSMSMode = map[string][]string{
	SMSHTTP:   {"sms-url", "sms-header", "sms-body", "sms-success", "sms-token-file"},
	SMSTwilio: {"twilio-account", "twilio-from", "twilio-token-file"},
}

func (t *Notifications) read(k *koanf.Koanf) error {
	if raw := k.String("smtp-url"); raw != "" {
		var err error
		if t.Mail, err = mail.ParseURL(raw); err != nil {
			return fmt.Errorf("--smtp-url: %w", err)
		}
	}
	if t.DigestAfter = k.Int("digest-after"); t.DigestAfter < 0 {
		return fmt.Errorf("--digest-after: %d is less than 0", t.DigestAfter)
	}
	t.PerDay = map[notify.ChannelKind]int{}
	for kind, name := range flagOfBudget {
		most := k.Int(name)
		if most < 0 || most > tenant.MaxSendsPerDay {
			return fmt.Errorf("--%s: %d: must be 0 to %d", name, most, tenant.MaxSendsPerDay)
		}
		t.PerDay[kind] = most
	}
	var err error
	if t.WebhookPrivate, err = networksOf(k, "webhook-private"); err != nil {
		return err
	}
	t.Messengers = map[notify.ChannelKind]notify.Poster{}
	for _, m := range messengers {
		poster, err := m.read(k)
		if err != nil {
			return err
		}
		if poster != nil {
			t.Messengers[m.kind] = poster
		}
	}
	t.SMS = k.String("sms")
	for way, names := range flagsOfSMSMode {
		for _, name := range names {
			if way != t.SMS && len(linesOf(k, name)) > 0 {
				return fmt.Errorf("--%s: nothing uses it without --sms=%s", name, way)
			}
		}
	}
	switch t.SMS {
	case SMSOff, SMSLog:
		return nil
	case SMSHTTP:
		err = t.http(k)
	case SMSTwilio:
		err = t.twilio(k)
	default:
		return fmt.Errorf("--sms: %q is not off, log, http or twilio", t.SMS)
	}
	var wrong *sms.ConfigError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s: %s", flagOfPart[t.SMS][wrong.Part], wrong.Reason)
	}
	return err
}

func (t *Notifications) http(k *koanf.Koanf) error {
	token, err := readSecret(k, "sms-token")
	if err != nil {
		return err
	}
	t.gateway, err = sms.NewHTTP(sms.HTTPConfig{
		URL:     k.String("sms-url"),
		Method:  k.String("sms-method"),
		Headers: linesOf(k, "sms-header"),
		Body:    k.String("sms-body"),
		Success: k.String("sms-success"),
		Token:   token,
	})
	return err
}

func (t *Notifications) twilio(k *koanf.Koanf) error {
	token, err := readSecret(k, "twilio-token")
	if err != nil {
		return err
	}
	t.gateway, err = sms.NewTwilio(k.String("twilio-account"), token, k.String("twilio-from"))
	return err
}

// SMSSender sends SMS as the settings say.
func (t *Notifications) SMSSender(logger *slog.Logger) sms.Sender {
	switch t.SMS {
	case SMSLog:
		return sms.Log{Logger: logger}
	case SMSHTTP, SMSTwilio:
		return t.gateway
	}
	return sms.Off{}
}

// readSecret is the value of a setting that has no flag: from its environment variable, else from
// the file that the flag with -file names.
func readSecret(k *koanf.Koanf, name string) (string, error) {
	variable := Variable(name)
	value, file := strings.TrimSpace(k.String(name)), k.String(name+"-file")
	switch {
	case file == "":
	case value != "":
		return "", fmt.Errorf("--%s-file: %s is set too", name, variable)
	default:
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("--%s-file: %w", name, err)
		}
		if value = strings.TrimSpace(string(raw)); value == "" {
			return "", fmt.Errorf("--%s-file: %s is empty", name, file)
		}
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%s: it must be one word", variable)
	}
	return value, nil
}

// linesOf is a list as flags and files have it, or as the environment has it: one text with an item
// a line.
func linesOf(k *koanf.Koanf, name string) (lines []string) {
	all := k.Strings(name)
	if text, ok := k.Get(name).(string); ok {
		all = strings.Split(text, "\n")
	}
	for _, l := range all {
		if strings.TrimSpace(l) != "" {
			lines = append(lines, l)
		}
	}
	return lines
}
