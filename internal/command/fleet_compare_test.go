package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// compareAll compares the whole state once everything has ended.
func (g *fleet) compareAll(rounds int) {
	g.t.Helper()
	list := g.listNotices()
	for i := range list {
		g.loadDetail(&list[i])
	}
	g.compareTimes(list)
	actions := g.compareActions(list)
	g.compareMoves()
	g.compareDeliveries(list, rounds)
	reasons, moves := map[string]int{}, 0
	for _, n := range list {
		reasons[n.reason]++
	}
	for _, m := range g.devices {
		moves += len(m.moves)
	}
	if actions < 5*rounds || moves < 5*rounds || reasons["left"] == 0 {
		g.t.Errorf("%d actions, %d moves, notices %v, which proves little", actions, moves, reasons)
	}
	g.t.Logf("%d actions on notices that ended %v, %d moves, %d kills", actions, reasons, moves, rounds)
}

// compareTimes compares when notices opened and ended with the readings that caused it, and with
// when the devices belonged to the rules. The rule for the model had all devices the whole time, so
// that nothing else may have affected its notices.
func (g *fleet) compareTimes(list []notice) {
	g.t.Helper()
	of := map[int64]map[string][]notice{}
	for _, rule := range g.rules {
		of[rule] = map[string][]notice{}
	}
	for _, n := range list {
		of[n.RuleID][n.DeviceName] = append(of[n.RuleID][n.DeviceName], n)
	}
	stays := g.memberships()
	for name, rule := range g.rules {
		for _, m := range g.devices {
			mine := of[rule][m.name]
			slices.SortFunc(mine, func(a, b notice) int { return int(a.StartTime - b.StartTime) })
			if name == "model" {
				var got, want []string
				for _, n := range mine {
					got = append(got, fmt.Sprintf("%d-%d %s", n.StartTime, n.EndTime, n.reason))
				}
				for _, s := range m.coldSpells() {
					want = append(want, fmt.Sprintf("%d-%d recovered", s[0], s[1]))
				}
				if missing, extra := differences(got, want); len(missing)+len(extra) > 0 {
					g.t.Errorf("%s of %s: missing %v, too many %v", name, m.name, missing, extra)
				}
				continue
			}
			for i, n := range mine {
				if i > 0 && (n.StartTime < mine[i-1].EndTime || n.StartTime == mine[i-1].StartTime) {
					g.t.Errorf("%s of %s: %+v ended after %+v had opened", name, m.name, mine[i-1], n)
				}
				g.compareMembership(m, n, stays[fmt.Sprint(rule, m.name)])
			}
		}
	}
}

// coldSpells are the periods in which a device measured cold.
func (m *movingDevice) coldSpells() (list [][2]int64) {
	cold := false
	for _, r := range m.readings {
		switch {
		case r.cold && !cold:
			list = append(list, [2]int64{r.at})
		case !r.cold && cold:
			list[len(list)-1][1] = r.at
		}
		cold = r.cold
	}
	return list
}

// compareMembership compares a notice with the readings, and with the periods in which its rule had
// the moving device: it opened at a cold reading within one period, and ended with the first warm
// reading after that, or at the end of the period, before the next one began.
func (g *fleet) compareMembership(m *movingDevice, n notice, stays [][2]int64) {
	g.t.Helper()
	i := slices.IndexFunc(
		stays,
		func(s [2]int64) bool { return s[0] <= n.StartTime && (s[1] == 0 || n.StartTime <= s[1]) },
	)
	at := slices.IndexFunc(m.readings, func(r fleetReading) bool { return r.at == n.StartTime && r.cold })
	if i < 0 || at < 0 {
		g.t.Errorf(
			"%s: %+v began when its rule did not have it (%v), or at no cold reading (%t)",
			m.name,
			n,
			stays,
			at < 0,
		)
		return
	}
	warm := slices.IndexFunc(m.readings[at:], func(r fleetReading) bool { return !r.cold })
	switch over := stays[i][1]; {
	case n.reason == "recovered" && warm > 0 && n.EndTime == m.readings[at+warm].at:
	case n.reason == "left" && over > 0 && n.EndTime >= over && (i+1 == len(stays) || n.EndTime <= stays[i+1][0]):
	default:
		g.t.Errorf("%s: %+v ended wrongly, of %v", m.name, n, stays[i:])
	}
}

// memberships are the periods in which rules had devices, by the audit log, in epoch ms; 0: since
// the rule's start, or still.
func (g *fleet) memberships() map[string][][2]int64 {
	g.t.Helper()
	of := map[string][][2]int64{}
	for i, m := range g.devices {
		for _, rule := range g.rules {
			if g.shouldHave(rule, i < fleetDevices/2) {
				of[fmt.Sprint(rule, m.name)] = [][2]int64{{}}
			}
		}
	}
	for _, e := range g.auditEntries("rule") {
		if e.Action != "devices" {
			continue
		}
		for _, c := range e.Changes {
			var names []string
			if err := json.Unmarshal(c.After, &names); err != nil || e.By != "server" {
				g.t.Fatalf("%+v: %v", e, err)
			}
			for _, name := range names {
				where := fmt.Sprint(e.ThingID, name)
				stays := of[where]
				here := len(stays) > 0 && stays[len(stays)-1][1] == 0
				switch {
				case c.Field == "joined" && !here:
					of[where] = append(stays, [2]int64{e.Time})
				case c.Field == "left" && here:
					stays[len(stays)-1][1] = e.Time
				default:
					g.t.Errorf("%s %s %s, and was in the rule before: %t", name, c.Field, e.Thing, here)
				}
			}
		}
	}
	in := g.inScene()
	for _, m := range g.devices {
		for name, rule := range g.rules {
			stays := of[fmt.Sprint(rule, m.name)]
			if here := len(stays) > 0 && stays[len(stays)-1][1] == 0; here != g.shouldHave(rule, in[m.name]) {
				g.t.Errorf("by the audit log %s is in %s: %t", m.name, name, here)
			}
		}
	}
	return of
}

// compareActions compares what people did with the audit log, with who has acknowledged the
// notices, and with what the program received: all three agree. It returns how many actions there
// were.
func (g *fleet) compareActions(list []notice) (all int) {
	g.t.Helper()
	logged := map[int64][]auditEntry{}
	for _, e := range g.auditEntries("notice") {
		logged[e.ThingID] = append(logged[e.ThingID], e)
	}
	heard := map[int64][]string{}
	for _, c := range g.calls {
		heard[c.notice] = append(heard[c.notice], strings.TrimSpace(c.event+" "+c.note))
	}
	for _, n := range list {
		left := g.actorOf(n.ID).actions[n.ID]
		all += len(left)
		want := []string{"opened"}
		var last ackAction
		for _, e := range logged[n.ID] {
			note := e.note()
			i := slices.IndexFunc(left, func(d ackAction) bool {
				return d.note == note &&
					(d.outcome == outcomeDone && d.request == e.Request || d.outcome == outcomeUnknown)
			})
			if i < 0 || slices.ContainsFunc(left[:i], func(d ackAction) bool { return d.outcome == outcomeDone }) {
				g.t.Errorf("notice %d: the log has %+v in place of one of %+v", n.ID, e, left)
				break
			}
			last, left = left[i], left[i+1:]
			if want = append(want, "unacknowledged"); note != "" {
				want[len(want)-1] = "acknowledged " + note
			}
		}
		if slices.ContainsFunc(left, func(d ackAction) bool { return d.outcome == outcomeDone }) {
			g.t.Errorf("notice %d: the log lacks the answered actions %+v", n.ID, left)
		}
		asSaid := n.Ack == nil ||
			n.Ack.User == g.actorOf(n.ID).name && n.Ack.RemindAt-n.Ack.Time == int64(last.hours)*3_600_000
		if n.note() != last.note || !asSaid {
			g.t.Errorf("notice %[2]d has the acknowledgement %+[1]v, want %+[3]v", n.Ack, n.ID, last)
		}
		if want = append(want, "resolved"); !slices.Equal(heard[n.ID], want) {
			g.t.Errorf("notice %d: the program received %q, want %q", n.ID, heard[n.ID], want)
		}
		delete(logged, n.ID)
		delete(heard, n.ID)
	}
	if len(logged)+len(heard) > 0 {
		g.t.Errorf("about notices that do not exist: %v %v", logged, heard)
	}
	return all
}

// compareMoves compares how devices were moved with the audit log: each change is there once, and a
// repeated request changed nothing.
func (g *fleet) compareMoves() {
	g.t.Helper()
	logged := map[string][]auditEntry{}
	for _, e := range g.auditEntries("device") {
		if e.Action == "update" {
			logged[e.Thing] = append(logged[e.Thing], e)
		}
	}
	for _, m := range g.devices {
		var got, want []bool
		for _, e := range logged[m.name] {
			for _, c := range e.Changes {
				if c.Field == "groupName" {
					got = append(got, string(c.After) == `"Orchard"`)
				}
			}
		}
		for _, mv := range m.moves {
			if len(want) == 0 || want[len(want)-1] != mv.in {
				want = append(want, mv.in)
			}
		}
		if !slices.Equal(got, want) {
			g.t.Errorf("%s: the log has moves %v, want %v", m.name, got, want)
		}
	}
}

// compareDeliveries compares the notifications with the notices: each message exists once, and each
// mail too, except that a kill repeats mails in flight.
func (g *fleet) compareDeliveries(list []notice, rounds int) {
	g.t.Helper()
	messages := map[int64]map[string]int{}
	for _, m := range allPages[struct {
		NoticeID int64
		Event    string
	}](g, "notify-message/my-page?") {
		if messages[m.NoticeID] == nil {
			messages[m.NoticeID] = map[string]int{}
		}
		messages[m.NoticeID][m.Event]++
	}
	sent := 0
	for _, n := range list {
		want := map[string]int{"triggered": 1}
		if n.reason == "recovered" {
			want["resolved"] = 1
		}
		if !maps.Equal(messages[n.ID], want) {
			g.t.Errorf("the messages of %+v are %v, want %v", n, messages[n.ID], want)
		}
		mails := map[string]int{}
		for _, d := range n.deliveries {
			if d.Mode == "email" {
				mails[d.Recipient+" "+d.Event]++
			}
			if d.State == "sent" && d.Mode == "email" {
				sent++
			}
			// If the device left the rule before the mail was sent, nobody is notified.
			if d.State != "sent" &&
				(d.Mode == "webhook" || d.State != "skipped" || d.Reason != "changed" || n.reason != "left") {
				g.t.Errorf("the delivery for %+v should not exist: %+v", n, d)
			}
		}
		wanted := map[string]int{}
		for event, times := range want {
			for _, who := range fleetRecipients {
				wanted[who+" "+event] = times
			}
		}
		if !maps.Equal(mails, wanted) {
			g.t.Errorf("the mails of %+v are %v, want %v", n, mails, wanted)
		}
	}
	g.mailServer.mu.Lock()
	defer g.mailServer.mu.Unlock()
	flying := rounds * maxMailsInFlight
	if n := len(g.mailServer.byMessage); n < sent || n > sent+flying || g.mailServer.total-n > flying {
		g.t.Errorf(
			"%d mails came, %d different ones; %d are sent, and %d were in flight at kills",
			g.mailServer.total,
			n,
			sent,
			flying,
		)
	}
	again := 0
	for _, times := range g.callCounts {
		again += times - 1
	}
	if again > rounds*maxCallsInFlight {
		g.t.Errorf("%d calls were repeated", again)
	}
}
