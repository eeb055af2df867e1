package farm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// PublishOptions say what to publish, and the broker.
type PublishOptions struct {
	Broker  string                         // like tcp://127.0.0.1:1883
	Devices []*Device                      // each gets its own connection
	Secrets func(deviceName string) string // returns the secret of a device

	// From is when the reports begin; the zero time means now. Publish first sends the reports
	// between From and now, so that they continue a history that ends at From without a gap.
	From time.Time
	// Every returns a device's interval; nil means its LiveInterval.
	Every func(*Device) time.Duration
	// OnAck is called with each acknowledged report, from many goroutines at the same time; it may
	// be nil.
	OnAck func(deviceName string, r Report)

	LinkOptions
}

// LinkOptions say how connections are kept.
type LinkOptions struct {
	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: silent
	// Backoff is about how long to wait after a first failed or lost connection; it doubles up to
	// 30 seconds. Zero means one second.
	Backoff time.Duration
	// DrainTimeout is how long Publish waits for acknowledgements after ctx ends. Zero means five
	// seconds.
	DrainTimeout time.Duration
	// AckTimeout is how long a report may be unacknowledged on a live connection; then the device
	// sends it on another. Zero means thirty seconds.
	AckTimeout time.Duration
	// GiveUp ends a device that got no acknowledgement for so long since its trouble began. Zero
	// means never, since a server may come back.
	GiveUp time.Duration
	// OnTrouble is called whenever a device could not connect, lost its connection or got no
	// acknowledgement, from many goroutines at the same time; it may be nil.
	OnTrouble func(*Trouble)
}

func (l LinkOptions) withDefaults() LinkOptions {
	if l.Now == nil {
		l.Now = time.Now
	}
	if l.Logger == nil {
		l.Logger = slog.New(slog.DiscardHandler)
	}
	if l.Backoff <= 0 {
		l.Backoff = time.Second
	}
	if l.DrainTimeout <= 0 {
		l.DrainTimeout = 5 * time.Second
	}
	if l.AckTimeout <= 0 {
		l.AckTimeout = 30 * time.Second
	}
	if l.OnTrouble == nil {
		l.OnTrouble = func(*Trouble) {}
	}
	return l
}

// Publish publishes over MQTT as real devices would, until ctx ends. It sends each report with QoS
// 1, and again after a lost connection, until it is acknowledged. A device that sends nothing for a
// while, in a gap or a night without power, disconnects, so that the server sees it go offline.
//
// When ctx ends, Publish waits for outstanding acknowledgements and returns nil, or an error that
// names the devices with unacknowledged reports. It returns an error at once if the options are
// wrong.
func Publish(ctx context.Context, o PublishOptions) error {
	from := o.From
	link := o.LinkOptions.withDefaults()
	if from.IsZero() {
		from = link.Now()
	}
	senders := make([]*sender, 0, len(o.Devices))
	for _, d := range o.Devices {
		every := d.LiveInterval
		if o.Every != nil {
			every = o.Every(d)
		}
		if every <= 0 {
			return fmt.Errorf("publish: %s: invalid interval %v", d.Name, every)
		}
		s := &sender{
			name: d.Name, broker: o.Broker, link: link, every: every,
			reports: d.Reports(from, time.Time{}, every),
		}
		if o.Secrets != nil {
			s.secret = o.Secrets(d.Name)
		}
		if o.OnAck != nil {
			s.onAck = func(r Report) { o.OnAck(d.Name, r) }
		}
		senders = append(senders, s)
	}
	return run(ctx, senders)
}

// run runs the senders until each is done or ctx ends.
func run(ctx context.Context, senders []*sender) error {
	for _, s := range senders {
		if err := s.check(); err != nil {
			return err
		}
	}
	failures := make([]error, len(senders))
	var wg sync.WaitGroup
	for i, s := range senders {
		wg.Go(func() { failures[i] = s.run(ctx) })
	}
	wg.Wait()
	return joinErrors(failures)
}

// sender publishes one device's reports.
type sender struct {
	name, secret string
	broker       string
	link         LinkOptions
	every        time.Duration
	reports      iter.Seq[Report]
	onAck        func(Report)

	next    func() (Report, bool)
	head    Report    // the next to send
	more    bool      // whether there is a head
	waiting []sent    // unacknowledged, oldest first
	failing time.Time // since when no report is acknowledged; zero: no trouble
}

// sent is a report on its way to the server.
type sent struct {
	report Report
	token  interface {
		Done() <-chan struct{}
		Error() error
	}
}

func (s *sender) check() error {
	switch {
	case s.broker == "":
		return errors.New("publish: no broker")
	case s.name == "":
		return errors.New("publish: a device without a name")
	case s.secret == "":
		return fmt.Errorf("publish: %s has no secret", s.name)
	}
	return nil
}

const (
	// window is how many reports may be unacknowledged at the same time.
	window = 100
	// A device that sends nothing for longer than this, or than three of its intervals,
	// disconnects.
	shortestPause  = time.Minute
	longestBackoff = 30 * time.Second
)

func (s *sender) run(ctx context.Context) error {
	next, stop := iter.Pull(s.reports)
	defer stop()
	s.next = next
	s.head, s.more = next()
	wait := s.link.Backoff
	for s.more || len(s.waiting) > 0 {
		// Reports that a lost connection left unacknowledged are sent at once.
		if len(s.waiting) == 0 && !s.sleepUntil(ctx, s.head.Sent) {
			return nil
		}
		t := s.connectAndSend(ctx)
		if ctx.Err() != nil {
			return s.unacknowledgedErr()
		}
		if t == nil {
			continue
		}
		if s.failing.IsZero() {
			s.failing, wait = s.link.Now(), s.link.Backoff
		}
		s.link.Logger.Warn("device is cut off", "device", s.name, "error", t, "retryInAbout", wait)
		s.link.OnTrouble(t)
		// Devices that lost their connections together reconnect at different times.
		pause := wait/2 + rand.N(wait)
		if s.link.GiveUp > 0 {
			left := s.link.GiveUp - s.link.Now().Sub(s.failing)
			if left <= 0 {
				return t
			}
			pause = min(pause, left)
		}
		if !s.sleep(ctx, pause) {
			return s.unacknowledgedErr()
		}
		wait = min(2*wait, longestBackoff)
	}
	return nil
}

// connectAndSend dials one connection and sends over it until it ends; it returns nil if it ended
// in order.
func (s *sender) connectAndSend(ctx context.Context) *Trouble {
	c, t := s.dial(ctx)
	if t != nil {
		return t
	}
	defer c.close()
	return s.sendOver(ctx, c)
}

// sendOver sends over one connection until it is lost (an error), until the device sends nothing
// for a while, or until ctx ends and all reports are acknowledged.
func (s *sender) sendOver(ctx context.Context, c *connection) *Trouble {
	for i := range s.waiting {
		s.waiting[i].token = c.publish(s.waiting[i].report)
	}
	pause := max(shortestPause, 3*s.every)
	ending := ctx.Done()
	var patience <-chan time.Time
	answer := time.NewTimer(s.link.AckTimeout)
	defer answer.Stop()
	for {
		var due, acknowledged = (<-chan time.Time)(nil), (<-chan struct{})(nil)
		if len(s.waiting) > 0 {
			acknowledged = s.waiting[0].token.Done()
		} else if patience != nil || !s.more || s.head.Sent.Sub(s.link.Now()) > pause {
			return nil
		}
		var timer *time.Timer
		if s.more && patience == nil && len(s.waiting) < window {
			timer = time.NewTimer(s.head.Sent.Sub(s.link.Now()))
			due = timer.C
		}
		select {
		case <-ending:
			t := time.NewTimer(s.link.DrainTimeout)
			defer t.Stop()
			patience, ending = t.C, nil
		case <-patience:
			return nil
		case err := <-c.lost:
			return s.lostTrouble(err)
		case <-answer.C:
			if len(s.waiting) > 0 {
				return s.noAckTrouble()
			}
		case <-acknowledged:
			if err := s.waiting[0].token.Error(); err != nil {
				return s.lostTrouble(err)
			}
			s.failing = time.Time{}
			answer.Reset(s.link.AckTimeout)
			if s.onAck != nil {
				s.onAck(s.waiting[0].report)
			}
			s.waiting = s.waiting[1:]
		case <-due:
			if len(s.waiting) == 0 {
				answer.Reset(s.link.AckTimeout)
			}
			s.waiting = append(s.waiting, sent{s.head, c.publish(s.head)})
			s.head, s.more = s.next()
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// unacknowledgedErr returns an error if reports were never acknowledged.
func (s *sender) unacknowledgedErr() error {
	if len(s.waiting) == 0 {
		return nil
	}
	return fmt.Errorf("publish: %s: %d reports were not acknowledged", s.name, len(s.waiting))
}

// sleepUntil waits until t; it returns false if ctx ends first.
func (s *sender) sleepUntil(ctx context.Context, t time.Time) bool {
	return s.sleep(ctx, t.Sub(s.link.Now()))
}

func (s *sender) sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
