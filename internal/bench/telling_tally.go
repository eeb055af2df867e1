package bench

import "context"

// happened is what has happened to each tenant's notices, and the readings that
// it came from.
type happened []map[about]report

// tally compares what was told with what has happened.
func (g *gathering) tally(ctx context.Context, r *TellingResult) error {
	var err error
	for _, p := range g.pages {
		if err = p.close(); err != nil {
			return err
		}
		r.Cuts += p.cuts.Load()
		r.Resets += p.resets.Load()
	}
	var h happened
	for i, l := range g.lists {
		all, err := l.all(ctx)
		if err != nil {
			return err
		}
		h = append(h, g.match(i, all, r))
	}
	for i := 0; i < len(g.waves); i += 2 {
		r.Spans = append(r.Spans, g.waves[i].span)
	}
	g.tallyLists(h, r)
	g.tallyPages(h, r)
	r.Mails = g.sort(h, g.post.arrived())
	return nil
}

// match finds for each recorded notice the readings that it came from.
func (g *gathering) match(tenant int, all *listed, r *TellingResult) map[about]report {
	type volley struct{ begin, end report }
	sent := map[readingID]volley{}
	for _, d := range g.storm {
		if d.tenant != tenant {
			continue
		}
		for i := 0; i+1 < len(d.reports); i += 2 {
			sent[readingID{d.device.Name, d.reports[i].time}] = volley{d.reports[i], d.reports[i+1]}
		}
	}
	r.Notices += len(sent)
	found := map[about]report{}
	for i := range all.List {
		n := &all.List[i]
		was, ours := sent[readingID{n.DeviceName, n.StartTime}]
		if !ours || n.EndTime != was.end.time {
			r.Stray++
			continue
		}
		delete(sent, readingID{n.DeviceName, n.StartTime})
		found[about{n.ID, false}], found[about{n.ID, true}] = was.begin, was.end
	}
	r.Absent += len(sent)
	return found
}

func (g *gathering) tallyLists(h happened, r *TellingResult) {
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
	r.Listed.take(&times)
}

// tallyPages: each screen of a tenant must have been told of each thing that
// happened once, by the notice and by the message.
func (g *gathering) tallyPages(h happened, r *TellingResult) {
	var notices, messages histogram
	for _, p := range g.pages {
		things := h[p.tenant]
		heard := map[telling]bool{}
		missing := map[bool]int{false: len(things), true: len(things)}
		for _, one := range p.heard {
			from, known := things[one.about]
			key := telling{about: one.about, message: one.message}
			switch {
			case !known:
				r.Unknown++
			case heard[key]:
				r.Doubled++
			default:
				heard[key] = true
				missing[one.message]--
				times := &notices
				if one.message {
					times = &messages
				}
				times.add(one.at - from.acked) // told before the acknowledgement was read: 0
			}
		}
		r.Noticed.Missing += missing[false]
		r.Messages.Missing += missing[true]
	}
	r.Noticed.take(&notices)
	r.Messages.take(&messages)
}

// sort compares the mails with what has happened: each recipient of a tenant
// must have been told of each thing once, by a mail of its own or within one
// about several.
func (g *gathering) sort(h happened, mails []posted) Mailing {
	m := Mailing{Letters: len(mails)}
	type share struct { // what one recipient is told of one kind
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
	type letter struct {
		to string
		about
	}
	ids, told := map[[2]string]bool{}, map[letter]bool{}
	var times histogram
	volleys := make([]histogram, g.options.Volleys)
	got := map[share]int{}
	for _, one := range mails {
		tenant, ours := tenantOf[one.to]
		what := about{one.notice, one.ended}
		from, happened := report{}, one.alarms > 0
		if ours && one.notice != 0 {
			from, happened = h[tenant][what]
		}
		if !ours || !happened {
			m.Stray++
			continue
		}
		since := one.at.Sub(g.began)
		m.Last = max(m.Last, since-g.reached)
		again := ids[[2]string{one.id, one.to}] || one.notice != 0 && told[letter{one.to, what}]
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
		told[letter{one.to, what}] = true
		times.add(since - from.acked)
		volleys[from.part].add(since - from.acked)
	}
	for who, n := range wanted {
		m.Told += min(n, got[who])
		m.Lost += max(0, n-got[who])
		m.Twice += max(0, got[who]-n)
	}
	m.Single.take(&times)
	for i := range volleys {
		var d Delay
		d.take(&volleys[i])
		m.Volleys = append(m.Volleys, d)
	}
	return m
}
