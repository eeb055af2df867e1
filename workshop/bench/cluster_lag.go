package bench

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// lagInterval is how often the positions of leader and standby are compared.
const lagInterval = 100 * time.Millisecond

// lagMeter compares the positions of a leader and its standby. A nil one measures nothing.
type lagMeter struct {
	leader  Target
	standby *clusterNode
	cancel  context.CancelFunc
	done    chan error
	led     []positionAt // the leader's positions, oldest first
	entries []float64
	times   []time.Duration
}

// positionAt is a position that the leader had.
type positionAt struct {
	at       time.Time
	position float64
}

// startLagMeter compares until stop. Without a standby there is nothing to compare.
func startLagMeter(ctx context.Context, leader Target, standby *clusterNode) *lagMeter {
	if standby == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	m := &lagMeter{leader: leader, standby: standby, cancel: cancel, done: make(chan error, 1)}
	go func() { m.done <- m.run(ctx) }()
	return m
}

func (m *lagMeter) stop() error {
	if m == nil {
		return nil
	}
	m.cancel()
	return <-m.done
}

func (m *lagMeter) run(ctx context.Context) error {
	tick := time.NewTicker(lagInterval)
	defer tick.Stop()
	for {
		var led, own map[string]float64
		var at time.Time // of the standby's position
		var both errgroup.Group
		both.Go(func() (err error) {
			led, err = m.leader.metrics(ctx)
			return err
		})
		both.Go(func() (err error) {
			own, err = m.standby.metrics(ctx)
			at = time.Now()
			return err
		})
		err := both.Wait()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		m.add(at, led[nodePosition], own[nodePosition])
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// add compares two positions of one moment. While the leader's does not change there is no load.
func (m *lagMeter) add(at time.Time, led, own float64) {
	if n := len(m.led); n > 0 && m.led[n-1].position == led {
		return
	}
	m.led = append(m.led, positionAt{at, led})
	if len(m.led) == 1 {
		return
	}
	m.entries = append(m.entries, max(0, led-own))
	m.times = append(m.times, at.Sub(m.timeOf(own)))
}

// timeOf returns when the leader had a position, between the two moments around it.
func (m *lagMeter) timeOf(position float64) time.Time {
	i, _ := slices.BinarySearchFunc(m.led, position, func(p positionAt, x float64) int {
		switch {
		case p.position < x:
			return -1
		case p.position > x:
			return 1
		}
		return 0
	})
	switch {
	case i == 0:
		return m.led[0].at
	case i == len(m.led):
		return m.led[i-1].at
	}
	before, after := m.led[i-1], m.led[i]
	part := (position - before.position) / (after.position - before.position)
	return before.at.Add(time.Duration(part * float64(after.at.Sub(before.at))))
}

// lagFigures are medians and the largest of a run.
type lagFigures struct {
	entries, mostEntries float64
	time, longest        time.Duration
}

func (m *lagMeter) figures() lagFigures {
	if m == nil || len(m.entries) == 0 {
		return lagFigures{}
	}
	return lagFigures{median(m.entries), slices.Max(m.entries), median(m.times), slices.Max(m.times)}
}
