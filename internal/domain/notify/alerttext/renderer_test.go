package alerttext

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/text"
)

// element is a property's entry in the catalogue.
type element struct {
	names     map[text.Language]string
	unit      string
	precision *int
}

var catalogue = map[string]element{
	"airTemperature": {inLanguages("Air temperature", "空气温度", "Hava sıcaklığı", "Температура воздуха"), "°C", new(1)},
	"airHumidity":    {inLanguages("Relative humidity", "空气相对湿度", "Bağıl nem", "Относительная влажность"), "%", new(0)},
	"radiation": {
		inLanguages("Global radiation", "太阳总辐射", "Küresel güneş ışınımı", "Суммарная солнечная радиация"),
		"W/m²", new(0),
	},
	"pump": {inLanguages("Pump", "水泵", "Pompa", "Насос"), "", nil},
	"mode": {inLanguages("Mode", "模式", "Kip", "Режим"), "", nil},
}

func inLanguages(en, zh, tr, ru string) map[text.Language]string {
	return map[text.Language]string{text.English: en, text.Chinese: zh, text.Turkish: tr, text.Russian: ru}
}

func propertyName(_ int64, identifier string, l text.Language) (string, string, *int) {
	e, ok := catalogue[identifier]
	if !ok {
		return identifier, "", nil
	}
	return text.InLanguage(e.names, l), e.unit, e.precision
}

// The frost of these tests: -2.4 °C at 05:40 in Istanbul, over at 07:15.
var (
	titles     = inLanguages("Frost", "霜冻", "Zirai don", "Заморозки")
	masts      = inLanguages("North mast", "北侧气象杆", "Kuzey direği", "Северная мачта")
	frostStart = time.Date(2026, 11, 21, 2, 40, 0, 0, time.UTC).UnixMilli()
	frostEnd   = time.Date(2026, 11, 21, 4, 15, 0, 0, time.UTC).UnixMilli()
	east3      = time.FixedZone("", 3*3600)
	china      = time.FixedZone("", 8*3600)
	channel    = inLanguages("Night crew", "夜班", "Gece ekibi", "Ночная смена")
)

func frost(l text.Language) alertmsg.Alarm {
	a := alertmsg.Alarm{
		Event:      alertmsg.Triggered,
		Notice:     17,
		Rule:       3,
		Title:      text.InLanguage(titles, l),
		Level:      2,
		DeviceID:   5,
		DeviceName: "WS-0001",
		NoteName:   text.InLanguage(masts, l),
		Product:    1,
		Window:     300_000,
		Hits:       2,
		Start:      frostStart,
		Conditions: []alertmsg.Condition{{Join: "and", Property: "airTemperature", Operator: "<", Value: -2.}},
		Values:     map[string]any{"airTemperature": -2.44},
	}
	if l == text.Chinese { // so that it is 05:40 in China too
		a.Start -= 5 * 3600_000
	}
	return a
}

func resolvedFrost(l text.Language) alertmsg.Alarm {
	a := frost(l)
	a.Event, a.End, a.Values = alertmsg.Resolved, frostEnd, map[string]any{"airTemperature": 0.6}
	if l == text.Chinese {
		a.End -= 5 * 3600_000
	}
	return a
}

func newRenderer(l text.Language) *Renderer {
	v := &Renderer{Language: l, Zone: east3, Names: propertyName, Tenant: "Greenfield", Base: "https://farm.example",
		Now: time.UnixMilli(frostEnd)}
	if l == text.Chinese {
		v.Zone = china
	}
	return v
}

// spaced replaces no-break spaces by plain ones, as the expected texts have them.
var spaced = strings.NewReplacer("\u00a0", " ")

func writeMail(t *testing.T, l text.Language, alarms ...alertmsg.Alarm) Mail {
	t.Helper()
	m, err := newRenderer(l).Mail(text.InLanguage(channel, l), alarms, false)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The complete texts about the frost and its end.
func TestTextsInAllLanguages(t *testing.T) {
	for l, want := range map[text.Language]struct{ subject, text, sms, endSubject, endText string }{
		text.English: {
			"[Serious] Frost: North mast",
			"The alarm rule “Frost” was triggered. Device: North mast. Time: Nov 21, 2026, 05:40 (UTC+3). Air temperature: −2.4 °C; condition: < −2 °C.",
			`Greenfield: Serious alarm "Frost". North mast: Air temperature -2.4 C (limit < -2 C). Nov 21, 05:40`,
			"[Resolved] Frost: North mast",
			"The alarm “Frost” has ended by itself. Device: North mast. End: Nov 21, 2026, 07:15; duration: 1 h 35 min. Air temperature: 0.6 °C.",
		},
		text.Chinese: {
			"【严重告警】霜冻：北侧气象杆",
			"告警规则“霜冻”已触发。设备：北侧气象杆；时间：2026-11-21 05:40（UTC+8）；空气温度：−2.4 °C；条件：< −2 °C。",
			"【Greenfield】严重告警“霜冻”：北侧气象杆，空气温度-2.4 °C（条件：< -2 °C），11月21日05:40",
			"【已恢复】霜冻：北侧气象杆",
			"告警“霜冻”已自动恢复。设备：北侧气象杆；结束时间：2026-11-21 07:15；持续时间：1小时35分钟；空气温度：0.6 °C。",
		},
		text.Turkish: {
			"[Kritik] Zirai don: Kuzey direği",
			"“Zirai don” alarm kuralı tetiklendi. Cihaz: Kuzey direği. Zaman: 21.11.2026 05:40 (UTC+3). Hava sıcaklığı: −2,4 °C; koşul: < −2 °C.",
			`Greenfield: Kritik alarm, "Zirai don". Kuzey direği: Hava sıcaklığı -2,4 °C (koşul: < -2 °C). 21.11 05:40`,
			"[Sona erdi] Zirai don: Kuzey direği",
			"“Zirai don” alarmı kendiliğinden sona erdi. Cihaz: Kuzey direği. Bitiş: 21.11.2026 07:15; süre: 1 sa 35 dk. Hava sıcaklığı: 0,6 °C.",
		},
		text.Russian: {
			"Критично: Заморозки, Северная мачта",
			"Сработало правило «Заморозки». Устройство: Северная мачта. Время: 21.11.2026, 05:40 (UTC+3). Температура воздуха: −2,4 °C; условие: < −2 °C.",
			"Greenfield: критическая тревога «Заморозки». Северная мачта: Температура воздуха -2,4 °C (условие: < -2 °C). 21.11 05:40",
			"Завершено: Заморозки, Северная мачта",
			"Тревога «Заморозки» завершена автоматически. Устройство: Северная мачта. Окончание: 21.11.2026, 07:15; длительность: 1 ч 35 мин. Температура воздуха: 0,6 °C.",
		},
	} {
		begin, end := writeMail(t, l, frost(l)), writeMail(t, l, resolvedFrost(l))
		for _, pair := range [][2]string{
			{begin.Subject, want.subject}, {firstParagraph(begin), want.text},
			{end.Subject, want.endSubject}, {firstParagraph(end), want.endText},
			{newRenderer(l).SMS(channel[l], []alertmsg.Alarm{frost(l)}), want.sms},
		} {
			if got := spaced.Replace(pair[0]); got != pair[1] {
				t.Errorf("%s:\n%s\n%s", l, got, pair[1])
			}
		}
	}
}

func firstParagraph(m Mail) string {
	first, _, _ := strings.Cut(m.Text, "\n\n")
	return first
}

// Several conditions have brackets where reading from the left would mislead; a property that is
// compared twice is named once.
func TestSeveralConditions(t *testing.T) {
	condition := func(join, property string, operator comparator.Operator, value any) alertmsg.Condition {
		return alertmsg.Condition{Join: join, Property: property, Operator: operator, Value: value}
	}
	for _, c := range []struct {
		conditions []alertmsg.Condition
		values     map[string]any
		english    string
		russian    string
	}{
		{
			[]alertmsg.Condition{condition("and", "airTemperature", "<=", 2.), condition("and", "airHumidity", ">=", 90.)},
			map[string]any{"airTemperature": 1.75, "airHumidity": 93.2},
			"Air temperature: 1.8 °C; Relative humidity: 93%; condition: Air temperature ≤ 2 °C and Relative humidity ≥ 90%",
			"Температура воздуха: 1,8 °C; Относительная влажность: 93 %; условие: Температура воздуха ≤ 2 °C и Относительная влажность ≥ 90 %",
		},
		{
			[]alertmsg.Condition{condition("and", "airTemperature", ">", 35.), condition("or", "airTemperature", "<", 2.25), condition("and", "pump", "!=", true)},
			map[string]any{"airTemperature": 36., "pump": false},
			"Air temperature: 36.0 °C; Pump: Off; condition: (Air temperature > 35 °C or Air temperature < 2.25 °C) and Pump ≠ On",
			"Температура воздуха: 36,0 °C; Насос: Выкл.; условие: (Температура воздуха > 35 °C или Температура воздуха < 2,25 °C) и Насос ≠ Вкл.",
		},
		{
			[]alertmsg.Condition{condition("and", "mode", "=", "drain"), condition("or", "airHumidity", ">", 1e3), condition("or", "other", "=", 5.)},
			map[string]any{"mode": "drain\nnow", "airHumidity": nil},
			"Mode: drain now; Relative humidity: no reading; other: no reading; condition: Mode = drain or Relative humidity > 1,000% or other = 5",
			"Режим: drain now; Относительная влажность: нет показаний; other: нет показаний; условие: Режим = drain или Относительная влажность > 1 000 % или other = 5",
		},
	} {
		for l, want := range map[text.Language]string{text.English: c.english, text.Russian: c.russian} {
			a := frost(l)
			a.Conditions, a.Values = c.conditions, c.values
			if got := spaced.Replace(newRenderer(l).evaluationText(&a)); got != want {
				t.Errorf("%s:\n%s\n%s", l, got, want)
			}
		}
	}
}

// A fact that ends with a full stop, such as an abbreviation, does not add a second one.
func TestNoDoubleFullStop(t *testing.T) {
	a := frost(text.Russian)
	a.NoteName = "Теплица ООО «Юг» и др."
	a.Conditions = []alertmsg.Condition{{Join: "and", Property: "pump", Operator: "=", Value: true}}
	a.Values = map[string]any{"pump": true}
	still, offline := a, a
	still.Event = alertmsg.Reminder
	still.Start = newRenderer(text.Russian).Now.Add(-48 * time.Hour).UnixMilli()
	offline.Offline, offline.Window = true, (48 * time.Hour).Milliseconds()
	over := still
	over.Event, over.End, over.Manual = alertmsg.Resolved, over.Start+(72*time.Hour).Milliseconds(), true
	for _, one := range []alertmsg.Alarm{a, still, offline, over} {
		m := writeMail(t, text.Russian, one)
		sms := newRenderer(text.Russian).SMS("Сторож", []alertmsg.Alarm{one})
		for _, got := range []string{m.Text, visibleText(m), sms} {
			if strings.Contains(got, "..") {
				t.Errorf("two full stops:\n%s", got)
			}
		}
	}
	want := "Сработало правило «Заморозки». Устройство: Теплица ООО «Юг» и др. Время: 21.11.2026, 05:40 (UTC+3). Насос: Вкл.; условие: = Вкл."
	if got := spaced.Replace(firstParagraph(writeMail(t, text.Russian, a))); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Facts from JSON give the same text as those in memory.
func TestFactsAfterJSONRoundTrip(t *testing.T) {
	a := frost(text.English)
	a.Conditions = append(a.Conditions, alertmsg.Condition{Join: "and", Property: "pump", Operator: "=", Value: true})
	a.Values["pump"] = true
	kept, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var read alertmsg.Alarm
	if err := json.Unmarshal(kept, &read); err != nil {
		t.Fatal(err)
	}
	before, after := writeMail(t, text.English, a), writeMail(t, text.English, read)
	if before != after {
		t.Errorf("%s\n%s", before.Text, after.Text)
	}
	a.Values = map[string]any{"airTemperature": json.Number("-2.44"), "pump": []any{}}
	got := spaced.Replace(newRenderer(text.English).readings(&a))
	if got != "Air temperature: −2.4 °C; Pump: no reading" {
		t.Error(got)
	}
	a.Values = map[string]any{"airTemperature": math.Inf(1), "pump": int64(3)}
	if got := newRenderer(text.English).readings(&a); got != "Air temperature: no reading; Pump: 3" {
		t.Error(got)
	}
}

// A text uses the property as recorded, even if the product has another unit by now or lacks the
// property.
func TestPropertiesAsRecorded(t *testing.T) {
	a := frost(text.English)
	a.Conditions = append(a.Conditions, alertmsg.Condition{Join: "or", Property: "zq", Operator: ">", Value: 10.})
	a.Values["zq"] = 11.
	a.Properties = map[string]alertmsg.Property{
		"airTemperature": {Name: "Air", Unit: "K", Decimals: new(2)},
		"zq":             {Name: "Zed queue", Unit: "mm", Decimals: new(1)},
	}
	want := "Air temperature: −2.44 K; Zed queue: 11.0 mm; condition: Air temperature < −2 K or Zed queue > 10 mm"
	if got := spaced.Replace(newRenderer(text.English).evaluationText(&a)); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	a.Properties["zq"] = alertmsg.Property{Name: "Zed queue", Unit: "a unit longer than that"}
	if got := newRenderer(text.English).SMS("Greenfield", []alertmsg.Alarm{a}); strings.Contains(got, "longer than") {
		t.Errorf("a long unit in an SMS: %s", got)
	}
}

// The first line of a message in the console is the title.
func TestInApp(t *testing.T) {
	manual := resolvedFrost(text.English)
	manual.Manual, manual.User, manual.Remark = true, "Elif Kaya", "Inlet valve opened."
	nobody := manual
	nobody.User, nobody.Remark = "", ""
	offline := frost(text.English)
	offline.Offline, offline.Conditions, offline.Values, offline.Title = true, nil, nil, "Table 4 is offline"
	offline.NoteName, offline.Description = "", "1. Look at the  battery.\r\n\r\n 2. Call\tAda. \n"
	online := offline
	online.Event, online.End = alertmsg.Resolved, frostEnd
	still := frost(text.English)
	still.Event = alertmsg.Reminder
	for _, c := range []struct {
		a    alertmsg.Alarm
		want string
	}{
		{frost(text.English), "Frost\nAir temperature: −2.4 °C; condition: < −2 °C\nDevice: North mast (WS-0001)\nStart: Nov 21, 2026, 05:40"},
		{resolvedFrost(text.English), "Frost has cleared\nAir temperature: 0.6 °C\nDevice: North mast (WS-0001)\nEnd: Nov 21, 2026, 07:15; duration: 1 h 35 min"},
		{manual, "Frost was resolved by Elif Kaya\n“Inlet valve opened”\nDevice: North mast (WS-0001)\nEnd: Nov 21, 2026, 07:15; duration: 1 h 35 min"},
		{nobody, "Frost was resolved by hand\nDevice: North mast (WS-0001)\nEnd: Nov 21, 2026, 07:15; duration: 1 h 35 min"},
		{offline, "Table 4 is offline\nThe device has been offline for 5 min\nDevice: WS-0001\nStart: Nov 21, 2026, 05:40\n1. Look at the battery.\n2. Call Ada."},
		{online, "Table 4 is offline has cleared\nThe device is online again\nDevice: WS-0001\nEnd: Nov 21, 2026, 07:15; duration: 1 h 35 min"},
		{still, "Frost is still open\nAir temperature at the start: −2.4 °C; condition: < −2 °C\nDevice: North mast (WS-0001)\nStart: Nov 21, 2026, 05:40"},
	} {
		if got := spaced.Replace(InApp(text.English, east3, propertyName, &c.a)); got != c.want {
			t.Errorf("%s\n\nwant\n%s", got, c.want)
		}
	}
	for l, want := range inLanguages("Frost was resolved by Elif Kaya", "霜冻：已手动解除（Elif Kaya）", "Zirai don: kapatan Elif Kaya", "Заморозки: снято вручную, Elif Kaya") {
		a := resolvedFrost(l)
		a.Manual, a.User = true, "Elif Kaya"
		if title, _, _ := strings.Cut(InApp(l, east3, propertyName, &a), "\n"); title != want {
			t.Errorf("%s: %s", l, title)
		}
	}
}

// Times are of the tenant's zone, and UTC if there is none.
func TestTimesWithoutZoneAreUTC(t *testing.T) {
	v := newRenderer(text.English)
	v.Zone = nil
	if got := v.zoned(frostStart); got != "Nov 21, 2026, 02:40 (UTC)" {
		t.Error(got)
	}
}

// Mails and messages about an open unsteady notice say why it stays open and what helps; an SMS has
// no room for that.
func TestUnsteady(t *testing.T) {
	for l, want := range map[text.Language][2]string{
		text.English: {"given 12 alarms within an hour. This one therefore stays open until its condition has been false for ten minutes. A recovery value", "until the device has been online for ten minutes"},
		text.Chinese: {"一小时内已产生12条告警，因此本条告警在条件连续十分钟不成立后才会恢复", "设备连续在线十分钟后才会恢复"},
		text.Turkish: {"bir saat içinde 12 alarm verdi", "on dakika boyunca çevrim içi kalana kadar"},
		text.Russian: {"за час правило сработало 12 раз. Поэтому эта тревога останется активной", "десять минут подряд. Поможет большее время"},
	} {
		a := frost(l)
		steady := newRenderer(l).SMS(channel[l], []alertmsg.Alarm{a})
		a.Unsteady = 12
		offline := a
		offline.Offline, offline.Conditions = true, nil
		over := a
		over.Event, over.End = alertmsg.Resolved, a.Start+1000
		for i, one := range []alertmsg.Alarm{a, offline} {
			m := writeMail(t, l, one)
			for where, said := range map[string]string{"text": m.Text, "HTML": m.HTML, "message": InApp(l, east3, propertyName, &one)} {
				if !strings.Contains(strings.ReplaceAll(said, "\n", " "), want[i]) {
					t.Errorf("%s, %s: %s", l, where, said)
				}
			}
		}
		if m := writeMail(t, l, over); strings.Contains(m.Text, want[0]) {
			t.Errorf("%s: %s", l, m.Text)
		}
		if got := newRenderer(l).SMS(channel[l], []alertmsg.Alarm{a}); got != steady {
			t.Errorf("%s: %s", l, got)
		}
	}
}
