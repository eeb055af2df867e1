package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// noticeOf returns the id of the notice that an alarm device opened in a volley.
func noticeOf(device, volley int) int64 { return int64(100 + 10*device + volley) }

// newNotifyFixture returns a run of two tenants with two users and two devices each, after two
// volleys in which all events arrived: in the list after 30 ms, on the screens after 5 ms (notices)
// and 8 ms (messages), and by mail after 50 ms. Only the second tenant's last two closings arrived
// in a digest.
func newNotifyFixture(t *testing.T) (*notifyRun, *NotifyResult) {
	t.Helper()
	o := NotifyOptions{
		Tenants: 2, Users: 2, Notices: 4, Volleys: 2, Every: 10 * time.Second, Hold: 5 * time.Second,
		Load: 1, Window: 1, Values: 1, Duration: time.Second, Patience: time.Minute,
	}
	notified, beside := o.notifiedTenants()
	g := newNotifyRun(o, Target{Tenant: beside}, notified, &MailServer{})
	notices := make([][]map[string]any, o.Tenants)
	deliverAll := func(i int, r *reportingDevice, one ackedReading, what noticeEvent) {
		for _, p := range g.screens {
			if p.tenant != r.tenant {
				continue
			}
			end, event := int64(0), "triggered"
			if what.ended {
				end, event = one.time, "resolved"
			}
			p.record(
				false,
				fmt.Appendf(nil, `{"id":%d,"title":"bench rule 01","endTime":%d}`, what.notice, end),
				one.acked+5*time.Millisecond,
			)
			p.record(
				true,
				fmt.Appendf(nil, `{"id":7,"noticeId":%d,"event":%q}`, what.notice, event),
				one.acked+8*time.Millisecond,
			)
		}
		for _, to := range notified[r.tenant].mails {
			m := receivedMail{
				id:     fmt.Sprintf("<%d-%t@x>", what.notice, what.ended),
				to:     to,
				notice: what.notice,
				ended:  what.ended,
				alarms: 1,
				at:     g.began.Add(one.acked + 50*time.Millisecond),
			}
			if r.tenant == 1 && what.ended && one.part == 1 {
				if i < o.Tenants { // the first of its two devices
					continue
				}
				m.notice, m.alarms = 0, 2
			}
			g.mailServer.mails = append(g.mailServer.mails, m)
		}
		g.lastAck = max(g.lastAck, one.acked)
	}
	for tenant := range o.Tenants {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			json.NewEncoder(w).Encode(map[string]any{
				"code": 200,
				"data": map[string]any{"total": len(notices[tenant]), "list": notices[tenant]},
			})
		}))
		t.Cleanup(web.Close)
		g.lists = append(
			g.lists,
			&noticeList{person: &console{base: web.URL, http: web.Client()}, seen: map[int64]time.Duration{}},
		)
		for range o.Users {
			g.screens = append(g.screens, &notifyScreen{tenant: tenant})
		}
	}
	for i, r := range g.alarmDevices {
		for v := range o.Volleys {
			id, begins := noticeOf(i, v), time.Duration(v)*o.Every+time.Duration(i)*100*time.Millisecond
			begin := ackedReading{time: int64(1000*v + i), acked: begins, part: v}
			end := ackedReading{time: int64(1000*v + i + 500), acked: begins + o.Hold, part: v}
			r.reports = append(r.reports, begin, end)
			g.ackedReadings[r.tenant].Add(2)
			notices[r.tenant] = append(
				notices[r.tenant],
				map[string]any{"id": id, "deviceName": r.device.Name, "startTime": begin.time, "endTime": end.time},
			)
			g.lists[r.tenant].seen[id] = begins + 30*time.Millisecond
			deliverAll(i, r, begin, noticeEvent{id, false})
			deliverAll(i, r, end, noticeEvent{id, true})
		}
	}
	for range 2 * o.Volleys {
		g.waves = append(g.waves, wave{took: time.Second, span: 300 * time.Millisecond, acked: 1000})
	}
	return g, &NotifyResult{
		Target:  "tilth",
		Options: o,
		Emptied: true,
		Sent:    2 * 2 * 8,
		With:    Part{Rate: 900},
		Without: Part{Rate: 1000},
	}
}

func TestNotifyCompare(t *testing.T) {
	g, r := newNotifyFixture(t)
	if err := errors.Join(g.compare(t.Context(), r), r.Err()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got   Delay
		count int
		delay time.Duration
	}{
		"list": {r.Listed, 8, 30 * time.Millisecond}, "notices": {r.Noticed, 2 * 16, 5 * time.Millisecond}, "messages": {r.Messages, 2 * 16, 8 * time.Millisecond},
		"mails": {r.Mails.Single, 2*16 - 4, 50 * time.Millisecond}, "first volley": {r.Mails.Volleys[0], 16, 50 * time.Millisecond}, "second": {r.Mails.Volleys[1], 12, 50 * time.Millisecond},
	} {
		if c.got.Count != c.count || c.got.Missing != 0 || c.got.Max != c.delay || c.got.P50 != c.delay {
			t.Errorf("%s: %+v, want %d after %s", name, c.got, c.count, c.delay)
		}
	}
	m := r.Mails
	if m.Mails != 30 || m.Digests != 2 || m.Wanted != 32 || m.Told != 32 || m.Last != 50*time.Millisecond ||
		r.Notices != 8 ||
		!slices.Equal(r.Spans, []time.Duration{300 * time.Millisecond, 300 * time.Millisecond}) {
		t.Errorf("%+v, %d notices, %v", m, r.Notices, r.Spans)
	}
	if during := g.during(); during != 1000 {
		t.Errorf("%v messages/s", during)
	}
}

// Each fault is found and reported.
func TestNotifyErr(t *testing.T) {
	for says, spoil := range map[string]func(g *notifyRun, r *NotifyResult){
		"1 things were not told by mail": func(g *notifyRun, _ *NotifyResult) { g.mailServer.mails = g.mailServer.mails[1:] },
		"1 were told twice by mail": func(g *notifyRun, _ *NotifyResult) {
			g.mailServer.mails = append(g.mailServer.mails, g.mailServer.mails[0])
		},
		// The same event under another Message-ID counts as told twice, too.
		"1 were told twice by mail ": func(g *notifyRun, _ *NotifyResult) {
			again := g.mailServer.mails[0]
			again.id = "<another@x>"
			g.mailServer.mails = append(g.mailServer.mails, again)
		},
		"2 were told twice by mail": func(g *notifyRun, _ *NotifyResult) {
			g.mailServer.mails = append(g.mailServer.mails, g.mailServer.mails[len(g.mailServer.mails)-1])
		},
		// A digest of one event more than happened tells one twice.
		"1 were told twice by mail  ": func(g *notifyRun, _ *NotifyResult) { g.mailServer.mails[len(g.mailServer.mails)-1].alarms++ },
		"1 things were not told by mail ": func(g *notifyRun, _ *NotifyResult) {
			g.mailServer.mails[len(g.mailServer.mails)-1].alarms--
		},
		"1 mails were of nothing":   func(g *notifyRun, _ *NotifyResult) { g.mailServer.mails[0].to = "somebody@example.org" },
		"1 mails were of nothing ":  func(g *notifyRun, _ *NotifyResult) { g.mailServer.mails[0].notice = 5 },
		"1 mails were of nothing  ": func(g *notifyRun, _ *NotifyResult) { g.mailServer.mails[0].to = g.audiences[1].mails[0] },
		"2 mails were of nothing": func(g *notifyRun, _ *NotifyResult) {
			for i := range 2 { // unreadable mails
				g.mailServer.mails[i] = receivedMail{to: g.mailServer.mails[i].to}
			}
		},
		"was not empty 1m0s after": func(_ *notifyRun, r *NotifyResult) { r.Emptied = false },
		"31 deliveries were sent and 1 failed, of 32": func(_ *notifyRun, r *NotifyResult) {
			r.Sent, r.Failed = 31, 1
		},
		"1 notices were not recorded, and 0": func(g *notifyRun, _ *NotifyResult) {
			d := g.alarmDevices[0]
			d.reports = append(d.reports, ackedReading{time: 9000}, ackedReading{time: 9500})
		},
		"1 notices were not recorded, and 1": func(g *notifyRun, _ *NotifyResult) { g.alarmDevices[0].reports[1].time++ },
		"0 notices were not recorded, and 2": func(g *notifyRun, _ *NotifyResult) { g.alarmDevices[0].reports = nil },
		"1 notices were not seen in the list": func(g *notifyRun, _ *NotifyResult) {
			delete(g.lists[1].seen, noticeOf(1, 0))
		},
		"1 notices and 0 messages were not told": func(g *notifyRun, _ *NotifyResult) { g.screens[0].events = g.screens[0].events[1:] },
		"0 notices and 1 messages were not told": func(g *notifyRun, _ *NotifyResult) {
			g.screens[3].events = g.screens[3].events[:len(g.screens[3].events)-1]
		},
		"told 1 events twice, and 0": func(g *notifyRun, _ *NotifyResult) {
			g.screens[0].events = append(g.screens[0].events, g.screens[0].events[0])
		},
		// An event of another tenant counts as one of nothing that happened.
		"told 0 events twice, and 1": func(g *notifyRun, _ *NotifyResult) {
			g.screens[0].events = append(g.screens[0].events, g.screens[2].events[0])
		},
		"told 0 events twice, and 2": func(g *notifyRun, _ *NotifyResult) {
			g.screens[0].record(true, []byte("{"), 0)
			g.screens[0].record(false, []byte("{}"), 0)
		},
		"nothing was acknowledged": func(_ *notifyRun, r *NotifyResult) { r.With.Rate = 0 },
		"no notice was to begin": func(g *notifyRun, _ *NotifyResult) {
			for _, s := range g.alarmDevices {
				s.reports = nil
			}
		},
		"not allowed": func(g *notifyRun, _ *NotifyResult) {
			ended := make(chan struct{})
			close(ended)
			g.screens[0].stop, g.screens[0].ended, g.screens[0].err = func() {}, ended, errors.New("not allowed")
		},
	} {
		g, r := newNotifyFixture(t)
		spoil(g, r)
		err := errors.Join(g.compare(t.Context(), r), r.Err())
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(says)) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

func TestNotifyOptions(t *testing.T) {
	good := NotifyOptions{
		Tenants: 2, Users: 3, Notices: 6, Volleys: 1, Every: 3 * time.Second, Hold: 2 * time.Second,
		Load: 2, Window: 1, Values: 2, Duration: time.Second, Patience: time.Second,
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for says, spoil := range map[string]func(o *NotifyOptions){
		"a tenant and":           func(o *NotifyOptions) { o.Tenants = 0 },
		"a user are":             func(o *NotifyOptions) { o.Users = 0 },
		"5 notices cannot":       func(o *NotifyOptions) { o.Notices = 5 },
		"400 at most":            func(o *NotifyOptions) { o.Notices = 802 },
		"a volley is":            func(o *NotifyOptions) { o.Volleys = 0 },
		"1s after it began":      func(o *NotifyOptions) { o.Hold = 999 * time.Millisecond },
		"comes 1s after":         func(o *NotifyOptions) { o.Every = 2 * time.Second },
		"a connection beside":    func(o *NotifyOptions) { o.Load = 0 },
		"a value and":            func(o *NotifyOptions) { o.Values = 0 },
		"a window from":          func(o *NotifyOptions) { o.Window = 65536 },
		"some time is":           func(o *NotifyOptions) { o.Duration = 0 },
		"no fewer than 0 notice": func(o *NotifyOptions) { o.DigestAfter = -1 },
	} {
		o := good
		spoil(&o)
		_, _, err := ServeNotify(t.Context(), o, ServerOptions{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

// The provider's file has all tenants with all users; no device name or address occurs twice.
func TestNotifiedTenants(t *testing.T) {
	o := NotifyOptions{Tenants: 3, Users: 4, Notices: 6, Load: 5, Values: 2}
	told, beside := o.notifiedTenants()
	raw, err := notifiedTenantsFile(told, beside)
	if err != nil {
		t.Fatal(err)
	}
	var f providerFile
	if err := yaml.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	names, mails := map[string]bool{}, map[string]bool{}
	for i, owner := range f.Tenants {
		users := 4
		if i == 0 {
			users = 1 // the load's tenant has no screens
		}
		if len(owner.Users) != users || owner.Users[0].Password == "" {
			t.Errorf("%s has users %+v", owner.Name, owner.Users)
		}
		for _, d := range owner.Devices {
			names[d.DeviceName] = true
		}
	}
	for _, a := range told {
		for _, to := range a.mails {
			mails[to] = true
		}
	}
	if len(f.Tenants) != 4 || len(f.Products) != 1 || len(f.Products[0].Properties) != 2 || len(names) != 6+5 ||
		len(mails) != 6 {
		t.Errorf(
			"%d tenants, %d products, %d devices, %d addresses",
			len(f.Tenants),
			len(f.Products),
			len(names),
			len(mails),
		)
	}
}

func TestNotifyPrint(t *testing.T) {
	g, r := newNotifyFixture(t)
	if err := g.compare(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.During, r.OwnCPU, r.MemoryOpen, r.MemoryEmpty = g.during(), 0.5, 50<<20, 60<<20
	var out strings.Builder
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"tilth: 2 tenants of 2 users with a screen each, two addresses a tenant, 4 notices a volley, 2 volleys, one in 10s, which end after 5s; --digest-after 0",
		"0.90\n", "1,000 messages/s acknowledged, ratio 1.00", "acknowledged within 300ms, 300ms", "p50 30ms, p99 30ms", "p50 5ms, p99 5ms", "p50 8ms, p99 8ms",
		"p50 50ms, p99 50ms, longest 50ms after the acknowledgement, of 28", "volley 2: p50 50ms", "2, with what 4 mails of one would tell",
		"empty, the last mail came 50ms after", "50 MiB with the screens open", "8 notices began and ended; 0 were", "30; they tell 32 of 32 things: 0 lost, 0 told twice, 0 stray",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the output lacks %q:\n%s", part, out.String())
		}
	}
	const waiting = "not empty 1m0s after the last volley: 1,234 deliveries wait"
	if r.Emptied, r.Queued = false, 1234; !strings.Contains(r.emptied(), waiting) {
		t.Error(r.emptied())
	}
}

// A run that the server refuses gives no result and leaves nothing open.
func TestNotifyRefused(t *testing.T) {
	f := newFakeServer(t, 1, 1)
	target := f.target()
	target.PID = os.Getpid()
	o := NotifyOptions{
		Tenants:  1,
		Users:    1,
		Notices:  1,
		Volleys:  1,
		Every:    time.Second,
		Load:     1,
		Window:   1,
		Values:   1,
		Duration: time.Millisecond,
		Patience: time.Millisecond,
	}
	nowhere := httptest.NewServer(http.NotFoundHandler())
	defer nowhere.Close()
	known := NotifiedTenant{
		Tenant: f.world,
		mails:  []string{"a@example.org"},
		people: []*console{{base: nowhere.URL, http: nowhere.Client()}},
	}
	_, err := runNotify(t.Context(), o, target, []NotifiedTenant{known}, &MailServer{})
	if err == nil || !strings.Contains(err.Error(), "live stream: 404") {
		t.Errorf("%v", err)
	}
	unknown := known
	unknown.Tenant = NewTenant(1, 1)
	_, err = runNotify(t.Context(), o, target, []NotifiedTenant{unknown}, &MailServer{})
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
	unknown.users = []string{"person001"}
	err = unknown.prepare(t.Context(), target.Console)
	if err == nil || !strings.Contains(err.Error(), "sign in as person001") {
		t.Errorf("%v", err)
	}
}
