package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// What the victim is and does: little, evenly, as a farm that nobody notices.
const (
	victimDevices  = 25
	victimRules    = 4  // of each, one condition each
	victimRate     = 50 // messages a second, of all
	victimTurns    = 4  // notices a second that begin, and as many that end
	victimInFlight = 256
	pageEvery      = 200 * time.Millisecond
	signInEvery    = time.Second
	writeEvery     = 250 * time.Millisecond
	visitor        = "visitor" // signs in again and again; whoever looks at the screen stays
)

// victim is the tenant that is measured while others attack.
type victim struct {
	tenant Tenant
	person *console
	field  *alarmFleet

	channel int64 // is renamed again and again
	renamed int   // times
}

func newVictim() *victim {
	w := NewTenant(victimDevices, neighbourValues)
	w.Name, w.User, w.Guests = "victim", "victim", []string{visitor}
	for i := range w.Devices {
		w.Devices[i].Name = fmt.Sprintf("VICTIM-%03d", i+1)
	}
	return &victim{tenant: w}
}

// setUp signs in and makes the rules that the victim is told by.
func (v *victim) setUp(ctx context.Context, t Target) (err error) {
	if v.person, err = signIn(ctx, t.Console, v.tenant); err != nil {
		return err
	}
	if v.channel, err = v.person.makeChannel(ctx, "victim", []string{"victim@example.org"}); err != nil {
		return err
	}
	rules, err := v.person.makeRules(ctx, v.tenant, victimRules, false)
	if err != nil {
		return err
	}
	if err := v.person.runRules(ctx, rules); err != nil {
		return err
	}
	t.Tenant = v.tenant
	v.field = newAlarmFleet(
		AlarmOptions{Rules: victimRules * victimDevices, NoticesPerSecond: victimTurns, Window: victimInFlight},
		t,
	)
	for _, s := range v.field.senders {
		s.keepAcked, s.rulesRunning = true, true
	}
	return nil
}

// victimResult are what a time has shown of the victim.
type victimResult struct {
	ack          Part
	alarm        Delay
	page, signIn CallStats
	write        CallStats
	cuts         int64 // of the open screen
}

// measure lets the victim live for so long and measures. Afterwards it waits for
// notices that are late, but not longer than patience.
func (v *victim) measure(ctx context.Context, t Target, duration, patience time.Duration) (n victimResult, err error) {
	t.Tenant = v.tenant
	v.field.target, v.field.marks, v.person.base = t, newAlarmEvents(), t.Console
	for _, s := range v.field.senders {
		s.marks = v.field.marks
	}
	if err := v.field.connect(ctx); err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, v.field.close()) }()
	page, err := watchNotices(ctx, v.person, v.field.marks)
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, page.close()) }()

	var list, doors, writes probe
	until := time.Now().Add(duration)
	var probing errgroup.Group
	probing.Go(func() error { list.run(ctx, pageEvery, until, v.fetchDevices); return nil })
	probing.Go(func() error { doors.run(ctx, signInEvery, until, v.signInVisitor); return nil })
	probing.Go(func() error { writes.run(ctx, writeEvery, until, v.rename); return nil })
	n.ack, err = v.field.part(ctx, duration, victimRate)
	_ = probing.Wait() // each keeps its own errors
	v.field.marks.waitUntil(ctx, patience, func(live, _ Delay) bool { return live.Missing == 0 })
	n.alarm = v.field.marks.delaysAt(time.Now())
	n.page, n.signIn, n.write, n.cuts = list.stats(), doors.stats(), writes.stats(), page.cuts.Load()
	return n, err
}

// fetchDevices asks for a list as people do: the devices, with what they measured last.
func (v *victim) fetchDevices(ctx context.Context) error {
	var page struct{ Total int }
	err := v.person.call(ctx, http.MethodGet, "/admin-api/client/pc/device/page?pageNo=1&pageSize=20", nil, &page)
	if err == nil && page.Total != victimDevices {
		err = fmt.Errorf("the list has %d devices of %d", page.Total, victimDevices)
	}
	return err
}

// rename changes what the database keeps of the victim, as people do who fill in a
// form.
func (v *victim) rename(ctx context.Context) error {
	v.renamed++
	return v.person.changeChannel(ctx, v.channel, fmt.Sprintf("victim %d", v.renamed), []string{"victim@example.org"})
}

// signInVisitor signs the visitor in.
func (v *victim) signInVisitor(ctx context.Context) error {
	w := v.tenant
	w.User = visitor
	c, err := signIn(ctx, v.person.base, w)
	if err != nil {
		return err
	}
	c.http.CloseIdleConnections()
	return nil
}

// sent are the frames of a device that were acknowledged, in order.
func (s *sender) frames() []frame {
	all := make([]frame, len(s.ackedMessages))
	for i, one := range s.ackedMessages {
		all[i] = frame{time: one.time, arrived: one.at.UnixMilli(), values: make([]float64, len(s.stream.keys))}
		for p := range all[i].values {
			all[i].values[p] = s.value(one.time, one.high, p)
		}
	}
	return all
}

// compare holds what the server has of the victim against what it sent.
func (v *victim) compare(ctx context.Context, patience time.Duration, r *NeighbourRow) error {
	var want []expectedNotice
	for _, s := range v.field.senders {
		sent := s.frames()
		for p := range victimRules {
			rule := referenceRule{
				title: ruleName(p), device: s.name, hits: 1, window: int64(10 * time.Minute / time.Millisecond),
				conditions: []referenceCondition{{property: p, above: true, limit: threshold / 100}},
			}
			want = append(want, rule.expectedNotices(sent)...)
		}
		if err := r.readBack(ctx, v.person, s.name, v.tenant.Properties, sent); err != nil {
			return err
		}
	}
	return r.compareNotices(ctx, v.person, want, patience)
}
