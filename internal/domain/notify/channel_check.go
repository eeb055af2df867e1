package notify

import (
	"net/mail"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

const (
	emailsMax  = 20
	phonesMax  = 3
	addressMax = 254 // bytes, RFC 5321
	quotedMax  = 64  // characters of the typed text that an error shows
)

var (
	international = regexp.MustCompile(`^\+?[1-9][0-9]{1,14}$`)
	chineseMobile = regexp.MustCompile(`^1[3-9][0-9]{9}$`)
	addressShape  = regexp.MustCompile(`^[^\s@<>,;"]+@[^\s@<>,;".]+(\.[^\s@<>,;".]+)+$`)
)

// ChannelForm is a channel as users fill it in. A nil field was not given.
type ChannelForm struct {
	Name     *string
	Kinds    []string
	Emails   []string
	Phones   []string
	Language *string
}

// Channel makes a channel from the form. Its error is the first mistake in the order of the form
// (601). It neither checks nor keeps recipients of a kind that is not chosen.
func (f *ChannelForm) Channel(t tenant.ID) (c Channel, err error) {
	c.Tenant = t
	if c.Name, err = shownName(f.Name, "noticeName"); err != nil {
		return c, err
	}
	for _, kind := range f.Kinds {
		switch ChannelKind(kind) {
		case KindEmail:
			c.ByEmail = true
		case KindSMS:
			c.ByPhone = true
		default:
			return c, errs.New(errs.Refused, "invalid.choice").WithField("noticeMode")
		}
	}
	if !c.ByEmail && !c.ByPhone {
		return c, errs.New(errs.Refused, "channel.modeRequired")
	}
	if c.ByEmail {
		if c.Emails, err = emailParser.parse(f.Emails); err != nil {
			return c, err
		}
	}
	if c.ByPhone {
		if c.Phones, err = phoneParser.parse(f.Phones); err != nil {
			return c, err
		}
	}
	if f.Language != nil {
		c.Language = text.Language(strings.TrimSpace(*f.Language))
	}
	if c.Language != "" && !c.Language.Valid() {
		return c, errs.New(errs.Refused, "invalid.choice").WithField("language")
	}
	return c, nil
}

// shownName parses the name of a channel or a webhook.
func shownName(said *string, field string) (string, error) {
	name := ""
	if said != nil {
		name = *said
	}
	return tenant.ParseName(name, field, "common.nameRequired")
}

// recipientParser parses the recipients of one kind.
type recipientParser struct {
	field                    string
	limit                    int
	empty, format, duplicate string                    // keys of the errors
	normalize                func(typed string) string // gives the stored form; empty: not valid
	same                     func(a, b string) bool
}

var (
	emailParser = recipientParser{"emails", emailsMax, "channel.emailEmpty", "channel.emailFormat",
		"channel.emailTwice", normalizeEmail, sameAddress}
	phoneParser = recipientParser{"phoneMessage", phonesMax, "channel.phoneEmpty", "channel.phoneFormat",
		"channel.phoneTwice", normalizePhone, func(a, b string) bool { return a == b }}
)

// parse gives the typed recipients in their stored form; it ignores empty lines.
func (w *recipientParser) parse(typed []string) ([]string, error) {
	var list []string
	for _, one := range typed {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		normalized := w.normalize(one)
		switch {
		case tenant.HasNumericMailHost(one): // never true for a phone number
			return nil, errs.New(errs.Refused, "invalid.mailHost", "value", quoted(one)).WithField(w.field)
		case normalized == "":
			return nil, errs.New(errs.Refused, w.format, "value", quoted(one))
		case slices.ContainsFunc(list, func(other string) bool { return w.same(normalized, other) }):
			return nil, errs.New(errs.Refused, w.duplicate, "value", quoted(one))
		}
		list = append(list, normalized)
	}
	switch {
	case len(list) == 0:
		return nil, errs.New(errs.Refused, w.empty)
	case len(list) > w.limit:
		return nil, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(w.limit)).WithField(w.field)
	}
	return list, nil
}

// normalizeEmail gives an address that mail can be sent to as it is; empty: it is none.
func normalizeEmail(typed string) string {
	a, err := mail.ParseAddress(typed)
	if err != nil || a.Address != typed || len(typed) > addressMax || !addressShape.MatchString(typed) ||
		strings.ContainsFunc(typed, tenant.BreaksLayout) {
		return ""
	}
	return typed
}

// sameAddress tells whether two addresses are the same mailbox as far as can be known: it ignores
// the case of ASCII letters.
func sameAddress(a, b string) bool { return lowerASCII(a) == lowerASCII(b) }

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// normalizePhone gives a phone number in E.164, as a user's own number is stored: it adds the
// country code to a bare Chinese mobile number, and takes any other number without a plus to begin
// with the country code. Empty: it is no phone number.
func normalizePhone(typed string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Dash) || strings.ContainsRune("()（）", r) {
			return -1
		}
		return r
	}, typed)
	switch {
	case chineseMobile.MatchString(bare):
		return "+86" + bare
	case international.MatchString(bare):
		return "+" + strings.TrimPrefix(bare, "+")
	}
	return ""
}

// quoted is what a user typed, as an error shows it.
func quoted(typed string) string {
	typed = strings.Map(func(r rune) rune {
		if tenant.BreaksLayout(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(typed, ""))
	if runes := []rune(typed); len(runes) > quotedMax {
		return string(runes[:quotedMax]) + "…"
	}
	return typed
}
