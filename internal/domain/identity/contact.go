package identity

import (
	"net/mail"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

const maxEmailBytes = 254 // RFC 5321

var (
	e164Pattern          = regexp.MustCompile(`^\+?[1-9][0-9]{1,14}$`)
	chineseMobilePattern = regexp.MustCompile(`^1[3-9][0-9]{9}$`)
	emailPattern         = regexp.MustCompile(`^[^\s@<>,;"]+@[^\s@<>,;".]+(\.[^\s@<>,;".]+)+$`)
)

// E164 gives a phone number in the form that is stored and sent to; empty if it is no number. A
// Chinese mobile number without country code gets it.
func E164(number string) string {
	switch {
	case chineseMobilePattern.MatchString(number):
		return "+86" + number
	case e164Pattern.MatchString(number):
		return "+" + strings.TrimPrefix(number, "+")
	}
	return ""
}

// parseMobile reads a phone number that a person typed.
func parseMobile(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return "", errs.New(errs.Refused, "phone.required")
	}
	number := E164(typed)
	if number == "" {
		return "", errs.New(errs.Refused, "phone.format")
	}
	return number, nil
}

// parseNickname reads a nickname that a person typed.
func parseNickname(typed string) (string, error) {
	return tenant.ParseName(typed, "nickname", "profile.nicknameRequired")
}

// parseEmail reads an email address that a person typed.
func parseEmail(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return "", errs.New(errs.Refused, "profile.emailRequired")
	}
	if tenant.HasNumericMailHost(typed) {
		return "", errs.New(errs.Refused, "invalid.mailHost", "value", typed).WithField("email")
	}
	if !IsEmail(typed) {
		return "", errs.New(errs.Refused, "profile.emailFormat")
	}
	return typed, nil
}

// isIssuedEmail tells whether the address that an issuer gives a person is one, as people may enter it,
// and shows all that it has.
func isIssuedEmail(address string) bool {
	return IsEmail(address) && !tenant.HasNumericMailHost(address) &&
		!strings.ContainsFunc(address, func(r rune) bool { return !unicode.IsPrint(r) })
}

// IsEmail tells whether mail can be sent to an address as it is.
func IsEmail(address string) bool {
	a, err := mail.ParseAddress(address)
	return err == nil && a.Address == address && len(address) <= maxEmailBytes && emailPattern.MatchString(address) &&
		!strings.ContainsFunc(address, tenant.BreaksLayout)
}

// MaskedMobile masks a number so that its owner recognises it: it shows the first and last three
// characters.
func MaskedMobile(number string) string {
	if len(number) < 8 {
		return "•••"
	}
	return number[:3] + "•••••" + number[len(number)-3:]
}

// MaskedEmail masks an address: it shows the first letter and the domain.
func MaskedEmail(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 1 {
		return "•••"
	}
	_, first := utf8.DecodeRuneInString(address)
	return address[:first] + "•••" + address[at:]
}
