package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// The victim is a small tenant with a steady, moderate load.
const (
	victimDevices  = 25
	victimRules    = 4  // of each device, with one condition each
	victimRate     = 50 // messages a second of all devices
	victimNotices  = 4  // notices that open in a second, and as many that close
	victimInFlight = 256
	pageEvery      = 200 * time.Millisecond
	signInEvery    = time.Second
	writeEvery     = 250 * time.Millisecond
	visitor        = "visitor" // signs in again and again; the user with the open screen stays signed in
)

// victim is the tenant that is measured while others attack.
type victim struct {
	tenant Tenant
	person *console
	fleet  *alarmFleet

	channel int64 // renamed again and again
	renamed int   // how often the channel was renamed
}

func newVictim() *victim {
	w := NewTenant(victimDevices, neighbourValues)
	w.Name, w.User, w.Guests = "victim", "victim", []string{visitor}
	for i := range w.Devices {
		w.Devices[i].Name = fmt.Sprintf("VICTIM-%03d", i+1)
	}
	return &victim{tenant: w}
}

// setUp signs in and makes the victim's channel and rules.
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
	v.fleet = newAlarmFleet(AlarmOptions{
		Rules:            victimRules * victimDevices,
		NoticesPerSecond: victimNotices,
		Window:           victimInFlight,
	}, t)
	for _, s := range v.fleet.devices {
		s.keepAcked, s.rulesRunning = true, true
	}
	return nil
}

// victimResult is the result of measuring the victim.
type victimResult struct {
	ack          Part
	alarm        Delay
	page, signIn CallStats
	write        CallStats
	cuts         int64 // of the open screen
}

// measure runs the victim for a duration and measures. Then it waits for late notices, but at most
// as long as patience.
func (v *victim) measure(ctx context.Context, t Target, duration, patience time.Duration) (n victimResult, err error) {
	t.Tenant = v.tenant
	v.fleet.target, v.fleet.events, v.person.base = t, newAlarmEvents(), t.Console
	for _, s := range v.fleet.devices {
		s.events = v.fleet.events
	}
	if err := v.fleet.connect(ctx); err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, v.fleet.close()) }()
	page, err := watchNotices(ctx, v.person, v.fleet.events)
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, page.close()) }()

	var list, signIns, writes probe
	until := time.Now().Add(duration)
	var probing errgroup.Group
	probing.Go(func() error { list.run(ctx, pageEvery, until, v.fetchDevices); return nil })
	probing.Go(func() error { signIns.run(ctx, signInEvery, until, v.signInVisitor); return nil })
	probing.Go(func() error { writes.run(ctx, writeEvery, until, v.rename); return nil })
	n.ack, err = v.fleet.part(ctx, duration, victimRate)
	_ = probing.Wait() // each keeps its own errors
	v.fleet.events.waitUntil(ctx, patience, func(live, _ Delay) bool { return live.Missing == 0 })
	n.alarm = v.fleet.events.delaysAt(time.Now())
	n.page, n.signIn, n.write, n.cuts = list.stats(), signIns.stats(), writes.stats(), page.cuts.Load()
	return n, err
}

// fetchDevices reads a list as people do: the devices with their latest values.
func (v *victim) fetchDevices(ctx context.Context) error {
	var page struct{ Total int }
	err := v.person.call(ctx, http.MethodGet, "/admin-api/client/pc/device/page?pageNo=1&pageSize=20", nil, &page)
	if err == nil && page.Total != victimDevices {
		err = fmt.Errorf("the list has %d devices, want %d", page.Total, victimDevices)
	}
	return err
}

// rename writes to the database, as people do who save a form.
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

// frames returns the acknowledged frames of a device, in order.
func (s *alarmDevice) frames() []frame {
	all := make([]frame, len(s.ackedMessages))
	for i, one := range s.ackedMessages {
		all[i] = frame{time: one.time, arrived: one.at.UnixMilli(), values: make([]float64, len(s.stream.keys))}
		for p := range all[i].values {
			all[i].values[p] = s.value(one.time, one.high, p)
		}
	}
	return all
}

// compare compares what the server has of the victim with what it sent.
func (v *victim) compare(ctx context.Context, patience time.Duration, r *NeighbourRow) error {
	var want []expectedNotice
	for _, s := range v.fleet.devices {
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
