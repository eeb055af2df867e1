// Package letter writes what people are told of alarms: in the console, by mail
// and by SMS, in their language, from the facts of package news.
package alerttext

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// PropertyNames gives what people call a property of a product in their language, its
// unit, and its decimals (nil: as they come). What it does not know it calls by
// its identifier.
type PropertyNames func(product int64, identifier string, l text.Language) (name, unit string, precision *int)

// Renderer is how a letter speaks.
type Renderer struct {
	Language text.Language
	Zone     *time.Location // the tenant's; nil: UTC
	Names    PropertyNames
	Tenant   string    // what the tenant is called before its people
	Base     string    // where links lead, such as https://farm.example; empty: no links
	Now      time.Time // up to which what is open has lasted
	Hourly   bool      // it comes once an hour, since the tenant's budget is used up

	unitMost int // characters of a unit; 0: all
}

// How much of a name or a text is said at most, in characters; names of the
// console are shorter, values of texts and remarks may not be.
const (
	nameMost  = 64
	valueMost = 120
	noteMost  = 500
)

// say is a sentence of the language; args are pairs of variable and value.
func (v *Renderer) say(key string, args ...string) string {
	if len(args) == 0 {
		return text.Translate(v.Language, key, nil)
	}
	said := make(map[string]string, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		said[args[i]] = args[i+1]
	}
	return text.Translate(v.Language, key, said)
}

func (v *Renderer) fact(label, value string) string {
	return v.say("letter.fact", "label", v.say(label), "value", value)
}

// joinChain joins parts from left to right by a sentence of first and rest.
func (v *Renderer) joinChain(key string, parts []string) string {
	joined := ""
	for i, part := range parts {
		if i == 0 {
			joined = part
		} else {
			joined = v.say(key, "first", joined, "rest", part)
		}
	}
	return joined
}

func shortName(s string) string { return text.Shorten(text.SingleLine(s), nameMost) }

func shortNote(s string) string { return text.Shorten(text.SingleLine(s), noteMost) }

// shortLines is a text in lines of its own, such as what is to be done.
func shortLines(s string) string { return text.Shorten(text.TrimLines(s), noteMost) }

// quoted is somebody's remark between the language's marks; the sentence around
// it brings its own stop.
func (v *Renderer) quoted(remark string) string {
	return v.say("letter.quoted", "text", strings.TrimRight(shortNote(remark), ".。"))
}

// capitalize begins a title, or a sentence, with a great letter.
func capitalize(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// statusWord is what happened, in one or two words, for tags and subjects.
func (v *Renderer) statusWord(a *alertmsg.Alarm) string {
	switch {
	case a.Event == alertmsg.Resolved && a.Manual:
		return v.say("letter.wordByHand")
	case a.Event == alertmsg.Resolved:
		return v.say("letter.wordResolved")
	case a.Event == alertmsg.Reminder:
		return v.say("letter.wordStill", "level", v.level(a))
	}
	return v.level(a)
}

// The levels' words: on tags and in subjects, and within an SMS.
var (
	levels    = []string{"letter.level0", "letter.level1", "letter.level2"}
	smsLevels = []string{"letter.smsLevel0", "letter.smsLevel1", "letter.smsLevel2"}
)

func (v *Renderer) level(a *alertmsg.Alarm) string { return v.say(levels[levelOf(a)]) }

func levelOf(a *alertmsg.Alarm) int { return min(max(a.Level, 0), 2) }

// leadSentence is what happened, as a sentence.
func (v *Renderer) leadSentence(a *alertmsg.Alarm) string {
	key := "letter.triggered"
	switch {
	case a.Event == alertmsg.Resolved && a.Manual:
		key = "letter.byHand"
	case a.Event == alertmsg.Resolved:
		key = "letter.resolved"
	case a.Event == alertmsg.Reminder:
		key = "letter.still"
	}
	lead := v.say(key, "title", shortName(a.Title))
	for _, more := range []string{v.ackSentence(a), v.unsteadySentence(a)} {
		if more != "" {
			lead = v.say("letter.joined", "first", lead, "rest", more)
		}
	}
	return lead
}

// ackSentence says who is on a notice that is open, as a sentence; empty where nobody
// is. When people are reminded again, that is in the past.
func (v *Renderer) ackSentence(a *alertmsg.Alarm) string {
	if !isAcknowledged(a) {
		return ""
	}
	said := []string{"user", shortName(a.Ack.User), "time", v.shortMoment(a.Ack.Time)}
	switch past := v.ackExpired(a); {
	case past && a.Ack.Note != "":
		return v.say("letter.ackWasNote", append(said, "note", v.quoted(a.Ack.Note))...)
	case past:
		return v.say("letter.ackWas", said...)
	case a.Ack.Note != "":
		return v.say("letter.ackIsNote", append(said, "note", v.quoted(a.Ack.Note))...)
	}
	return v.say("letter.ackIs", said...)
}

// isAcknowledged tells whether somebody is on an open notice.
func isAcknowledged(a *alertmsg.Alarm) bool { return a.Ack != nil && a.Event != alertmsg.Resolved }

// ackExpired tells whether people are reminded again, whoever is on the notice.
func (v *Renderer) ackExpired(a *alertmsg.Alarm) bool { return v.Now.UnixMilli() >= a.Ack.RemindAt }

// unsteadySentence says why a notice is, and what would help; empty where it is not, or is
// over.
func (v *Renderer) unsteadySentence(a *alertmsg.Alarm) string {
	key := "letter.unsteady"
	switch {
	case a.Unsteady == 0 || a.Event == alertmsg.Resolved:
		return ""
	case a.Offline:
		key = "letter.unsteadyOffline"
	}
	return v.say(key, "n", text.Count(v.Language, a.Unsteady))
}

// durationText is how long a notice lasted, or has lasted up to now.
func (v *Renderer) durationText(a *alertmsg.Alarm) string {
	end := a.End
	if end == 0 {
		end = v.Now.UnixMilli()
	}
	return v.duration(end - a.Start)
}
