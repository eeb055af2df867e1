package alerttext

import (
	"strings"
	"testing"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// silences are all causes, by what an English mail says of them.
var silences = map[string]alertmsg.Silence{
	"Its battery was at 3.38 V (Nov 21, 2026, 04:10), below the limit of 3.5 V, in 4 of the last 5 nights": {
		Kind: "batteryLow", Value: 3.38, Unit: "V", Decimals: new(2), Limit: 3.5, NightsLow: 4, Nights: 5},
	"Its battery was at 3.38 V (Nov 21, 2026, 04:10), below the limit of 3.5 V": {
		Kind: "batteryLow", Value: 3.38, Unit: "V", Decimals: new(2), Limit: 3.5, NightsLow: 1, Nights: 1},
	"It still uses a secret that is no longer valid; sign-ins refused: 12 (last: Nov 21, 2026, 04:10)": {
		Kind: "secretRefused", Attempts: 12, Former: true},
	"Sign-ins under its name refused for a wrong secret: 1 (last: Nov 21, 2026, 04:10)": {
		Kind: "secretRefused", Attempts: 1},
	"It reports through Barn gateway, which has been silent too since Nov 21, 2026, 04:10": {
		Kind: "gatewaySilent", Gateway: "Barn gateway"},
	"Its clock was 3 h ahead, so its last readings were refused (Nov 21, 2026, 04:10)": {
		Kind: "clockAhead", Ahead: 3 * 3600_000},
	"Its last readings were refused because their time was in the future (Nov 21, 2026, 04:10)": {Kind: "clockAhead"},
	"It has not reported once":     {Kind: "neverConnected"},
	"The provider has shut it out": {Kind: "disabled"},
	"The cause is not known; last contact: Nov 21, 2026, 04:00, until then a reading about every 10 min": {
		Kind: "unknown", Interval: 599_000},
}

// Mails and messages of every language say why a device is silent, an SMS too if there is room.
func TestSilence(t *testing.T) {
	const at = 1795223400000 // 04:10 in the renderer's zone
	for said, s := range silences {
		s.At, s.LastContact = at, at-600_000
		if s.Kind == "neverConnected" || s.Kind == "disabled" {
			s.At = 0
		}
		for _, l := range text.Languages {
			v := newRenderer(l)
			a := frost(l)
			a.Offline, a.Conditions, a.Values, a.Window, a.Silence = true, nil, nil, 300_000, &s
			m := writeMail(t, l, a)
			cause := spaced.Replace(v.silenceText(&a, v.moment))
			if l == text.English && cause != said {
				t.Errorf("%q, want %q", cause, said)
			}
			if cause == "" || strings.Contains(cause, "letter.") || strings.ContainsAny(cause, "{}") {
				t.Errorf("%s, %s: %q", l, s.Kind, cause)
			}
			for where, body := range map[string]string{"text": m.Text, "messenger": v.Message("Farm", []alertmsg.Alarm{a}, 4000)} {
				if !strings.Contains(spaced.Replace(body), cause) {
					t.Errorf("%s: the %s lacks %q: %s", l, where, cause, body)
				}
			}
			sms := checkedSMS(t, v, "Farm", []alertmsg.Alarm{a})
			if brief := v.smsSilence(&a); brief != "" && !strings.Contains(sms, text.FoldSMS(l, brief)) {
				t.Errorf("%s: the SMS lacks %q: %s", l, brief, sms)
			}
			a.Event = alertmsg.Resolved
			a.Silence = nil // the device is back
			if got := v.silenceText(&a, v.moment); got != "" {
				t.Errorf("%s: at the end %q", l, got)
			}
		}
	}
}
