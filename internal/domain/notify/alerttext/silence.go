package alerttext

import (
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// silenceText says why the device of an alarm on being offline is silent, as a sentence without a
// full stop. Empty: nothing is known of it, or the device is back.
func (v *Renderer) silenceText(a *alertmsg.Alarm, when func(ms int64) string) string {
	s := a.Silence
	if s == nil {
		return ""
	}
	switch s.Kind {
	case "batteryLow":
		said := v.say("letter.silence.battery", "value", v.number(s.Value, s.Unit, s.Decimals), "time", when(s.At),
			"limit", v.number(s.Limit, s.Unit, nil))
		if s.Nights < 2 || s.NightsLow == 0 {
			return said
		}
		return v.say("letter.silence.nights", "text", said,
			"low", text.Count(v.Language, s.NightsLow), "n", text.Count(v.Language, s.Nights))
	case "secretRefused":
		key := "letter.silence.wrongSecret"
		if s.Former {
			key = "letter.silence.formerSecret"
		}
		return v.say(key, "n", text.Count(v.Language, int(s.Attempts)), "time", when(s.At))
	case "gatewaySilent":
		return v.say("letter.silence.gateway", "gateway", shortName(s.Gateway), "time", when(s.At))
	case "clockAhead":
		if s.Ahead == 0 {
			return v.say("letter.silence.clock", "time", when(s.At))
		}
		return v.say("letter.silence.clockAhead", "span", v.duration(s.Ahead), "time", when(s.At))
	case "neverConnected":
		return v.say("letter.silence.never")
	case "disabled":
		return v.say("letter.silence.disabled")
	}
	if s.Interval == 0 {
		return v.say("letter.silence.unknown", "time", when(s.LastContact))
	}
	return v.say("letter.silence.unknownEvery", "time", when(s.LastContact), "span", v.interval(s.Interval))
}

// smsSilence says the same as silenceText in a few words, for an SMS; empty where an SMS has nothing
// to say: the cause is not known.
func (v *Renderer) smsSilence(a *alertmsg.Alarm) string {
	s := a.Silence
	if s == nil {
		return ""
	}
	switch s.Kind {
	case "batteryLow":
		return v.say("letter.silence.smsBattery", "value", v.number(s.Value, s.Unit, s.Decimals))
	case "secretRefused":
		return v.say("letter.silence.smsSecret")
	case "gatewaySilent":
		return v.say("letter.silence.smsGateway", "gateway", text.Shorten(shortName(s.Gateway), smsValueMost))
	case "clockAhead":
		return v.say("letter.silence.smsClock")
	case "neverConnected":
		return v.say("letter.silence.smsNever")
	}
	return ""
}
