package bench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// gathering is all that takes part in a run in which people are told.
type gathering struct {
	options   TellingOptions
	target    Target
	audiences []Audience
	post      *PostOffice
	began     time.Time

	load    *field
	storm   []*reporter    // the devices whose readings begin and end notices, the tenants in turn
	raised  []atomic.Int64 // readings of theirs that were acknowledged, by tenant
	pages   []*page
	lists   []*list
	acked   atomic.Int64 // messages of the load, while a part lasts
	waves   []wave
	reached time.Duration // when the newest reading of the storm was acknowledged
}

// wave is one half of a volley: its notices begin, or end.
type wave struct {
	took, span time.Duration // in all; from the first to the last acknowledgement
	acked      int64         // messages of the load meanwhile
}

func newGathering(o TellingOptions, t Target, audiences []Audience, p *PostOffice) *gathering {
	g := &gathering{options: o, target: t, audiences: audiences, post: p, began: time.Now(), raised: make([]atomic.Int64, len(audiences))}
	g.load = newField(AlarmOptions{Window: o.Window, Turns: 1}, t)
	for d := range o.perTenant() {
		for i := range audiences {
			a := &audiences[i]
			g.storm = append(g.storm, &reporter{
				connection: connection{protocol: 4, stream: newStream(len(g.storm), 0, a.Properties)},
				device:     a.Devices[d], tenant: i, acked: &g.raised[i],
			})
		}
	}
	return g
}

// open connects all devices and opens a screen for each user.
func (g *gathering) open(ctx context.Context) error {
	if err := connectAll(ctx, g.storm, g.target.MQTT); err != nil {
		return err
	}
	if err := g.load.connect(ctx); err != nil {
		return err
	}
	for i := range g.audiences {
		g.lists = append(g.lists, &list{person: g.audiences[i].people[0], seen: map[int64]time.Duration{}, began: g.began, size: g.options.perTenant()})
		for _, person := range g.audiences[i].people {
			g.pages = append(g.pages, &page{screen: screen{console: person}, tenant: i, began: g.began})
		}
	}
	opening, within := errgroup.WithContext(ctx)
	opening.SetLimit(dialers)
	for _, p := range g.pages {
		opening.Go(func() error {
			if within.Err() != nil {
				return within.Err()
			}
			return p.open(ctx) // under the run's context: that of the opening ends with it
		})
	}
	return opening.Wait()
}

// close ends screens and connections; more than once does no harm.
func (g *gathering) close() error {
	var err error
	for _, p := range g.pages {
		err = errors.Join(err, p.close())
	}
	err = errors.Join(err, closeAll(g.storm), g.load.close())
	g.storm, g.load.senders = nil, nil
	return err
}

// part lets the load send as much as is taken, and beside it something else
// happen, and measures. What is acknowledged can be read meanwhile, as a field's
// own part does not allow.
func (g *gathering) part(ctx context.Context, duration time.Duration, beside func(context.Context) error) (Part, error) {
	var p Part
	before, err := g.target.figures(ctx)
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
	for _, s := range g.load.senders {
		s.latency, s.acked, s.until = latency, &g.acked, until
		sending.Go(func() error { return s.send(within, began, 0, 0, until) })
	}
	if beside != nil {
		sending.Go(func() error { return beside(within) })
	}
	over := time.NewTimer(duration)
	defer over.Stop()
	select {
	case <-over.C:
	case <-within.Done():
	}
	m.end()
	if err := errors.Join(sending.Wait(), m.err); err != nil {
		return p, err
	}
	after, err := g.target.figures(ctx)
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

// during is how many messages of the load a second were acknowledged while
// notices began or ended.
func (g *gathering) during() float64 {
	var acked int64
	var took time.Duration
	for _, w := range g.waves {
		acked += w.acked
		took += w.took
	}
	return float64(acked) / took.Seconds()
}

// volleys lets notices begin and end, several times, and the lists be asked for
// meanwhile.
func (g *gathering) volleys(ctx context.Context) error {
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
			l.settle(ctx, settling)
		}
		return nil
	})
	return work.Wait()
}

// wave lets the value of every device of the storm pass its rule's threshold
// from a moment on, one after the other within a second, or return.
func (g *gathering) wave(ctx context.Context, from time.Time, volley int, above bool) error {
	wait := time.NewTimer(time.Until(from))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	began, acked := time.Now(), g.acked.Load()
	work, within := errgroup.WithContext(ctx)
	for i, r := range g.storm {
		work.Go(func() error {
			turn := time.NewTimer(time.Until(began.Add(spread * time.Duration(i) / time.Duration(len(g.storm)))))
			defer turn.Stop()
			select {
			case <-turn.C:
			case <-within.Done():
				return within.Err()
			}
			if err := r.pass(above, volley, g.began); err != nil {
				return fmt.Errorf("%s: %w", r.device.Name, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	w := wave{took: time.Since(began), acked: g.acked.Load() - acked}
	first := g.reached
	for i, r := range g.storm {
		at := r.reports[len(r.reports)-1].acked
		if i == 0 || at < first {
			first = at
		}
		g.reached = max(g.reached, at)
	}
	w.span = g.reached - first
	g.waves = append(g.waves, w)
	return nil
}

const (
	queuedMails = "tilth_notify_mail_queued"
	deliveries  = "tilth_notify_deliveries_total"
)

// await waits until nothing waits to be told by mail and every screen was told
// of everything, but not for ever.
func (g *gathering) await(ctx context.Context, r *TellingResult) error {
	patient, cancel := context.WithTimeout(ctx, g.options.Patience)
	defer cancel()
	for {
		now, err := g.target.figures(patient)
		switch {
		case patient.Err() != nil:
			return ctx.Err() // Trouble tells of what is still queued
		case err != nil:
			return err
		}
		r.Queued = int(now[queuedMails])
		r.Sent = int(now[deliveries+`{state="sent"}`])
		r.Failed = int(now[deliveries+`{state="failed"}`] + now[deliveries+`{state="skipped"}`])
		if r.Emptied = g.judged(now) && r.Queued == 0; r.Emptied {
			return g.awaitPages(ctx)
		}
		select {
		case <-patient.Done():
			return ctx.Err()
		case <-time.After(lookEvery): // another process: there is no event to wait for
		}
	}
}

// awaitPages waits for the screens; what is missing in the end is counted.
func (g *gathering) awaitPages(ctx context.Context) error {
	patient, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for _, p := range g.pages {
		for p.count.Load() < 2*g.raised[p.tenant].Load() {
			select {
			case <-patient.Done():
				return ctx.Err()
			case <-time.After(askEvery): // another process: there is no event to wait for
			}
		}
	}
	return nil
}

// judged tells whether every reading has led to what it must.
func (g *gathering) judged(now map[string]float64) bool {
	notices := float64(g.options.Notices * g.options.Volleys)
	return now[openedTotal] >= notices && now[resolvedTotal] >= notices
}
