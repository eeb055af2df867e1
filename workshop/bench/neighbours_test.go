package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// goodRow is a row that keeps every promise.
func goodRow() NeighbourRow {
	return NeighbourRow{
		Attack: "a",
		Limits: defaultLimits,
		Acks:   100,
		AckP99: 500 * time.Millisecond,
		Alarm:  Delay{Count: 5, Max: time.Second},
		Page:   CallStats{Count: 9, P95: 300 * time.Millisecond},
		SignIn: CallStats{Count: 9, P95: 3 * time.Second},
		Write: CallStats{
			Count: 9,
			Max:   500 * time.Millisecond,
		},
		Mails: &Mails{
			Serious:   Delay{Count: 6, Max: 2 * time.Second},
			Important: Delay{Count: 6, Max: 10 * time.Second},
		},
		Memory:       1 << 30,
		Started:      10 * time.Second,
		Verification: Verification{Checked: 9},
		Notices:      9,
	}
}

func TestNeighbourViolations(t *testing.T) {
	quiet := goodRow()
	quiet.Page.P95 = 100 * time.Millisecond // its limit would be 250 ms, less than the fixed one of 300 ms
	row := goodRow()
	if broken := row.Violations(&quiet); broken != nil {
		t.Fatalf("%q", broken)
	}
	for says, spoil := range map[string]func(*NeighbourRow){
		"no server":                                func(r *NeighbourRow) { r.Failed = errors.New("no server") },
		"nothing was acknowledged":                 func(r *NeighbourRow) { r.Acks = 0 },
		"acknowledgement p99 501ms, at most 500ms": func(r *NeighbourRow) { r.AckP99 = 501 * time.Millisecond },
		"no alarm began":                           func(r *NeighbourRow) { r.Alarm = Delay{} },
		"alarm 1.1s, at most 1s":                   func(r *NeighbourRow) { r.Alarm.Max = 1100 * time.Millisecond },
		"2 alarms were not told":                   func(r *NeighbourRow) { r.Alarm.Missing = 2 },
		"page p95 301ms, at most 300ms":            func(r *NeighbourRow) { r.Page.P95 = 301 * time.Millisecond },
		"no page was asked for":                    func(r *NeighbourRow) { r.Page.Count = 0 },
		"1 of 9 times page failed: away":           func(r *NeighbourRow) { r.Page.Failed, r.Page.First = 1, errors.New("away") },
		"sign-in p95 3.1s, at most 3s":             func(r *NeighbourRow) { r.SignIn.P95 = 3100 * time.Millisecond },
		"no sign-in was asked for":                 func(r *NeighbourRow) { r.SignIn.Count = 0 },
		"write 501ms, at most 500ms":               func(r *NeighbourRow) { r.Write.Max += time.Millisecond },
		"no write was asked for":                   func(r *NeighbourRow) { r.Write.Count = 0 },
		"serious mail 2.1s, at most 2s":            func(r *NeighbourRow) { r.Mails.Serious.Max += 100 * time.Millisecond },
		"important mail 10.1s, at most 10s":        func(r *NeighbourRow) { r.Mails.Important.Max += 100 * time.Millisecond },
		"2 times important mail did not arrive":    func(r *NeighbourRow) { r.Mails.Important.Missing = 2 },
		"no serious mail was to be sent":           func(r *NeighbourRow) { r.Mails.Serious = Delay{} },
		"page p95 156ms, at most 155ms": func(r *NeighbourRow) {
			r.Limits.Slack, r.Before.P95, r.Page.P95 = 5*time.Millisecond, 100*time.Millisecond, 156*time.Millisecond
		},
		"memory 1025 MiB, at most 1024 MiB":       func(r *NeighbourRow) { r.Memory += 1 << 20 },
		"first reading taken after 10.1s":         func(r *NeighbourRow) { r.Started += 100 * time.Millisecond },
		"nothing was read back":                   func(r *NeighbourRow) { r.Checked = 0 },
		"1 values lost, 0 wrong, 0 never sent: x": func(r *NeighbourRow) { r.Lost, r.Example = 1, "x" },
		"0 values lost, 0 wrong, 3 never sent":    func(r *NeighbourRow) { r.Extra = 3 },
		"no notice was expected":                  func(r *NeighbourRow) { r.Notices = 0 },
		"1 of 9 notices differ":                   func(r *NeighbourRow) { r.Differing = 1 },
	} {
		r := goodRow()
		spoil(&r)
		if broken := r.Violations(&quiet); len(broken) != 1 || !strings.HasPrefix(broken[0], says) {
			t.Errorf("%q, want %q", broken, says)
		}
	}
	// On a machine where pages are slow without an attack, the limit is higher.
	slow := goodRow()
	slow.Page.P95 = 400 * time.Millisecond
	for p95, kept := range map[time.Duration]bool{700 * time.Millisecond: true, 701 * time.Millisecond: false} {
		r := goodRow()
		r.Page.P95 = p95
		if got := r.Violations(&slow) == nil; got != kept {
			t.Errorf("page p95 %s beside 400ms: %v", p95, got)
		}
	}
	crowded := goodRow()
	crowded.Limits.Slack = 5 * time.Millisecond
	crowded.Before.P95, crowded.Page.P95 = 100*time.Millisecond, 155*time.Millisecond
	if broken := crowded.Violations(&quiet); broken != nil {
		t.Errorf("%q", broken)
	}
	unlimited := goodRow()
	unlimited.Write.Max, unlimited.Mails.Serious.Max = time.Hour, time.Hour
	unlimited.Limits, unlimited.AckP99, unlimited.Memory = NeighbourLimits{}, time.Hour, 1<<40
	if broken := unlimited.Violations(&quiet); broken != nil {
		t.Errorf("a limit of zero counts as broken: %q", broken)
	}
}

func TestPrintNeighbours(t *testing.T) {
	rows := []NeighbourRow{goodRow(), goodRow()}
	rows[0].Attack, rows[1].Attack = quietAttack, "slow readers"
	rows[1].Lost, rows[1].Remark = 2, "60 of them"
	var out bytes.Buffer
	if err := PrintNeighbours(&out, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	columns := strings.Count(lines[0], "|")
	for i, wants := range [][]string{
		{"attack"}, {"---"}, {"*at most*", "550ms"}, {quietAttack, "yes"}, {"slow readers", "**no**", "60 of them"},
	} {
		for _, want := range wants {
			if !strings.Contains(lines[i], want) || strings.Count(lines[i], "|") != columns {
				t.Errorf("line %d: %q, want %q and %d columns", i, lines[i], want, columns-1)
			}
		}
	}
	out.Reset()
	rows[1].printSummary(&out, &rows[0], time.Minute)
	if !strings.Contains(out.String(), "BROKEN: 2 values lost") || !strings.Contains(out.String(), "1m0s: ") {
		t.Errorf("%s", out.String())
	}
}

func TestProbe(t *testing.T) { synctest.Test(t, testProbe) }

func testProbe(t *testing.T) {
	var p probe
	calls := 0
	// The first call takes as long as three intervals. The calls that waited for it count from when
	// they were due.
	const every = 20 * time.Millisecond
	p.run(t.Context(), every, time.Now().Add(4*every), func(context.Context) error {
		if calls++; calls == 1 {
			time.Sleep(3 * every)
		}
		if calls > 2 {
			return errors.New("away")
		}
		return nil
	})
	got := p.stats()
	if got.Count != 4 || got.Failed != 2 || got.First == nil || got.Max < 3*every || got.P95 < 3*every {
		t.Errorf("%+v", got)
	}
	if p.took.quantile(0.5) < every {
		t.Errorf("the second call waited for the first: %s", p.took.quantile(0.5))
	}
}

func TestLateMessages(t *testing.T) {
	a := newLateReadings(200)
	a.newest = 1_800_000_000_000
	var last int64
	carried := make([]float64, neighbourValues)
	for n := range NeighbourRun.Backlog + 2 {
		frames := a.message()
		if size := len(payloadOf(a.tenant.Properties, frames)); size > 256<<10 {
			t.Fatalf("message %d has %d bytes, a server takes 256 KiB", n, size)
		}
		for _, f := range frames {
			if f.time <= last || f.time >= a.newest-latePresent-1 {
				t.Fatalf("message %d: a reading of %d after one of %d, before %d", n, f.time, last, a.newest)
			}
			last = f.time
			for p, v := range f.values {
				if v == carried[p] {
					t.Fatalf("message %d repeats property %d", n, p)
				} else if v == v {
					carried[p] = v
				}
			}
		}
	}
}

func TestPayloadOfFrames(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	var got []struct {
		TS     int64
		Values map[string]float64
	}
	if err := json.Unmarshal(payloadOf(names, []frame{oneValue(5, 1, -2.5), allValues(7, 3)}), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].TS != 5 || len(got[0].Values) != 1 || got[0].Values["b"] != -2.5 || got[1].TS != 7 ||
		len(got[1].Values) != 5 {
		t.Errorf("%+v", got)
	}
}

func TestDeliver(t *testing.T) {
	statuses := []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusBadRequest}
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/key/telemetry" {
			t.Errorf("request for %s", r.URL.Path)
		}
		w.WriteHeader(statuses[requests])
		requests++
	}))
	defer server.Close()
	d := Device{Name: "D", Secret: "key"}
	if err := deliver(t.Context(), server.URL, d, []byte("[]")); err != nil || requests != 2 {
		t.Errorf("%v after %d", err, requests)
	}
	if err := deliver(t.Context(), server.URL, d, []byte("[]")); err == nil || requests != 3 {
		t.Errorf("%v after %d", err, requests)
	}
	for says, want := range map[string]time.Duration{"": time.Second, "3": 3 * time.Second, "900": maxRetryPause, "-1": time.Second} {
		if got := retryAfter(&http.Response{Header: http.Header{"Retry-After": {says}}}); got != want {
			t.Errorf("%q: %s", says, got)
		}
	}
}

func TestNeighbourNames(t *testing.T) {
	names := NeighbourAttacks()
	for _, n := range names {
		if n == quietAttack || strings.Contains(n, ",") ||
			len(slices.DeleteFunc(slices.Clone(names), func(o string) bool { return o != n })) != 1 {
			t.Errorf("%q of %q", n, names)
		}
	}
	if err := RunNeighbours(t.Context(), NeighbourOptions{Only: []string{"weather"}}); err == nil {
		t.Error("RunNeighbours accepts an unknown attack")
	}
}

// mailsOf counts the first mail about each opened notice of the tenant, from its reading.
func TestMailsOf(t *testing.T) {
	now := time.Now()
	began := map[int64]time.Time{10: now, 20: now.Add(time.Second)}
	at := func(after time.Duration, notice int64, to string, ended bool) receivedMail {
		return receivedMail{to: to, notice: notice, ended: ended, at: now.Add(after)}
	}
	var all noticePage
	for id, n := range []notice{
		{Title: "serious", StartTime: 10}, {Title: "serious", StartTime: 20},
		{Title: "important", StartTime: 10}, {Title: "important", StartTime: 20},
	} {
		all.List = append(all.List, struct {
			ID int64 `json:"id"`
			notice
		}{int64(id + 1), n})
	}
	m := mailsOf(&all, []receivedMail{
		at(300*time.Millisecond, 1, "a@calm.example.org", false), at(9*time.Second, 1, "a@calm.example.org", false),
		at(3*time.Second, 2, "a@calm.example.org", false), at(time.Second, 3, "a@storm.example.org", false),
		at(time.Second, 3, "a@calm.example.org", true), at(1500*time.Millisecond, 4, "a@calm.example.org", false),
	}, "calm", began)
	want := Mails{
		Serious:   Delay{Count: 2, Max: 2 * time.Second},
		Important: Delay{Count: 1, Missing: 1, Max: 500 * time.Millisecond},
	}
	if *m != want {
		t.Errorf("%+v, want %+v", *m, want)
	}
}

func TestSwings(t *testing.T) {
	a := newSwings(0, noticesAnHour)
	a.from = 1_800_000_000_000
	frames := make([]frame, lateBatch)
	for i := range frames {
		frames[i] = a.reading(i)
	}
	if size := len(payloadOf(a.tenant.Properties, frames)); size > 256<<10 {
		t.Errorf("a message has %d bytes, a server takes 256 KiB", size)
	}
	a.taken, a.tail = lateBatch, []frame{oneValue(a.from+lateBatch, 0, 0)}
	n, held := 0, 0
	for s := range a.samples() {
		if s.time != a.from+int64(n) {
			t.Fatalf("sample %d has the time %d", n, s.time)
		}
		if n++; s.holds {
			held++
		}
	}
	if n != lateBatch+1 || held != lateBatch/2 {
		t.Errorf("%d samples, %d true", n, held)
	}
}
