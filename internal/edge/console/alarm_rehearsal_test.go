package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/reading"
	"tilth/internal/edge/console"
	"tilth/internal/edge/console/wire"
	"tilth/internal/tools/testkit"
)

func (w *fixture) rehearse(b body) testkit.Call {
	return w.adaCall(http.MethodPost, rulesPath+"rehearse", b)
}

func (w *fixture) rehearseAll(b body) testkit.Call {
	return w.adaCall(http.MethodPost, rulesPath+"rehearse/devices", b)
}

// A rehearsal answers what a rule, saved or not, would have recorded, and stores nothing.
func TestRehearse(t *testing.T) {
	w := newServer(t)
	cold := w.measureCooling(t)
	form := frostForm("WS-2", body{
		"alarmName":     nil,
		"dataSource":    nil,
		"alarmLevel":    nil,
		"manualRelease": nil,
		"hitCounts":     3,
		"durations":     300_000,
		"startTime":     "06:00",
		"endTime":       "18:00",
	})
	h := testkit.Ask[wire.Rehearsal](t, w.Contract, w.rehearse(form))
	now := w.Clock.Now()
	if h.EndTime != now.UnixMilli() || h.StartTime != now.AddDate(0, 0, -30).UnixMilli() || h.Samples != 138 ||
		h.Total != 1 ||
		*h.TslAttribute != "airTemperature" {
		t.Fatalf("%s", asJSON(t, h))
	}
	n := h.Notices[0]
	if n.StartTime != cold.Add(2*time.Minute).UnixMilli() || *n.EndTime != cold.Add(15*time.Minute).UnixMilli() ||
		!n.Night ||
		n.Told {
		t.Errorf("%s", asJSON(t, n))
	}
	// Days are those of the tenant's zone, not of the caller's.
	midnight := time.Date(2026, 11, 19, 0, 0, 0, 0, w.field.TimeZone)
	days := fmt.Sprintf(
		`[{"day":%d,"max":6,"min":1},{"day":%d,"max":14,"min":2}]`,
		midnight.UnixMilli(),
		midnight.AddDate(0, 0, 2).UnixMilli(),
	)
	call := w.rehearse(form)
	call.Header = map[string]string{"Time-Zone": "Pacific/Auckland"}
	if got := asJSON(t, testkit.Ask[wire.Rehearsal](t, w.Contract, call).Days); got != days {
		t.Errorf("%s, want %s", got, days)
	}
	if *h.UsualInterval != time.Minute.Milliseconds() || !*h.Fits {
		t.Errorf("%s", asJSON(t, h))
	}
	form["hitCounts"] = 7 // there are five in five minutes
	if h := testkit.Ask[wire.Rehearsal](t, w.Contract, w.rehearse(form)); *h.Fits || h.Total != 0 ||
		len(h.Notices) != 0 {
		t.Errorf("%s", asJSON(t, h))
	}
	// Without readings there are no results.
	if h := testkit.Ask[wire.Rehearsal](t, w.Contract, w.rehearse(frostForm("CAM-1", nil))); h.Samples != 0 ||
		h.UsualInterval != nil || len(h.Days) != 0 {
		t.Errorf("%s", asJSON(t, h))
	}
	if page := testkit.Ask[wire.AlarmRulePage](t, w.Contract, w.get(rulesPath+"page")); page.Total != 0 {
		t.Errorf("a rehearsal left a rule: %s", asJSON(t, page))
	}
}

// The rehearsal of a rule on an offline device uses the device's presence history.
func TestRehearseOffline(t *testing.T) {
	w := newServer(t)
	w.Clock.Advance(testkit.OfflineAfter)
	w.Presence.Expire()
	went := w.Clock.Milli()
	w.Clock.Advance(time.Hour)
	w.Presence.Seen(testkit.Ref(w.ws1))
	if err := w.Status.Flush(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	w.ada = w.Session(t, w.field.Ada).Access // the session before has ended
	h := testkit.Ask[wire.Rehearsal](
		t,
		w.Contract,
		w.rehearse(body{"executionId": "WS-1", "triggerType": 1, "durations": 1_800_000}),
	)
	if h.Total != 1 || h.Notices[0].StartTime != went+1_800_000 || *h.Notices[0].EndTime != w.Clock.Milli() ||
		h.Notices[0].Night ||
		!h.Notices[0].Told ||
		h.TslAttribute != nil {
		t.Errorf("%s", asJSON(t, h))
	}
}

// measureSwinging gives WS-2 a reading in each minute of the first hour of each of the last three
// days; they swing around the frost threshold.
func (w *fixture) measureSwinging(t *testing.T) {
	t.Helper()
	begin := w.Clock.Now().Add(-3 * 24 * time.Hour)
	w.appendFrames(t, 3*1440, func(i int) reading.Arrival {
		degrees := 9.
		if i%1440 < 60 {
			degrees = []float64{1.7, 2.3}[i%2]
		}
		return w.arrival(w.ws2, begin.Add(time.Duration(i)*time.Minute), air(degrees))
	})
}

// The advice names changes of a rule with which the same readings would have led to far fewer
// notices.
func TestRehearsalAdvice(t *testing.T) {
	w := newServer(t)
	w.measureSwinging(t)
	h := testkit.Ask[wire.Rehearsal](t, w.Contract, w.rehearse(frostForm("WS-2", nil)))
	want := `[{"condition":0,"dropped":0,"keepsLonger":0,"kept":3,"kind":"recovery","notices":3,` +
		`"recovery":2.5,"tslAttribute":"airTemperature","without":39},` +
		`{"dropped":0,"durations":1200000,"hitCounts":10,"keepsLonger":0,"kept":3,"kind":"hits","notices":9,"without":39}]`
	if got := asJSON(t, h.Advice); h.Total != 39 || got != want {
		t.Errorf("%d: %s\nwant %s", h.Total, got, want)
	}
	if h := testkit.Ask[wire.Rehearsal](t, w.Contract, w.rehearse(frostForm("WS-1", nil))); h.Advice != nil {
		t.Errorf("%s", asJSON(t, h))
	}
}

// Each device has a line, and the last line is the summary; a refusal has the envelope.
func TestRehearseDevices(t *testing.T) {
	w := newServer(t)
	w.measureSwinging(t)
	a := w.Do(t, w.rehearseAll(frostForm("WS-2", nil)))
	// The thirteenth notice of each hour is unsteady; it ends after ten calm minutes.
	last := w.Clock.Now().Add(-24*time.Hour + 24*time.Minute).UnixMilli()
	want := fmt.Sprintf(
		`{"deviceName":"WS-2","noteName":"","of":1,"samples":4320,"total":39,"told":39,"nights":0,"longest":2700000,"lastTime":%d,"fits":true}`,
		last,
	) +
		"\n\n" + `{"devices":1,"total":39,"advice":[`
	if got := string(a.Body); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 3 ||
		a.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("%v\n%s\nwant %s", a.Header, got, want)
	}
	// A rule with few notices gets no advice, and its readings are read only once.
	a = w.Do(t, w.rehearseAll(frostForm("WS-1", body{"executionId": "WS-1"})))
	want = `{"deviceName":"WS-1","noteName":"Mast","of":1,"samples":1,"total":0,"told":0,"nights":0,` +
		`"longest":0,"fits":true}` + "\n" + `{"devices":1,"total":0}` + "\n"
	if got := string(a.Body); got != want {
		t.Errorf("%s", got)
	}
	offline := w.Do(t, w.rehearseAll(body{"executionId": "WS-1", "triggerType": 1, "durations": 1_800_000}))
	if !strings.HasSuffix(string(offline.Body), `{"devices":1,"total":0}`+"\n") {
		t.Errorf("%s", offline.Body)
	}
	if a := w.Do(t, w.rehearseAll(frostForm("WS-2", body{"conditions": []body{}}))); a.Code != 601 ||
		a.Msg != "The list of conditions cannot be empty" {
		t.Errorf("%s", a.Body)
	}
}

// Each rehearsal takes one of a user's slots for long answers, and gives it back.
func TestRehearsalStreamLimit(t *testing.T) {
	streams := reading.NewHistoryStreams(nil)
	w := newServer(t, func(o *console.Options) { o.HistoryStreams = streams })
	call := w.rehearseAll(frostForm("WS-1", nil))
	for range 2 * reading.HistoryStreamsPerUser {
		if a := w.Do(t, call); a.Status != http.StatusOK || a.Code != 0 {
			t.Fatalf("%s", a.Body)
		}
	}
	for range reading.HistoryStreamsPerUser {
		defer streams.Acquire(t.Context(), w.field.ID, w.field.Ada.ID)()
	}
	if a := w.Do(t, call); a.Code != 429 || a.Header.Get("Retry-After") != "2" {
		t.Errorf("%v %s", a.Header, a.Body)
	}
}

// leavingClient is a client that leaves once it has the first line.
type leavingClient struct {
	header http.Header
	body   strings.Builder
	leave  context.CancelFunc
}

func (l *leavingClient) Header() http.Header { return l.header }

func (l *leavingClient) WriteHeader(int) {}

func (l *leavingClient) Write(b []byte) (int, error) {
	l.leave()
	return l.body.Write(b)
}

// If the client leaves, the rehearsal ends without a fault of the server. The last line is then
// missing.
func TestClientLeavesRehearsal(t *testing.T) {
	w := newServer(t)
	w.measureSwinging(t)
	ctx, leave := context.WithCancel(t.Context())
	client := &leavingClient{header: http.Header{}, leave: leave}
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // a panic's value is no wrapped error
				t.Errorf("ended with %v", p)
			}
		}()
		w.Handler.ServeHTTP(client, w.rehearseAll(frostForm("WS-2", nil)).Request(ctx, "http://tilth.test"))
	}()
	if got := client.body.String(); !strings.HasPrefix(got, `{"deviceName":"WS-2"`) ||
		strings.Contains(got, "devices") {
		t.Errorf("%s", got)
	}
	if log := w.Log.Text(); strings.Contains(log, "level=ERROR") {
		t.Errorf("%s", log)
	}
}
