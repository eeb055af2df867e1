package bench

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// highFor is how long a value stays above its rule's threshold.
const highFor = 2 * time.Second

// alarmFleet is a group of devices that send readings of now, one connection each, whose values
// pass their rules' thresholds one after the other.
type alarmFleet struct {
	options AlarmOptions
	target  Target
	devices []*alarmDevice
	events  *alarmEvents
	reading errgroup.Group
}

func newAlarmFleet(o AlarmOptions, t Target) *alarmFleet {
	f := &alarmFleet{options: o, target: t, events: newAlarmEvents()}
	per := o.perDevice(t.Tenant)
	for i, d := range t.Tenant.Devices {
		f.devices = append(f.devices, &alarmDevice{
			connection:       connection{protocol: 4, stream: newMessageSource(i, 0, t.Tenant.Properties)},
			name:             d.Name,
			rules:            per,
			devices:          len(t.Tenant.Devices),
			noticesPerSecond: o.NoticesPerSecond,
			events:           f.events,
		})
	}
	return f
}

func (f *alarmFleet) connect(ctx context.Context) error {
	open, within := errgroup.WithContext(ctx)
	open.SetLimit(parallelDials)
	for i, s := range f.devices {
		open.Go(func() error {
			within, cancel := context.WithTimeout(within, dialTimeout)
			defer cancel()
			if err := s.dial(within, f.target.MQTT, f.target.Tenant.Devices[i], f.options.Window); err != nil {
				s.nc = nil
				return fmt.Errorf("connection %d of %d: %w", i+1, len(f.devices), err)
			}
			s.free = make(chan uint16, len(s.pending))
			for id := range s.pending {
				s.free <- uint16(id + 1)
			}
			return nil
		})
	}
	if err := open.Wait(); err != nil {
		return errors.Join(err, f.close())
	}
	for _, s := range f.devices {
		s.leaving.Store(false)
		f.reading.Go(s.readAcks)
	}
	return nil
}

// close closes the connections and waits for their readers.
func (f *alarmFleet) close() error {
	for _, s := range f.devices {
		if s.nc != nil {
			s.leaving.Store(true)
			_ = s.nc.Close() // nothing more is sent
		}
	}
	return f.reading.Wait()
}

// markRulesRunning says that the rules run from now on and that no notice is open, whatever was
// sent before.
func (f *alarmFleet) markRulesRunning() {
	for _, s := range f.devices {
		s.wasHigh, s.rulesRunning = 0, true
	}
}

// part sends rate messages a second, or with rate 0 as many as the server takes, and measures.
// After an error the Part holds what was measured until then.
func (f *alarmFleet) part(ctx context.Context, duration time.Duration, rate int) (Part, error) {
	var p Part
	m := &meter{pid: f.target.PID}
	before, err := f.target.metrics(ctx)
	if err != nil {
		return p, err
	}
	var latency histogram
	var acked atomic.Int64
	began := time.Now()
	until := began.Add(duration)
	m.begin()
	sending, within := errgroup.WithContext(ctx)
	for i, s := range f.devices {
		s.latency, s.ackedTotal, s.until = &latency, &acked, until
		var every, offset time.Duration
		if rate > 0 {
			every = time.Duration(len(f.devices)) * time.Second / time.Duration(rate)
			offset = every * time.Duration(i) / time.Duration(len(f.devices))
		}
		sending.Go(func() error { return s.send(within, began, offset, every, until) })
	}
	done := time.NewTimer(duration)
	defer done.Stop()
	select {
	case <-done.C:
	case <-within.Done():
	}
	m.end()
	after, figuresErr := f.target.metrics(ctx)
	sendingErr := sending.Wait()
	if sendingErr != nil {
		for _, s := range f.devices {
			s.unanswered(time.Now())
		}
	}
	p.Rate = float64(acked.Load()) / duration.Seconds()
	p.Acks = int(latency.count())
	p.P50, p.P99, p.Max = latency.quantile(0.5), latency.quantile(0.99), latency.max()
	p.ServerCPU = m.cores
	p.Opened = (after[openedTotal] - before[openedTotal]) / duration.Seconds()
	p.Resolved = (after[resolvedTotal] - before[resolvedTotal]) / duration.Seconds()
	if err := errors.Join(sendingErr, figuresErr, m.err); err != nil {
		return p, err
	}
	p.Memory, err = residentMemory(f.target.PID)
	return p, err
}
