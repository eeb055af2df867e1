package alerttext

import (
	"strings"
	"unicode/utf16"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// Message writes the text of a channel for a messenger: about one alarm, several (a digest), or
// none (a test message). It says what a mail says, in at most longest UTF-16 code units; for that a
// digest lists fewer alarms, and a single alarm's text is cut.
func (v *Renderer) Message(channel string, alarms []alertmsg.Alarm, longest int) string {
	subject, s := v.content(channel, alarms, false)
	head, items := []string{subject}, []string(nil)
	switch len(alarms) {
	case 0:
		head = append(head, s.Lead)
	case 1:
		head = append(head, v.paragraph(&alarms[0]))
		if d := alarms[0].Description; d != "" {
			head = append(head, v.fact("letter.labelDescription", shortLines(d)))
		}
		if v.Hourly {
			head = append(head, v.say("letter.hourly"))
		}
	default:
		head = append(head, s.Lead)
		for _, one := range s.Items {
			items = append(items, one.Said)
		}
	}
	var tail []string
	if s.Link != "" {
		tail = append(tail, s.Button+"\n"+s.Link)
	}
	tail = append(tail, shortName(v.Tenant)+" · "+shortName(channel))
	for listed := len(items); ; listed-- {
		parts := append(append([]string{}, head...), items[:listed]...)
		if more := len(alarms) - listed; len(items) > 0 && more > 0 {
			parts = append(parts, v.say("letter.digestMore", "n", text.Count(v.Language, more)))
		}
		said := strings.Join(append(parts, tail...), "\n\n")
		if utf16Len(said) <= longest {
			return said
		}
		if listed == 0 {
			return cutUTF16(said, longest)
		}
	}
}

func utf16Len(s string) int { return len(utf16.Encode([]rune(s))) }

// cutUTF16 cuts s to at most longest UTF-16 code units, three dots included.
func cutUTF16(s string, longest int) string {
	for most := longest; ; most-- {
		if cut := text.Shorten(s, most); utf16Len(cut) <= longest {
			return cut
		}
	}
}
