package alerttext

import (
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// acknowledgedFrost is the frost, acknowledged at 06:40 until remindAt.
func acknowledgedFrost(l text.Language, what alertmsg.Event, remindAt int64) alertmsg.Alarm {
	a := frost(l)
	a.Event = what
	a.Ack = &alertmsg.Ack{User: "Ada", Time: a.Start + 3600_000, Note: "at the pump.", RemindAt: remindAt}
	return a
}

// Mails say who acknowledged an open notice, by itself and in a digest, in the past tense when
// people are reminded again.
func TestMailAcknowledged(t *testing.T) {
	for l, want := range map[text.Language][2]string{
		text.English: {"is still open. Ada was on it (Nov 21, 06:40): “at the pump”.", "was triggered. Ada is on it (Nov 21, 06:40): “at the pump”."},
		text.Chinese: {"仍未恢复。Ada曾表示正在处理（11月21日06:40）：“at the pump”。", "已触发。Ada正在处理（11月21日06:40）：“at the pump”。"},
		text.Turkish: {"hâlâ açık. Ada ilgileniyordu (21.11 06:40): “at the pump”.", "Ada ilgileniyor (21.11 06:40): “at the pump”."},
		text.Russian: {"ещё активна. Отметка «Я занимаюсь»: Ada (21.11 06:40), «at the pump».", "Этим занимается Ada (с 21.11 06:40): «at the pump»."},
	} {
		past := acknowledgedFrost(l, alertmsg.Reminder, frostEnd)
		present := acknowledgedFrost(l, alertmsg.Triggered, frostEnd+time.Hour.Milliseconds())
		for i, a := range []alertmsg.Alarm{past, present} {
			m := writeMail(t, l, a)
			if !strings.Contains(strings.ReplaceAll(m.Text, "\n", " "), want[i]) ||
				!strings.Contains(visibleText(m), want[i]) {
				t.Errorf("%s: %s\n%s", l, m.Text, visibleText(m))
			}
			sentence := newRenderer(l).ackSentence(&a)
			both, err := newRenderer(l).Mail(channel[l], []alertmsg.Alarm{frost(l), a}, false)
			if err != nil || strings.Count(both.Text, sentence) != 1 ||
				strings.Count(visibleText(both), sentence) != 1 {
				t.Errorf("%s, in a digest: %v %s\n%s", l, err, both.Text, visibleText(both))
			}
			a.Ack.Note = ""
			if m := writeMail(t, l, a); strings.Contains(m.Text, "pump") || !strings.Contains(m.Text, "Ada") {
				t.Errorf("%s, without a note: %s", l, m.Text)
			}
		}
		ended := resolvedFrost(l)
		ended.Ack = past.Ack
		if m := writeMail(t, l, ended); strings.Contains(m.Text+m.HTML, "Ada") {
			t.Errorf("%s, ended: %s", l, m.Text)
		}
	}
}

// An SMS prefers the acknowledgement to limits and further readings, but never to the value.
func TestSMSAcknowledged(t *testing.T) {
	long := acknowledgedFrost(text.English, alertmsg.Reminder, frostEnd)
	long.Ack.Note = strings.Repeat("a very long note about the pump ", 10)
	several := acknowledgedFrost(text.English, alertmsg.Reminder, frostEnd)
	several.Conditions = append(several.Conditions,
		alertmsg.Condition{Join: "or", Property: "airHumidity", Operator: ">=", Value: 90.},
		alertmsg.Condition{Join: "or", Property: "radiation", Operator: "!=", Value: 0.})
	several.Values["airHumidity"], several.Values["radiation"] = 93., 812.4
	for _, c := range []struct {
		a    alertmsg.Alarm
		want string
	}{
		{acknowledgedFrost(text.English, alertmsg.Triggered, frostEnd+1), `Greenfield: Serious alarm "Frost". North mast: Air temperature -2.4 C (limit < -2 C). Nov 21, 05:40. Ada is on it, Nov 21, 06:40: "at the pump"`},
		{acknowledgedFrost(text.English, alertmsg.Reminder, frostEnd), `Greenfield: Serious alarm "Frost" still open (1 h 35 min). North mast, Nov 21, 05:40: Air temperature -2.4 C (limit < -2 C). Ada was on it, Nov 21, 06:40`},
		{long, `Greenfield: Serious alarm "Frost" still open (1 h 35 min). North mast, Nov 21, 05:40: Air temperature -2.4 C (limit < -2 C). Ada was on it, Nov 21, 06:40`},
		{several, `Greenfield: Serious alarm "Frost" still open (1 h 35 min). North mast, Nov 21, 05:40: Air tempera... -2.4 C (< -2 C); Relative hu... 93% (>= 90%). Ada was on it`},
	} {
		if got := checkedSMS(t, newRenderer(text.English), "x", []alertmsg.Alarm{c.a}); got != c.want {
			t.Errorf("%s\n%s", got, c.want)
		}
	}
	for _, l := range text.Languages {
		for _, remindAt := range []int64{frostEnd, frostEnd + 1} {
			a := acknowledgedFrost(l, alertmsg.Reminder, remindAt)
			if got := checkedSMS(t, newRenderer(l), "x", []alertmsg.Alarm{a}); !strings.Contains(got, "Ada") ||
				!strings.Contains(got, "2") {
				t.Errorf("%s: %s", l, got)
			}
		}
	}
}
