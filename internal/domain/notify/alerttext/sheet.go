package alerttext

import (
	"cmp"
	_ "embed" // the HTML template of a mail
	"html/template"
	"strconv"
	"strings"

	"tilth/internal/domain/notify/alerttext/levelcolor"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// mailData is the data of the HTML template.
type mailData struct {
	Language, Tenant string
	Word             string // what happened, as a tag
	Tone             tone
	Title, Device    string
	Lead             string
	Statement        string // the state of the device, for an alarm without values
	Since            string // since when which conditions hold, if that is known
	Readings         []readingData
	Picture          string // the picture's alternative text; empty: there is no picture
	Facts            []fact
	Items            []item // of a digest
	More             string
	Button, Link     string
	Why              string
}

// readingData is a value that the mail shows large, and the limit that it was compared with.
type readingData struct{ Name, Value, Limit string }

type fact struct{ Label, Value string }

// Lines splits the value into lines: not every mail program supports CSS that keeps line breaks.
func (f fact) Lines() []string { return strings.Split(f.Value, "\n") }

// item is one alarm of a digest.
type item struct {
	Word          string
	Tone          tone
	Title, Device string
	Value, Time   string
	Ack           string // who acknowledged it; empty: nobody
	Link          string
	Said          string // all facts, as a paragraph
}

// Size gives the font size of values in pixels: large for a single short value, smaller for a text
// or a list.
func (s *mailData) Size() int {
	if len(s.Readings) == 1 && len([]rune(s.Readings[0].Value)) <= 16 {
		return 34
	}
	return 20
}

// Fonts gives the reader's system fonts.
func (s *mailData) Fonts() template.CSS {
	if fonts := text.Language(s.Language).MailFonts(); fonts != "" {
		return template.CSS(fonts) //nolint:gosec // a constant of the language's descriptor
	}
	return "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
}

// tone gives the colours of a tag in the light theme: ink on paper. The template has those of the
// dark theme by name.
type tone struct {
	Name       string
	Ink, Paper template.CSS
}

var (
	neutralTone = tone{"calm", "#475049", "#eeece3"}
	endedTone   = tone{"ended", "#2f6b4f", "#e3ede5"}
	levelTones  = tonesOf(levelcolor.Light)
)

// tonesOf gives the tones of the levels in a theme.
func tonesOf(t levelcolor.Theme) (tones [levelcolor.Count]tone) {
	for level := range tones {
		tones[level] = tone{
			Name:  "level" + strconv.Itoa(level),
			Ink:   template.CSS(levelcolor.Ink(t, level)),
			Paper: template.CSS(levelcolor.Paper(t, level)),
		}
	}
	return tones
}

// DarkLevels gives the tones of the levels in the dark theme.
func (*mailData) DarkLevels() [levelcolor.Count]tone { return tonesOf(levelcolor.Dark) }

func toneOf(a *alertmsg.Alarm) tone {
	if a.Event == alertmsg.Resolved {
		return endedTone
	}
	return levelTones[levelOf(a)]
}

//go:embed sheet.html
var mailHTML string

var mailTemplate = template.Must(template.New("mail").Parse(mailHTML))

func (s *mailData) html() (string, error) {
	var b strings.Builder
	err := mailTemplate.Execute(&b, s)
	return b.String(), err
}

// alarmData gives the data for one alarm.
func (v *Renderer) alarmData(a *alertmsg.Alarm, pictured bool) mailData {
	s := mailData{
		Word:   v.statusWord(a),
		Tone:   toneOf(a),
		Title:  shortName(a.Title),
		Device: shortName(a.Name()),
		Lead:   v.leadSentence(a),
		Button: v.say("letter.open"),
		Link:   v.link(a.Notice),
	}
	for _, m := range v.measurements(a) {
		one := readingData{Name: v.propertyLabel(a, m), Value: m.value}
		if len(a.Conditions) == 1 {
			one.Limit = v.say("letter.fact", "label", v.say("letter.labelCondition"), "value", m.limits[0])
		}
		s.Readings = append(s.Readings, one)
	}
	if charted := ChartedProperty(a); pictured && charted != "" {
		called, _, _ := v.property(a, charted)
		s.Picture = v.say("letter.chart", "name", shortName(called))
	}
	when := v.zoned
	if a.Event == alertmsg.Resolved {
		when = v.moment
	}
	s.Since = capitalize(v.since(a, when))
	switch {
	case a.Offline && s.Since != "" && a.Event != alertmsg.Resolved:
		s.Statement, s.Since = s.Since, ""
	case a.Offline:
		s.Statement = v.evaluationText(a)
	}
	s.Facts = v.facts(a)
	return s
}

func (v *Renderer) facts(a *alertmsg.Alarm) (list []fact) {
	add := func(label, value string) {
		if value != "" {
			list = append(list, fact{v.say(label), value})
		}
	}
	add("letter.labelDevice", v.device(a))
	start := v.zoned
	if a.Event != alertmsg.Resolved && hasEarlierOnset(a) {
		start = v.moment // the zone is given above
	}
	add("letter.labelStart", start(a.Start))
	switch a.Event {
	case alertmsg.Resolved:
		add("letter.labelEnd", v.moment(a.End))
		add("letter.labelDuration", v.durationText(a))
	case alertmsg.Reminder:
		add("letter.labelSoFar", v.durationText(a))
	}
	add("letter.labelCause", capitalize(v.silenceText(a, v.moment)))
	if len(a.Conditions) > 1 {
		add("letter.labelCondition", v.conditionSymbols(a))
	}
	if a.Manual {
		add("letter.labelUser", shortName(a.User))
	}
	if a.Remark != "" {
		add("letter.labelRemark", v.quoted(a.Remark))
	}
	add("letter.labelDescription", shortLines(a.Description))
	return list
}

// digestData gives the data for several alarms, the most serious first.
func (v *Renderer) digestData(alarms []alertmsg.Alarm) mailData {
	sorted, lead := bySeverity(alarms), "letter.digestLead"
	if v.Hourly {
		lead = "letter.hourly"
	}
	s := mailData{
		Title: capitalize(v.count(alarms)), Tone: neutralTone, Lead: v.say(lead),
		Button: v.say("letter.openAll"), Link: v.link(0),
	}
	for _, a := range sorted[:min(len(sorted), listMost)] {
		one := item{
			Word:   v.statusWord(a),
			Tone:   toneOf(a),
			Title:  shortName(a.Title),
			Device: shortName(a.Name()),
			Value:  v.summary(a, v.moment),
			Time:   cmp.Or(v.onsetTime(a, fullTime), v.moment(a.Start)),
			Ack:    v.ackSentence(a),
			Link:   v.link(a.Notice),
			Said:   v.paragraph(a),
		}
		if a.Event == alertmsg.Resolved {
			one.Time = v.moment(a.End)
		}
		s.Items = append(s.Items, one)
	}
	if more := len(sorted) - len(s.Items); more > 0 {
		s.More = v.say("letter.digestMore", "n", text.Count(v.Language, more))
	}
	return s
}

// summary gives what the rule evaluated in a few words; when writes the time. It is empty for a
// manual end.
func (v *Renderer) summary(a *alertmsg.Alarm, when func(ms int64) string) string {
	switch {
	case a.Event == alertmsg.Resolved && a.Manual:
		return ""
	case a.Offline && a.Event == alertmsg.Resolved:
		return v.say("letter.onlineShort")
	case a.Offline && hasEarlierOnset(a):
		return v.say("letter.silentShort", "time", when(a.HoldsSince))
	case a.Offline:
		return v.say("letter.offlineShort", "window", v.duration(a.Window))
	}
	var parts []string
	for _, m := range v.measurements(a) {
		parts = append(parts, v.say("letter.smsReading", "name", m.name, "value", m.value))
	}
	return v.joinChain("letter.list", parts)
}
