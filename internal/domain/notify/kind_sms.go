package notify

import (
	"regexp"
	"strings"
	"unicode"

	"tilth/internal/domain/tenant"
)

// KindSMS is the kind of SMS.
const KindSMS ChannelKind = "phoneMessage"

var (
	international = regexp.MustCompile(`^\+?[1-9][0-9]{1,14}$`)
	chineseMobile = regexp.MustCompile(`^1[3-9][0-9]{9}$`)
)

var sms = Kind{
	Name: KindSMS, Label: "sms",
	Field: "phoneMessage", MaxRecipients: 3,
	Normalize: normalizePhone,
	// The country and the network.
	Destination: func(number string) string { return number[:min(len(number), len("+90555"))] },
	Texts: KindTexts{
		Empty: "channel.phoneEmpty", Format: "channel.phoneFormat", Twice: "channel.phoneTwice",
		NotSetUp: "channel.noGateway", Refused: "channel.smsRefused", Down: "channel.smsDown",
	},
	MaxInFlight: 4,
	OwnLimit:    func(owner *tenant.Tenant) *int { return owner.SMSPerDay },
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
