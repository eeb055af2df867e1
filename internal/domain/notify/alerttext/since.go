package alerttext

import (
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/text"
)

// hasEarlierOnset tells whether it is known since when an alarm holds, and that is an earlier
// minute than the one in which it was noticed.
func hasEarlierOnset(a *alertmsg.Alarm) bool {
	const minute = 60_000
	return a.HoldsSince > 0 && a.HoldsSince/minute < a.Start/minute
}

// since says since when the conditions hold, or since when the device is silent, and when that was
// noticed: Air temperature below −2 °C since Nov 20, 2026, 22:10, noticed 23:31. when writes the
// first of the two times. At an end it says what held, without when it was noticed. Empty: it is
// not known.
func (v *Renderer) since(a *alertmsg.Alarm, when func(ms int64) string) string {
	if !hasEarlierOnset(a) {
		return ""
	}
	over, at := a.Event == alertmsg.Resolved, when(a.HoldsSince)
	switch {
	case a.Offline && over:
		return v.say("letter.wasSilent", "time", at)
	case a.Offline:
		return v.withNoticedTime(a, v.say("letter.silent", "time", at), text.DateTime)
	case over:
		return v.say("letter.held", "conditions", v.conditionWords(a), "time", at)
	}
	return v.withNoticedTime(a, v.say("letter.holds", "conditions", v.conditionWords(a), "time", at), text.DateTime)
}

// onsetTime says the same for an open alarm on readings without the conditions: Since Nov 20,
// 22:10, noticed 23:31. write writes both times.
func (v *Renderer) onsetTime(a *alertmsg.Alarm, write func(text.Language, time.Time) string) string {
	if !hasEarlierOnset(a) || a.Offline || a.Event == alertmsg.Resolved {
		return ""
	}
	return v.withNoticedTime(a, v.say("letter.since", "time", write(v.Language, v.localTime(a.HoldsSince))), write)
}

// withNoticedTime adds to since when the alarm was noticed.
func (v *Renderer) withNoticedTime(
	a *alertmsg.Alarm,
	since string,
	write func(text.Language, time.Time) string,
) string {
	key, start := "letter.noticed", v.localTime(a.Start)
	said := text.DateTimeAfter(v.Language, start, v.localTime(a.HoldsSince), write)
	if said == write(v.Language, start) {
		key = "letter.noticedOn"
	}
	return v.say(key, "since", since, "time", said)
}

// conditionWords writes an alarm's conditions in words, in brackets where reading from left to
// right would mislead.
func (v *Renderer) conditionWords(a *alertmsg.Alarm) string {
	return v.joinConditions(a, func(c alertmsg.Condition) string {
		called, unit, _ := v.property(a, c.Property)
		key := comparator.Of(c.Operator).Key
		if key == "" {
			return shortName(called) + " " + v.limit(a, c)
		}
		return v.say("letter."+key, "name", shortName(called), "value",
			v.value(c.Value, text.UnitUnlessInName(v.Language, called, unit), nil))
	})
}
