// Package providerapi is for whoever runs the platform: it reads a file of
// elements, products, tenants, users, scenes and devices, makes the server be
// so, and serves that over HTTP on the admin address.
package provider

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/db"
)

// Eraser deletes every reading of a device, durably.
type Eraser interface {
	Erase(ctx context.Context, t tenant.ID, d device.ID) error
}

// CoverageReader tell on which days of a zone a device has readings, from <= time <= to,
// epoch ms, oldest first.
type CoverageReader interface {
	Coverage(
		ctx context.Context,
		t tenant.ID,
		d device.ID,
		from, to int64,
		zone *time.Location,
	) ([]reading.CoveredDay, error)
}

// Intake is where readings are on their way from devices to the disk.
type Intake interface {
	// Recompute computes anew what is derived from a device's readings of the day on
	// which at lies, epoch ms, writes what is not stored so, and tells how many
	// values that were.
	Recompute(ctx context.Context, ref device.Ref, at int64) (values int, err error)
	// WaitCommitted waits until nothing more comes of a device that was taken out of the
	// registry before.
	WaitCommitted()
}

// Outbox is what people are told through.
type Outbox interface {
	// Release lets go what is held since a restore: whether anything was, and how
	// much of it waited.
	Release(ctx context.Context) (held bool, waiting int, err error)
}

// RuleStore are what tenants let devices be watched by.
type RuleStore interface {
	// ForgetDevice takes a device that is about to be deleted out of its tenant's rules.
	ForgetDevice(ctx context.Context, t tenant.ID, id device.ID) error
}

// TenantRecords are what is kept of a tenant beside its devices and people.
type TenantRecords interface {
	// Clear removes them; what is gone already is no error.
	Clear(ctx context.Context, t tenant.ID) error
}

// Stores is everything that provisioning reads and changes.
type Stores struct {
	DB            *db.DB
	Tenants       *tenant.Store
	Users         *identity.UserStore
	Sessions      *identity.SessionStore
	Hasher        *identity.Hasher
	Catalog       *device.Catalog
	Devices       *device.Store
	Scenes        *device.SceneStore
	Registry      *device.Registry
	Presence      *device.Presence
	Diagnostics   *device.Diagnostics
	Readings      Eraser
	Coverage      CoverageReader
	Scheduler     *reading.WorkScheduler // of work that passes over readings; nil: this service's alone
	Intake        Intake
	DeviceKey     []byte // the platform's key, under which device secrets are hashed
	Outbox        Outbox
	Rules         RuleStore
	TenantRecords []TenantRecords // go with their tenant, in this order
	BackupSource  BackupSource
	// MinPassword is how many characters a file's passwords have at least; 0: identity.PasswordMin.
	MinPassword int
}

// Kind is what sort of thing an Item is.
type Kind string

// The kinds of things that are provisioned.
const (
	KindElement Kind = "element"
	KindProduct Kind = "product"
	KindTenant  Kind = "tenant"
	KindUser    Kind = "user"
	KindScene   Kind = "scene"
	KindDevice  Kind = "device"
)

// Item is one thing that was created, changed or removed.
type Item struct {
	Kind    Kind
	Tenant  string // the owner's name; empty for what is the platform's
	Name    string
	Changes []string // of a changed thing: the file's names of its fields
	Secret  string   // a device's secret or a user's password that the server made; told this once
}

// Result is what an Apply or a Delete did.
type Result struct {
	Created, Changed, Removed []Item
	Unchanged                 int // things of the file that were already so
}

// ReloadError says that what a file asked for is kept, but that the running server
// could not take it up; the next call tries again before anything else.
type ReloadError struct{ cause error }

func (u *ReloadError) Error() string { return "kept, but not taken up: " + u.cause.Error() }

// Unwrap is why.
func (u *ReloadError) Unwrap() error { return u.cause }

// Service provisions. Its calls run one after the other.
type Service struct {
	Stores
	sem      chan struct{}
	stopping chan struct{} // closed: what may take long ends soon
	stale    bool          // the running server has not taken up what is on disk
}

// NewService makes a service.
func NewService(s Stores) *Service {
	if s.Scheduler == nil {
		s.Scheduler = reading.NewWorkScheduler(nil)
	}
	s.MinPassword = max(s.MinPassword, identity.PasswordMin)
	return &Service{Stores: s, sem: make(chan struct{}, 1), stopping: make(chan struct{})}
}

// Stop ends what may take long, to be asked for again; it is called once.
func (s *Service) Stop() { close(s.stopping) }

// acquire waits for the service's turn; the caller must call the returned
// function when done.
func (s *Service) acquire(ctx context.Context) (func(), error) {
	select {
	case s.sem <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	release := func() { <-s.sem }
	if s.stale {
		if err := s.reloadRegistry(ctx); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

// reloadRegistry makes the running server see what is on disk: the catalogue, who may
// connect, and how long silence lasts.
func (s *Service) reloadRegistry(ctx context.Context) error {
	s.stale = true
	// What is kept must be taken up, even when whoever asked has gone.
	if err := s.Devices.LoadRegistry(context.WithoutCancel(ctx), s.Catalog, s.Registry); err != nil {
		return err
	}
	s.Presence.Reschedule()
	s.stale = false
	return nil
}

// Apply makes the server be as a file says, all or nothing. Of what exists,
// password, nickname, email, mobile, noteName, scene and position stay as they
// are unless overwrite. A wrong file is a *FileError. With *Untaken what was done
// is answered, too.
func (s *Service) Apply(ctx context.Context, raw []byte, overwrite bool) (*Result, error) {
	var wrong fileErrors
	file := wrong.parse(raw)
	if file == nil {
		return nil, wrong.err()
	}
	wrong.validate(file, s.MinPassword)
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	v := newPasswordCache(s.Hasher)
	pl := planner{Service: s, file: file, overwrite: overwrite}
	if len(wrong.lines) == 0 {
		pl.passwords = v
	}
	// The first plan costs nobody anything: what is wrong is found, and
	// passwords are hashed, before the database is locked.
	p, err := pl.plan(ctx)
	if err != nil {
		return nil, err
	}
	wrong.lines = append(wrong.lines, p.lines...)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if p.empty() {
		return &Result{Unchanged: p.unchanged}, nil
	}
	if err := p.hashPasswords(ctx, v); err != nil {
		return nil, err
	}
	var out *Result
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		// Planned again, since only now nobody else can change anything.
		if p, err = pl.plan(ctx); err == nil {
			err = p.err()
		}
		if err == nil {
			out, err = s.execute(ctx, p, v)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.affectsRegistry() {
		if err := s.reloadRegistry(ctx); err != nil {
			return out, &ReloadError{err}
		}
	}
	return out, nil
}
