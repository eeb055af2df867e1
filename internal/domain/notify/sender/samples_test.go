package sender

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/alerttext/chart"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/notify/sms"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/platform/text"
)

// samples is a folder for sample mails and SMS of every kind, for visual inspection.
var samples = flag.String("samples", "", "folder to write sample mails and SMS of every kind into")

func inLanguages(en, zh, tr, ru string) map[text.Language]string {
	return map[text.Language]string{text.English: en, text.Chinese: zh, text.Turkish: tr, text.Russian: ru}
}

// element is a property's entry in the catalogue.
type element struct {
	names     map[text.Language]string
	unit      string
	precision *int
}

var catalogue = map[string]element{
	"airTemperature": {inLanguages("Air temperature", "空气温度", "Hava sıcaklığı", "Температура воздуха"), "°C", new(1)},
	"airHumidity": {
		inLanguages("Relative humidity", "空气相对湿度", "Bağıl nem", "Относительная влажность воздуха"),
		"%", new(0),
	},
	"soilMoisture10": {
		inLanguages("Soil moisture (vol., 10 cm)", "土壤体积含水率（10 厘米）", "Toprak nemi (hacim, 10 cm)",
			"Объёмная влажность почвы (10 см)"),
		"%", new(1),
	},
}

func propertyName(_ int64, identifier string, l text.Language) (string, string, *int) {
	e, ok := catalogue[identifier]
	if !ok {
		return identifier, "", nil
	}
	return e.names[l], e.unit, e.precision
}

var (
	frosts = inLanguages("Spring frost, north orchard", "北果园霜冻", "Zirai don, kuzey bahçesi",
		"Заморозки в северном саду")
	masts   = inLanguages("North mast", "北侧气象杆", "Kuzey direği", "Северная мачта")
	crews   = inLanguages("Night crew", "夜班", "Gece ekibi", "Ночная смена")
	advices = inLanguages("Start the frost fans and look at the thermometer in row 12.", "请启动防霜风机，并查看第12行的温度计。",
		"Don pervanelerini çalıştırın ve 12. sıradaki termometreye bakın.",
		"Включить вентиляторы и проверить термометр в двенадцатом ряду.")
	dry  = inLanguages("Row 12 too dry", "第12行过干", "12. sıra çok kuru", "Сухо в двенадцатом ряду")
	gone = inLanguages("Table 4 substrate is offline", "4号苗床离线", "4. masa substratı çevrim dışı",
		"Нет связи со столом № 4")
	tables  = inLanguages("Table 4 substrate", "4号苗床基质", "4. masa substratı", "Субстрат, стол № 4")
	remarks = inLanguages("Inlet valve opened, level is rising.", "已打开进水阀，水位正在回升。",
		"Giriş vanası açıldı, seviye yükseliyor.", "Впускной клапан открыт, уровень растёт.")
	east3 = time.FixedZone("", 3*3600)
	dawn  = time.Date(2026, 11, 21, 2, 40, 0, 0, time.UTC)
)

func frost(l text.Language) alertmsg.Alarm {
	return alertmsg.Alarm{
		Event:       alertmsg.Triggered,
		Notice:      17,
		Rule:        3,
		Title:       frosts[l],
		Level:       2,
		DeviceID:    5,
		DeviceName:  "WS-0001",
		NoteName:    masts[l],
		Product:     1,
		Window:      600_000,
		Hits:        3,
		Start:       dawn.UnixMilli(),
		Description: advices[l],
		Conditions:  []alertmsg.Condition{{Join: "and", Property: "airTemperature", Operator: "<", Value: -2.}},
		Values:      map[string]any{"airTemperature": -2.44},
	}
}

// night gives a night's temperatures: -2.1 at dawn and falling, 0.6 at the end, with one gap.
func night(_ context.Context, _ tenant.ID, a *alertmsg.Alarm, _ string, from, to int64, _ int) ([]chart.Point, error) {
	var points []chart.Point
	for at := from / 120_000 * 120_000; at <= to; at += 120_000 {
		minutes := float64(at-dawn.UnixMilli()) / 60_000
		if at < from || minutes > 30 && minutes < 43 || a.Event == alertmsg.Triggered && minutes > 0 || minutes > 120 {
			continue
		}
		value := -2.2 - 1.3*math.Sin(minutes/30) + 0.12*math.Sin(minutes*1.7)
		if minutes > 60 {
			value += (minutes - 60) * 0.06
		}
		points = append(points, chart.Point{Time: at, Value: value})
	}
	return points, nil
}

// sampleKinds gives the alarms of every kind of notification by name, and the time of sending.
func sampleKinds(l text.Language) map[string]struct {
	now    time.Time
	alarms []alertmsg.Alarm
} {
	type one = struct {
		now    time.Time
		alarms []alertmsg.Alarm
	}
	resolved := frost(l)
	resolved.Event, resolved.End = alertmsg.Resolved, dawn.Add(95*time.Minute).UnixMilli()
	resolved.Values = map[string]any{"airTemperature": 0.6}
	manual := frost(l)
	manual.Event, manual.End, manual.Values = alertmsg.Resolved, resolved.End, nil
	manual.Manual, manual.User, manual.Remark, manual.Level = true, "Elif Kaya", remarks[l], 1
	reminder := frost(l)
	reminder.Event = alertmsg.Reminder
	several := frost(l)
	several.Level = 1
	several.Conditions = append(several.Conditions,
		alertmsg.Condition{Join: "and", Property: "airHumidity", Operator: ">=", Value: 90.},
		alertmsg.Condition{Join: "or", Property: "soilMoisture10", Operator: "<", Value: 12.5})
	several.Values = map[string]any{"airTemperature": -2.44, "airHumidity": 93.4, "soilMoisture10": 21.04}
	offline := frost(l)
	offline.Offline, offline.Conditions, offline.Values, offline.Hits, offline.Level = true, nil, nil, 0, 1
	offline.Title, offline.NoteName, offline.DeviceName, offline.Description = gone[l], tables[l], "GC-0047", ""
	online := offline
	online.Event, online.End = alertmsg.Resolved, resolved.End
	var storm []alertmsg.Alarm
	for i := range 12 {
		a := frost(l)
		a.Notice, a.Level, a.Start = int64(20+i), i%2, a.Start+int64(i)*1500
		a.Title, a.NoteName, a.DeviceName = dry[l], masts[l], fmt.Sprintf("WS-%04d", i)
		switch {
		case i == 7:
			a.Level, a.Title = 2, frosts[l]
		case i%3 == 0:
			a.Offline, a.Conditions, a.Title = true, nil, gone[l]
		case i%5 == 0:
			a.Event, a.End = alertmsg.Resolved, a.Start+3_600_000
		}
		storm = append(storm, a)
	}
	soon, later := dawn.Add(4*time.Second), dawn.Add(2*time.Hour)
	ended := dawn.Add(95*time.Minute + time.Second)
	// known sets since when alarms hold.
	known := func(before time.Duration, of ...alertmsg.Alarm) (all []alertmsg.Alarm) {
		for _, a := range of {
			a.HoldsSince = a.Start - before.Milliseconds()
			all = append(all, a)
		}
		return all
	}
	silent := offline
	silent.Event = alertmsg.Reminder
	return map[string]one{
		"since":          {soon, known(7*time.Hour+30*time.Minute, frost(l))},
		"sinceToday":     {soon, known(time.Hour, frost(l))},
		"sinceSeveral":   {soon, known(50*time.Hour, several)},
		"sinceReminder":  {later, known(50*time.Hour, reminder)},
		"sinceResolved":  {ended, known(50*time.Hour, resolved)},
		"sinceDigest":    {dawn.Add(time.Minute), known(50*time.Hour, storm...)},
		"sinceByHand":    {ended, known(50*time.Hour, manual)},
		"silent":         {soon, known(50*time.Hour, offline)},
		"silentReminder": {later, known(50*time.Hour, silent)},
		"silentOnline":   {later, known(50*time.Hour, online)},

		"triggered": {soon, []alertmsg.Alarm{frost(l)}},
		"several":   {soon, []alertmsg.Alarm{several}},
		"offline":   {soon, []alertmsg.Alarm{offline}},
		"resolved":  {ended, []alertmsg.Alarm{resolved}},
		"online":    {later, []alertmsg.Alarm{online}},
		"byHand":    {ended, []alertmsg.Alarm{manual}},
		"reminder":  {later, []alertmsg.Alarm{reminder}},
		"digest":    {dawn.Add(time.Minute), storm},
		"test":      {soon, nil},
	}
}

// sendSample renders a notification of a kind and gives the mail and the SMS.
func sendSample(t *testing.T, l text.Language, kind string) (m mail.Message, sent string) {
	t.Helper()
	k := sampleKinds(l)[kind]
	o := Options{
		Tenants: func(context.Context, tenant.ID) (*tenant.Tenant, error) {
			return &tenant.Tenant{ID: 1, Name: "greenfield", Hosts: []string{"farm.example"}, TimeZone: east3,
				Language: l, Branding: tenant.Branding{Title: "Greenfield"}}, nil
		},
		Names: propertyName, Readings: night, Now: func() time.Time { return k.now },
	}
	if *samples == "" && l != text.English {
		o.Readings = nil // drawing pictures in one language is enough
	}
	x := &notify.Notification{ID: "1-17-abc", Tenant: 1, Kind: notify.KindEmail, Recipient: "ada@example.com",
		Language: l, Channel: crews[l], Alarms: k.alarms}
	take := func(_ context.Context, one mail.Message) (string, error) { m = one; return "250 ok", nil }
	if _, err := NewMail(take, o).Send(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	x.Recipient = "+905551112233"
	if _, err := NewSMS(captureSender{&sent}, o).Send(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	return m, sent
}

// captureSender is an SMS sender that records the newest text.
type captureSender struct{ text *string }

func (k captureSender) Send(_ context.Context, m sms.Message) (string, error) {
	*k.text = m.Text
	return "200", nil
}

// TestSamples renders notifications of every kind and checks what all of them have in common. With
// -samples it also writes them into a folder.
func TestSamples(t *testing.T) {
	for _, l := range text.Languages {
		for kind := range sampleKinds(l) {
			m, sent := sendSample(t, l, kind)
			if len([]rune(m.Subject)) > 60 || m.Subject == "" ||
				strings.Contains(m.Subject+m.Text+m.HTML+sent, "letter.") || strings.Contains(m.HTML, "ZgotmplZ") {
				t.Errorf("%s %s: %s\n%s\n%s", l, kind, m.Subject, m.Text, sent)
			}
			if (m.Picture != nil) != strings.Contains(m.HTML, `src="cid:chart@letter"`) {
				t.Errorf("%s %s: picture %t", l, kind, m.Picture != nil)
			}
			if m.Picture != nil && len(m.Picture.PNG) > 40_000 {
				t.Errorf("%s %s: a picture of %d bytes", l, kind, len(m.Picture.PNG))
			}
			if *samples != "" {
				writeSample(t, string(l), kind, m, sent)
			}
		}
	}
}

func writeSample(t *testing.T, language, kind string, m mail.Message, sent string) {
	t.Helper()
	if err := os.MkdirAll(*samples, 0o755); err != nil {
		t.Fatal(err)
	}
	stem := filepath.Join(*samples, kind+"."+language)
	files := map[string]string{".txt": m.Subject + "\n\n" + m.Text, ".sms": sent + "\n", ".html": m.HTML}
	if m.Picture != nil {
		files[".png"] = string(m.Picture.PNG)
		files[".html"] = strings.ReplaceAll(m.HTML, "cid:chart@letter", kind+"."+language+".png")
	}
	for ending, content := range files {
		if err := os.WriteFile(stem+ending, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
