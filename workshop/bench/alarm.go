package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// AlarmOptions are the options of a run with alarm rules. The rules are spread over the target's
// devices, each on a property of its own.
type AlarmOptions struct {
	Rules            int           // running rules; a multiple of the devices
	Together         bool          // each rule is for all devices; Rules then counts pairs of a rule and a device
	Rate             int           // messages a second that all devices together send
	NoticesPerSecond int           // notices that open in a second, and as many that close
	Duration         time.Duration // of each part
	Window           int           // messages in flight on a connection at most
	FlatOut          time.Duration // of the two parts that send as much as the server takes; 0: left out
}

func (o *AlarmOptions) perDevice(w Tenant) int { return o.Rules / len(w.Devices) }

func (o *AlarmOptions) check(w Tenant) error {
	switch {
	case len(w.Devices) == 0 || o.Rules < 1 || o.Rules%len(w.Devices) != 0:
		return fmt.Errorf("%d rules cannot be shared out among %d devices", o.Rules, len(w.Devices))
	case o.perDevice(w) > len(w.Properties):
		return fmt.Errorf(
			"%d rules on a device need as many properties, but there are %d",
			o.perDevice(w),
			len(w.Properties),
		)
	case o.Rate < 1 || o.NoticesPerSecond < 1 || o.Duration <= 0 || o.Window < 1 || o.Window > 65535:
		return errors.New("a rate, a number of notices, a duration and a window from 1 to 65535 are needed")
	}
	return nil
}

// Part is the result of one part of a run.
type Part struct {
	Rate          float64 // messages a second acknowledged
	Acks          int     // number of acknowledgements measured
	P50, P99, Max time.Duration
	ServerCPU     float64 // processors used, on average
	Memory        int64   // of the server at the end, bytes; 0: not known
	Opened        float64 // notices a second
	Resolved      float64 // notices a second
}

// AlarmResult is the result of a run with alarm rules.
type AlarmResult struct {
	Target          string
	Options         AlarmOptions
	Devices, Values int
	Making, Running time.Duration // to make and to publish all rules

	Without, With         Part // without and with running rules, at the given rate
	FlatWithout, FlatWith Part // likewise, as much as the server takes
	MemoryWithout         int64
	MemoryWith            int64 // after the rules were published

	Live, Listed Delay // from a reading's acknowledgement to its notice on an open screen, and in the list
	Cuts         int64 // how often the screen was cut off

	Opened, Resolved                 int // acknowledged readings that open and close notices
	RecordedOpened, RecordedResolved int
}

// Delay is how long something took after the acknowledgement.
type Delay struct {
	Count, Missing int
	P50, P99, Max  time.Duration
}

// Err returns why the run does not count: notices are missing or too many, or hardly any message
// was acknowledged.
func (r *AlarmResult) Err() error {
	var all []error
	if r.Opened != r.RecordedOpened || r.Resolved != r.RecordedResolved {
		all = append(all, fmt.Errorf("readings began %d and ended %d notices, the server says %d and %d",
			r.Opened, r.Resolved, r.RecordedOpened, r.RecordedResolved))
	}
	if r.Live.Missing > 0 && r.Cuts == 0 {
		all = append(all, fmt.Errorf("%d notices were never told to the open screen", r.Live.Missing))
	}
	if r.Listed.Missing > 0 {
		all = append(all, fmt.Errorf("%d notices were never seen in the list", r.Listed.Missing))
	}
	if r.With.Rate == 0 || r.Without.Rate == 0 {
		all = append(all, errors.New("nothing was acknowledged"))
	}
	return errors.Join(all...)
}

const (
	openedTotal   = "tilth_alarm_opened_total"
	resolvedTotal = "tilth_alarm_resolved_total"
	// settleTimeout is how long the run waits for notices after the last reading.
	settleTimeout = 10 * time.Second
)

// RunAlarm loads a target with and without alarm rules. The target needs its console and its
// metrics.
func RunAlarm(ctx context.Context, o AlarmOptions, t Target) (_ *AlarmResult, err error) {
	if err := o.check(t.Tenant); err != nil {
		return nil, err
	}
	r := &AlarmResult{Target: t.Name, Options: o, Devices: len(t.Tenant.Devices), Values: len(t.Tenant.Properties)}
	person, err := signIn(ctx, t.Console, t.Tenant)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	rules, err := person.makeRules(ctx, t.Tenant, o.perDevice(t.Tenant), o.Together)
	if err != nil {
		return nil, err
	}
	r.Making = time.Since(began)
	f := newAlarmFleet(o, t)
	if err := f.connect(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.close()) }()

	if r.Without, err = f.part(ctx, o.Duration, o.Rate); err != nil {
		return nil, err
	}
	if o.FlatOut > 0 {
		if r.FlatWithout, err = f.part(ctx, o.FlatOut, 0); err != nil {
			return nil, err
		}
	}
	if r.MemoryWithout, err = residentMemory(t.PID); err != nil {
		return nil, err
	}
	began = time.Now()
	if err := person.runRules(ctx, rules); err != nil {
		return nil, err
	}
	r.Running = time.Since(began)
	if r.MemoryWith, err = residentMemory(t.PID); err != nil {
		return nil, err
	}
	return r, r.withRules(ctx, f, person)
}

// withRules is the part of a run in which the rules run.
func (r *AlarmResult) withRules(ctx context.Context, f *alarmFleet, person *console) (err error) {
	f.markRulesRunning()
	before, err := f.target.metrics(ctx)
	if err != nil {
		return err
	}
	page, err := watchNotices(ctx, person, f.events)
	if err != nil {
		return err
	}
	listing, stopListing := context.WithCancel(ctx)
	defer stopListing()
	listed := make(chan error, 1)
	go func() { listed <- person.watchList(listing, f.events) }()
	if r.With, err = f.part(ctx, r.Options.Duration, r.Options.Rate); err != nil {
		return errors.Join(err, page.close())
	}
	f.events.waitAll(ctx, settleTimeout)
	stopListing()
	if err := errors.Join(<-listed, page.close()); err != nil {
		return err
	}
	r.Cuts = page.cuts.Load()
	r.Live, r.Listed = f.events.delays()
	f.events.close()
	if r.Options.FlatOut > 0 {
		if r.FlatWith, err = f.part(ctx, r.Options.FlatOut, 0); err != nil {
			return err
		}
	}
	r.Opened, r.Resolved = f.events.count()
	return r.recorded(ctx, f, before)
}

// recorded compares the server's counts with what was sent; the last notices may take a moment.
func (r *AlarmResult) recorded(ctx context.Context, f *alarmFleet, before map[string]float64) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for {
		after, err := f.target.metrics(ctx)
		if err != nil {
			return err
		}
		r.RecordedOpened = int(after[openedTotal] - before[openedTotal])
		r.RecordedResolved = int(after[resolvedTotal] - before[resolvedTotal])
		if r.RecordedOpened >= r.Opened && r.RecordedResolved >= r.Resolved {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil // Err reports the difference
		case <-time.After(pollInterval): // another process: there is no event to wait for
		}
	}
}
