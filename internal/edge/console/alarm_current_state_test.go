package console_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

// newestNotice returns the id of the field's newest notice.
func (w *fixture) newestNotice(t *testing.T) int64 {
	t.Helper()
	list, err := w.Notices.Newest(t.Context(), w.field.ID)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d notices, %v", len(list), err)
	}
	return list[0].ID
}

// An open notice says whether its conditions still hold by the newest readings, evaluated or not;
// an ended notice says nothing about it.
func TestNoticeCurrentState(t *testing.T) {
	w := newServer(t)
	w.frostRule(w.field.ID, w.ws1)
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws1, air(1.5))
	id := w.newestNotice(t)
	check := func(when string, want bool, degrees float64, at int64) {
		t.Helper()
		n := w.notice(t, id).AlarmNotice
		if n.Holds == nil || *n.Holds != want || n.Newest == nil || n.Newest.Time != at || len(n.Newest.Values) != 1 ||
			n.Newest.Values["airTemperature"] != reading.Number(degrees) {
			t.Errorf("%s: %s", when, asJSON(t, n))
		}
	}
	began := w.Clock.Milli()
	check("just begun", true, 1.5, began)
	w.Clock.Advance(time.Minute)
	w.measure(t, w.ws1, w.Clock.Now(), map[string]reading.Value{"relativeHumidity": reading.Number(50)})
	check("another property was measured", true, 1.5, began)
	w.measure(t, w.ws1, w.Clock.Now(), air(1.99)) // is 2.0 when it is evaluated
	check("not evaluated yet", false, 1.99, w.Clock.Milli())
	w.Clock.Advance(time.Minute)
	w.evaluate(t, w.ws1, air(3))
	if n := w.notice(t, id).AlarmNotice; n.ResolveStatus != 1 || n.Holds != nil || n.Newest != nil {
		t.Errorf("over: %s", asJSON(t, n))
	}
	if err := w.readings.Erase(t.Context(), w.field.ID, w.ws2.ID); err != nil {
		t.Fatal(err)
	}
	other := w.Notice(t, testkit.Notice{
		Device:     w.ws2,
		Start:      began,
		CreateTime: began + 1,
		RuleJSON:   `{"triggerType":0,"durations":60000,"conditions":[{"andor":"and","tslAttribute":"airTemperature","subconditions":"<","value":2}]}`,
	})
	if n := w.notice(t, other).AlarmNotice; n.Holds != nil || n.Newest != nil {
		t.Errorf("without readings: %s", asJSON(t, n))
	}
}

// A notice of an offline device says whether the device is still offline.
func TestOfflineNoticeCurrentState(t *testing.T) {
	w := newServer(t)
	id := w.Notice(
		t,
		testkit.Notice{Device: w.ws2, Start: w.Clock.Milli(), RuleJSON: `{"triggerType":1,"durations":300000}`},
	)
	holds := func() *bool { return w.notice(t, id).AlarmNotice.Holds }
	if h := holds(); h == nil || !*h {
		t.Errorf("offline: %v", h)
	}
	w.Presence.Seen(testkit.Ref(w.ws2))
	if h := holds(); h == nil || *h {
		t.Errorf("back: %v", h)
	}
	if n := w.notice(t, id).AlarmNotice; n.Newest != nil {
		t.Errorf("%s", asJSON(t, n))
	}
	if err := w.Devices.Delete(t.Context(), w.field.ID, w.ws2.ID); err != nil {
		t.Fatal(err)
	}
	if h := holds(); h != nil {
		t.Errorf("gone: %v", *h)
	}
}

// Lists, notices and messages show since when a notice holds, once the engine has found it. Another
// tenant never sees it.
func TestNoticesShowHoldsSince(t *testing.T) {
	w := newServer(t)
	since := w.Clock.Now().Add(-3 * time.Hour)
	w.measure(t, w.ws2, since, air(1))
	w.frostRule(w.field.ID, w.ws2)
	w.Clock.Advance(time.Second)
	w.evaluate(t, w.ws2, air(1.5))
	id := w.newestNotice(t)
	page := func() *int64 {
		return testkit.Ask[wire.AlarmNoticePage](t, w.Contract, w.get(noticesPath+"page")).List[0].HoldsSince
	}
	content := w.messages(t, w.ada, "").List[0].TemplateContent
	if got := page(); got != nil {
		t.Errorf("shown before it was found: %d", *got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.engine.Run(ctx) }()
	testkit.Eventually(t, "the onset to be found", func() bool { return page() != nil })
	cancel()
	if err := testkit.Receive(t, "the engine's end", ended); err != nil {
		t.Error(err)
	}
	want := since.UnixMilli()
	all := testkit.Ask[[]wire.AlarmNotice](t, w.Contract, w.get(noticesPath+"get/all"))
	if got, one := page(), w.notice(t, id).AlarmNotice.HoldsSince; *got != want || all[0].HoldsSince == nil ||
		*all[0].HoldsSince != want || one == nil || *one != want {
		t.Errorf("%d, %v, %v, want %d", *got, all[0].HoldsSince, one, want)
	}
	if got := w.messages(t, w.ada, "").List[0].TemplateContent; got == content {
		t.Errorf("the message still says %q", got)
	}
	err := w.DB.Tx(t.Context(), func(ctx context.Context, tx bun.IDB) error {
		_, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE notices SET holds_since = 0 WHERE id = %d", id))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := page(); got != nil {
		t.Errorf("shown although it is not known: %d", *got)
	}
	if n := w.notice(t, id).AlarmNotice; n.HoldsSince != nil || n.ResolveStatus != int(alarm.Pending) {
		t.Errorf("%s", asJSON(t, n))
	}
}
