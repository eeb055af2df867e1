package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Target is the server of a run. Only MQTT and Tenant are required; what is missing is not
// measured.
type Target struct {
	Name       string // for the report
	MQTT       string // host:port
	Tenant     Tenant // the tenant that it has
	Console    string // http://host:port; without it the run reads nothing back and opens no screen
	MetricsURL string // address of the metrics page
	PID        int    // its process on this machine
	Dir        string // its data folder on this machine
}

// Result is the result of a run.
type Result struct {
	Target  string
	Options Options
	Values  int // in a message
	Payload int // bytes of a message

	Connecting   time.Duration // to open all connections, 32 at the same time
	Messages     int           // acknowledged during the measurement
	Sent         int           // in all
	Acknowledged int           // in all, with those in flight at the end
	Refused      int
	Broken       int // connections that ended early
	FirstBreak   error

	P50, P99, Max time.Duration // from sending to acknowledgement

	ServerCPU, OwnCPU float64 // processors used, on average
	// The server's memory in bytes: before the connections, with them open and idle, and at the end
	// of the measurement.
	MemoryBefore, MemoryOpen, MemoryEnd int64

	Commits     float64       // made durable during the run; 0: not known
	CommitWait  time.Duration // how long a commit waited for the disk
	Unevaluated float64       // batches that screens and rules were behind at the end of the measurement
	DiskBlocks  float64       // appends of a commit's size that the disk makes in a second; 0: not known

	Screen         bool // a live stream was open
	LiveReadings   int64
	LiveCuts       int64
	LiveResets     int64
	Verdict        *Verification // nil if nothing was read back
	ProcessUnknown error         // why there are no figures of /proc
}

// Rate returns how many messages were acknowledged in a second.
func (r *Result) Rate() float64 { return float64(r.Messages) / r.Options.Duration.Seconds() }

// PerMessage returns the server's processor time for a message, the most reliable figure on a
// machine that others use, too; 0 if it is not known.
func (r *Result) PerMessage() time.Duration {
	if r.Messages == 0 {
		return 0
	}
	return time.Duration(r.ServerCPU / r.Rate() * float64(time.Second))
}

// Err returns why the run does not count, or nil: an acknowledged value is missing, a value exists
// that was never sent, or connections broke.
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

// diskTime is the most time for measuring the disk.
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
	// Sign in only now: checking a password takes so much memory that it would hide that of the
	// connections.
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

// load publishes; if the target has a console, a screen is open meanwhile.
func (r *Result) load(ctx context.Context, c *connectionGroup, t Target, person *console) (err error) {
	var page *screen
	if person != nil {
		if page, err = watch(ctx, person); err != nil {
			return err
		}
		defer func() {
			err = errors.Join(err, page.close())
			r.Screen, r.LiveReadings = true, page.readings.Load()
			r.LiveCuts, r.LiveResets = page.cuts.Load(), page.resets.Load()
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
	r.Unevaluated = end["tilth_readings_journal_lag"]
	if r.Commits = after[commits] - before[commits]; r.Commits > 0 {
		r.CommitWait = time.Duration((after[diskWait] - before[diskWait]) / r.Commits * float64(time.Second))
	}
	return err
}

// Metrics of the server.
const (
	commits  = "tilth_edge_commits_total"
	diskWait = "tilth_readings_fsync_seconds_total"

	connections = "tilth_mqtt_connections"
)

// metrics reads the metrics page; without one all metrics are 0.
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
