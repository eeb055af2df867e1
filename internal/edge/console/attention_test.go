package console_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/device"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

const attentionPath = "/admin-api/client/pc/home/attention"

func (w *fixture) attention(t *testing.T, token string) wire.Attention {
	t.Helper()
	return testkit.Ask[wire.Attention](t, w.Contract, testkit.Call{Path: attentionPath, Token: token})
}

// order lists what needs a person, as "kind device level".
func order(a wire.Attention) string {
	var words []string
	for _, item := range a.Items {
		word := string(item.Kind) + " " + item.DeviceName
		if item.AlarmLevel != nil {
			word += fmt.Sprint(" ", *item.AlarmLevel)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// A running rule whose channels reach nobody is named: no kind of theirs is set up, or it is only
// written to the log.
func TestAttentionUnreached(t *testing.T) {
	kinds := func(with ...notify.ChannelKind) func(o *console.Options) {
		return func(o *console.Options) {
			senders := map[notify.ChannelKind]notify.Sender{}
			for _, k := range with {
				senders[k] = &testkit.FakeSender{}
			}
			o.Outbox.Senders = senders
		}
	}
	logged := func(o *console.Options) { o.SMSLogged = true }
	for name, c := range map[string]struct {
		options []func(o *console.Options)
		want    *wire.UnreachedRules
	}{
		"all set up":     {[]func(o *console.Options){kinds(notify.KindEmail, notify.KindSMS)}, nil},
		"mail":           {[]func(o *console.Options){kinds(notify.KindEmail)}, nil},
		"nothing":        {[]func(o *console.Options){kinds()}, &wire.UnreachedRules{Count: 1, AlarmName: marker + " frost"}},
		"only a log":     {[]func(o *console.Options){kinds(notify.KindSMS), logged}, &wire.UnreachedRules{Count: 1, AlarmName: marker + " frost"}},
		"mail and a log": {[]func(o *console.Options){kinds(notify.KindEmail, notify.KindSMS), logged}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newServer(t, c.options...)
			id := w.frostRule(w.field.ID, w.ws2)
			if got := w.attention(t, w.ada).Unreached; got != nil {
				t.Errorf("%+v of a rule without channels", got)
			}
			rule, err := w.Rules.Get(t.Context(), w.field.ID, alarm.RuleID(id))
			if err != nil {
				t.Fatal(err)
			}
			rule.Channels = []int64{w.Stores.Channel(t, w.field.ID, "Crew").ID}
			if err := w.Rules.Update(t.Context(), w.field.ID, &rule.Rule); err != nil {
				t.Fatal(err)
			}
			if got := w.attention(t, w.ada).Unreached; !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if got := w.attention(t, w.rivalToken).Unreached; got != nil {
				t.Errorf("%+v of another tenant's rule", got)
			}
		})
	}
}

// Open alarms come by level, acknowledged ones after the others of their level, then silent devices.
// Ended notices, devices that never reported and disabled ones need nobody.
func TestAttentionOrder(t *testing.T) {
	w := newServer(t)
	now := w.Clock.Milli()
	w.frostRule(w.field.ID, w.ws2)
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws2, air(1.5))
	lesser := w.newestNotice(t)
	w.Notice(t, testkit.Notice{Device: w.ws1, Level: alarm.LevelGeneral, Start: now - 5000, CreateTime: now})
	w.Notice(t, testkit.Notice{
		Device: w.ws2, Level: alarm.LevelSerious, Status: alarm.ResolvedAutomatically, Start: now, CreateTime: now,
	})
	if got, want := order(w.attention(t, w.ada)), "alarm WS-1 2, alarm WS-2 0, alarm WS-1 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.mustSucceed(t, w.acknowledge(lesser, body{"remindHours": 4}))
	for _, item := range w.attention(t, w.ada).Items {
		if item.OnlineState == 1 != (item.DeviceName == "WS-1") {
			t.Errorf("online: %s", asJSON(t, item))
		}
	}
	w.Presence.Seen(testkit.Ref(w.ws2))
	w.Clock.Advance(time.Minute)
	w.Presence.Seen(testkit.Ref(w.cam1))
	silentSince := w.Clock.Milli()
	w.Clock.Advance(testkit.OfflineAfter + time.Minute)
	w.Presence.Expire()
	got := w.attention(t, w.ada)
	want := "alarm WS-1 2, alarm WS-1 0, alarm WS-2 0, silent CAM-1, silent WS-2, silent WS-1"
	if o := order(got); o != want {
		t.Errorf("%s, want %s", o, want)
	}
	if got.AlarmCount != 3 || got.SilentCount != 3 || got.BatteryCount != 0 || got.Time != w.Clock.Milli() {
		t.Errorf("%s", asJSON(t, got))
	}
	first, camera := got.Items[0], got.Items[3]
	if first.NoteName != "Mast" || first.GroupName != "North" || *first.Title != "Frost" || *first.Since != now-60_000 {
		t.Errorf("%s", asJSON(t, first))
	}
	if camera.Cause == nil || *camera.Since != silentSince || camera.GroupName != "" || camera.NoticeId != nil ||
		camera.Reading != nil {
		t.Errorf("%s, want silent since %d", asJSON(t, camera), silentSince)
	}
	if *got.Items[1].MayResolve || !*got.Items[2].MayResolve || camera.MayResolve != nil {
		t.Errorf("may be ended by a person: %s", asJSON(t, got.Items))
	}
	if got.Items[2].Ack == nil || got.Items[1].Ack != nil {
		t.Errorf("acknowledged: %s", asJSON(t, got.Items[1:3]))
	}
}

// A device whose silence is an open notice is not among the silent ones too.
func TestAttentionNamesSilenceOnce(t *testing.T) {
	w := newServer(t)
	w.Clock.Advance(testkit.OfflineAfter)
	w.Presence.Expire()
	rule := alarm.Rule{
		Name:    "Silent",
		Device:  w.ws1.ID,
		Trigger: alarm.DeviceOffline,
		Hits:    1,
		Window:  alarm.Windows[0],
	}
	id, err := w.Rules.Create(t.Context(), w.field.ID, &rule)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.attention(t, w.ada); order(got) != "alarm WS-1 2, silent WS-1" {
		t.Errorf("before its notice: %s", order(got))
	}
	w.Notice(t, testkit.Notice{Device: w.ws1, Rule: id, Start: w.Clock.Milli(), RuleJSON: `{"triggerType":1}`})
	got := w.attention(t, w.ada)
	if order(got) != "alarm WS-1 2, alarm WS-1 0" || got.SilentCount != 0 {
		t.Errorf("%s, %d silent", order(got), got.SilentCount)
	}
	if last := got.Items[1]; last.Limit != nil || last.Reading != nil || last.Trend != nil {
		t.Errorf("a notice on being offline has no number: %s", asJSON(t, last))
	}
	if got.Items[0].Cause != nil || got.Items[1].Cause == nil || got.Items[1].Cause.Kind != wire.SilenceUnknown {
		t.Errorf("only the notice on being offline says why: %s", asJSON(t, got.Items))
	}
}

// The value of an alarm is the newest one. Its trend is by how much that rose or fell within the hour,
// whatever it was when the alarm began; none where there is too little of the hour, and none of noise.
func TestAttentionTrend(t *testing.T) {
	for name, c := range map[string]struct {
		minutes int
		degrees func(ago int) float64
		want    *wire.AttentionTrend
	}{
		"falling":     {70, func(ago int) float64 { return 1 + float64(ago)/100 }, &wire.AttentionTrend{Change: -.6, Span: 3_600_000}},
		"rising":      {70, func(ago int) float64 { return 1 - float64(ago)/50 }, &wire.AttentionTrend{Change: 1.2, Span: 3_600_000}},
		"noise":       {70, func(ago int) float64 { return []float64{1, .9, .6, .7}[ago%4] }, nil},
		"ten minutes": {10, func(ago int) float64 { return 1 + float64(ago)/10 }, nil},
	} {
		w := newServer(t)
		w.frostRule(w.field.ID, w.ws2)
		w.Clock.Advance(time.Minute)
		for ago := c.minutes; ago > 0; ago-- {
			w.measure(t, w.ws2, w.Clock.Now().Add(-time.Duration(ago)*time.Minute), air(c.degrees(ago)))
		}
		w.evaluate(t, w.ws2, air(c.degrees(0)))
		id := w.newestNotice(t)
		items := w.attention(t, w.ada).Items
		i := slices.IndexFunc(
			items,
			func(item wire.AttentionItem) bool { return item.NoticeId != nil && *item.NoticeId == id },
		)
		if i < 0 {
			t.Fatalf("%s: the notice is missing", name)
		}
		got := items[i]
		if !reflect.DeepEqual(got.Trend, c.want) {
			t.Errorf("%s: %s, want %s", name, asJSON(t, got.Trend), asJSON(t, c.want))
		}
		if got.Reading == nil || got.Reading.Value != reading.Number(1) || got.Reading.Time != w.Clock.Milli() ||
			got.Reading.Unit != "°C" || got.Reading.Name != "Air temperature" {
			t.Errorf("%s: %s", name, asJSON(t, got))
		}
		if got.Limit == nil || got.Limit.Subconditions != "<" || got.Limit.Value != reading.Number(2) ||
			*got.Identifier != "airTemperature" {
			t.Errorf("%s: limit: %s", name, asJSON(t, got))
		}
	}
}

// Nothing of another tenant is answered: neither its alarms nor its silent devices nor their numbers.
func TestAttentionIsOfTheCaller(t *testing.T) {
	w := newServer(t)
	w.Clock.Advance(testkit.OfflineAfter)
	w.Presence.Expire()
	for token, own := range map[string]string{w.ada: "WS-1", w.rivalToken: marker + "-1"} {
		got := w.attention(t, token)
		if want := fmt.Sprintf("alarm %s 2, silent %s", own, own); order(got) != want || got.AlarmCount != 1 ||
			got.SilentCount != 1 {
			t.Errorf("%s, want %s", asJSON(t, got), want)
		}
	}
	if got := w.attention(t, w.ada); strings.Contains(asJSON(t, got), marker) {
		t.Errorf("%s", asJSON(t, got))
	}
}

// A battery is low below its product's limit, while its device reports: of a silent device, its
// silence is what needs a person. The lowest comes first.
func TestAttentionBatteries(t *testing.T) {
	w := newServer(t)
	probe := &device.Product{
		Name: "probe", OfflineAfter: testkit.OfflineAfter, BatteryLimit: new(3.5),
		Properties: []device.Property{{
			Identifier: "batteryVoltage", ElementUnit: "V", DataType: device.Number, AccessMode: "r", Precision: new(2),
		}},
	}
	if err := w.Catalog.PutProduct(t.Context(), probe); err != nil {
		t.Fatal(err)
	}
	w.Reload(t)
	battery := w.Catalog.ProductByName("probe").Properties[0].ID
	for name, volts := range map[string]float64{"full": 3.5, "low": 3.49, "lowest": 3.1, "silent": 3.0, "unread": 0} {
		d := w.Device(t, w.field.ID, probe, name)
		if name == "unread" {
			continue
		}
		frame := reading.Frame{Tenant: d.Tenant, Device: d.ID, Time: w.Clock.Milli(), Fields: []reading.Field{
			{Property: battery, Value: reading.Number(volts)},
		}}
		if err := w.readings.Append(t.Context(), []reading.Arrival{{Frame: frame, At: w.Clock.Milli()}}); err != nil {
			t.Fatal(err)
		}
		if name != "silent" {
			w.Presence.Seen(testkit.Ref(d))
		}
	}
	got := w.attention(t, w.ada)
	if want := "alarm WS-1 2, battery lowest, battery low"; order(got) != want || got.BatteryCount != 2 {
		t.Fatalf("%s, %d, want %s", order(got), got.BatteryCount, want)
	}
	lowest := got.Items[1]
	if lowest.Reading.Value != reading.Number(3.1) || lowest.Reading.Unit != "V" ||
		*lowest.Identifier != "batteryVoltage" ||
		lowest.Limit.Subconditions != "<" ||
		lowest.Limit.Value != reading.Number(3.5) {
		t.Errorf("%s", asJSON(t, lowest))
	}
}

// However much needs a person, an answer has twenty things and the counts.
func TestAttentionIsBounded(t *testing.T) {
	w := newServer(t)
	devices := make([]*device.Device, 10_000)
	for i := range devices {
		devices[i] = &device.Device{Name: fmt.Sprintf("d%05d", i), ProductID: w.station.ID}
	}
	w.PutDevices(t, w.field.ID, devices...)
	for i, d := range devices {
		w.Presence.Seen(testkit.Ref(d))
		if i%1000 == 0 {
			w.Notice(t, testkit.Notice{Device: d, Start: w.Clock.Milli(), CreateTime: w.Clock.Milli()})
		}
	}
	w.Clock.Advance(testkit.OfflineAfter)
	w.Presence.Expire()
	began := time.Now()
	got := w.attention(t, w.ada)
	t.Logf("answered in %v", time.Since(began))
	if len(got.Items) != 20 || got.AlarmCount != 11 || got.SilentCount != 10_001 {
		t.Errorf("%d items, %d alarms, %d silent", len(got.Items), got.AlarmCount, got.SilentCount)
	}
}
