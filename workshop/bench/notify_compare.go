package bench

import "context"

// expectedEvents are the events of each tenant's notices, and the readings from which they came.
type expectedEvents []map[noticeEvent]ackedReading

// compare compares the events that arrived with those that happened.
func (g *notifyRun) compare(ctx context.Context, r *NotifyResult) error {
	var err error
	for _, p := range g.screens {
		if err = p.close(); err != nil {
			return err
		}
		r.Cuts += p.cuts.Load()
		r.Resets += p.resets.Load()
	}
	var h expectedEvents
	for i, l := range g.lists {
		all, err := l.all(ctx)
		if err != nil {
			return err
		}
		h = append(h, g.matchNotices(i, all, r))
	}
	for i := 0; i < len(g.waves); i += 2 {
		r.Spans = append(r.Spans, g.waves[i].span)
	}
	g.compareLists(h, r)
	g.compareScreens(h, r)
	r.Mails = g.compareMails(h, g.mailServer.received())
	return nil
}

// matchNotices finds the readings from which each recorded notice came.
func (g *notifyRun) matchNotices(tenant int, all *noticePage, r *NotifyResult) map[noticeEvent]ackedReading {
	type volley struct{ begin, end ackedReading }
	sent := map[readingID]volley{}
	for _, d := range g.alarmDevices {
		if d.tenant != tenant {
			continue
		}
		for i := 0; i+1 < len(d.reports); i += 2 {
			sent[readingID{d.device.Name, d.reports[i].time}] = volley{d.reports[i], d.reports[i+1]}
		}
	}
	r.Notices += len(sent)
	found := map[noticeEvent]ackedReading{}
	for i := range all.List {
		n := &all.List[i]
		was, ours := sent[readingID{n.DeviceName, n.StartTime}]
		if !ours || n.EndTime != was.end.time {
			r.Stray++
			continue
		}
		delete(sent, readingID{n.DeviceName, n.StartTime})
		found[noticeEvent{n.ID, false}], found[noticeEvent{n.ID, true}] = was.begin, was.end
	}
	r.Unrecorded += len(sent)
	return found
}

func (g *notifyRun) compareLists(h expectedEvents, r *NotifyResult) {
	var times histogram
	for i, l := range g.lists {
		for what, from := range h[i] {
			if what.ended {
				continue
			}
			if at, seen := l.seen[what.notice]; seen {
				times.add(at - from.acked)
			} else {
				r.Listed.Missing++
			}
		}
	}
	r.Listed.fill(&times)
}

// compareScreens checks that each screen of a tenant received each event once as a notice and once
// as a message.
func (g *notifyRun) compareScreens(h expectedEvents, r *NotifyResult) {
	var notices, messages histogram
	for _, p := range g.screens {
		things := h[p.tenant]
		received := map[screenEvent]bool{}
		missing := map[bool]int{false: len(things), true: len(things)}
		for _, one := range p.events {
			from, known := things[one.noticeEvent]
			key := screenEvent{noticeEvent: one.noticeEvent, message: one.message}
			switch {
			case !known:
				r.Unknown++
			case received[key]:
				r.Duplicates++
			default:
				received[key] = true
				missing[one.message]--
				times := &notices
				if one.message {
					times = &messages
				}
				times.add(one.at - from.acked) // 0 if the event arrived before the acknowledgement was read
			}
		}
		r.Noticed.Missing += missing[false]
		r.Messages.Missing += missing[true]
	}
	r.Noticed.fill(&notices)
	r.Messages.fill(&messages)
}

// compareMails checks that each recipient of a tenant received each event once, in a mail of its
// own or in a digest.
func (g *notifyRun) compareMails(h expectedEvents, mails []receivedMail) MailResult {
	m := MailResult{Mails: len(mails)}
	type share struct { // one recipient's events of one kind
		to    string
		ended bool
	}
	wanted, tenantOf := map[share]int{}, map[string]int{}
	for i := range g.audiences {
		for _, to := range g.audiences[i].mails {
			tenantOf[to] = i
			for what := range h[i] {
				wanted[share{to, what.ended}]++
				m.Wanted++
			}
		}
	}
	type delivery struct {
		to string
		noticeEvent
	}
	ids, told := map[[2]string]bool{}, map[delivery]bool{}
	var times histogram
	volleys := make([]histogram, g.options.Volleys)
	got := map[share]int{}
	for _, one := range mails {
		tenant, ours := tenantOf[one.to]
		what := noticeEvent{one.notice, one.ended}
		from, happened := ackedReading{}, one.alarms > 0
		if ours && one.notice != 0 {
			from, happened = h[tenant][what]
		}
		if !ours || !happened {
			m.Stray++
			continue
		}
		since := one.at.Sub(g.began)
		m.Last = max(m.Last, since-g.lastAck)
		again := ids[[2]string{one.id, one.to}] || one.notice != 0 && told[delivery{one.to, what}]
		ids[[2]string{one.id, one.to}] = true
		if again {
			m.Twice += one.alarms
			continue
		}
		got[share{one.to, one.ended}] += one.alarms
		if one.notice == 0 {
			m.Digests++
			continue
		}
		told[delivery{one.to, what}] = true
		times.add(since - from.acked)
		volleys[from.part].add(since - from.acked)
	}
	for who, n := range wanted {
		m.Told += min(n, got[who])
		m.Lost += max(0, n-got[who])
		m.Twice += max(0, got[who]-n)
	}
	m.Single.fill(&times)
	for i := range volleys {
		var d Delay
		d.fill(&volleys[i])
		m.Volleys = append(m.Volleys, d)
	}
	return m
}
