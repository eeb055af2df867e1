package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Target is what a run loads. Only MQTT and World are needed; of what is not
// known there are no figures.
type Target struct {
	Name       string // for the report
	MQTT       string // host:port
	Tenant     Tenant // what it was told of beforehand
	Console    string // http://host:port; without it nothing is read back and no screen is open
	MetricsURL string // address of the metrics page
	PID        int    // of its process on this machine
	Dir        string // its data folder on this machine
}

// Result is what a run has shown.
type Result struct {
	Target  string
	Options Options
	Values  int // in a message
	Payload int // bytes of one

	Connecting   time.Duration // all connections, one after the other in 32 lines
	Messages     int           // acknowledged while the measurement lasted
	Sent         int           // in all
	Acknowledged int           // in all, what was in flight at the end included
	Refused      int
	Broken       int // connections that ended early
	FirstBreak   error

	P50, P99, Max time.Duration // from sending to acknowledgement

	ServerCPU, OwnCPU float64 // processors used, on average
	// The server's memory in bytes: before the connections, with them open and
	// quiet, and when the measurement ended.
	MemoryBefore, MemoryOpen, MemoryEnd int64

	Commits    float64       // made durable while the run lasted; 0: not known
	CommitWait time.Duration // of one for the disk
	Unjudged   float64       // batches, when the measurement ended: how far screens and rules were behind
	DiskBlocks float64       // appends of a commit's size the disk bears in a second, one after the other; 0: not known

	Screen         bool // a live stream was open
	LiveReadings   int64
	LiveCuts       int64
	LiveResets     int64
	Verdict        *Verification // nil: nothing was read back
	ProcessUnknown error         // why there are no figures of /proc
}

// Rate is how many messages a second were acknowledged.
func (r *Result) Rate() float64 { return float64(r.Messages) / r.Options.Duration.Seconds() }

// PerMessage is the processor time that a message has cost the server, the most
// telling figure on a machine that others use too; 0 when it is not known.
func (r *Result) PerMessage() time.Duration {
	if r.Messages == 0 {
		return 0
	}
	return time.Duration(r.ServerCPU / r.Rate() * float64(time.Second))
}

// Err is why the run does not count, nil when it does: something
// acknowledged is missing, something is there that was never sent, or
// connections broke.
func (r *Result) Err() error {
	var all []error
	if v := r.Verdict; v != nil && !v.OK() {
		all = append(
			all,
			fmt.Errorf(
				"read back: %d values lost, %d wrong, %d extra; the first: %s",
				v.Lost,
				v.Wrong,
				v.Extra,
				v.Example,
			),
		)
	}
	if r.Broken > 0 {
		all = append(all, fmt.Errorf("%d connections broke, the first: %w", r.Broken, r.FirstBreak))
	}
	if r.Refused > 0 {
		all = append(all, fmt.Errorf("%d messages were refused", r.Refused))
	}
	if r.Messages == 0 {
		all = append(all, errors.New("nothing was acknowledged"))
	}
	return errors.Join(all...)
}

// diskTime is how long the disk is measured at most.
const diskTime = 2 * time.Second

// Run loads a target and measures. An error means that there is no result.
func Run(ctx context.Context, o Options, t Target) (*Result, error) {
	c, err := newConnectionGroup(o, t.Tenant, time.Now())
	if err != nil {
		return nil, err
	}
	s := newMessageSource(0, c.first, t.Tenant.Properties)
	r := &Result{Target: t.Name, Options: o, Values: len(t.Tenant.Properties), Payload: len(s.appendPayload(nil, 0))}
	r.MemoryBefore = r.memory(t.PID)
	began := time.Now()
	if err := c.connect(ctx, t.MQTT); err != nil {
		return nil, err
	}
	r.Connecting = time.Since(began)
	r.MemoryOpen = r.memory(t.PID)
	// Only now: checking a password takes so much memory that the connections'
	// would not show.
	var person *console
	if t.Console != "" {
		if person, err = signIn(ctx, t.Console, t.Tenant); err != nil {
			return nil, errors.Join(err, c.close())
		}
	}
	if err := r.load(ctx, c, t, person); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if err := c.close(); err != nil {
		return nil, err
	}
	c.count(r)
	if t.Dir != "" && r.Commits > 0 {
		size := float64(r.Acknowledged) / r.Commits * float64(r.Payload)
		if r.DiskBlocks, err = measureDisk(t.Dir, int(size), min(diskTime, o.Duration)); err != nil {
			return nil, err
		}
	}
	if person != nil {
		if r.Verdict, err = c.verify(ctx, person); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// load publishes, with a screen open where there is a console.
func (r *Result) load(ctx context.Context, c *connectionGroup, t Target, person *console) (err error) {
	var page *screen
	if person != nil {
		if page, err = watch(ctx, person); err != nil {
			return err
		}
		defer func() {
			err = errors.Join(err, page.close())
			r.Screen, r.LiveReadings, r.LiveCuts, r.LiveResets = true, page.readings.Load(), page.cuts.Load(), page.resets.Load()
		}()
	}
	before, err := t.metrics(ctx)
	if err != nil {
		return err
	}
	var end map[string]float64
	var endErr error
	m := &meter{pid: t.PID}
	err = c.publish(ctx, m.begin, func() {
		m.end()
		r.MemoryEnd = r.memory(t.PID)
		end, endErr = t.metrics(ctx)
	})
	if err := errors.Join(err, endErr); err != nil {
		return err
	}
	r.ServerCPU, r.OwnCPU = m.cores, m.ownCPU
	if m.err != nil {
		r.ProcessUnknown = m.err
	}
	after, err := t.metrics(ctx)
	r.Unjudged = end["tilth_readings_journal_lag"]
	if r.Commits = after[commits] - before[commits]; r.Commits > 0 {
		r.CommitWait = time.Duration((after[diskWait] - before[diskWait]) / r.Commits * float64(time.Second))
	}
	return err
}

// Figures of the server's metrics page.
const (
	commits  = "tilth_edge_commits_total"
	diskWait = "tilth_readings_fsync_seconds_total"

	connections = "tilth_mqtt_connections"
)

// metrics reads the metrics page; without one all figures are 0.
func (t *Target) metrics(ctx context.Context) (map[string]float64, error) {
	if t.MetricsURL == "" {
		return map[string]float64{}, nil
	}
	return readMetrics(ctx, t.MetricsURL)
}

func (r *Result) memory(pid int) int64 {
	if pid == 0 {
		return 0
	}
	n, err := residentMemory(pid)
	if err != nil {
		r.ProcessUnknown = err
	}
	return n
}
