package bench

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// volleySpread is how long it takes to send the readings of a volley.
const volleySpread = time.Second

// NotifyOptions are the options of a run in which people are notified. The notices of a volley are
// spread over the tenants.
type NotifyOptions struct {
	Tenants     int
	Users       int           // of each tenant, each with an open screen
	Notices     int           // of a volley, a multiple of the tenants; they open within a second
	Volleys     int           // one after the other
	Every       time.Duration // from the beginning of a volley to that of the next
	Hold        time.Duration // from the beginning of a volley until its notices begin to close
	Load        int           // connections of one more tenant, whose devices send as much as the server takes
	Window      int           // messages of such a connection in flight
	Values      int           // in such a message
	Duration    time.Duration // of the part without volleys
	DigestAfter int           // the server's setting, for the report
	Patience    time.Duration // how long the run waits for the outbox after the last volley
}

// noticePageSize is how many notices one page of the list holds.
const noticePageSize = 400

func (o *NotifyOptions) perTenant() int { return o.Notices / o.Tenants }

// Check returns an error if the options cannot be run.
func (o *NotifyOptions) Check() error {
	switch {
	case o.Tenants < 1 || o.Users < 1:
		return errors.New("a tenant and a user are needed")
	case o.Notices < 1 || o.Notices%o.Tenants != 0 || o.perTenant() > noticePageSize:
		return fmt.Errorf(
			"%d notices cannot be shared out among %d tenants, %d at most for each",
			o.Notices,
			o.Tenants,
			noticePageSize,
		)
	case o.Volleys < 1 || o.Hold < volleySpread || o.Every < o.Hold+volleySpread:
		return fmt.Errorf(
			"a volley is needed; its notices end %s after it began or later, "+
				"and the next one comes %[1]s after that or later",
			volleySpread,
		)
	case o.Load < 1 || o.Window < 1 || o.Window > 65535 || o.Values < 1:
		return errors.New("a connection beside, a value and a window from 1 to 65535 are needed")
	case o.Duration <= 0 || o.Patience <= 0 || o.DigestAfter < 0:
		return errors.New("some time is needed, and no fewer than 0 notices that are told one by one")
	}
	return nil
}

// NotifyResult is the result of such a run.
type NotifyResult struct {
	Target  string
	Options NotifyOptions

	// The server's memory in bytes: with all screens open and idle, and when the outbox was empty.
	// A Part holds the memory at its end.
	MemoryOpen, MemoryEmpty int64

	Without, With Part    // without and with volleys, as much as the server takes
	During        float64 // messages a second that were acknowledged while notices opened or closed
	OwnCPU        float64 // processors that the generator used, with volleys

	// Spans are the times from the first to the last acknowledgement of readings that opened notices,
	// by volley.
	Spans   []time.Duration
	Notices int // notices that readings opened and closed
	// Unrecorded notices were not recorded as the readings say; no reading led to Stray notices.
	Unrecorded, Stray int
	// Listed is from a reading's acknowledgement to its notice in the list; Noticed and Messages are
	// to the events of the notice and of its message on each screen of its tenant.
	Listed, Noticed, Messages Delay
	// Duplicates are events that arrived twice, Unknown are events of nothing that happened.
	Duplicates, Unknown  int
	Cuts, Resets         int64 // of the screens
	Mails                MailResult
	Sent, Failed, Queued int  // deliveries by the server's own count, at the end
	Emptied              bool // the outbox was empty at the end
}

// MailResult is the result of comparing the mails that arrived with the notices.
type MailResult struct {
	Mails, Digests int // all mails; those about several notices
	Wanted, Told   int // events that recipients must receive, and that they received
	Lost, Twice    int
	Stray          int           // mails that no recipient must receive
	Single         Delay         // from a reading's acknowledgement to the mail about only its notice
	Last           time.Duration // from the last acknowledgement to the last mail
	Volleys        []Delay       // Single, by volley
}

// Err returns why the run does not count.
func (r *NotifyResult) Err() error {
	var all []error
	add := func(wrong bool, format string, a ...any) {
		if wrong {
			all = append(all, fmt.Errorf(format, a...))
		}
	}
	m := &r.Mails
	add(m.Lost > 0, "%d things were not told by mail", m.Lost)
	add(m.Twice > 0, "%d were told twice by mail", m.Twice)
	add(m.Stray > 0, "%d mails were of nothing that happened, or to somebody else", m.Stray)
	add(
		!r.Emptied,
		"the outbox was not empty %s after the last volley, %d deliveries wait",
		r.Options.Patience,
		r.Queued,
	)
	add(
		r.Failed > 0 || r.Sent != m.Wanted,
		"the server says that %d deliveries were sent and %d failed, of %d",
		r.Sent,
		r.Failed,
		m.Wanted,
	)
	add(r.Notices == 0, "no notice was to begin")
	add(r.Unrecorded+r.Stray > 0, "%d notices were not recorded, and %d that no reading led to", r.Unrecorded, r.Stray)
	add(r.Listed.Missing > 0, "%d notices were not seen in the list in time", r.Listed.Missing)
	add(
		r.Noticed.Missing+r.Messages.Missing > 0,
		"%d notices and %d messages were not told to a screen",
		r.Noticed.Missing,
		r.Messages.Missing,
	)
	add(
		r.Duplicates+r.Unknown > 0,
		"screens were told %d events twice, and %d of nothing that happened",
		r.Duplicates,
		r.Unknown,
	)
	add(r.With.Rate == 0 || r.Without.Rate == 0, "nothing was acknowledged")
	return errors.Join(all...)
}

// ServeNotify starts the server of a run on an empty folder, with its tenants. own must contain the
// setting of the mail server.
func ServeNotify(ctx context.Context, o NotifyOptions, own ServerOptions) (*Server, []NotifiedTenant, error) {
	if err := o.Check(); err != nil {
		return nil, nil, err
	}
	notified, beside := o.notifiedTenants()
	file, err := notifiedTenantsFile(notified, beside)
	if err != nil {
		return nil, nil, err
	}
	apply := own.Apply
	own.Tenant = beside
	own.Apply = func(ctx context.Context, admin, token string, _ []byte) error { return apply(ctx, admin, token, file) }
	s, err := Start(ctx, own)
	return s, notified, err
}

// RunNotify opens and closes volleys of notices on a server of ServeNotify, and measures how people
// are notified. The server sends its mail to p.
func RunNotify(
	ctx context.Context,
	o NotifyOptions,
	s *Server,
	notified []NotifiedTenant,
	p *MailServer,
) (*NotifyResult, error) {
	for i := range notified {
		if err := notified[i].prepare(ctx, s.Console); err != nil {
			return nil, fmt.Errorf("%s: %w", notified[i].Name, err)
		}
	}
	// Checking passwords takes so much memory that it would hide the rest.
	var people []*console
	for _, a := range notified {
		people = append(people, a.people...)
	}
	if err := s.restart(ctx, people...); err != nil {
		return nil, err
	}
	return runNotify(ctx, o, s.Target, notified, p)
}

func runNotify(
	ctx context.Context,
	o NotifyOptions,
	t Target,
	notified []NotifiedTenant,
	p *MailServer,
) (_ *NotifyResult, err error) {
	g := newNotifyRun(o, t, notified, p)
	defer func() { err = errors.Join(err, g.close()) }()
	r := &NotifyResult{Target: t.Name, Options: o}
	if err := g.open(ctx); err != nil {
		return nil, err
	}
	if r.MemoryOpen, err = residentMemory(t.PID); err != nil {
		return nil, err
	}
	if r.Without, err = g.part(ctx, o.Duration, nil); err != nil {
		return nil, err
	}
	m := &meter{pid: t.PID}
	m.begin()
	r.With, err = g.part(ctx, time.Duration(o.Volleys)*o.Every, g.volleys)
	m.end()
	if err := errors.Join(err, m.err); err != nil {
		return nil, err
	}
	r.During, r.OwnCPU = g.during(), m.ownCPU
	if err := g.await(ctx, r); err != nil {
		return nil, err
	}
	if r.MemoryEmpty, err = residentMemory(t.PID); err != nil {
		return nil, err
	}
	return r, g.compare(ctx, r)
}
