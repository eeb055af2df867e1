// Package provider is for the operator of the platform. It reads a file of elements, products,
// tenants, users, scenes and devices, makes the server match it, and serves that over HTTP on the
// admin address.
package provider

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/app"
	"tilth/internal/domain/device"
	"tilth/internal/domain/identity"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// CoverageReader returns the days of a zone on which a device has readings, from <= time <= to,
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

// Intake writes the readings that devices send to the disk.
type Intake interface {
	// Recompute computes the values that are derived from a device's readings on the day of at,
	// epoch ms. It writes values that are missing or different, and returns their number.
	Recompute(ctx context.Context, ref device.Ref, at int64) (values int, err error)
}

// Deps is what provisioning reads and changes.
type Deps struct {
	*app.Stores
	Coverage     CoverageReader // nil: that of the readings
	Intake       Intake
	BackupSource BackupSource
	// AtOnce is how many devices a file may create or change in one transaction; 0: 1,000.
	AtOnce int
}

// Kind is the kind of an Item.
type Kind string

// The kinds of things that the provider manages.
const (
	KindElement Kind = "element"
	KindProduct Kind = "product"
	KindTenant  Kind = "tenant"
	KindUser    Kind = "user"
	KindScene   Kind = "scene"
	KindDevice  Kind = "device"
	KindShelf   Kind = "shelf" // a device that waits for an owner to claim it
)

// Item is one thing that was created, changed or removed.
type Item struct {
	Kind    Kind
	Tenant  string // the owner's name; empty for things of the platform
	Name    string
	Changes []string // for a changed thing: its fields, as the file names them
	Secret  string   // a secret, password or claim code that the server made; returned only once
}

// Result says what an Apply or a Delete did.
type Result struct {
	Created, Changed, Removed []Item
	Unchanged                 int // things of the file that needed no change
	// Kept are devices whose serial or secrets (Changes) were not applied, because the file's are of a
	// box that was swapped.
	Kept []Item
}

// ReloadError says that the change of a file is stored, but that the running server could not load
// it. The next call tries again before anything else.
type ReloadError struct{ cause error }

func (u *ReloadError) Error() string { return "stored, but not loaded: " + u.cause.Error() }

// Unwrap returns the cause.
func (u *ReloadError) Unwrap() error { return u.cause }

// Service applies files and deletes things. Calls that change what the provider's files describe run
// one at a time; recomputing derived values and releasing held notifications do not wait for them.
type Service struct {
	Deps
	minPassword int // characters of the passwords in a file, at least
	sem         chan struct{}
	stopping    chan struct{} // closed: calls that may take long end soon
	stale       bool          // the running server has not loaded what is on disk
}

// NewService makes a service.
func NewService(d Deps) *Service {
	if d.Coverage == nil {
		d.Coverage = d.Readings
	}
	d.AtOnce = cmp.Or(d.AtOnce, devicesAtOnce)
	return &Service{
		Deps:        d,
		minPassword: max(d.MinPasswordLength, identity.PasswordMin),
		sem:         make(chan struct{}, 1),
		stopping:    make(chan struct{}),
	}
}

// Stop ends calls that may take long, which clients can repeat later. It is called once.
func (s *Service) Stop() { close(s.stopping) }

// acquire waits until no other call holds the service; the caller must call the returned function when
// done.
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

// reloadRegistry makes the running server load what is on disk: the catalogue, the devices that may
// connect, and how long a device may be silent.
func (s *Service) reloadRegistry(ctx context.Context) error {
	s.stale = true
	// Stored changes must be loaded even if the caller has gone.
	if err := s.Devices.LoadRegistry(context.WithoutCancel(ctx), s.Catalog, s.Registry); err != nil {
		return err
	}
	s.Presence.Reschedule()
	s.stale = false
	return nil
}

// Apply makes the server match a file, all or nothing; if it creates or changes more than AtOnce devices, these are
// stored in parts (applyInParts). Unless overwrite is set, existing things
// keep their password, nickname, email, mobile, noteName, scene and position, and swapped devices the serial
// and secrets of their box. If the file has
// errors, the error is a *FileError. With a *ReloadError or *IncompleteError, Apply also returns the result.
func (s *Service) Apply(ctx context.Context, raw []byte, overwrite bool) (*Result, error) {
	var wrong fileErrors
	file := wrong.parse(raw)
	if file == nil {
		return nil, wrong.err()
	}
	wrong.validate(file, s.minPassword)
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
	// The first plan finds the errors, and the passwords are hashed, before the database is locked.
	p, err := pl.plan(ctx)
	if err != nil {
		return nil, err
	}
	wrong.lines = append(wrong.lines, p.lines...)
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if p.empty() {
		return &Result{Unchanged: p.unchanged, Kept: p.kept}, nil
	}
	if err := p.hashPasswords(ctx, v); err != nil {
		return nil, err
	}
	if p.deviceSteps() > s.AtOnce {
		return s.applyInParts(ctx, pl, p, v)
	}
	e := s.newExecution(v)
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		// The plan is made again, because only now nobody else can change anything.
		if p, err = pl.plan(ctx); err == nil {
			err = p.err()
		}
		if err == nil {
			err = e.run(ctx, p)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.affectsRegistry() {
		if err := s.reloadRegistry(ctx); err != nil {
			return e.result, &ReloadError{err}
		}
	}
	return e.result, nil
}
