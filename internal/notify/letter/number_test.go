package letter

import (
	"math"
	"strings"
	"testing"
	"time"

	"tilth/internal/text"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		value    float64
		decimals *int
		want     [4]string // of text.Languages
	}{
		{-2.44, new(1), [4]string{"-2.4", "-2.4", "-2,4", "-2,4"}},
		{1234.5, new(1), [4]string{"1,234.5", "1,234.5", "1.234,5", "1\u00a0234,5"}},
		{1234567, nil, [4]string{"1,234,567", "1,234,567", "1.234.567", "1\u00a0234\u00a0567"}},
		{999.95, new(1), [4]string{"1,000.0", "1,000.0", "1.000,0", "1\u00a0000,0"}},
		{-999.95, new(1), [4]string{"-1,000.0", "-1,000.0", "-1.000,0", "-1\u00a0000,0"}},
		{1.005, new(2), [4]string{"1.01", "1.01", "1,01", "1,01"}}, // half away from zero, as it is written
		{2.5, new(0), [4]string{"3", "3", "3", "3"}},
		{-2.5, new(0), [4]string{"-3", "-3", "-3", "-3"}},
		{0.1 + 0.2, nil, [4]string{"0.3", "0.3", "0,3", "0,3"}},
		{-0.04, new(1), [4]string{"0.0", "0.0", "0,0", "0,0"}},
		{math.Copysign(0, -1), nil, [4]string{"0", "0", "0", "0"}},
		{100, nil, [4]string{"100", "100", "100", "100"}},
		{5, new(2), [4]string{"5.00", "5.00", "5,00", "5,00"}},
		{5, new(-1), [4]string{"5", "5", "5", "5"}},
		{-1.5e20, new(1), [4]string{"-1.5e+20", "-1.5e+20", "-1.5e+20", "-1.5e+20"}},
	} {
		for i, l := range text.Languages {
			if got := number(l, c.value, c.decimals); got != c.want[i] {
				t.Errorf("%s: %v is %q, want %q", l, c.value, got, c.want[i])
			}
		}
	}
}

func TestMeasured(t *testing.T) {
	for unit, want := range map[string][4]string{
		"°C":        {"-5\u00a0°C", "-5\u00a0°C", "-5\u00a0°C", "-5\u00a0°C"},
		"%":         {"-5%", "-5%", "-%5", "-5\u00a0%"},
		"°":         {"-5°", "-5°", "-5°", "-5°"},
		"":          {"-5", "-5", "-5", "-5"},
		"W/m²":      {"-5\u00a0W/m²", "-5\u00a0W/m²", "-5\u00a0W/m²", "-5\u00a0Вт/м²"},
		"m/s":       {"-5\u00a0m/s", "-5\u00a0m/s", "-5\u00a0m/sn", "-5\u00a0м/с"},
		"°C·d":      {"-5\u00a0°C·d", "-5\u00a0°C·d", "-5\u00a0°C·gün", "-5\u00a0°C·сут"},
		"µmol/m²/s": {"-5\u00a0µmol/m²/s", "-5\u00a0µmol/m²/s", "-5\u00a0µmol/m²/sn", "-5\u00a0мкмоль/м²/с"},
		"mg/pot":    {"-5\u00a0mg/pot", "-5\u00a0mg/pot", "-5\u00a0mg/pot", "-5\u00a0mg/pot"}, // half of it in Cyrillic reads as neither
		"a\nb":      {"-5\u00a0a b", "-5\u00a0a b", "-5\u00a0a b", "-5\u00a0a b"},
	} {
		for i, l := range text.Languages {
			if got := measured(l, "-5", unit); got != want[i] {
				t.Errorf("%s: %q, want %q", l, got, want[i])
			}
		}
	}
	if got := measured(text.Turkish, "45,2", "%"); got != "%45,2" {
		t.Error(got)
	}
}

func TestDuration(t *testing.T) {
	for lasted, want := range map[time.Duration][4]string{
		0:                               {"0 s", "0秒", "0 sn", "0 с"},
		-time.Hour:                      {"0 s", "0秒", "0 sn", "0 с"}, // a clock that was set back
		59 * time.Second:                {"59 s", "59秒", "59 sn", "59 с"},
		12*time.Minute + 5*time.Second:  {"12 min 5 s", "12分钟5秒", "12 dk 5 sn", "12 мин 5 с"},
		10 * time.Minute:                {"10 min", "10分钟", "10 dk", "10 мин"},
		time.Hour + 35*time.Minute:      {"1 h 35 min", "1小时35分钟", "1 sa 35 dk", "1 ч 35 мин"},
		time.Hour + 59*time.Second:      {"1 h", "1小时", "1 sa", "1 ч"},
		49*time.Hour + 30*time.Minute:   {"2 d 1 h", "2天1小时", "2 gün 1 sa", "2 дн. 1 ч"},
		400*24*time.Hour + time.Minute:  {"400 d", "400天", "400 gün", "400 дн."},
		time.Second + time.Millisecond:  {"1 s", "1秒", "1 sn", "1 с"},
		59*time.Minute + 59*time.Second: {"59 min 59 s", "59分钟59秒", "59 dk 59 sn", "59 мин 59 с"},
	} {
		for i, l := range text.Languages {
			if got := voice(l).duration(lasted.Milliseconds()); got != want[i] {
				t.Errorf("%s: %q, want %q", l, got, want[i])
			}
		}
	}
}

// Times are of the tenant's clock, by which a letter may be of another day, and
// on the day of a change of the other offset.
func TestTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	v := voice(text.English)
	v.Zone = berlin
	for at, want := range map[string]string{
		"2026-10-24T22:30:00Z": "Oct 25, 2026, 00:30 (UTC+2)",
		"2026-10-25T01:30:00Z": "Oct 25, 2026, 02:30 (UTC+1)",
		"2026-12-31T23:59:59Z": "Jan 1, 2027, 00:59 (UTC+1)",
	} {
		ms, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.zoned(ms.UnixMilli()); got != want || !strings.HasPrefix(want, v.moment(ms.UnixMilli())) {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	v.Zone = nil
	if got := v.zoned(began); got != "Nov 21, 2026, 02:40 (UTC+0)" {
		t.Error(got)
	}
	for i, want := range [4]string{"Nov 21, 05:40", "11月21日10:40", "21.11 05:40", "21.11 05:40"} {
		if got := voice(text.Languages[i]).brief(began); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
