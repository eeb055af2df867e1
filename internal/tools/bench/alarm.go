package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// AlarmOptions say what a run with alarm rules does. Rules are shared out among
// the target's devices, each on a property of its own.
type AlarmOptions struct {
	Rules            int           // that run; a multiple of the devices
	Together         bool          // each rule is for all devices: Rules are pairs of a rule and a device
	Rate             int           // messages a second that are offered, by all devices together
	NoticesPerSecond int           // notices a second that are to begin, and as many that are to end
	Duration         time.Duration // of each part
	Window           int           // messages of a connection in flight at most
	FlatOut          time.Duration // of the two parts that offer as much as is taken; 0: left out
}

func (o *AlarmOptions) perDevice(w Tenant) int { return o.Rules / len(w.Devices) }

func (o *AlarmOptions) check(w Tenant) error {
	switch {
	case len(w.Devices) == 0 || o.Rules < 1 || o.Rules%len(w.Devices) != 0:
		return fmt.Errorf("%d rules cannot be shared out among %d devices", o.Rules, len(w.Devices))
	case o.perDevice(w) > len(w.Properties):
		return fmt.Errorf("%d rules a device need as many properties, there are %d", o.perDevice(w), len(w.Properties))
	case o.Rate < 1 || o.NoticesPerSecond < 1 || o.Duration <= 0 || o.Window < 1 || o.Window > 65535:
		return errors.New("a rate, turns, some time and a window from 1 to 65535 are needed")
	}
	return nil
}

// Part is what one part of a run has shown.
type Part struct {
	Rate          float64 // messages a second acknowledged
	Acks          int     // acknowledgements that the times are of
	P50, P99, Max time.Duration
	ServerCPU     float64 // processors used, on average
	Memory        int64   // of the server at the end, bytes; 0: not known
	Opened        float64 // notices a second
	Resolved      float64 // notices a second
}

// AlarmResult is what a run with alarm rules has shown.
type AlarmResult struct {
	Target          string
	Options         AlarmOptions
	Devices, Values int
	Making, Running time.Duration // of all rules

	Without, With         Part // at the offered rate
	FlatWithout, FlatWith Part // as much as is taken
	MemoryWithout         int64
	MemoryWith            int64 // when the rules have begun to run

	Live, Listed Delay // from a reading's acknowledgement to its notice on an open screen, and in the list
	Cuts         int64 // times that the screen was cut off

	Opened, Resolved                 int // turns that were acknowledged
	RecordedOpened, RecordedResolved int
}

// Delay is how long something took after the acknowledgement.
type Delay struct {
	Count, Missing int
	P50, P99, Max  time.Duration
}

// Err is why the run does not count: notices are missing or too many, or
// hardly anything was taken.
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
	// settleTimeout is how long notices are waited for after the last reading.
	settleTimeout = 10 * time.Second
)

// RunAlarm loads a target with and without alarm rules. Of the server it needs
// console and metrics.
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
	return r, r.judged(ctx, f, person)
}

// judged is the part of a run in which the rules run.
func (r *AlarmResult) judged(ctx context.Context, f *alarmFleet, person *console) (err error) {
	f.markRulesRunning()
	before, err := f.target.metrics(ctx)
	if err != nil {
		return err
	}
	page, err := watchNotices(ctx, person, f.marks)
	if err != nil {
		return err
	}
	listing, stopListing := context.WithCancel(ctx)
	defer stopListing()
	listed := make(chan error, 1)
	go func() { listed <- person.watchList(listing, f.marks) }()
	if r.With, err = f.part(ctx, r.Options.Duration, r.Options.Rate); err != nil {
		return errors.Join(err, page.close())
	}
	f.marks.waitAll(ctx, settleTimeout)
	stopListing()
	if err := errors.Join(<-listed, page.close()); err != nil {
		return err
	}
	r.Cuts = page.cuts.Load()
	r.Live, r.Listed = f.marks.delays()
	f.marks.close()
	if r.Options.FlatOut > 0 {
		if r.FlatWith, err = f.part(ctx, r.Options.FlatOut, 0); err != nil {
			return err
		}
	}
	r.Opened, r.Resolved = f.marks.count()
	return r.recorded(ctx, f, before)
}

// recorded compares what the server says with what was sent; what was sent last
// may take a moment.
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
			return nil // Trouble tells
		case <-time.After(pollInterval): // another process: there is no event to wait for
		}
	}
}
