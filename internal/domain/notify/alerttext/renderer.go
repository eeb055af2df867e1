// Package alerttext writes the texts of alerts for the console, mail and SMS, in the recipient's
// language, from the facts of package alertmsg.
package alerttext

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// PropertyNames gives the name of a product's property in a language, its unit, and its decimals
// (nil: as many as the value has). An unknown property has its identifier as its name.
type PropertyNames func(product int64, identifier string, l text.Language) (name, unit string, precision *int)

// Renderer writes alert texts for one tenant in one language.
type Renderer struct {
	Language text.Language
	Zone     *time.Location // the tenant's; nil: UTC
	Names    PropertyNames
	Tenant   string    // the tenant's name for its users
	Base     string    // the console's address for links, such as https://farm.example; empty: no links
	Now      time.Time // durations of open notices end here
	Hourly   bool      // the text is sent once an hour, since the tenant's budget is used up

	unitMost int // characters of a unit; 0: all
}

// The longest names, values and notes in a text, in characters. The console's names are shorter
// anyway; values of type text and remarks may be longer.
const (
	nameMost  = 64
	valueMost = 120
	noteMost  = 500
)

// say translates a sentence; args are pairs of variable and value.
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

// joinChain joins parts from left to right by a sentence with the variables first and rest.
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

// shortLines shortens a text that keeps its line breaks, such as a rule's description.
func shortLines(s string) string { return text.Shorten(text.TrimLines(s), noteMost) }

// quoted puts a user's remark between the language's quotation marks, without its full stop: the
// sentence around it has one.
func (v *Renderer) quoted(remark string) string {
	return v.say("letter.quoted", "text", strings.TrimRight(shortNote(remark), ".。"))
}

// capitalize makes the first letter a capital.
func capitalize(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// statusWord says what happened in one or two words, for tags and subjects.
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

// leadSentence says what happened, as a sentence.
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

// ackSentence says who acknowledged an open notice, as a sentence; empty: nobody did. It uses the
// past tense once people are reminded again.
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

// isAcknowledged tells whether a notice is open and acknowledged.
func isAcknowledged(a *alertmsg.Alarm) bool { return a.Ack != nil && a.Event != alertmsg.Resolved }

// ackExpired tells whether people are reminded again in spite of the acknowledgement.
func (v *Renderer) ackExpired(a *alertmsg.Alarm) bool { return v.Now.UnixMilli() >= a.Ack.RemindAt }

// unsteadySentence says why a notice is unsteady, and what would help; empty: the notice is steady,
// or it has ended.
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

// durationText says how long a notice lasted, or has lasted up to Now.
func (v *Renderer) durationText(a *alertmsg.Alarm) string {
	end := a.End
	if end == 0 {
		end = v.Now.UnixMilli()
	}
	return v.duration(end - a.Start)
}
