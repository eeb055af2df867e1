package alerttext

import (
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// Beyond 30 days a text says the day, or for more than how long, never the time at which the search
// ended.
func TestSinceBeyondThirtyDays(t *testing.T) {
	const day = 24 * time.Hour
	for l, want := range map[text.Language][5]string{
		text.English: {
			"Air temperature below −2 °C since May 17, 2026, noticed Nov 21, 2026, 05:40 (UTC+3)",
			"Since May 17, noticed Nov 21, 05:40",
			"Air temperature below −2 °C for more than 30 days, noticed Nov 21, 2026, 05:40 (UTC+3)",
			"For more than a year, noticed Nov 21, 05:40",
			"Air temperature below −2 °C for more than a year.",
		},
		text.Chinese: {
			"2026-05-17起空气温度低于−2 °C，2026-11-21 05:40（UTC+8）发现",
			"5月17日起，11月21日05:40发现",
			"空气温度低于−2 °C已超过30天，2026-11-21 05:40（UTC+8）发现",
			"已超过一年，11月21日05:40发现",
			"空气温度低于−2 °C已超过一年；",
		},
		text.Turkish: {
			"Hava sıcaklığı −2 °C değerinin altında, başlangıç: 17.05.2026, fark edildi: 21.11.2026 05:40 (UTC+3)",
			"Başlangıç: 17.05, fark edildi: 21.11 05:40",
			"30 günden uzun süredir Hava sıcaklığı −2 °C değerinin altında, fark edildi: 21.11.2026 05:40 (UTC+3)",
			"Bir yıldan uzun süredir, fark edildi: 21.11 05:40",
			"Bir yıldan uzun süredir Hava sıcaklığı −2 °C değerinin altında.",
		},
		text.Russian: {
			"Температура воздуха меньше −2 °C с 17.05.2026, замечено 21.11.2026, 05:40 (UTC+3)",
			"С 17.05, замечено 21.11 05:40",
			"Температура воздуха меньше −2 °C более 30 дн., замечено 21.11.2026, 05:40 (UTC+3)",
			"Более года, замечено 21.11 05:40",
			"Температура воздуха меньше −2 °C более года.",
		},
	} {
		to := func(a alertmsg.Alarm, before time.Duration, p alertmsg.Precision) alertmsg.Alarm {
			a = withOnset(a, before)
			a.HoldsSincePrecision = p
			return a
		}
		drought := to(frost(l), 188*day, alertmsg.ToTheDay)
		month, year := to(frost(l), 30*day, alertmsg.BeforeThat), to(frost(l), 365*day, alertmsg.BeforeThat)
		v := newRenderer(l)
		for i, got := range []string{
			firstParagraph(writeMail(t, l, drought)),
			v.SMS(channel[l], []alertmsg.Alarm{drought}),
			firstParagraph(writeMail(t, l, month)),
			v.SMS(channel[l], []alertmsg.Alarm{year}),
			firstParagraph(writeMail(t, l, to(resolvedFrost(l), 365*day, alertmsg.BeforeThat))),
		} {
			if got = spaced.Replace(got); !strings.Contains(got, want[i]) {
				t.Errorf("%s\nwant\n%s", got, want[i])
			}
		}
		// The HTML part says the zone once, with when it was noticed.
		if shown := spaced.Replace(visibleText(writeMail(t, l, drought))); !strings.Contains(shown, want[0]) ||
			strings.Count(shown, "(UTC")+strings.Count(shown, "（UTC") != 1 {
			t.Errorf("%s:\n%s", l, shown)
		}
		digest := writeMail(t, l, drought, year)
		if shown := spaced.Replace(visibleText(digest)); strings.Contains(shown, "2025") {
			t.Errorf("%s: the end of the search is shown:\n%s", l, shown)
		}
	}
}
