package alerttext

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/text"
)

// oddNames are usual, unusual and hostile names.
var oddNames = []string{
	"x",
	"Frost",
	"Yeşilova Tarım İşletmesi Ticaret A.Ş. ve Ortakları, kuzey tesisleri",
	strings.Repeat("Опытное хозяйство ", 12),
	strings.Repeat("农", 64),
	strings.Repeat("👩‍🌾", 30),
	strings.Repeat("e\u0301", 64),
	"<script>alert(1)</script>\"'&",
	"{title} {device} {tenant}",
	"a\r\nBcc: eve@example.com",
	"\x00\x01 \u2028 tab\there",
	strings.Repeat("~^{}", 30),
	"【签名】",
	"“quoted” — and … more ≥ 5 m² of °C·d",
	"",
}

// A subject has at most 60 characters and one line, and says what happened, for all names.
func TestSubjects(t *testing.T) {
	for _, l := range text.Languages {
		for i, title := range oddNames {
			for _, device := range []string{oddNames[(i+2)%len(oddNames)], oddNames[(i+7)%len(oddNames)], title} {
				a := frost(l)
				a.Title, a.NoteName = title, device
				still := a
				still.Event = alertmsg.Reminder
				for _, one := range []alertmsg.Alarm{a, still} {
					m := writeMail(t, l, one)
					if n := utf8.RuneCountInString(m.Subject); n > subjectMost ||
						!strings.Contains(m.Subject, newRenderer(l).statusWord(&one)) ||
						strings.ContainsAny(m.Subject, "\r\n\x00") {
						t.Errorf("%s, %d characters: %q", l, n, m.Subject)
					}
				}
			}
			v := newRenderer(l)
			v.Tenant = title
			for _, alarms := range [][]alertmsg.Alarm{nil, {frost(l), resolvedFrost(l)}} {
				m, err := v.Mail(title, alarms, false)
				if n := utf8.RuneCountInString(m.Subject); err != nil || n > subjectMost || n < 2 ||
					strings.ContainsAny(m.Subject, "\r\n\x00") {
					t.Errorf("%s, %d characters: %q %v", l, n, m.Subject, err)
				}
			}
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// visibleText gives the text of an HTML part that a reader sees.
func visibleText(m Mail) string {
	_, body, _ := strings.Cut(m.HTML, "<body")
	_, body, _ = strings.Cut(body, ">")
	unescaped := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&#43;", "+", "&amp;", "&").
		Replace(tags.ReplaceAllString(body, " "))
	return strings.Join(strings.Fields(unescaped), " ")
}

// The text part has the same facts as the HTML part.
func TestPlainTextAndHTMLAgree(t *testing.T) {
	for _, l := range text.Languages {
		manual := resolvedFrost(l)
		manual.Manual, manual.User = true, "Elif & Kaya"
		manual.Remark, manual.Description = "“so” <it> is", "Look <there>"
		offline := frost(l)
		offline.Offline, offline.Conditions, offline.Values = true, nil, nil
		still := frost(l)
		still.Event = alertmsg.Reminder
		acked := acknowledgedFrost(l, alertmsg.Reminder, frostEnd)
		for i, a := range []alertmsg.Alarm{frost(l), resolvedFrost(l), manual, offline, still, acked} {
			m := writeMail(t, l, a)
			v := newRenderer(l)
			wanted := []string{shortName(a.Title), shortName(a.Name()), channel[l], v.leadSentence(&a),
				v.say("letter.open")}
			for _, r := range v.measurements(&a) {
				wanted = append(wanted, r.value, v.propertyLabel(&a, r))
				if a.Event != alertmsg.Resolved {
					wanted = append(wanted, r.limits...)
				}
			}
			if a.Manual {
				wanted = append(wanted, "Elif & Kaya", "<it> is", "Look <there>")
			}
			if a.Offline {
				wanted = append(wanted, v.evaluationText(&a))
			}
			if a.End != 0 {
				wanted = append(wanted, v.moment(a.End), v.durationText(&a))
			} else {
				wanted = append(wanted, v.zoned(a.Start))
			}
			for _, part := range wanted {
				part = strings.Join(strings.Fields(part), " ")
				if !strings.Contains(strings.Join(strings.Fields(m.Text), " "), part) ||
					!strings.Contains(visibleText(m), part) {
					t.Errorf("%s, mail %d: %q is missing in\n%s\n%s", l, i, part, m.Text, visibleText(m))
				}
			}
			if !strings.Contains(m.Text, "https://farm.example/inform?id=17\n") ||
				!strings.Contains(m.HTML, `href="https://farm.example/inform?id=17"`) {
				t.Errorf("%s, mail %d has no link", l, i)
			}
			if !strings.Contains(m.HTML, `<html lang="`+string(l)+`" dir="ltr">`) {
				t.Errorf("%s: no language", l)
			}
		}
	}
}

// A description keeps its line breaks in both parts; a remark is quoted in one line.
func TestDescriptionKeepsItsLines(t *testing.T) {
	a := resolvedFrost(text.English)
	a.Description, a.Manual, a.Remark = "1. Close <the> vents\r\n2. Call Ada", true, "vents\nclosed"
	m := writeMail(t, text.English, a)
	if !strings.Contains(m.Text, "1. Close <the> vents\n2. Call Ada") ||
		!strings.Contains(m.HTML, "1. Close &lt;the&gt; vents<br>2. Call Ada</td>") {
		t.Errorf("%s\n%s", m.Text, m.HTML)
	}
	if !strings.Contains(m.Text, "vents closed") {
		t.Errorf("%s", m.Text)
	}
}

// Names never become markup; without the console's address there is no link.
func TestHTMLIsSafe(t *testing.T) {
	v := newRenderer(text.English)
	v.Base = ""
	for _, title := range oddNames {
		v.Tenant = title
		a := frost(text.English)
		a.Title, a.NoteName, a.DeviceName, a.Description, a.User, a.Remark = title, title, title, title, title, title
		a.Ack = &alertmsg.Ack{User: title, Note: title}
		a.Values, a.Conditions[0].Value = map[string]any{"airTemperature": title}, title
		ended := a
		ended.Event, ended.End, ended.Manual = alertmsg.Resolved, frostEnd, true
		known := withOnset(a, 48*time.Hour)
		for _, alarms := range [][]alertmsg.Alarm{
			nil, {a}, {ended}, {a, ended}, {known}, {known, withOnset(ended, time.Hour)},
		} {
			m, err := v.Mail(title, alarms, false)
			if err != nil || strings.Contains(m.HTML, "<script>") || strings.Contains(m.HTML, "href=") ||
				strings.Contains(m.HTML, "ZgotmplZ") ||
				strings.Contains(m.Text+m.HTML, "http") || strings.Contains(m.Text+m.HTML, "letter.") ||
				strings.ContainsAny(m.Text+m.HTML, "\x00\x01") || !utf8.ValidString(m.HTML) {
				t.Errorf("%q: %v\n%s", title, err, m.HTML)
			}
		}
	}
}

// A picture is shown if there is one, with an alternative text.
func TestChartInMail(t *testing.T) {
	a := frost(text.Turkish)
	a.Conditions = append([]alertmsg.Condition{{Join: "and", Property: "pump", Operator: "=", Value: true}},
		a.Conditions...)
	m, err := newRenderer(text.Turkish).Mail("x", []alertmsg.Alarm{a}, true)
	if err != nil || !strings.Contains(m.HTML, `<img src="cid:`+PictureID+`"`) ||
		!strings.Contains(m.HTML, `alt="Hava sıcaklığı: alarm sırasındaki ölçümler"`) {
		t.Errorf("%v %s", err, m.HTML)
	}
	if strings.Contains(writeMail(t, text.Turkish, a).HTML, "<img") {
		t.Error("a mail without a picture shows one")
	}
	if ChartedProperty(&a) != "airTemperature" || ChartLimit(&a) != -2 {
		t.Errorf("%s %v", ChartedProperty(&a), ChartLimit(&a))
	}
	a.Conditions = a.Conditions[:1]
	if ChartedProperty(&a) != "" || MatchesCharted(&a, 1) {
		t.Error("a condition without a number has a picture")
	}
}

func TestMatchesCharted(t *testing.T) {
	for operator, want := range map[string][3]bool{
		"<": {true, false, false}, "<=": {true, true, false}, ">": {false, false, true}, ">=": {false, true, true}, "=": {false, true, false}, "!=": {true, false, true},
	} {
		a := frost(text.English)
		a.Conditions[0].Operator = comparator.Operator(operator)
		for i, value := range []float64{-2.1, -2, -1.9} {
			if got := MatchesCharted(&a, value); got != want[i] {
				t.Errorf("%v %s -2: %t", value, operator, got)
			}
		}
	}
	// The rule rounded the readings to the property's decimals, so the picture does too.
	a := frost(text.English)
	a.Properties = map[string]alertmsg.Property{"airTemperature": {Decimals: new(1)}}
	if MatchesCharted(&a, -2.04) || !MatchesCharted(&a, -2.05) {
		t.Error("readings are compared with other decimals than the property's")
	}
}

// A digest lists the most serious alarms first and within a level open ones first, counts those
// that it does not list, and says whether alarms began or ended.
func TestDigest(t *testing.T) {
	numbered := func(n, level int, ended bool) alertmsg.Alarm {
		a := frost(text.English)
		if ended {
			a = resolvedFrost(text.English)
		}
		a.Title, a.Level, a.Notice = fmt.Sprintf("alarm-%02d", n), level, int64(n)
		a.Start += int64(n)
		return a
	}
	m := writeMail(t, text.English, numbered(1, 0, false), numbered(2, 1, true), numbered(3, 2, false),
		numbered(4, 1, false), numbered(5, 0, false))
	if m.Subject != "[5 alarm messages] Greenfield" {
		t.Error(m.Subject)
	}
	for _, part := range []string{m.Text, visibleText(m)} {
		at := -1
		for _, n := range []int{3, 4, 2, 1, 5} {
			next := strings.Index(part, fmt.Sprintf("alarm-%02d", n))
			if next < at || next < 0 {
				t.Errorf("alarm-%02d is missing or out of order: %s", n, part)
			}
			at = next
		}
	}
	if !strings.Contains(m.HTML, `href="https://farm.example/inform?id=4"`) ||
		!strings.Contains(m.Text, "\nhttps://farm.example/inform\n") {
		t.Errorf("links: %s", m.Text)
	}
	var storm, calm []alertmsg.Alarm
	for i := range listMost + 13 {
		storm, calm = append(storm, numbered(i, 1, false)), append(calm, numbered(i, 1, true))
	}
	m = writeMail(t, text.English, storm...)
	if m.Subject != "[63 alarms] Greenfield" || strings.Count(m.Text, "was triggered") != listMost ||
		!strings.Contains(m.Text, "and 13 more") || !strings.Contains(m.HTML, "and 13 more") {
		t.Errorf("%s\n%s", m.Subject, m.Text)
	}
	for l, want := range inLanguages("[63 alarms resolved] Greenfield", "【63条告警已恢复】Greenfield", "[63 alarm sona erdi] Greenfield", "Greenfield: завершённые тревоги (63)") {
		if m := writeMail(t, l, calm...); m.Subject != want {
			t.Errorf("%s: %s", l, m.Subject)
		}
	}
	if m := writeMail(t, text.Russian, storm...); !strings.Contains(m.HTML, ">Новые тревоги (63)</h1>") {
		t.Error(visibleText(m))
	}
}

func TestTestMail(t *testing.T) {
	for l, want := range inLanguages("[Test] Night crew", "【测试】夜班", "[Deneme] Gece ekibi", "Проверка: Ночная смена") {
		m := writeMail(t, l)
		if m.Subject != want || strings.Count(m.Text, channel[l]) != 2 || strings.Contains(m.Text+m.HTML, "http") {
			t.Errorf("%s: %s\n%s", l, m.Subject, m.Text)
		}
	}
}

// Each tone has colours for the dark theme too.
func TestTonesHaveDarkColours(t *testing.T) {
	html := writeMail(t, text.English, frost(text.English)).HTML
	for _, tone := range append([]tone{neutralTone, endedTone}, levelTones[:]...) {
		if !strings.Contains(html, "."+tone.Name+" { background: #") {
			t.Errorf("%s has no dark colours", tone.Name)
		}
	}
}

// A mail that is sent once an hour says why, with several alarms and with one.
func TestHourlyMail(t *testing.T) {
	for l, reason := range map[text.Language]string{
		text.English: "come in one message an hour", text.Chinese: "每小时合并为一封邮件发送", text.Turkish: "saatte bir, tek mesajda", text.Russian: "раз в час одним сообщением",
	} {
		v := Renderer{Language: l, Hourly: true, Names: propertyName}
		a := alertmsg.Alarm{Event: alertmsg.Triggered, Title: "Frost", DeviceName: "WS-1", Level: 1, Start: 1}
		for _, alarms := range [][]alertmsg.Alarm{{a}, {a, a}} {
			m, err := v.Mail("Field", alarms, false)
			if err != nil || !strings.Contains(m.Text, reason) || !strings.Contains(m.HTML, reason) ||
				strings.Contains(m.Text, v.say("letter.digestLead")) {
				t.Errorf("%s, %d alarms: %v\n%s", l, len(alarms), err, m.Text)
			}
		}
	}
}
