package letter

import (
	"strings"
	"time"

	"tilth/internal/news"
	"tilth/internal/text"
)

// Text is the message of the console: its first line is the title, the others
// say what is known.
func Text(l text.Language, zone *time.Location, names Names, a *news.Alarm) string {
	v := &Voice{Language: l, Zone: zone, Names: names, Now: time.UnixMilli(a.Start)}
	lines := []string{v.title(a)}
	if a.Remark != "" {
		lines = append(lines, v.quoted(a.Remark))
	}
	since := capital(v.since(a, v.moment))
	if since != "" {
		lines = append(lines, since)
	}
	if judged := v.judged(a); judged != "" {
		lines = append(lines, judged)
	}
	if unsteady := v.unsteady(a); unsteady != "" {
		lines = append(lines, unsteady)
	}
	lines = append(lines, v.fact("letter.labelDevice", v.device(a)))
	switch {
	case a.Event == news.Resolved:
		lines = append(lines, v.say("letter.endAfter", "end", v.moment(a.End), "duration", v.lasted(a)))
	case since == "": // else it says when that was noticed
		lines = append(lines, v.fact("letter.labelStart", v.moment(a.Start)))
	}
	if a.Description != "" && a.Event != news.Resolved {
		lines = append(lines, steps(a.Description))
	}
	return strings.Join(lines, "\n")
}

func (v *Voice) title(a *news.Alarm) string {
	title := name(a.Title)
	switch {
	case a.Event == news.Resolved && a.Manual && a.User != "":
		return v.say("letter.titleByUser", "title", title, "user", name(a.User))
	case a.Event == news.Resolved && a.Manual:
		return v.say("letter.titleByHand", "title", title)
	case a.Event == news.Resolved:
		return v.say("letter.titleResolved", "title", title)
	case a.Event == news.Reminder:
		return v.say("letter.titleStill", "title", title)
	}
	return title
}

// device is what people call the device, and its fixed name where that is
// another.
func (v *Voice) device(a *news.Alarm) string {
	if a.NoteName == "" || a.NoteName == a.DeviceName {
		return name(a.DeviceName)
	}
	return v.say("letter.deviceCoded", "name", name(a.NoteName), "code", name(a.DeviceName))
}
