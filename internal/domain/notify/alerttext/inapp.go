package alerttext

import (
	"strings"
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// InApp writes the message of the console: its first line is the title, the others give the facts.
func InApp(l text.Language, zone *time.Location, names PropertyNames, a *alertmsg.Alarm) string {
	v := &Renderer{Language: l, Zone: zone, Names: names, Now: time.UnixMilli(a.Start)}
	lines := []string{v.title(a)}
	if a.Remark != "" {
		lines = append(lines, v.quoted(a.Remark))
	}
	since := capitalize(v.since(a, v.moment))
	if since != "" {
		lines = append(lines, since)
	}
	if evaluated := v.evaluationText(a); evaluated != "" {
		lines = append(lines, evaluated)
	}
	if unsteady := v.unsteadySentence(a); unsteady != "" {
		lines = append(lines, unsteady)
	}
	lines = append(lines, v.fact("letter.labelDevice", v.device(a)))
	switch {
	case a.Event == alertmsg.Resolved:
		lines = append(lines, v.say("letter.endAfter", "end", v.moment(a.End), "duration", v.durationText(a)))
	case since == "": // else since says when the alarm was noticed
		lines = append(lines, v.fact("letter.labelStart", v.moment(a.Start)))
	}
	if a.Description != "" && a.Event != alertmsg.Resolved {
		lines = append(lines, shortLines(a.Description))
	}
	return strings.Join(lines, "\n")
}

func (v *Renderer) title(a *alertmsg.Alarm) string {
	title := shortName(a.Title)
	switch {
	case a.Event == alertmsg.Resolved && a.Manual && a.User != "":
		return v.say("letter.titleByUser", "title", title, "user", shortName(a.User))
	case a.Event == alertmsg.Resolved && a.Manual:
		return v.say("letter.titleByHand", "title", title)
	case a.Event == alertmsg.Resolved:
		return v.say("letter.titleResolved", "title", title)
	case a.Event == alertmsg.Reminder:
		return v.say("letter.titleStill", "title", title)
	}
	return title
}

// device gives the device's remark name, and its device name if that differs.
func (v *Renderer) device(a *alertmsg.Alarm) string {
	if a.NoteName == "" || a.NoteName == a.DeviceName {
		return shortName(a.DeviceName)
	}
	return v.say("letter.deviceCoded", "name", shortName(a.NoteName), "code", shortName(a.DeviceName))
}
