package alerttext

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

const (
	subjectMost = 60 // characters
	listMost    = 50 // alarms that a digest lists
)

// Mail is the text of a mail; the caller adds the picture.
type Mail struct{ Subject, Text, HTML string }

// PictureID is the picture's content id in the HTML part: cid:chart@letter.
const PictureID = "chart@letter"

// Mail writes a mail of a channel: about one alarm, several (a digest), or none (a test message).
// With pictured the HTML part shows the picture.
func (v *Renderer) Mail(channel string, alarms []alertmsg.Alarm, pictured bool) (Mail, error) {
	var m Mail
	var s mailData
	m.Subject, s = v.content(channel, alarms, pictured)
	m.Text = v.plain(alarms, &s)
	var err error
	m.HTML, err = s.html()
	return m, err
}

// content gives the subject and the data of a mail.
func (v *Renderer) content(channel string, alarms []alertmsg.Alarm, pictured bool) (subject string, s mailData) {
	switch len(alarms) {
	case 0:
		subject = v.subject("letter.testSubject", map[string]string{"channel": shortName(channel)}, "channel")
		s = mailData{Title: shortName(channel), Word: v.say("letter.wordTest"), Tone: neutralTone,
			Lead: v.say("letter.testLead", "channel", shortName(channel))}
	case 1:
		a := &alarms[0]
		subject = v.subject("letter.subject",
			map[string]string{"word": v.statusWord(a), "title": shortName(a.Title), "device": shortName(a.Name())},
			"title", "device")
		s = v.alarmData(a, pictured)
	default:
		subject = v.subject("letter.digestSubject",
			map[string]string{"count": v.count(alarms), "tenant": shortName(v.Tenant)}, "tenant")
		s = v.digestData(alarms)
	}
	s.Language, s.Tenant = string(v.Language), shortName(v.Tenant)
	s.Why = v.say("letter.why", "channel", shortName(channel))
	if v.Hourly && len(alarms) == 1 {
		s.Why = v.say("letter.joined", "first", v.say("letter.hourly"), "rest", s.Why)
	}
	return subject, s
}

// subject writes a sentence of at most subjectMost characters: it shortens the variables in names,
// the longest first, and never what happened.
func (v *Renderer) subject(key string, args map[string]string, names ...string) string {
	said := ""
	for most := nameMost; most >= minNameLen; most-- {
		short := maps.Clone(args)
		for _, variable := range names {
			short[variable] = text.Shorten(args[variable], most)
		}
		if said = text.Translate(v.Language, key, short); utf8.RuneCountInString(said) <= subjectMost {
			break
		}
	}
	return said
}

// minNameLen is the least length of a shortened name, in characters, including the dots.
const minNameLen = 4

// count writes how many alarms there are, and whether they began or ended.
func (v *Renderer) count(alarms []alertmsg.Alarm) string {
	ended := 0
	for _, a := range alarms {
		if a.Event == alertmsg.Resolved {
			ended++
		}
	}
	key := "letter.digestMixed"
	switch ended {
	case 0:
		key = "letter.digestBegan"
	case len(alarms):
		key = "letter.digestEnded"
	}
	return v.say(key, "n", text.Count(v.Language, len(alarms)))
}

// bySeverity sorts the alarms of a digest: the most serious first; within a level open ones before
// those that ended; then by start.
func bySeverity(alarms []alertmsg.Alarm) []*alertmsg.Alarm {
	sorted := make([]*alertmsg.Alarm, len(alarms))
	for i := range alarms {
		sorted[i] = &alarms[i]
	}
	over := func(a *alertmsg.Alarm) int {
		if a.Event == alertmsg.Resolved {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(sorted, func(a, b *alertmsg.Alarm) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), cmp.Compare(over(a), over(b)), cmp.Compare(a.Start, b.Start))
	})
	return sorted
}

// paragraph writes all facts of an alarm as one paragraph.
func (v *Renderer) paragraph(a *alertmsg.Alarm) string {
	facts := []string{v.fact("letter.labelDevice", shortName(a.Name()))}
	since := capitalize(v.since(a, v.zoned))
	if since != "" && a.Event != alertmsg.Resolved {
		facts = append([]string{since}, facts...) // readers want to know that first
	}
	switch {
	case a.Event == alertmsg.Resolved:
		facts = append(facts, v.say("letter.endAfter", "end", v.moment(a.End), "duration", v.durationText(a)))
		if since := capitalize(v.since(a, v.moment)); since != "" {
			facts = append(facts, since)
		}
	case a.Event == alertmsg.Reminder && since != "":
		facts = append(facts, v.fact("letter.labelSoFar", v.durationText(a)))
	case a.Event == alertmsg.Reminder:
		facts = append(facts, v.say("letter.sinceFor", "start", v.zoned(a.Start), "duration", v.durationText(a)))
	case since == "":
		facts = append(facts, v.fact("letter.labelTime", v.zoned(a.Start)))
	}
	if evaluated := v.evaluationText(a); evaluated != "" {
		facts = append(facts, evaluated)
	}
	if silence := v.silenceText(a, v.moment); silence != "" {
		facts = append(facts, silence)
	}
	if a.Manual && a.User != "" {
		facts = append(facts, v.fact("letter.labelUser", shortName(a.User)))
	}
	if a.Remark != "" {
		facts = append(facts, v.fact("letter.labelRemark", v.quoted(a.Remark)))
	}
	return v.say("letter.sentences", "lead", v.leadSentence(a), "facts", v.joinChain("letter.facts", facts))
}

// plain writes the text part, for mail programs that show no HTML; it has the same facts.
func (v *Renderer) plain(alarms []alertmsg.Alarm, s *mailData) string {
	var parts []string
	switch len(alarms) {
	case 0:
		parts = append(parts, s.Lead)
	case 1:
		parts = append(parts, v.paragraph(&alarms[0]))
		if d := alarms[0].Description; d != "" {
			parts = append(parts, v.fact("letter.labelDescription", shortLines(d)))
		}
	default:
		parts = append(parts, s.Lead)
		for _, item := range s.Items {
			parts = append(parts, item.Said)
		}
		if s.More != "" {
			parts = append(parts, s.More)
		}
	}
	if s.Link != "" {
		parts = append(parts, s.Button+"\n"+s.Link)
	}
	return strings.Join(append(parts, "-- \n"+s.Why), "\n\n") + "\n"
}

// link gives the console's URL of a notice; of all notices for 0. Empty: the console's address is
// not known.
func (v *Renderer) link(notice int64) string {
	if v.Base == "" {
		return ""
	}
	link := strings.TrimRight(v.Base, "/") + "/inform"
	if notice != 0 {
		link += "?id=" + strconv.FormatInt(notice, 10)
	}
	return link
}
