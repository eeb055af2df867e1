package alerttext

import (
	"maps"
	"sort"
	"strconv"
	"strings"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// The most parts of an SMS, for which the gateway charges: one if all characters are of the GSM
// alphabet, else two.
const (
	partsLatin = 1
	partsOther = 2
)

// minReadableName is the length that a name should keep, in characters: before it becomes shorter,
// the text leaves out something less important.
const minReadableName = 14

// The longest text value and unit in an SMS, in characters, and how many alarms of a digest an SMS
// tries to list; more never fit.
const (
	smsValueMost = 24
	smsUnitMost  = 12
	smsListMost  = 8
)

// SMS writes a text message of a channel: about one alarm, several (a digest), or none (a test
// message). It has at most one part if all its characters are of the GSM alphabet, else two. For
// that it shortens names, but never values. It has no link, since mobile carriers block links.
func (v *Renderer) SMS(channel string, alarms []alertmsg.Alarm) string {
	switch len(alarms) {
	case 0:
		names := nameArgs{"tenant": v.sender(), "channel": shortName(channel)}
		return v.firstFitting([]draft{{key: "letter.smsTest", names: names}})
	case 1:
		return v.firstFitting(v.drafts(&alarms[0]))
	}
	var all []draft
	sorted := bySeverity(alarms)
	for n := min(len(sorted), smsListMost); n > 0; n-- {
		all = append(all, v.digestDraft(sorted, n, v.count(alarms)))
	}
	return v.firstFitting(all)
}

// sender gives the tenant's name for an SMS. Chinese mobile carriers require it in 【】, which the
// sentences contain.
func (v *Renderer) sender() string {
	return strings.NewReplacer("【", "", "】", "").Replace(shortName(v.Tenant))
}

type nameArgs map[string]string

// draft is an SMS whose names may be shortened.
type draft struct {
	key   string
	names nameArgs
	fixed map[string]string
	wrap  func(v *Renderer, said string, n nameArgs) string // adds to the sentence; nil: adds nothing
}

func (d draft) say(v *Renderer, short nameArgs) string {
	args := maps.Clone(short)
	for variable, value := range d.fixed {
		args[variable] = fill(value, short) // it may refer to shortened names
	}
	said := text.Translate(v.Language, d.key, args)
	if d.wrap != nil {
		said = d.wrap(v, said, short)
	}
	return text.FoldSMS(v.Language, said)
}

// fill puts the shortened names into a part that was written before they were known.
func fill(part string, n nameArgs) string {
	if !strings.Contains(part, "\x00") {
		return part
	}
	pairs := make([]string, 0, 2*len(n))
	for variable, value := range n {
		pairs = append(pairs, "\x00"+variable+"\x00", value)
	}
	return strings.NewReplacer(pairs...).Replace(part)
}

// firstFitting gives the first draft that fits with readable names, else the last one with names as
// short as necessary.
func (v *Renderer) firstFitting(drafts []draft) string {
	said := ""
	for i, d := range drafts {
		floor := minReadableName
		if i == len(drafts)-1 {
			floor = minNameLen
		}
		with := func(most int) string {
			short := nameArgs{}
			for variable, value := range d.names {
				short[variable] = text.Shorten(value, most)
			}
			return d.say(v, short)
		}
		// It searches for the longest names that fit: shorter names never need more parts.
		less := sort.Search(nameMost-floor, func(less int) bool { return fits(with(nameMost - less)) })
		if said = with(nameMost - less); fits(said) {
			return said
		}
	}
	return said
}

func fits(s string) bool {
	if text.IsGSM(s) {
		return text.SMSParts(s) <= partsLatin
	}
	return text.SMSParts(s) <= partsOther
}

// drafts gives an alarm's messages from the most detailed to the shortest.
func (v *Renderer) drafts(a *alertmsg.Alarm) (all []draft) {
	base := draft{names: nameArgs{"tenant": v.sender(), "title": shortName(a.Title), "device": shortName(a.Name())}}
	base.fixed = map[string]string{"level": v.say(smsLevels[levelOf(a)]), "duration": v.durationText(a),
		"time": v.shortMoment(a.Start), "by": ""}
	switch a.Event {
	case alertmsg.Resolved:
		base.key = "letter.smsResolved"
		base.fixed["time"] = v.shortMoment(a.End)
		if a.Manual {
			base.key = "letter.smsByHand"
		}
	case alertmsg.Reminder:
		base.key = "letter.smsStill"
	default:
		base.key = "letter.smsTriggered"
	}
	if a.Manual && a.User != "" {
		base.names["user"] = shortName(a.User)
		base.fixed["by"] = v.say("letter.smsBy", "user", "\x00user\x00")
	}
	var bases []draft
	if since := v.onsetTime(a, shortTime); since != "" {
		bases = append(bases, v.withSince(base, a, since))
	}
	bases = append(bases, base)
	if cause := v.smsSilence(a); cause != "" { // it is worth more than since when the device is silent
		for _, b := range bases {
			all = append(all, v.withLimits(withCause(b, cause), a)...)
		}
	}
	for _, b := range bases {
		all = append(all, v.withLimits(b, a)...)
	}
	return all
}

// withLimits gives an alarm's messages with values and limits, with fewer and fewer of them.
func (v *Renderer) withLimits(base draft, a *alertmsg.Alarm) (all []draft) {
	measured := v.smsMeasurements(a)
	for _, limits := range []bool{true, false} {
		for n := len(measured); ; n-- {
			d := v.withReadings(base, a, measured[:n], limits)
			if a.Remark != "" && limits && n == len(measured) {
				all = append(all, v.withRemark(d, a))
			}
			all = append(all, d)
			if n <= 1 {
				break
			}
		}
	}
	if !isAcknowledged(a) {
		return all
	}
	// The acknowledgement is more important than limits and further readings.
	var acked []draft
	for i, d := range all {
		if i == 0 && a.Ack.Note != "" {
			acked = append(acked, v.withAck(d, a, 2))
		}
		acked = append(acked, v.withAck(d, a, 1), v.withAck(d, a, 0))
	}
	if a.Event == alertmsg.Reminder {
		shortest := all[len(all)-1]
		shortest.key = "letter.smsStillBrief" // it still says since when the notice is open
		acked = append(acked, v.withAck(shortest, a, 0))
	}
	return append(acked, all...)
}

// smsAcks are the sentences about an acknowledgement by whether it has expired: the user alone,
// with the time, and with the note.
var smsAcks = map[bool][]string{
	false: {"letter.smsAckIs", "letter.smsAckIsAt", "letter.smsAckIsNote"},
	true:  {"letter.smsAckWas", "letter.smsAckWasAt", "letter.smsAckWasNote"},
}

// withAck adds who acknowledged the notice, by the sentence of smsAcks at index form.
func (v *Renderer) withAck(d draft, a *alertmsg.Alarm, form int) draft {
	d.names = maps.Clone(d.names)
	d.names["ackUser"] = shortName(a.Ack.User)
	if form == 2 {
		d.names["ackNote"] = strings.TrimRight(shortNote(a.Ack.Note), ".。")
	}
	d.wrap = func(v *Renderer, said string, n nameArgs) string {
		return v.say(smsAcks[v.ackExpired(a)][form], "text", said, "user", n["ackUser"], "time",
			v.shortMoment(a.Ack.Time), "note", n["ackNote"])
	}
	return d
}

// withSince replaces the time at which an alarm was noticed by a text that also says since when it
// holds. A reminder has the former beside the values and says the latter at the end.
func (v *Renderer) withSince(d draft, a *alertmsg.Alarm, since string) draft {
	d.fixed = maps.Clone(d.fixed)
	d.fixed["time"] = since
	if a.Event == alertmsg.Reminder {
		since := v.onsetOnly(a, shortTime)
		d.wrap = func(v *Renderer, said string, _ nameArgs) string {
			return v.say("letter.smsSince", "text", said, "since", since)
		}
	}
	return d
}

// withCause adds why the device is silent.
func withCause(d draft, cause string) draft {
	inner := d.wrap
	d.wrap = func(v *Renderer, said string, n nameArgs) string {
		if inner != nil {
			said = inner(v, said, n)
		}
		return v.say("letter.silence.sms", "text", said, "cause", cause)
	}
	return d
}

func (v *Renderer) withRemark(d draft, a *alertmsg.Alarm) draft {
	d.names = maps.Clone(d.names)
	d.names["remark"] = strings.TrimRight(shortNote(a.Remark), ".。")
	d.wrap = func(v *Renderer, said string, n nameArgs) string {
		return v.say("letter.smsRemark", "text", said, "remark", n["remark"])
	}
	return d
}

// smsMeasurements gives the values for an SMS, with shortened text values and units.
func (v *Renderer) smsMeasurements(a *alertmsg.Alarm) (list []measurement) {
	brief := *v
	brief.unitMost = smsUnitMost
	for _, m := range brief.measurements(a) {
		if _, words := a.Values[m.identifier].(string); words {
			m.value = text.Shorten(m.value, smsValueMost)
			m.valueWithUnit = m.value
		}
		for i, limit := range m.limits {
			m.limits[i] = text.Shorten(limit, smsValueMost+smsUnitMost)
		}
		list = append(list, m)
	}
	return list
}

// withReadings adds the values and, with limits, what they were compared with.
func (v *Renderer) withReadings(d draft, a *alertmsg.Alarm, measured []measurement, limits bool) draft {
	d.names, d.fixed = maps.Clone(d.names), maps.Clone(d.fixed)
	var parts []string
	if said := v.summary(a, v.shortMoment); a.Offline && said != "" {
		parts = append(parts, said)
	}
	for i, m := range measured {
		variable := "name" + strconv.Itoa(i)
		d.names[variable] = m.name
		said := v.say("letter.smsReading", "name", "\x00"+variable+"\x00", "value", m.value)
		if limits && a.Event != alertmsg.Resolved {
			key := "letter.smsLimits"
			if len(a.Conditions) == 1 {
				key = "letter.smsLimit"
			}
			said = v.say(key, "reading", said, "condition", strings.Join(m.limits, ", "))
		}
		parts = append(parts, said)
	}
	about := "\x00device\x00"
	if a.Event == alertmsg.Reminder { // the values are of the start
		about = v.say("letter.smsThen", "device", about, "time", v.shortMoment(a.Start))
	}
	if len(parts) > 0 {
		about = v.say("letter.smsAbout", "device", about, "readings", v.joinChain("letter.list", parts))
	}
	d.fixed["about"] = about
	return d
}

// digestDraft names the first n alarms and says how many more there are.
func (v *Renderer) digestDraft(sorted []*alertmsg.Alarm, n int, count string) draft {
	d := draft{key: "letter.smsDigest", names: nameArgs{"tenant": v.sender()}, fixed: map[string]string{"count": count}}
	var parts []string
	for i, a := range sorted[:n] {
		title, device := "title"+strconv.Itoa(i), "device"+strconv.Itoa(i)
		d.names[title], d.names[device] = shortName(a.Title), shortName(a.Name())
		value := v.statusWord(a)
		if a.Event != alertmsg.Resolved {
			if a.Offline {
				value = v.summary(a, v.shortMoment)
			} else if m := v.smsMeasurements(a); len(m) > 0 {
				value = m[0].valueWithUnit
			}
		}
		parts = append(parts,
			v.say("letter.smsItem", "title", "\x00"+title+"\x00", "device", "\x00"+device+"\x00", "value", value))
	}
	if more := len(sorted) - n; more > 0 {
		parts = append(parts, v.say("letter.digestMore", "n", text.Count(v.Language, more)))
	}
	d.fixed["list"] = v.joinChain("letter.list", parts)
	return d
}
