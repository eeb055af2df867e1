package alerttext

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// checkedSMS gives an SMS and checks its bounds: one part in the GSM alphabet, else two; one line;
// no link.
func checkedSMS(t *testing.T, v *Renderer, channel string, alarms []alertmsg.Alarm) string {
	t.Helper()
	s := v.SMS(channel, alarms)
	most := partsOther
	if text.IsGSM(s) {
		most = partsLatin
	}
	if n := text.SMSParts(s); n > most || s == "" || !utf8.ValidString(s) || strings.ContainsAny(s, "\r\n\x00") ||
		strings.Contains(s, "http") || strings.Contains(s, "letter.") {
		t.Errorf("%s, %d parts: %q", v.Language, n, s)
	}
	return s
}

// An SMS always contains the whole value and the level, however long the names are and in any
// script.
func TestSMSKeepsValue(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 21))
	pick := func() string { return oddNames[r.IntN(len(oddNames))] }
	for _, l := range text.Languages {
		for range 150 {
			v := newRenderer(l)
			v.Tenant = pick()
			unit := pick()
			v.Names = func(int64, string, text.Language) (string, string, *int) { return pick(), unit, new(2) }
			a := frost(l)
			a.Title, a.NoteName, a.Level = pick(), pick(), r.IntN(3)
			a.Conditions[0].Value = -r.Float64() * 1e6
			a.Values["airTemperature"] = -r.Float64() * 1e9
			a.Remark, a.User = pick(), pick()
			if r.IntN(2) == 0 {
				a = withOnset(a, time.Duration(r.Int64N(int64(30*24*time.Hour))))
			}
			if r.IntN(2) == 0 {
				a.Ack = &alertmsg.Ack{User: pick(), Note: pick(), Time: frostStart}
				a.Ack.RemindAt = frostEnd + int64(r.IntN(2))
			}
			value := text.FoldSMS(l, text.Number(l, a.Values["airTemperature"].(float64), new(2)))
			if r.IntN(2) == 0 {
				a.Conditions = append(a.Conditions,
					alertmsg.Condition{Join: "or", Property: "airHumidity", Operator: ">=", Value: 90.})
				a.Values["airHumidity"] = 17.
			}
			switch r.IntN(3) {
			case 0:
				a.Event = alertmsg.Reminder
			case 1:
				a.Event, a.End = alertmsg.Resolved, frostEnd
			}
			s := checkedSMS(t, v, pick(), []alertmsg.Alarm{a})
			if !strings.Contains(s, value) {
				t.Errorf("%s: %s is not in %q", l, value, s)
			}
			if a.Event != alertmsg.Resolved && !strings.Contains(s, v.say(smsLevels[levelOf(&a)])) {
				t.Errorf("%s: the level is not in %q", l, s)
			}
			a.Event, a.End, a.Manual = alertmsg.Resolved, frostEnd, true
			checkedSMS(t, v, pick(), []alertmsg.Alarm{a})
			a.Offline, a.Manual = true, r.IntN(2) == 0
			checkedSMS(t, v, pick(), []alertmsg.Alarm{a})
			checkedSMS(t, v, pick(), nil)
		}
	}
}

// An SMS about the largest rule, with long text values, fits.
func TestSMSLargestRuleFits(t *testing.T) {
	for _, l := range text.Languages {
		a := frost(l)
		for i := range 15 {
			property, long := fmt.Sprint("p", i), strings.Repeat("很长", 500)
			a.Conditions = append(a.Conditions,
				alertmsg.Condition{Join: "and", Property: property, Operator: ">", Value: long})
			a.Values[property] = long
		}
		s := checkedSMS(t, newRenderer(l), "x", []alertmsg.Alarm{a})
		if !strings.Contains(strings.ReplaceAll(s, ",", "."), "-2.4") {
			t.Errorf("%s: %s", l, s)
		}
		checkedSMS(t, newRenderer(l), "x", []alertmsg.Alarm{withOnset(a, 48*time.Hour)})
		a.Conditions = a.Conditions[1:]
		checkedSMS(t, newRenderer(l), "x", []alertmsg.Alarm{a})
		checkedSMS(t, newRenderer(l), "x", []alertmsg.Alarm{withOnset(a, 48*time.Hour)})
	}
}

func TestSMSTexts(t *testing.T) {
	manual := resolvedFrost(text.English)
	manual.Manual, manual.User, manual.Remark = true, "Elif", "Valve opened."
	nobody := manual
	nobody.User, nobody.Remark = "", ""
	offline := frost(text.English)
	offline.Offline, offline.Conditions, offline.Values, offline.Level = true, nil, nil, 0
	online := offline
	online.Event, online.End = alertmsg.Resolved, frostEnd
	still := frost(text.English)
	still.Event = alertmsg.Reminder
	several := frost(text.English)
	several.Conditions = append(several.Conditions,
		alertmsg.Condition{Join: "or", Property: "airTemperature", Operator: ">=", Value: 40.},
		alertmsg.Condition{Join: "or", Property: "radiation", Operator: "!=", Value: 0.})
	several.Values["radiation"] = 812.4
	for _, c := range []struct {
		a    alertmsg.Alarm
		want string
	}{
		{resolvedFrost(text.English), `Greenfield: "Frost" has ended after 1 h 35 min. North mast: Air temperature 0.6 C. Nov 21, 07:15`},
		{manual, `Greenfield: "Frost" was resolved by hand (Elif) after 1 h 35 min. North mast. Nov 21, 07:15. "Valve opened"`},
		{nobody, `Greenfield: "Frost" was resolved by hand after 1 h 35 min. North mast. Nov 21, 07:15`},
		{offline, `Greenfield: Alarm "Frost". North mast: offline for 5 min. Nov 21, 05:40`},
		{online, `Greenfield: "Frost" has ended after 1 h 35 min. North mast: online again. Nov 21, 07:15`},
		{still, `Greenfield: Serious alarm "Frost" still open (1 h 35 min). North mast, Nov 21, 05:40: Air temperature -2.4 C (limit < -2 C)`},
		{several, `Greenfield: Serious alarm "Frost". North mast: Air temperature -2.4 C (< -2 C, >= 40 C); Global radiation 812 W/m2 (!= 0 W/m2). Nov 21, 05:40`},
	} {
		if got := checkedSMS(t, newRenderer(text.English), "x", []alertmsg.Alarm{c.a}); got != c.want {
			t.Errorf("%s\n%s", got, c.want)
		}
	}
}

// A digest lists as many alarms as fit with readable names, the most serious first, and counts the
// others.
func TestSMSDigest(t *testing.T) {
	for l, want := range map[text.Language]string{
		text.English: "Greenfield: 12 alarms: ", text.Chinese: "【Greenfield】12条告警：", text.Turkish: "Greenfield: 12 alarm: ", text.Russian: "Greenfield: новые тревоги (12): ",
	} {
		var alarms []alertmsg.Alarm
		for i := range 12 {
			a := frost(l)
			a.Level = i % 2
			if i == 9 {
				a.Level, a.Values = 2, map[string]any{"airTemperature": -17.26}
			}
			alarms = append(alarms, a)
		}
		s := checkedSMS(t, newRenderer(l), "x", alarms)
		rest, ok := strings.CutPrefix(s, want)
		first, _, _ := strings.Cut(rest, ";")
		if l == text.Chinese {
			first, _, _ = strings.Cut(rest, "；")
		}
		listed := strings.Count(s, titles[l])
		more := newRenderer(l).say("letter.digestMore", "n", fmt.Sprint(12-listed))
		if !ok || !strings.Contains(strings.ReplaceAll(first, ",", "."), "-17.3") || listed < 2 ||
			!strings.HasSuffix(s, more) {
			t.Errorf("%s", s)
		}
		for i := range alarms {
			alarms[i].Title, alarms[i].NoteName = oddNames[2+i%4], oddNames[(3+i)%len(oddNames)]
		}
		checkedSMS(t, newRenderer(l), "x", alarms)
	}
	two := checkedSMS(t, newRenderer(text.English), "x",
		[]alertmsg.Alarm{frost(text.English), resolvedFrost(text.English)})
	if two != "Greenfield: 2 alarm messages: Frost: North mast, -2.4 C; Frost: North mast, Resolved" {
		t.Error(two)
	}
}

// A unit is left out after a name that contains it, and present where there is no name.
func TestUnitNotRepeated(t *testing.T) {
	for l, names := range map[text.Language][3]string{
		text.English: {"Water pH", "Water pH 5.67 (limit < 6.5)", "5.67 pH"},
		text.Chinese: {"水体pH值", "水体pH值5.67（条件：< 6.5）", "5.67 pH"},
		text.Turkish: {"Su pH'ı", "Su pH'ı 5,67 (koşul: < 6,5)", "5,67 pH"},
		text.Russian: {"pH воды", "pH воды 5,67 (условие: < 6,5)", "5,67 pH"},
	} {
		v := newRenderer(l)
		v.Names = func(int64, string, text.Language) (string, string, *int) { return names[0], "pH", new(2) }
		a := frost(l)
		a.Conditions[0].Value, a.Values = 6.5, map[string]any{"airTemperature": 5.666}
		if s := v.SMS("x", []alertmsg.Alarm{a}); !strings.Contains(s, names[1]) {
			t.Errorf("%q, want %q", s, names[1])
		}
		if s := v.SMS("x", []alertmsg.Alarm{a, a}); !strings.Contains(s, names[2]) {
			t.Errorf("%q, want %q", s, names[2])
		}
		m, err := v.Mail(channel[l], []alertmsg.Alarm{a}, false)
		if err != nil || strings.Count(m.Text, "pH") != 1 {
			t.Error(m.Text, err)
		}
	}
}

// An English SMS uses the GSM alphabet if the names allow it; Turkish names keep their letters.
func TestSMSCharacterSet(t *testing.T) {
	v := newRenderer(text.English)
	v.Names = func(int64, string, text.Language) (string, string, *int) {
		return "CO₂ “in” … m³", "µmol/m²/s", nil
	}
	a := frost(text.English)
	a.Conditions[0].Operator = "<="
	want := `CO2 "in" ... m3 -2.44 umol/m2/s (limit <= -2 umol/m2/s)`
	if s := checkedSMS(t, v, "x", []alertmsg.Alarm{a}); !strings.Contains(s, want) || !text.IsGSM(s) {
		t.Error(s)
	}
	a.NoteName = "Kuzey direği"
	if s := checkedSMS(t, newRenderer(text.English), "x", []alertmsg.Alarm{a}); !strings.Contains(s, "Kuzey direği") ||
		text.IsGSM(s) {
		t.Error(s)
	}
	v = newRenderer(text.Chinese)
	v.Tenant = "【绿野】"
	if s := checkedSMS(t, v, "x", []alertmsg.Alarm{frost(text.Chinese)}); !strings.HasPrefix(s, "【绿野】严重告警") {
		t.Error(s)
	}
}
