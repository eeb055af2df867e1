package homeassistant

import (
	"context"
	"crypto/x509"
	"log/slog"
	"net"
	"sync"
	"time"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/change"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/limit"
)

// Deps holds the dependencies of a Service. A field that may be nil says so.
type Deps struct {
	Store    *Store
	Tenants  *tenant.Store
	Catalog  *device.Catalog
	Devices  *device.Store
	Roster   *device.Roster
	Registry *device.Registry
	Presence *device.Presence
	Readings interface {
		Latest(ctx context.Context, t tenant.ID, d device.ID) []reading.Last
	}
	Guard   *guard.Guard
	Key     []byte // from which names at brokers are made
	Version string // of the server
	Now     func() time.Time
	Logger  *slog.Logger
	Meter   *limit.Meter // counts refusals; nil: they are not counted

	Resolver *net.Resolver  // nil: the system's
	Roots    *x509.CertPool // trusted authorities; nil: the system's

	// Pace is the least time between two rounds of messages to a broker, AgainPace between two times that
	// everything is published since Home Assistant has started; 0: a second, 10 seconds.
	Pace, AgainPace time.Duration
	// MinBackoff and MaxBackoff are how long a failed connection is waited for; 0: 1 and 60 seconds.
	MinBackoff, MaxBackoff time.Duration
}

// Service serves the brokers of all tenants.
type Service struct {
	Deps
	// Changed tells of a tenant whose Status changed.
	Changed change.Kind[tenant.ID]

	changes  *limit.SlidingWindows[tenant.ID]
	slots    chan struct{} // a place for each broker that is served
	planning chan struct{} // a place for each tenant whose devices are read

	mu    sync.RWMutex
	start func(*link) // runs a link; nil: the service does not run
	links map[tenant.ID]*link
}

// New makes a service; Run starts it.
func New(d Deps) *Service {
	for _, one := range []struct {
		of       *time.Duration
		standard time.Duration
	}{
		{&d.Pace, time.Second}, {&d.AgainPace, 10 * time.Second},
		{&d.MinBackoff, time.Second}, {&d.MaxBackoff, time.Minute},
	} {
		if *one.of == 0 {
			*one.of = one.standard
		}
	}
	s := &Service{
		Deps: d,
		changes: limit.NewSlidingWindows[tenant.ID](limit.Options{
			Name: "home_assistant_changes", MaxKeys: limitedTenants, Now: d.Now, Meter: d.Meter,
		}, changesAnHour, time.Hour),
		slots:    make(chan struct{}, maxConnections),
		planning: make(chan struct{}, planningAtOnce),
		links:    map[tenant.ID]*link{},
	}
	d.Store.onChange = s.settingsChanged
	return s
}

// Run serves the brokers until ctx ends; then it says at each that the server is not connected any more.
func (s *Service) Run(ctx context.Context) error {
	tenants, err := s.Store.tenants(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	var running sync.WaitGroup
	s.mu.Lock()
	s.start = func(l *link) { running.Go(func() { l.run(ctx) }) }
	for _, t := range tenants {
		s.startLink(t)
	}
	s.mu.Unlock()
	<-ctx.Done()
	s.mu.Lock()
	s.start = nil
	s.mu.Unlock()
	stopped := make(chan struct{})
	go func() {
		running.Wait()
		close(stopped)
	}()
	late := time.NewTimer(stopWithin)
	defer late.Stop()
	select {
	case <-stopped:
	case <-late.C:
		s.Logger.Warn("some brokers of Home Assistant did not confirm that the server stops")
	}
	return nil
}

// startLink starts serving a tenant's broker. Callers hold the lock.
func (s *Service) startLink(t tenant.ID) {
	l := newLink(s, t)
	s.links[t] = l
	s.start(l)
}

// end forgets a link that has nothing to do. It is false if its settings have changed just now.
func (s *Service) end(l *link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-l.reload:
		return false
	default:
	}
	delete(s.links, l.tenant)
	return true
}

func (s *Service) find(t tenant.ID) *link {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.links[t]
}

// settingsChanged makes a tenant's link read the settings again.
func (s *Service) settingsChanged(t tenant.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch l := s.links[t]; {
	case l != nil:
		signal(l.reload)
	case s.start != nil:
		s.startLink(t)
	}
}

// DevicesChanged announces a tenant's devices anew.
func (s *Service) DevicesChanged(t tenant.ID) {
	if l := s.find(t); l != nil {
		l.markPlan()
	}
}

// CatalogLoaded announces all devices anew: elements and products may have changed.
func (s *Service) CatalogLoaded() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, l := range s.links {
		l.markPlan()
	}
}

// Released makes every link try again, since its tenant acts from now on.
func (s *Service) Released() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, l := range s.links {
		signal(l.reload)
	}
}

// leave frees the place of a broker.
func (s *Service) leave() { <-s.slots }

// Take accepts committed readings; it keeps only which devices have any. It does not wait.
func (s *Service) Take(batch []reading.Arrival) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.links) == 0 {
		return
	}
	for i := range batch {
		if l := s.links[batch[i].Tenant]; l != nil {
			l.markState(batch[i].Device)
		}
	}
}

// PresenceChanged notes that a device went online or offline.
func (s *Service) PresenceChanged(c device.StatusChange) {
	if l := s.find(c.Tenant); l != nil {
		l.markAvailability(c.ID)
	}
}

// Corrected notes that the numbers of a device are corrected in another way.
func (s *Service) Corrected(ref device.Ref) {
	if l := s.find(ref.Tenant); l != nil {
		l.markState(ref.ID)
	}
}

// Get gives a tenant's settings and what its connection does.
func (s *Service) Get(ctx context.Context, t tenant.ID) (*Settings, Status, error) {
	status := Status{State: Off}
	set, err := s.Store.Get(ctx, t)
	if err != nil {
		return nil, status, err
	}
	if set == nil {
		owner, err := s.Tenants.Get(ctx, t)
		if err != nil {
			return nil, status, err
		}
		standard := DefaultSettings(owner)
		return &standard, status, nil
	}
	if l := s.find(t); l != nil {
		status = l.currentStatus()
	}
	if !set.Enabled && status.State != Off {
		status = Status{State: Off} // the link has not noticed yet
	}
	return set, status, nil
}

// Update changes a tenant's settings, as its form says. The error of a wrong form is Refused.
func (s *Service) Update(ctx context.Context, t tenant.ID, f *Form) error {
	if state := s.changes.Allow(t); !state.Allowed() {
		return errs.New(errs.TooMany, "error.429").RetryAfter(state.Retry)
	}
	owner, err := s.Tenants.Get(ctx, t)
	if err != nil {
		return err
	}
	return audit.Record(ctx, t, "integration.update", s.Store.snapshot(t), func(ctx context.Context) error {
		before, err := s.Store.Get(ctx, t)
		if err != nil {
			return err
		}
		set, err := f.settings(owner, before, s.Guard)
		if err != nil {
			return err
		}
		return s.Store.put(ctx, t, &set, f.Password)
	})
}
