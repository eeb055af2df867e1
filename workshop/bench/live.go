package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// LiveOptions are the options of a run with open screens. The screens are spread over the tenants;
// in each tenant one device reports once a second.
type LiveOptions struct {
	Screens  int           // open from the beginning to the end
	Tenants  int           // at most as many as screens
	Slow     int           // screens of the last tenant that never read, in the last part
	Busy     int           // further readings a second of the last tenant in the last two parts
	Values   int           // in a reading
	Duration time.Duration // of each part
}

// Check returns an error if the options cannot be run.
func (o *LiveOptions) Check() error {
	switch {
	case o.Tenants < 1 || o.Screens < o.Tenants:
		return fmt.Errorf("%d screens cannot be shared out among %d tenants", o.Screens, o.Tenants)
	case o.Slow < 0 || o.Busy < 0 || o.Slow > 0 && o.Busy == 0:
		return errors.New("slow screens need a busy tenant: the server cuts them off only if many events wait")
	case o.Values < 1 || o.Duration <= 0:
		return errors.New("a value and some time are needed")
	}
	return nil
}

// LiveResult is the result of a run with open screens.
type LiveResult struct {
	Target  string
	Options LiveOptions
	Opening time.Duration // of all screens
	// The server's memory in bytes before the screens are open, and with all of them open and idle.
	// A LivePart holds the memory at its end.
	MemoryBefore, MemoryOpen int64
	Quiet                    float64 // processors used while no event is sent
	Parts                    []LivePart
	SlowCut                  int           // slow screens that the server cut off
	SlowFor                  time.Duration // until the server had cut off all; 0 if it did not
	Cuts, Resets             int64         // of the other screens
	Duplicates, Unknown      int           // events that arrived twice; events without an acknowledged reading
}

// LivePart is the result of one part of a run.
type LivePart struct {
	Name         string
	Readings     int     // acknowledged
	ServerCPU    float64 // processors used, on average
	OwnCPU       float64
	Memory       int64 // of the server at the end
	Others, Busy Delay // from acknowledgement to event, on the screens of the other tenants and of the busy one
}

// Events returns how many events arrived in all.
func (p *LivePart) Events() int { return p.Others.Count + p.Busy.Count }

// Err returns why the run does not count.
func (r *LiveResult) Err() error {
	var all []error
	for _, p := range r.Parts {
		if p.Others.Missing+p.Busy.Missing > 0 {
			all = append(all, fmt.Errorf("%s: %d events were lost", p.Name, p.Others.Missing+p.Busy.Missing))
		}
		if p.Events() == 0 {
			all = append(all, fmt.Errorf("%s: nothing was told", p.Name))
		}
	}
	if r.Duplicates+r.Unknown > 0 {
		all = append(
			all,
			fmt.Errorf("%d events were told twice, and %d of readings that nobody sent", r.Duplicates, r.Unknown),
		)
	}
	if r.Cuts+r.Resets > 0 {
		all = append(
			all,
			fmt.Errorf("screens that read were cut off %d times and told to fetch anew %d times", r.Cuts, r.Resets),
		)
	}
	if r.SlowCut < r.Options.Slow {
		all = append(all, fmt.Errorf("of %d screens that never read %d were cut off", r.Options.Slow, r.SlowCut))
	}
	return errors.Join(all...)
}

// ServeLive starts the server of a run on an empty folder, with its tenants.
func ServeLive(ctx context.Context, o LiveOptions, own ServerOptions) (*Server, []Tenant, error) {
	if err := o.Check(); err != nil {
		return nil, nil, err
	}
	tenants := o.tenants()
	file, err := fileOf(tenants)
	if err != nil {
		return nil, nil, err
	}
	apply := own.Apply
	own.Tenant = tenants[0]
	own.Apply = func(ctx context.Context, admin, token string, _ []byte) error { return apply(ctx, admin, token, file) }
	s, err := Start(ctx, own)
	return s, tenants, err
}

// RunLive opens screens on a server of ServeLive and measures how long events take to reach them.
func RunLive(ctx context.Context, o LiveOptions, s *Server, tenants []Tenant) (*LiveResult, error) {
	people := make([]*console, len(tenants))
	for i, w := range tenants {
		var err error
		if people[i], err = signIn(ctx, s.Console, w); err != nil {
			return nil, err
		}
	}
	// Checking passwords takes so much memory that it would hide that of the screens.
	if err := s.restart(ctx, people...); err != nil {
		return nil, err
	}
	return runLive(ctx, o, s.Target, tenants, people)
}

// runLive measures a server to which people have signed in.
func runLive(
	ctx context.Context,
	o LiveOptions,
	t Target,
	tenants []Tenant,
	people []*console,
) (_ *LiveResult, err error) {
	h := newLiveRun(o, t, tenants, people)
	defer func() { err = errors.Join(err, h.close()) }()
	r := &LiveResult{Target: t.Name, Options: o}
	if err := connectAll(ctx, h.reporters, t.MQTT); err != nil {
		return nil, err
	}
	if r.MemoryBefore, err = residentMemory(t.PID); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := h.open(ctx); err != nil {
		return nil, err
	}
	r.Opening = time.Since(began)
	if err := r.quiet(ctx, t); err != nil {
		return nil, err
	}
	for i, name := range []string{"one reading a second each", "a busy tenant", "slow screens beside"} {
		if i == 1 && o.Busy == 0 || i == 2 && o.Slow == 0 {
			break
		}
		if i == 2 {
			if err := h.openSlow(ctx); err != nil {
				return nil, err
			}
		}
		p, err := h.part(ctx, i, name)
		if err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, p)
	}
	if r.SlowCut, err = h.slowCut(); err != nil {
		return nil, err
	}
	r.SlowFor = h.slowFor
	return r, h.compare(r)
}

// quiet measures while all screens are open and get only keep-alives.
func (r *LiveResult) quiet(ctx context.Context, t Target) error {
	m := &meter{pid: t.PID}
	m.begin()
	done := time.NewTimer(r.Options.Duration)
	defer done.Stop()
	select {
	case <-done.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	m.end()
	r.Quiet = m.cores
	var err error
	r.MemoryOpen, err = residentMemory(t.PID)
	return errors.Join(err, m.err)
}
