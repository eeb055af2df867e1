package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tilth/internal/tools/testkit"
)

// notice is a notice as the console lists it.
type notice struct {
	ID, RuleID         int64
	DeviceName         string
	ResolveStatus      int
	StartTime, EndTime int64
	Ack                *struct {
		User, Note     string
		Time, RemindAt int64
	}
	reason     string
	deliveries []deliveryView
}

type deliveryView struct {
	Mode, Event, State, Recipient, Reason string
	NextTime                              int64
}

// webhookCall is a call that the webhook's program received; each is counted once.
type webhookCall struct {
	event, note string
	notice      int64
}

// auditEntry is an entry of the audit log.
type auditEntry struct {
	ID, Time, ThingID               int64
	By, Name, Kind, Action, Request string
	Thing                           string
	Changes                         []struct {
		Field         string
		Before, After json.RawMessage
	}
}

// note is the note of an acknowledgement; it is empty if the acknowledgement was taken back.
func (e *auditEntry) note() string {
	for _, c := range e.Changes {
		if c.Field == "note" {
			return strings.Trim(string(c.After), `"`)
		}
	}
	return ""
}

// allPages returns all items of a list that is answered page by page.
func allPages[T any](g *fleet, path string) (all []T) {
	g.t.Helper()
	for no := 1; ; no++ {
		var page struct {
			Total int
			List  []T
		}
		g.call(http.MethodGet, fmt.Sprintf("%s%spageNo=%d&pageSize=400", admin, path, no), g.token(), "", &page)
		if all = append(all, page.List...); len(all) >= page.Total || len(page.List) == 0 {
			return all
		}
	}
}

// listNotices are all notices, the oldest first.
func (g *fleet) listNotices() []notice {
	g.t.Helper()
	all := allPages[notice](g, "alarm-notice/page?")
	slices.SortFunc(all, func(a, b notice) int { return int(a.ID - b.ID) })
	return all
}

// auditEntries are the entries about a kind of thing, the oldest first.
func (g *fleet) auditEntries(kind string) []auditEntry {
	g.t.Helper()
	all := allPages[auditEntry](g, "audit/page?kind="+kind+"&")
	slices.SortFunc(all, func(a, b auditEntry) int { return int(a.ID - b.ID) })
	return all
}

// inScene says of each moving device whether it is in the scene.
func (g *fleet) inScene() map[string]bool {
	g.t.Helper()
	in := map[string]bool{}
	for _, d := range allPages[struct {
		DeviceName string
		GroupID    int64
	}](g, "device/page?") {
		in[d.DeviceName] = d.GroupID == g.scene
	}
	return in
}

// shouldHave reports whether a rule must have a moving device that is in the scene, or is not.
func (g *fleet) shouldHave(rule int64, in bool) bool {
	return rule == g.rules["model"] || in == (rule == g.rules["orchard"])
}

// members are the devices that a rule has.
func (g *fleet) members(rule int64) (names []string) {
	g.t.Helper()
	path := fmt.Sprintf("alarm-rules/get/devices?id=%d&", rule)
	for _, d := range allPages[struct{ DeviceName, State string }](g, path) {
		if d.State != "judged" {
			g.t.Errorf("%s is %s", d.DeviceName, d.State)
		}
		names = append(names, d.DeviceName)
	}
	slices.Sort(names)
	return names
}

// expectedMembers are the devices that a rule must have.
func (g *fleet) expectedMembers(rule int64, in map[string]bool) (names []string) {
	for _, m := range g.devices {
		if g.shouldHave(rule, in[m.name]) {
			names = append(names, m.name)
		}
	}
	return names
}

// checkAfterKill compares the state after a start with what was answered before the kill.
func (g *fleet) checkAfterKill() {
	g.t.Helper()
	in := g.inScene()
	for _, m := range g.devices {
		may := []bool{}
		for _, mv := range m.moves {
			if mv.outcome == outcomeDone {
				may = may[:0]
			}
			may = append(may, mv.in)
		}
		if len(may) > 0 && !slices.Contains(may, in[m.name]) || len(may) == 0 && in[m.name] {
			g.t.Errorf("%s is in the scene: %t; its moves were %+v", m.name, in[m.name], m.moves)
		}
	}
	for name, rule := range g.rules {
		if got, want := g.members(rule), g.expectedMembers(rule, in); !slices.Equal(got, want) {
			g.t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	g.waitEvaluated()
	open, newest := map[string]bool{}, map[int64]string{}
	for _, e := range g.auditEntries("notice") {
		newest[e.ThingID] = e.note()
	}
	for _, n := range g.listNotices() {
		if where := fmt.Sprint(n.RuleID, n.DeviceName); n.ResolveStatus == 0 {
			if open[where] || !g.shouldHave(n.RuleID, in[n.DeviceName]) {
				g.t.Errorf("%+v is open, another %t, in the scene %t", n, open[where], in[n.DeviceName])
			}
			open[where] = true
			g.compareReminders(&n)
		}
		if n.note() != newest[n.ID] {
			g.t.Errorf("notice %[2]d has the note %[1]q, and the audit log %[3]q", n.note(), n.ID, newest[n.ID])
		}
		taken := g.actorOf(n.ID).actions[n.ID]
		may := []string{""}
		for _, d := range taken {
			if d.outcome == outcomeDone {
				may = may[:0]
			}
			if d.outcome != outcomeRefused {
				may = append(may, d.note)
			}
		}
		if !slices.Contains(may, n.note()) {
			g.t.Errorf("notice %[2]d has the note %[1]q, want one of %[3]q after %+[4]v", n.note(), n.ID, may, taken)
		}
	}
	g.collectCalls()
	if g.t.Failed() {
		g.t.FailNow()
	}
}

// compareReminders compares the pending reminders of an open notice with who has acknowledged it.
func (g *fleet) compareReminders(n *notice) (waiting []string) {
	g.t.Helper()
	g.loadDetail(n)
	for _, d := range n.deliveries {
		if d.Event != "reminder" || d.State != "queued" {
			continue
		}
		if n.Ack == nil || d.NextTime != n.Ack.RemindAt {
			g.t.Errorf("notice %[2]d has the acknowledgement %+[1]v, and %+[3]v is pending", n.Ack, n.ID, d)
		}
		waiting = append(waiting, d.Recipient)
	}
	slices.Sort(waiting)
	return waiting
}

func (n *notice) note() string {
	if n.Ack == nil {
		return ""
	}
	return n.Ack.Note
}

// actorOf is the person who acts on a notice.
func (g *fleet) actorOf(notice int64) *person { return g.people[notice%int64(len(g.people))] }

// collectCalls collects the calls that the program received, each once.
func (g *fleet) collectCalls() {
	g.t.Helper()
	for _, h := range g.webhook.TakeCalls() {
		id := h.Header.Get("webhook-id")
		if g.callCounts[id]++; g.callCounts[id] > 1 {
			continue
		}
		var body struct {
			Type string
			Data struct {
				ID           int64
				Acknowledged *struct{ Note string }
			}
		}
		if err := json.Unmarshal(h.Body, &body); err != nil {
			g.t.Fatal(err)
		}
		c := webhookCall{event: strings.TrimPrefix(body.Type, "notice."), notice: body.Data.ID}
		if body.Data.Acknowledged != nil && c.event == "acknowledged" {
			c.note = body.Data.Acknowledged.Note
		}
		g.calls = append(g.calls, c)
	}
}

// finish waits until everything in progress has ended, and compares the whole state.
func (g *fleet) finish(rounds int) {
	g.t.Helper()
	g.onAnswer = func() {}
	for _, m := range g.devices {
		if n := len(m.moves); n > 0 && m.moves[n-1].outcome == outcomeUnknown && !m.moveTo(g, m.moves[n-1].in) {
			g.t.Fatalf("%s is not moved", m.name)
		}
		if n := len(m.readings); n > 0 && !m.readings[n-1].answered {
			m.send(g, false)
		}
	}
	in := g.inScene()
	for name, rule := range g.rules {
		settled := func() bool { return slices.Equal(g.members(rule), g.expectedMembers(rule, in)) }
		testkit.Eventually(g.t, "the devices of "+name, settled)
	}
	// Each rule evaluates its own devices, and no others.
	g.measureAll(false)
	g.measureAll(true)
	var got, want []string
	for _, n := range g.listNotices() {
		if n.ResolveStatus == 0 {
			got = append(got, fmt.Sprint(n.RuleID, " ", n.DeviceName))
			if !g.actorOf(n.ID).act(g, n.ID, true) {
				g.t.Fatalf("%+v has no acknowledgement", n)
			}
		}
	}
	for _, rule := range g.rules {
		for _, name := range g.expectedMembers(rule, in) {
			want = append(want, fmt.Sprint(rule, " ", name))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		g.t.Errorf("open notices: %v, want %v", got, want)
	}
	g.checkReminders()
	g.measureAll(false)
	for _, way := range []string{"mail", "webhook"} {
		told := func() bool { return g.metricText("tilth_notify_"+way+"_queued") == "0" }
		testkit.Eventually(g.t, "all of "+way+" to be told", told)
	}
	g.collectCalls()
	g.compareAll(rounds)
	g.stop()
	out, err := g.tilth(append([]string{"doctor"}, g.storageArgs()...)...)
	if err != nil || !strings.Contains(out, "nothing contradicts itself") {
		g.t.Errorf("doctor: %v\n%s", err, out)
	}
}

// measureAll makes all devices measure cold, or warmth, and waits until that is evaluated.
func (g *fleet) measureAll(cold bool) {
	g.t.Helper()
	for _, m := range g.devices {
		if !m.send(g, cold) {
			g.t.Fatalf("%s got no answer\n%s", m.name, g.stderr)
		}
	}
	g.waitEvaluated()
}

// checkReminders waits until all notifications of open, acknowledged notices are sent, and checks
// that each of them is reminded at its time, once.
func (g *fleet) checkReminders() {
	g.t.Helper()
	for _, n := range g.listNotices() {
		if n.ResolveStatus != 0 {
			continue
		}
		testkit.Eventually(g.t, "all notifications of an open notice", func() bool {
			g.loadDetail(&n)
			waits := func(d deliveryView) bool { return d.State == "queued" && d.Event != "reminder" }
			return !slices.ContainsFunc(n.deliveries, waits)
		})
		if waiting := g.compareReminders(&n); !slices.Equal(waiting, fleetRecipients) {
			g.t.Errorf("the reminders of %+v are %v", n, waiting)
		}
	}
}

// loadDetail reads what only a notice's own page shows.
func (g *fleet) loadDetail(n *notice) {
	g.t.Helper()
	var d struct {
		AlarmNotice struct{ ResolveReason string }
		Deliveries  []deliveryView
	}
	g.call(http.MethodGet, fmt.Sprintf("%salarm-notice/get?id=%d", admin, n.ID), g.token(), "", &d)
	n.reason, n.deliveries = d.AlarmNotice.ResolveReason, d.Deliveries
}
