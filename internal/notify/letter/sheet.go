package letter

import (
	"cmp"
	_ "embed" // the form of a mail
	"html/template"
	"strings"

	"tilth/internal/news"
	"tilth/internal/text"
)

// sheet is what the HTML part of a mail shows.
type sheet struct {
	Language, Tenant string
	Word             string // what happened, as a tag
	Tone             tone
	Title, Device    string
	Lead             string
	Statement        string // what the device was, where there is no value
	Since            string // since when what holds, where that is known
	Readings         []shown
	Picture          string // what its picture shows, for who does not see it; empty: none
	Facts            []fact
	Items            []item // of a digest
	More             string
	Button, Link     string
	Why              string
}

// shown is a value as large as it deserves, and what it was compared with.
type shown struct{ Name, Value, Limit string }

type fact struct{ Label, Value string }

// Lines are the value's; style sheets that would keep them are not known everywhere.
func (f fact) Lines() []string { return strings.Split(f.Value, "\n") }

// item is one alarm of a digest.
type item struct {
	Word          string
	Tone          tone
	Title, Device string
	Value, Time   string
	Ack           string // who is on it; empty: nobody
	Link          string
	Said          string // all of it, as a paragraph
}

// Size is how large values are written, in pixels: a single number may fill the
// eye, a text or a list may not.
func (s *sheet) Size() int {
	if len(s.Readings) == 1 && len([]rune(s.Readings[0].Value)) <= 16 {
		return 34
	}
	return 20
}

// Fonts are those of the reader's machine; Chinese ones for Chinese alone, since
// they set other languages' quotation marks too wide.
func (s *sheet) Fonts() template.CSS {
	if s.Language == string(text.Chinese) {
		return "-apple-system,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif"
	}
	return "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
}

// tone is how a tag is coloured: ink on paper, of the light theme; the form has
// those of the dark one by name.
type tone struct {
	Name       string
	Ink, Paper template.CSS
}

// The console's own colours of levels; red is for serious alarms alone.
var (
	calm    = tone{"calm", "#475049", "#eeece3"}
	ended   = tone{"ended", "#2f6b4f", "#e3ede5"}
	byLevel = []tone{{"general", "#2c6795", "#e2ecf3"}, {"important", "#80560f", "#f6ebd3"}, {"serious", "#b8231a", "#fbe4e0"}}
)

func toneOf(a *news.Alarm) tone {
	if a.Event == news.Resolved {
		return ended
	}
	return byLevel[levelOf(a)]
}

//go:embed sheet.html
var form string

var blank = template.Must(template.New("mail").Parse(form))

func (s *sheet) html() (string, error) {
	var b strings.Builder
	err := blank.Execute(&b, s)
	return b.String(), err
}

// sheet shows one alarm.
func (v *Voice) sheet(a *news.Alarm, pictured bool) sheet {
	s := sheet{
		Word: v.word(a), Tone: toneOf(a), Title: name(a.Title), Device: name(a.Name()), Lead: v.lead(a),
		Button: v.say("letter.open"), Link: v.link(a.Notice),
	}
	for _, m := range v.measurements(a) {
		one := shown{Name: v.called(a, m), Value: m.value}
		if len(a.Conditions) == 1 {
			one.Limit = v.say("letter.fact", "label", v.say("letter.labelCondition"), "value", m.limits[0])
		}
		s.Readings = append(s.Readings, one)
	}
	if charted := Charted(a); pictured && charted != "" {
		called, _, _ := v.property(a, charted)
		s.Picture = v.say("letter.chart", "name", name(called))
	}
	when := v.zoned
	if a.Event == news.Resolved {
		when = v.moment
	}
	s.Since = capital(v.since(a, when))
	switch {
	case a.Offline && s.Since != "" && a.Event != news.Resolved:
		s.Statement, s.Since = s.Since, ""
	case a.Offline:
		s.Statement = v.judged(a)
	}
	s.Facts = v.facts(a)
	return s
}

func (v *Voice) facts(a *news.Alarm) (list []fact) {
	add := func(label, value string) {
		if value != "" {
			list = append(list, fact{v.say(label), value})
		}
	}
	add("letter.labelDevice", v.device(a))
	start := v.zoned
	if a.Event != news.Resolved && knows(a) {
		start = v.moment // of the zone that stands above
	}
	add("letter.labelStart", start(a.Start))
	switch a.Event {
	case news.Resolved:
		add("letter.labelEnd", v.moment(a.End))
		add("letter.labelDuration", v.lasted(a))
	case news.Reminder:
		add("letter.labelSoFar", v.lasted(a))
	}
	if len(a.Conditions) > 1 {
		add("letter.labelCondition", v.condition(a))
	}
	if a.Manual {
		add("letter.labelUser", name(a.User))
	}
	if a.Remark != "" {
		add("letter.labelRemark", v.quoted(a.Remark))
	}
	add("letter.labelDescription", steps(a.Description))
	return list
}

// digest shows several alarms, the serious first.
func (v *Voice) digest(alarms []news.Alarm) sheet {
	sorted, lead := bySeverity(alarms), "letter.digestLead"
	if v.Hourly {
		lead = "letter.hourly"
	}
	s := sheet{
		Title: capital(v.count(alarms)), Tone: calm, Lead: v.say(lead),
		Button: v.say("letter.openAll"), Link: v.link(0),
	}
	for _, a := range sorted[:min(len(sorted), listMost)] {
		one := item{
			Word: v.word(a), Tone: toneOf(a), Title: name(a.Title), Device: name(a.Name()), Value: v.gist(a, v.moment),
			Time: cmp.Or(v.sinceAlone(a, text.Moment), v.moment(a.Start)), Ack: v.acknowledged(a), Link: v.link(a.Notice), Said: v.paragraph(a),
		}
		if a.Event == news.Resolved {
			one.Time = v.moment(a.End)
		}
		s.Items = append(s.Items, one)
	}
	if more := len(sorted) - len(s.Items); more > 0 {
		s.More = v.say("letter.digestMore", "n", text.Count(v.Language, more))
	}
	return s
}

// gist is what an alarm was judged by, in a few words, with a time that when writes;
// nothing of an end by hand.
func (v *Voice) gist(a *news.Alarm, when func(ms int64) string) string {
	switch {
	case a.Event == news.Resolved && a.Manual:
		return ""
	case a.Offline && a.Event == news.Resolved:
		return v.say("letter.onlineShort")
	case a.Offline && knows(a):
		return v.say("letter.silentShort", "time", when(a.HoldsSince))
	case a.Offline:
		return v.say("letter.offlineShort", "window", v.duration(a.Window))
	}
	var parts []string
	for _, m := range v.measurements(a) {
		parts = append(parts, v.say("letter.smsReading", "name", m.name, "value", m.value))
	}
	return v.chained("letter.list", parts)
}
