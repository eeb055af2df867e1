package alerttext

import (
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/text"
)

// timeFormat writes times and days, in full or in short.
type timeFormat struct {
	moment, day func(text.Language, time.Time) string
}

var (
	fullTime  = timeFormat{text.DateTime, text.Date}
	shortTime = timeFormat{text.ShortDateTime, text.ShortDate}
)

// hasEarlierOnset tells whether it is known since when an alarm holds, and that is an earlier
// minute than the one in which it was noticed.
func hasEarlierOnset(a *alertmsg.Alarm) bool {
	const minute = 60_000
	return a.HoldsSince > 0 && a.HoldsSince/minute < a.Start/minute
}

// since says since when the conditions hold, or since when the device is silent, and when that was
// noticed: Air temperature below −2 °C since Nov 20, 2026, 22:10, noticed 23:31. when writes the
// first time that it gives. At an end it says what held, without when it was noticed. Empty: it is
// not known.
func (v *Renderer) since(a *alertmsg.Alarm, when func(ms int64) string) string {
	if !hasEarlierOnset(a) {
		return ""
	}
	over, as := a.Event == alertmsg.Resolved, fullTime
	if a.HoldsSincePrecision == alertmsg.ToTheMinute {
		as.moment = func(_ text.Language, t time.Time) string { return when(t.UnixMilli()) }
	}
	said := v.onset(a, as, v.conditionWords(a))
	if over {
		return said
	}
	noticed := text.DateTime
	if a.HoldsSincePrecision != alertmsg.ToTheMinute {
		noticed = func(_ text.Language, t time.Time) string { return when(t.UnixMilli()) }
	}
	return v.withNoticedTime(a, said, noticed)
}

// onset says since when an alarm holds, with its conditions, or the device is silent.
func (v *Renderer) onset(a *alertmsg.Alarm, as timeFormat, conditions string) string {
	key := "letter.holds"
	switch over := a.Event == alertmsg.Resolved; {
	case a.HoldsSincePrecision == alertmsg.BeforeThat:
		return v.say("letter.holdsFor", "conditions", conditions, "span", v.onsetSpan(a))
	case a.Offline && over:
		key = "letter.wasSilent"
	case a.Offline:
		key = "letter.silent"
	case over:
		key = "letter.held"
	}
	return v.say(key, "conditions", conditions, "time", v.onsetDay(a, as))
}

// onsetDay writes since when an alarm holds: to the minute, or the day alone if only that is known.
func (v *Renderer) onsetDay(a *alertmsg.Alarm, as timeFormat) string {
	if a.HoldsSincePrecision == alertmsg.ToTheDay {
		return as.day(v.Language, v.localTime(a.HoldsSince))
	}
	return as.moment(v.Language, v.localTime(a.HoldsSince))
}

// onsetSpan says for how long at least an alarm had held when it was noticed.
func (v *Renderer) onsetSpan(a *alertmsg.Alarm) string {
	const day, year = 86_400_000, 365
	if n := (a.Start - a.HoldsSince) / day; n < year {
		return v.say("letter.forDays", "n", text.Count(v.Language, int(n)))
	}
	return v.say("letter.forYear")
}

// onsetOnly says since when an alarm on readings holds, without the conditions: Since Nov 20, 22:10.
func (v *Renderer) onsetOnly(a *alertmsg.Alarm, as timeFormat) string {
	if a.HoldsSincePrecision == alertmsg.BeforeThat {
		return capitalize(v.onsetSpan(a))
	}
	return v.say("letter.since", "time", v.onsetDay(a, as))
}

// onsetTime says the same for an open alarm, and when it was noticed: Since Nov 20, 22:10, noticed
// 23:31.
func (v *Renderer) onsetTime(a *alertmsg.Alarm, as timeFormat) string {
	if !hasEarlierOnset(a) || a.Offline || a.Event == alertmsg.Resolved {
		return ""
	}
	return v.withNoticedTime(a, v.onsetOnly(a, as), as.moment)
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
