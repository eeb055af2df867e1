package alerttext

import (
	"fmt"
	"strings"
	"testing"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

const messageLongest = 4096

// message is a text of paragraphs, in which ¶ begins a line.
func message(paragraphs ...string) string {
	return strings.ReplaceAll(strings.Join(paragraphs, "\n\n"), "¶", "\n")
}

// The complete texts for messengers: a test, the frost, somebody who is on it, and its end.
func TestMessagesInAllLanguages(t *testing.T) {
	for l, want := range map[text.Language][4]string{
		text.Turkish: {
			message(`[Deneme] Gece ekibi`,
				`Bu, “Gece ekibi” bildirim kanalının deneme mesajıdır. Alarm mesajları buraya böyle ulaşacak.`,
				`Greenfield · Gece ekibi`),
			message(`[Kritik] Zirai don: Kuzey direği`,
				`“Zirai don” alarm kuralı tetiklendi. Cihaz: Kuzey direği. Zaman: 21.11.2026 05:40 (UTC+3). Hava sıcaklığı: −2,4 °C; koşul: < −2 °C.`,
				`Alarmı aç¶https://farm.example/inform?id=17`, `Greenfield · Gece ekibi`),
			message(`[Kritik, hâlâ açık] Zirai don: Kuzey direği`,
				`“Zirai don” alarmı hâlâ açık. Ada ilgileniyordu (21.11 06:40): “at the pump”. Cihaz: Kuzey direği. Başlangıç: 21.11.2026 05:40 (UTC+3); şu ana kadar: 1 sa 35 dk. Hava sıcaklığı (başlangıçta): −2,4 °C; koşul: < −2 °C.`,
				`Alarmı aç¶https://farm.example/inform?id=17`, `Greenfield · Gece ekibi`),
			message(`[Sona erdi] Zirai don: Kuzey direği`,
				`“Zirai don” alarmı kendiliğinden sona erdi. Cihaz: Kuzey direği. Bitiş: 21.11.2026 07:15; süre: 1 sa 35 dk. Hava sıcaklığı: 0,6 °C.`,
				`Alarmı aç¶https://farm.example/inform?id=17`, `Greenfield · Gece ekibi`),
		},
		text.Russian: {
			message(`Проверка: Ночная смена`,
				`Это проверка канала уведомлений «Ночная смена». Сообщения о тревогах будут приходить сюда таким же образом.`,
				`Greenfield · Ночная смена`),
			message(`Критично: Заморозки, Северная мачта`,
				`Сработало правило «Заморозки». Устройство: Северная мачта. Время: 21.11.2026, 05:40 (UTC+3). Температура воздуха: −2,4 °C; условие: < −2 °C.`,
				`Открыть тревогу¶https://farm.example/inform?id=17`, `Greenfield · Ночная смена`),
			message(`Критично, ещё активна: Заморозки, Северная мачта`,
				`Тревога «Заморозки» ещё активна. Отметка «Я занимаюсь»: Ada (21.11 06:40), «at the pump». Устройство: Северная мачта. Начало: 21.11.2026, 05:40 (UTC+3); длится уже: 1 ч 35 мин. Температура воздуха (в начале): −2,4 °C; условие: < −2 °C.`,
				`Открыть тревогу¶https://farm.example/inform?id=17`, `Greenfield · Ночная смена`),
			message(`Завершено: Заморозки, Северная мачта`,
				`Тревога «Заморозки» завершена автоматически. Устройство: Северная мачта. Окончание: 21.11.2026, 07:15; длительность: 1 ч 35 мин. Температура воздуха: 0,6 °C.`,
				`Открыть тревогу¶https://farm.example/inform?id=17`, `Greenfield · Ночная смена`),
		},
		text.English: {
			message(`[Test] Night crew`,
				`This is a test of the notification channel “Night crew”. Alarm messages will arrive here in this way.`,
				`Greenfield · Night crew`),
			message(`[Serious] Frost: North mast`,
				`The alarm rule “Frost” was triggered. Device: North mast. Time: Nov 21, 2026, 05:40 (UTC+3). Air temperature: −2.4 °C; condition: < −2 °C.`,
				`Open the alarm¶https://farm.example/inform?id=17`, `Greenfield · Night crew`),
			message(`[Serious, still open] Frost: North mast`,
				`The alarm “Frost” is still open. Ada was on it (Nov 21, 06:40): “at the pump”. Device: North mast. Start: Nov 21, 2026, 05:40 (UTC+3); duration so far: 1 h 35 min. Air temperature at the start: −2.4 °C; condition: < −2 °C.`,
				`Open the alarm¶https://farm.example/inform?id=17`, `Greenfield · Night crew`),
			message(`[Resolved] Frost: North mast`,
				`The alarm “Frost” has ended by itself. Device: North mast. End: Nov 21, 2026, 07:15; duration: 1 h 35 min. Air temperature: 0.6 °C.`,
				`Open the alarm¶https://farm.example/inform?id=17`, `Greenfield · Night crew`),
		},
		text.Chinese: {
			message(`【测试】夜班`,
				`这是通知渠道“夜班”的测试消息。告警消息将以这种方式送达。`,
				`Greenfield · 夜班`),
			message(`【严重告警】霜冻：北侧气象杆`,
				`告警规则“霜冻”已触发。设备：北侧气象杆；时间：2026-11-21 05:40（UTC+8）；空气温度：−2.4 °C；条件：< −2 °C。`,
				`查看告警¶https://farm.example/inform?id=17`, `Greenfield · 夜班`),
			message(`【严重告警，仍未恢复】霜冻：北侧气象杆`,
				`告警“霜冻”仍未恢复。Ada曾表示正在处理（11月21日06:40）：“at the pump”。设备：北侧气象杆；开始时间：2026-11-21 05:40（UTC+8）；已持续：6小时35分钟；触发时空气温度：−2.4 °C；条件：< −2 °C。`,
				`查看告警¶https://farm.example/inform?id=17`, `Greenfield · 夜班`),
			message(`【已恢复】霜冻：北侧气象杆`,
				`告警“霜冻”已自动恢复。设备：北侧气象杆；结束时间：2026-11-21 07:15；持续时间：1小时35分钟；空气温度：0.6 °C。`,
				`查看告警¶https://farm.example/inform?id=17`, `Greenfield · 夜班`),
		},
	} {
		v := newRenderer(l)
		for i, alarms := range [4][]alertmsg.Alarm{
			nil, {frost(l)}, {acknowledgedFrost(l, alertmsg.Reminder, frostStart)}, {resolvedFrost(l)},
		} {
			if got := spaced.Replace(v.Message(channel[l], alarms, messageLongest)); got != want[i] {
				t.Errorf("%s %d:\n%s\nwant\n%s", l, i, got, want[i])
			}
		}
	}
}

// A digest lists the most serious alarms, as many as fit, and says how many more there are; nothing
// is ever longer than a messenger takes, whatever its characters.
func TestMessageFits(t *testing.T) {
	for _, l := range []text.Language{text.English, text.Chinese, text.Turkish, text.Russian} {
		var alarms []alertmsg.Alarm
		for i := range 60 {
			a := frost(l)
			a.Level, a.Title = i%3, fmt.Sprintf("%s %02d 🌾", titles[l], i)
			alarms = append(alarms, a)
		}
		for _, longest := range []int{messageLongest, 1000, 300, 40} {
			got := newRenderer(l).Message(channel[l], alarms, longest)
			if n := utf16Len(got); n > longest || n < longest/2 {
				t.Errorf("%s: %d of %d:\n%s", l, n, longest, got)
			}
			if longest == messageLongest && (!strings.Contains(got, "02 🌾") ||
				!strings.Contains(got, "https://farm.example/inform") || !strings.HasSuffix(got, channel[l])) {
				t.Errorf("%s:\n%s", l, got)
			}
		}
		long := frost(l)
		long.Description = strings.Repeat("🌾", 3000)
		if n := utf16Len(newRenderer(l).Message(channel[l], []alertmsg.Alarm{long}, 500)); n > 500 || n < 400 {
			t.Errorf("%s: %d", l, n)
		}
	}
}
