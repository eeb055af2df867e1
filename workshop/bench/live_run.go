package bench

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// liveRun is the state of a run with open screens.
type liveRun struct {
	options   LiveOptions
	target    Target
	people    []*console // one of each tenant
	reporters []*reportingDevice
	acked     []atomic.Int64 // readings by tenant
	screens   []*liveScreen
	slow      []*slowScreen
	slowFor   time.Duration
	began     time.Time
}

func newLiveRun(o LiveOptions, t Target, tenants []Tenant, people []*console) *liveRun {
	h := &liveRun{options: o, target: t, people: people, acked: make([]atomic.Int64, len(tenants)), began: time.Now()}
	h.reporters = o.reporters(tenants, h.acked)
	return h
}

// busy returns the index of the busy tenant.
func (h *liveRun) busy() int { return len(h.people) - 1 }

// open opens the screens, with the tenants in turn.
func (h *liveRun) open(ctx context.Context) error {
	h.screens = make([]*liveScreen, h.options.Screens)
	opening, within := errgroup.WithContext(ctx)
	opening.SetLimit(parallelDials)
	var mu sync.Mutex
	var opened []*liveScreen
	for i := range h.screens {
		w := &liveScreen{tenant: i % len(h.people)}
		h.screens[i] = w
		opening.Go(func() (err error) {
			if within.Err() != nil {
				return within.Err()
			}
			// Not within: that context ends with the opening.
			record := func(data []byte) { w.record(data, time.Since(h.began)) }
			if w.screen, err = watchReadings(ctx, h.people[w.tenant], record); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			opened = append(opened, w)
			return nil
		})
	}
	err := opening.Wait()
	h.screens = opened
	return err
}

func (h *liveRun) openSlow(ctx context.Context) error {
	for range h.options.Slow {
		s, err := openSlow(ctx, h.people[h.busy()])
		if err != nil {
			return err
		}
		h.slow = append(h.slow, s)
	}
	return nil
}

// close closes the screens and the connections.
func (h *liveRun) close() error {
	var err error
	for _, w := range h.screens {
		err = errors.Join(err, w.screen.close())
	}
	for _, s := range h.slow {
		_ = s.nc.Close() // nothing more is read
	}
	return errors.Join(err, closeAll(h.reporters))
}

// part makes devices report and measures. The first part has no busy tenant.
func (h *liveRun) part(ctx context.Context, number int, name string) (LivePart, error) {
	p := LivePart{Name: name}
	before := h.sum()
	m := &meter{pid: h.target.PID}
	m.begin()
	began := time.Now()
	until := began.Add(h.options.Duration)
	cut := h.watchCut(ctx, began)
	reporting, within := errgroup.WithContext(ctx)
	for i, r := range h.reporters {
		every := time.Second
		if r.busyOnly {
			if number == 0 {
				continue
			}
			every = time.Second * time.Duration(h.options.busyDevices()) / time.Duration(h.options.Busy)
		}
		// The reports are spread over the interval, so that none waits for others.
		offset := every * time.Duration(i) / time.Duration(len(h.reporters))
		reporting.Go(func() error { return r.run(within, number, h.began, offset, every, until) })
	}
	done := time.NewTimer(h.options.Duration)
	defer done.Stop()
	select {
	case <-done.C:
	case <-within.Done():
	}
	m.end()
	if err := errors.Join(reporting.Wait(), cut(), m.err); err != nil {
		return p, err
	}
	h.waitDelivered(ctx)
	p.Readings = int(h.sum() - before)
	p.ServerCPU, p.OwnCPU = m.cores, m.ownCPU
	var err error
	p.Memory, err = residentMemory(h.target.PID)
	return p, err
}

func (h *liveRun) sum() (n int64) {
	for i := range h.acked {
		n += h.acked[i].Load()
	}
	return n
}

// waitDelivered waits until every screen has received all events, but at most for settleTimeout.
func (h *liveRun) waitDelivered(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for _, w := range h.screens {
		for w.screen.readings.Load() < h.acked[w.tenant].Load() {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pollInterval): // another process: there is no event to wait for
			}
		}
	}
}

// watchCut, if there are slow screens, reads the server's metrics until it has only the others;
// stop ends that.
func (h *liveRun) watchCut(ctx context.Context, began time.Time) (stop func() error) {
	if len(h.slow) == 0 || h.target.MetricsURL == "" {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	asking := make(chan error, 1)
	go func() { asking <- h.askCut(ctx, began) }()
	return func() error {
		cancel()
		return <-asking
	}
}

func (h *liveRun) askCut(ctx context.Context, began time.Time) error {
	tick := time.NewTicker(listEvery)
	defer tick.Stop()
	for {
		figures, err := h.target.metrics(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case figures[liveScreens] <= float64(len(h.screens)):
			h.slowFor = time.Since(began)
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

const liveScreens = "tilth_live_screens"

// slowCut returns how many of the slow screens the server has cut off.
func (h *liveRun) slowCut() (int, error) {
	n := 0
	until := time.Now().Add(slowEnds)
	for _, s := range h.slow {
		cut, err := s.cutOff(until)
		if err != nil {
			return n, err
		}
		if cut {
			n++
		}
	}
	return n, nil
}
