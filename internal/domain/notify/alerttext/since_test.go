package alerttext

import (
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/comparator"
	"tilth/internal/platform/text"
)

// withOnset gives the alarm with HoldsSince set to before its start.
func withOnset(a alertmsg.Alarm, before time.Duration) alertmsg.Alarm {
	a.HoldsSince = a.Start - before.Milliseconds()
	return a
}

// Texts say first since when a frost holds and when it was noticed, in every language: since the
// evening before, and since the same day.
func TestSince(t *testing.T) {
	for l, want := range map[text.Language][4]string{
		text.English: {
			"The alarm rule “Frost” was triggered. Air temperature below −2 °C since Nov 20, 2026, 22:10 (UTC+3), noticed Nov 21, 2026, 05:40. Device: North mast. Air temperature: −2.4 °C.",
			"Frost\nAir temperature below −2 °C since Nov 21, 2026, 04:40, noticed 05:40\nAir temperature: −2.4 °C\nDevice: North mast (WS-0001)",
			`Greenfield: Serious alarm "Frost". North mast: Air temperature -2.4 C (limit < -2 C). Since Nov 20, 22:10, noticed Nov 21, 05:40`,
			"The alarm “Frost” has ended by itself. Device: North mast. End: Nov 21, 2026, 07:15; duration: 1 h 35 min. Air temperature below −2 °C from Nov 20, 2026, 22:10 on. Air temperature: 0.6 °C.",
		},
		text.Chinese: {
			"告警规则“霜冻”已触发。2026-11-20 22:10（UTC+8）起空气温度低于−2 °C，2026-11-21 05:40发现；设备：北侧气象杆；空气温度：−2.4 °C。",
			"霜冻\n2026-11-21 04:40起空气温度低于−2 °C，05:40发现\n空气温度：−2.4 °C\n设备：北侧气象杆（WS-0001）",
			"【Greenfield】严重告警“霜冻”：北侧气象杆，空气温度-2.4 °C（条件：< -2 °C），11月20日22:10起，11月21日05:40发现",
			"告警“霜冻”已自动恢复。设备：北侧气象杆；结束时间：2026-11-21 07:15；持续时间：1小时35分钟；2026-11-20 22:10起空气温度低于−2 °C；空气温度：0.6 °C。",
		},
		text.Turkish: {
			"“Zirai don” alarm kuralı tetiklendi. Hava sıcaklığı −2 °C değerinin altında, başlangıç: 20.11.2026 22:10 (UTC+3), fark edildi: 21.11.2026 05:40. Cihaz: Kuzey direği. Hava sıcaklığı: −2,4 °C.",
			"Zirai don\nHava sıcaklığı −2 °C değerinin altında, başlangıç: 21.11.2026 04:40, fark edildi: 05:40\nHava sıcaklığı: −2,4 °C\nCihaz: Kuzey direği (WS-0001)",
			`Greenfield: Kritik alarm, "Zirai don". Kuzey direği: Hava sıcaklığı -2,4 °C. Başlangıç: 20.11 22:10, fark edildi: 21.11 05:40`,
			"“Zirai don” alarmı kendiliğinden sona erdi. Cihaz: Kuzey direği. Bitiş: 21.11.2026 07:15; süre: 1 sa 35 dk. Hava sıcaklığı −2 °C değerinin altında, başlangıç: 20.11.2026 22:10. Hava sıcaklığı: 0,6 °C.",
		},
		text.Russian: {
			"Сработало правило «Заморозки». Температура воздуха меньше −2 °C с 20.11.2026, 22:10 (UTC+3), замечено 21.11.2026, 05:40. Устройство: Северная мачта. Температура воздуха: −2,4 °C.",
			"Заморозки\nТемпература воздуха меньше −2 °C с 21.11.2026, 04:40, замечено в 05:40\nТемпература воздуха: −2,4 °C\nУстройство: Северная мачта (WS-0001)",
			"Greenfield: критическая тревога «Заморозки». Северная мачта: Температура воздуха -2,4 °C. С 20.11 22:10, замечено 21.11 05:40",
			"Тревога «Заморозки» завершена автоматически. Устройство: Северная мачта. Окончание: 21.11.2026, 07:15; длительность: 1 ч 35 мин. Температура воздуха меньше −2 °C с 20.11.2026, 22:10. Температура воздуха: 0,6 °C.",
		},
	} {
		const night = 7*time.Hour + 30*time.Minute
		evening, today := withOnset(frost(l), night), withOnset(frost(l), time.Hour)
		over := withOnset(resolvedFrost(l), night)
		v := newRenderer(l)
		for i, got := range []string{
			firstParagraph(writeMail(t, l, evening)),
			InApp(l, v.Zone, propertyName, &today),
			v.SMS(channel[l], []alertmsg.Alarm{evening}),
			firstParagraph(writeMail(t, l, over)),
		} {
			if got = spaced.Replace(got); got != want[i] {
				t.Errorf("%s\nwant\n%s", got, want[i])
			}
		}
		// The HTML part says the same, and the start without repeating the zone.
		for _, a := range []alertmsg.Alarm{evening, over} {
			m := writeMail(t, l, a)
			since := capitalize(v.since(&a, v.zoned))
			if a.Event == alertmsg.Resolved {
				since = capitalize(v.since(&a, v.moment))
			}
			if shown := spaced.Replace(visibleText(m)); !strings.Contains(shown, spaced.Replace(since)) ||
				strings.Count(shown, "(UTC") > 1 {
				t.Errorf("%s: %q is missing, or the zone is repeated:\n%s", l, since, shown)
			}
		}
	}
}

// The text of an alarm that was noticed in the minute in which it began to hold is that of an alarm
// without HoldsSince.
func TestSinceOmittedWithinSameMinute(t *testing.T) {
	for _, l := range text.Languages {
		for _, a := range []alertmsg.Alarm{frost(l), resolvedFrost(l)} {
			was := a
			now := withOnset(a, 39*time.Second)
			now.Start, was.Start = now.Start+39_000, was.Start+39_000
			now.HoldsSince += 39_000
			if now.HoldsSince == now.Start || writeMail(t, l, was) != writeMail(t, l, now) {
				t.Errorf("%s: %s", l, writeMail(t, l, now).Text)
			}
			if newRenderer(l).SMS("", []alertmsg.Alarm{was}) != newRenderer(l).SMS("", []alertmsg.Alarm{now}) ||
				InApp(l, east3, propertyName, &was) != InApp(l, east3, propertyName, &now) {
				t.Errorf("%s: an SMS or a message", l)
			}
		}
	}
}

// Conditions are written in words for every operator, with brackets as the rule evaluates them.
func TestSinceAllOperators(t *testing.T) {
	condition := func(join, property string, operator comparator.Operator, value any) alertmsg.Condition {
		return alertmsg.Condition{Join: join, Property: property, Operator: operator, Value: value}
	}
	a := frost(text.English)
	a.Conditions = []alertmsg.Condition{
		condition("and", "airTemperature", ">", 35.),
		condition("or", "airTemperature", "<=", 2.25),
		condition("and", "airHumidity", ">=", 90.),
		condition("and", "pump", "!=", true),
		condition("or", "mode", "=", "drain"),
		condition("or", "airTemperature", "~", 1.),
	}
	for l, want := range inLanguages(
		"((Air temperature above 35 °C or Air temperature at most 2.25 °C) and Relative humidity at least 90% and Pump not On) or Mode equals drain or Air temperature ~ 1 °C since Nov 20, 2026, 05:40, noticed Nov 21, 2026, 05:40",
		"2026-11-20 05:40起（（空气温度高于35 °C或空气温度不高于2.25 °C）且空气相对湿度不低于90%且水泵不等于开）或模式等于drain或空气温度 ~ 1 °C，2026-11-21 05:40发现",
		"((Hava sıcaklığı 35 °C değerinin üstünde veya Hava sıcaklığı en çok 2,25 °C) ve Bağıl nem en az %90 ve Pompa değeri Açık dışında) veya Kip değeri drain veya Hava sıcaklığı ~ 1 °C, başlangıç: 20.11.2026 05:40, fark edildi: 21.11.2026 05:40",
		"((Температура воздуха больше 35 °C или Температура воздуха не больше 2,25 °C) и Относительная влажность не меньше 90 % и Насос ≠ Вкл.) или Режим = drain или Температура воздуха ~ 1 °C с 20.11.2026, 05:40, замечено 21.11.2026, 05:40",
	) {
		of := withOnset(a, 24*time.Hour)
		v := newRenderer(l)
		v.Zone = east3
		if got := spaced.Replace(v.since(&of, v.moment)); got != want {
			t.Errorf("%s:\n%s\n%s", l, got, want)
		}
	}
}

// Texts about an offline device say since when it has been silent, instead of for how long at
// least.
func TestSinceOffline(t *testing.T) {
	for l, want := range map[text.Language][4]string{
		text.English: {"Silent since Nov 19, 2026, 03:40 (UTC+3), noticed Nov 21, 2026, 05:40", "North mast: silent since Nov 19, 03:40. Nov 21, 05:40", "Silent from Nov 19, 2026, 03:40 on. The device is online again.", "5 min"},
		text.Chinese: {"2026-11-19 03:40（UTC+8）起没有消息，2026-11-21 05:40发现", "北侧气象杆，11月19日03:40起没有消息，11月21日05:40", "2026-11-19 03:40起没有消息；设备已恢复在线。", "5分钟"},
		text.Turkish: {"Cihazdan haber yok, başlangıç: 19.11.2026 03:40 (UTC+3), fark edildi: 21.11.2026 05:40", "Kuzey direği: haber yok, başlangıç: 19.11 03:40. 21.11 05:40", "Cihazdan haber yoktu, başlangıç: 19.11.2026 03:40. Cihaz yeniden çevrim içi.", "5 dk"},
		text.Russian: {"Устройство молчит с 19.11.2026, 03:40 (UTC+3), замечено 21.11.2026, 05:40", "Северная мачта: молчит с 19.11 03:40. 21.11 05:40", "Устройство молчало с 19.11.2026, 03:40. Связь с устройством восстановлена.", "5 мин"},
	} {
		a := withOnset(frost(l), 50*time.Hour)
		a.Offline, a.Conditions, a.Values = true, nil, nil
		over := a
		over.Event, over.End = alertmsg.Resolved, resolvedFrost(l).End
		still := a
		still.Event = alertmsg.Reminder
		sms := newRenderer(l).SMS(channel[l], []alertmsg.Alarm{a})
		if said := writeMail(t, l, a).Text; !strings.Contains(said, want[0]) || strings.Contains(said, want[3]) ||
			!strings.Contains(sms, want[1]) {
			t.Errorf("%s\n%s", said, sms)
		}
		if shown := visibleText(writeMail(t, l, a)); strings.Count(shown, want[0]) != 1 ||
			strings.Contains(shown, want[3]) {
			t.Errorf("%s", shown)
		}
		if said := firstParagraph(writeMail(t, l, over)); !strings.Contains(said, want[2]) {
			t.Errorf("%s", said)
		}
		if said := writeMail(t, l, still).Text; !strings.Contains(said, want[0]) {
			t.Errorf("%s", said)
		}
		first := strings.NewReplacer(" (UTC+3)", "", "（UTC+8）", "").Replace(want[0])
		if said := InApp(l, newRenderer(l).Zone, propertyName, &a); strings.Contains(said, want[3]) ||
			strings.Split(said, "\n")[1] != first {
			t.Errorf("%s", said)
		}
	}
}

// A reminder says since when the alarm holds and for how long it has been open; an SMS if there is
// room.
func TestSinceInReminder(t *testing.T) {
	a := withOnset(frost(text.English), 50*time.Hour)
	a.Event = alertmsg.Reminder
	want := "The alarm “Frost” is still open. Air temperature below −2 °C since Nov 19, 2026, 03:40 (UTC+3), noticed Nov 21, 2026, 05:40. Device: North mast. Duration so far: 1 h 35 min. Air temperature at the start: −2.4 °C."
	if got := spaced.Replace(firstParagraph(writeMail(t, text.English, a))); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	want = `Greenfield: Serious alarm "Frost" still open (1 h 35 min). North mast, Nov 21, 05:40: Air temperature -2.4 C (limit < -2 C). Since Nov 19, 03:40`
	if got := newRenderer(text.English).SMS("", []alertmsg.Alarm{a}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	a.Title, a.NoteName = strings.Repeat("Spring frost ", 5), strings.Repeat("North mast ", 6)
	if got := newRenderer(text.English).SMS("", []alertmsg.Alarm{a}); text.SMSParts(got) != 1 {
		t.Error(got)
	}
}

// A digest says since when each open alarm holds, and when others ended.
func TestSinceInDigest(t *testing.T) {
	a, over := withOnset(frost(text.English), 50*time.Hour), withOnset(resolvedFrost(text.English), 50*time.Hour)
	offline := a
	offline.Offline, offline.Conditions, offline.Values = true, nil, nil
	still := a
	still.Event = alertmsg.Reminder
	m := writeMail(t, text.English, a, over, offline, still)
	shown := spaced.Replace(visibleText(m))
	for said, times := range map[string]int{
		"Since Nov 19, 2026, 03:40, noticed Nov 21, 2026, 05:40": 2, "silent since Nov 19, 2026, 03:40": 1, "Nov 21, 2026, 07:15": 1,
	} {
		if strings.Count(shown, said) != times {
			t.Errorf("%q does not occur %d times:\n%s", said, times, shown)
		}
	}
	if got := strings.Count(m.Text, "03:40"); got != 4 {
		t.Errorf("%d times:\n%s", got, m.Text)
	}
}

// In an hour that occurs twice, the text says which of the two is meant.
func TestSinceInRepeatedHour(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	a := frost(text.English)
	a.Start = time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC).UnixMilli()
	a = withOnset(a, time.Hour)
	v := &Renderer{Language: text.English, Zone: berlin, Names: propertyName}
	if got := v.since(&a, v.moment); !strings.HasSuffix(got,
		"since Oct 25, 2026, 02:30 UTC+2, noticed Oct 25, 2026, 02:30 UTC+1") {
		t.Error(got)
	}
}
