package alerttext

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
	"tilth/internal/tools/testkit/pseudo"
)

// untranslatedAlarms are alarms of every kind whose names have no Latin letters.
func untranslatedAlarms() map[string]alertmsg.Alarm {
	base := frost(pseudo.Language)
	base.Title, base.NoteName, base.DeviceName = "霜", "桅", "0001"
	with := func(change func(a *alertmsg.Alarm)) alertmsg.Alarm {
		a := base
		change(&a)
		return a
	}
	resolved := func(a *alertmsg.Alarm) {
		a.Event, a.End, a.Values = alertmsg.Resolved, frostEnd, map[string]any{"airTemperature": 0.6}
	}
	offline := func(a *alertmsg.Alarm) { a.Offline, a.Conditions, a.Values = true, nil, nil }
	return map[string]alertmsg.Alarm{
		"triggered": base,
		"general":   with(func(a *alertmsg.Alarm) { a.Level = 0 }),
		"important": with(func(a *alertmsg.Alarm) { a.Level = 1 }),
		"described": with(func(a *alertmsg.Alarm) { a.Description, a.Unsteady = "说明", 12 }),
		"several": with(func(a *alertmsg.Alarm) {
			a.Conditions = append(a.Conditions[:1:1],
				alertmsg.Condition{Join: "or", Property: "pump", Operator: "=", Value: true},
				alertmsg.Condition{Join: "and", Property: "airHumidity", Operator: ">=", Value: 90.},
				alertmsg.Condition{Join: "and", Property: "radiation", Operator: "!=", Value: 1.})
			a.Values = map[string]any{"airTemperature": -2.4, "pump": true, "radiation": 5.}
		}),
		"since": with(func(a *alertmsg.Alarm) { a.HoldsSince = a.Start - 50*3_600_000 }),
		"since a day": with(func(a *alertmsg.Alarm) {
			a.HoldsSince, a.HoldsSincePrecision = a.Start-50*86_400_000, alertmsg.ToTheDay
		}),
		"for more than a month": with(func(a *alertmsg.Alarm) {
			a.HoldsSince, a.HoldsSincePrecision = a.Start-30*86_400_000, alertmsg.BeforeThat
		}),
		"for more than a year": with(func(a *alertmsg.Alarm) {
			a.HoldsSince, a.HoldsSincePrecision = a.Start-365*86_400_000, alertmsg.BeforeThat
		}),
		"reminder": with(func(a *alertmsg.Alarm) { a.Event = alertmsg.Reminder }),
		"acknowledged": with(func(a *alertmsg.Alarm) {
			a.Event = alertmsg.Reminder
			a.Ack = &alertmsg.Ack{User: "丙", Note: "去", Time: frostStart, RemindAt: frostEnd - 1}
		}),
		"resolved": with(resolved),
		"by hand": with(func(a *alertmsg.Alarm) {
			resolved(a)
			a.Manual, a.User, a.Remark = true, "丙", "去"
		}),
		"offline": with(offline),
		"offline, unsteady": with(func(a *alertmsg.Alarm) {
			offline(a)
			a.Unsteady, a.HoldsSince = 12, a.Start-50*3_600_000
		}),
		"online": with(func(a *alertmsg.Alarm) { offline(a); resolved(a); a.Values = nil }),
	}
}

var (
	hiddenHTML = regexp.MustCompile(`(?s)<style[^>]*>.*?</style>|<!--.*?-->`)
	attribute  = regexp.MustCompile(`\s(?:alt|title|aria-label)="([^"]*)"`)
)

// Everything that a mail, SMS or message in the console says comes from the catalogue: in the pseudo
// language no plain letter is left. SMS keep their limits.
func TestNothingIsUntranslated(t *testing.T) {
	pseudo.Register()
	v := newRenderer(pseudo.Language)
	v.Tenant = "田"
	v.Names = func(_ int64, identifier string, _ text.Language) (string, string, *int) {
		e := catalogue[identifier]
		return "值", e.unit, e.precision
	}
	check := func(kind, part, s string) {
		t.Helper()
		if words := pseudo.Untranslated(s); len(words) > 0 || !strings.Contains(s, pseudo.Open) {
			t.Errorf("%s, %s: %q in %s", kind, part, words, s)
		}
	}
	mails := func(kind string, alarms []alertmsg.Alarm, hourly bool) {
		t.Helper()
		m, err := v.Mail("渠", alarms, hourly)
		if err != nil {
			t.Fatal(err)
		}
		check(kind, "subject", m.Subject)
		check(kind, "text", m.Text)
		for _, found := range attribute.FindAllStringSubmatch(m.HTML, -1) {
			if found[1] != "" {
				check(kind, "attribute", html.UnescapeString(found[1]))
			}
		}
		if _, title, found := strings.Cut(m.HTML, "<title>"); found {
			title, _, _ = strings.Cut(title, "</title>")
			check(kind, "title", pseudo.Open+html.UnescapeString(title)) // it may be the alarm's own
		}
		m.HTML = hiddenHTML.ReplaceAllString(m.HTML, " ")
		check(kind, "HTML", html.UnescapeString(visibleText(m)))
	}
	var storm []alertmsg.Alarm
	for kind, a := range untranslatedAlarms() {
		storm = append(storm, a)
		mails(kind, []alertmsg.Alarm{a}, false)
		check(kind, "SMS", checkedSMS(t, v, "渠", []alertmsg.Alarm{a}))
		check(kind, "in the console", InApp(pseudo.Language, time.UTC, v.Names, &a))
	}
	mails("digest", storm, false)
	mails("hourly", storm, true)
	mails("test", nil, false)
	check("digest", "SMS", checkedSMS(t, v, "渠", storm))
	check("test", "SMS", checkedSMS(t, v, "渠", nil))
}
