package bench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// notifyRun is the state of a run in which people are notified.
type notifyRun struct {
	options    NotifyOptions
	target     Target
	audiences  []NotifiedTenant
	mailServer *MailServer
	began      time.Time

	load          *alarmFleet
	alarmDevices  []*reportingDevice // devices whose readings open and close notices; the tenants in turn
	ackedReadings []atomic.Int64     // acknowledged readings of these devices, by tenant
	screens       []*notifyScreen
	lists         []*noticeList
	acked         atomic.Int64 // acknowledged messages of the load in the current part
	waves         []wave
	lastAck       time.Duration // when the newest reading of a volley was acknowledged
}

// wave is one half of a volley: its notices open, or close.
type wave struct {
	took, span time.Duration // of the wave; from the first to the last acknowledgement
	acked      int64         // acknowledged messages of the load meanwhile
}

func newNotifyRun(o NotifyOptions, t Target, notified []NotifiedTenant, p *MailServer) *notifyRun {
	g := &notifyRun{
		options:       o,
		target:        t,
		audiences:     notified,
		mailServer:    p,
		began:         time.Now(),
		ackedReadings: make([]atomic.Int64, len(notified)),
	}
	g.load = newAlarmFleet(AlarmOptions{Window: o.Window, NoticesPerSecond: 1}, t)
	for d := range o.perTenant() {
		for i := range notified {
			a := &notified[i]
			g.alarmDevices = append(g.alarmDevices, &reportingDevice{
				connection: connection{protocol: 4, stream: newMessageSource(len(g.alarmDevices), 0, a.Properties)},
				device:     a.Devices[d], tenant: i, acked: &g.ackedReadings[i],
			})
		}
	}
	return g
}

// open connects all devices and opens a screen for each user.
func (g *notifyRun) open(ctx context.Context) error {
	if err := connectAll(ctx, g.alarmDevices, g.target.MQTT); err != nil {
		return err
	}
	if err := g.load.connect(ctx); err != nil {
		return err
	}
	for i := range g.audiences {
		g.lists = append(
			g.lists,
			&noticeList{
				person: g.audiences[i].people[0],
				seen:   map[int64]time.Duration{},
				began:  g.began,
				size:   g.options.perTenant(),
			},
		)
		for _, person := range g.audiences[i].people {
			g.screens = append(g.screens, &notifyScreen{screen: screen{console: person}, tenant: i, began: g.began})
		}
	}
	opening, within := errgroup.WithContext(ctx)
	opening.SetLimit(parallelDials)
	for _, p := range g.screens {
		opening.Go(func() error {
			if within.Err() != nil {
				return within.Err()
			}
			return p.open(ctx) // not within: that context ends with the opening
		})
	}
	return opening.Wait()
}

// close closes the screens and the connections; a second call does nothing.
func (g *notifyRun) close() error {
	var err error
	for _, p := range g.screens {
		err = errors.Join(err, p.close())
	}
	err = errors.Join(err, closeAll(g.alarmDevices), g.load.close())
	g.alarmDevices, g.load.devices = nil, nil
	return err
}

// part makes the load send as much as the server takes, calls beside at the same time, and
// measures. Unlike alarmFleet.part, it allows reading the number of acknowledgements meanwhile.
func (g *notifyRun) part(
	ctx context.Context,
	duration time.Duration,
	beside func(context.Context) error,
) (Part, error) {
	var p Part
	before, err := g.target.metrics(ctx)
	if err != nil {
		return p, err
	}
	g.acked.Store(0)
	latency := &histogram{}
	m := &meter{pid: g.target.PID}
	m.begin()
	began := time.Now()
	until := began.Add(duration)
	sending, within := errgroup.WithContext(ctx)
	for _, s := range g.load.devices {
		s.latency, s.ackedTotal, s.until = latency, &g.acked, until
		sending.Go(func() error { return s.send(within, began, 0, 0, until) })
	}
	if beside != nil {
		sending.Go(func() error { return beside(within) })
	}
	done := time.NewTimer(duration)
	defer done.Stop()
	select {
	case <-done.C:
	case <-within.Done():
	}
	m.end()
	if err := errors.Join(sending.Wait(), m.err); err != nil {
		return p, err
	}
	after, err := g.target.metrics(ctx)
	if err != nil {
		return p, err
	}
	p.Rate = float64(g.acked.Load()) / duration.Seconds()
	p.P50, p.P99, p.Max = latency.quantile(0.5), latency.quantile(0.99), latency.max()
	p.ServerCPU = m.cores
	p.Opened = (after[openedTotal] - before[openedTotal]) / duration.Seconds()
	p.Resolved = (after[resolvedTotal] - before[resolvedTotal]) / duration.Seconds()
	p.Memory, err = residentMemory(g.target.PID)
	return p, err
}

// during returns how many messages of the load were acknowledged in a second while notices opened
// or closed.
func (g *notifyRun) during() float64 {
	var acked int64
	var took time.Duration
	for _, w := range g.waves {
		acked += w.acked
		took += w.took
	}
	return float64(acked) / took.Seconds()
}

// volleys opens and closes notices, several times, and reads the lists meanwhile.
func (g *notifyRun) volleys(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	listing, stop := context.WithCancel(ctx)
	for _, l := range g.lists {
		work.Go(func() error { return l.watch(listing) })
	}
	work.Go(func() error {
		defer stop()
		began := time.Now()
		for v := range g.options.Volleys {
			for _, l := range g.lists {
				l.expect(g.options.perTenant())
			}
			at := began.Add(time.Duration(v) * g.options.Every)
			if err := g.wave(ctx, at, v, true); err != nil {
				return err
			}
			if err := g.wave(ctx, at.Add(g.options.Hold), v, false); err != nil {
				return err
			}
		}
		for _, l := range g.lists {
			l.waitComplete(ctx, settleTimeout)
		}
		return nil
	})
	return work.Wait()
}

// wave makes the value of every alarm device cross its rule's threshold, up or down, from a moment
// on, one after the other within a second.
func (g *notifyRun) wave(ctx context.Context, from time.Time, volley int, above bool) error {
	wait := time.NewTimer(time.Until(from))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	began, acked := time.Now(), g.acked.Load()
	work, within := errgroup.WithContext(ctx)
	for i, r := range g.alarmDevices {
		work.Go(func() error {
			offset := volleySpread * time.Duration(i) / time.Duration(len(g.alarmDevices))
			turn := time.NewTimer(time.Until(began.Add(offset)))
			defer turn.Stop()
			select {
			case <-turn.C:
			case <-within.Done():
				return within.Err()
			}
			if err := r.sendCrossing(above, volley, g.began); err != nil {
				return fmt.Errorf("%s: %w", r.device.Name, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	w := wave{took: time.Since(began), acked: g.acked.Load() - acked}
	first := g.lastAck
	for i, r := range g.alarmDevices {
		at := r.reports[len(r.reports)-1].acked
		if i == 0 || at < first {
			first = at
		}
		g.lastAck = max(g.lastAck, at)
	}
	w.span = g.lastAck - first
	g.waves = append(g.waves, w)
	return nil
}

const (
	queuedMails = "tilth_notify_mail_queued"
	deliveries  = "tilth_notify_deliveries_total"
)

// await waits until no mail is queued and every screen has received all events, but at most for the
// options' Patience.
func (g *notifyRun) await(ctx context.Context, r *NotifyResult) error {
	patient, cancel := context.WithTimeout(ctx, g.options.Patience)
	defer cancel()
	for {
		now, err := g.target.metrics(patient)
		switch {
		case patient.Err() != nil:
			return ctx.Err() // Err reports what is still queued
		case err != nil:
			return err
		}
		r.Queued = int(now[queuedMails])
		r.Sent = int(now[deliveries+`{state="sent"}`])
		r.Failed = int(now[deliveries+`{state="failed"}`] + now[deliveries+`{state="skipped"}`])
		if r.Emptied = g.allEvaluated(now) && r.Queued == 0; r.Emptied {
			return g.awaitScreens(ctx)
		}
		select {
		case <-patient.Done():
			return ctx.Err()
		case <-time.After(listPollInterval): // another process: there is no event to wait for
		}
	}
}

// awaitScreens waits for the screens' events; the comparison counts those that are still missing.
func (g *notifyRun) awaitScreens(ctx context.Context) error {
	patient, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for _, p := range g.screens {
		for p.eventCount.Load() < 2*g.ackedReadings[p.tenant].Load() {
			select {
			case <-patient.Done():
				return ctx.Err()
			case <-time.After(pollInterval): // another process: there is no event to wait for
			}
		}
	}
	return nil
}

// allEvaluated tells whether all readings have opened or closed their notices.
func (g *notifyRun) allEvaluated(now map[string]float64) bool {
	notices := float64(g.options.Notices * g.options.Volleys)
	return now[openedTotal] >= notices && now[resolvedTotal] >= notices
}
