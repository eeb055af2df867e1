package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

const (
	// devicesAtOnce is how many devices a file may create or change in one transaction, all or none. Files with more
	// are stored in parts, so that others need not wait to write.
	devicesAtOnce = 1000
	// firstPart and minPart are how many devices the first part has, and each at least.
	firstPart, minPart = 500, 50
	// partTime is about how long a part may hold the database.
	partTime = 200 * time.Millisecond
)

// IncompleteError says that a part of a file is stored, and why the rest is not. Applying the file again continues.
type IncompleteError struct {
	cause error
	left  int // devices that are not stored, or have no secret yet
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("stored only in part, %d devices are left: %v", e.left, e.cause)
}

// Unwrap returns the cause.
func (e *IncompleteError) Unwrap() error { return e.cause }

// deviceSteps gives how many devices the plan creates or changes.
func (p *plan) deviceSteps() (n int) {
	for _, t := range p.tenants {
		n += len(t.devices)
	}
	return n
}

// steps gives how many things the plan creates or changes.
func (p *plan) steps() int {
	n := len(p.elements) + len(p.products) + len(p.shelf) + p.deviceSteps()
	for _, t := range p.tenants {
		n += len(t.users) + len(t.scenes)
		if !t.unchanged() {
			n++
		}
	}
	return n
}

// generatedSecret is a secret that the server is to make for a device that is stored already.
type generatedSecret struct {
	tenant tenant.ID
	device device.ID
	// created tells in which list of the result the device is, item where.
	created bool
	item    int
}

// waitingDevice is a device of a file that is not stored yet.
type waitingDevice struct {
	tenant *fileTenant
	device *fileDevice
}

// split divides a file: into everything but the devices, except those between which secrets move, which must be
// stored together; and into the other devices that the plan creates or changes.
func (p *plan) split(f *file) (structure *file, devices []waitingDevice) {
	structure = &file{elements: f.elements, products: f.products, shelf: f.shelf}
	for _, t := range p.tenants {
		alone := *t.file
		alone.devices = nil
		for _, d := range t.devices {
			if d.movesSecret {
				alone.devices = append(alone.devices, *d.file)
			} else {
				devices = append(devices, waitingDevice{t.file, d.file})
			}
		}
		structure.tenants = append(structure.tenants, alone)
	}
	return structure, devices
}

// partOf makes a file of devices, whose tenants are stored.
func partOf(devices []waitingDevice) *file {
	part := &file{}
	for i, d := range devices {
		if i == 0 || devices[i-1].tenant != d.tenant {
			part.tenants = append(part.tenants, fileTenant{at: d.tenant.at, name: d.tenant.name})
		}
		t := &part.tenants[len(part.tenants)-1]
		t.devices = append(t.devices, *d.device)
	}
	return part
}

// applyInParts applies a file with many devices: the structure in one transaction, then the devices in short ones,
// at last the secrets that the server makes. So a call that is interrupted before leaves devices without a secret,
// and applying the file again makes one for them. After the structure is stored, errors are *IncompleteError, and
// the result says what is stored.
func (s *Service) applyInParts(ctx context.Context, pl planner, first *plan, v *passwordCache) (*Result, error) {
	structure, devices := first.split(pl.file)
	out := &Result{Kept: first.kept}
	var generated []generatedSecret
	pl.file = structure
	if err := s.applyPart(ctx, pl, v, out, &generated); err != nil {
		return nil, err
	}
	pl.passwords = nil
	left := len(devices)
	err := s.Catalog.Load(ctx) // the parts refer to the products
	if err == nil {
		left, err = s.applyDevices(ctx, pl, v, devices, out, &generated)
	}
	if err == nil {
		// From here on secrets exist that only the answer tells.
		left, err = s.storeGenerated(context.WithoutCancel(ctx), generated, out)
	}
	out.Unchanged = max(0, first.unchanged+first.steps()-len(out.Created)-len(out.Changed)-left)
	if reloadErr := s.reloadRegistry(ctx); reloadErr != nil && err == nil {
		return out, &ReloadError{reloadErr}
	}
	if err != nil {
		return out, &IncompleteError{err, left}
	}
	return out, nil
}

// applyDevices stores devices in parts, and gives how many are left.
func (s *Service) applyDevices(
	ctx context.Context,
	pl planner,
	v *passwordCache,
	devices []waitingDevice,
	out *Result,
	generated *[]generatedSecret,
) (left int, err error) {
	for size := min(firstPart, s.AtOnce); len(devices) > 0; {
		n := min(size, len(devices))
		pl.file = partOf(devices[:n])
		began := time.Now()
		if err := s.applyPart(ctx, pl, v, out, generated); err != nil {
			return len(devices), err
		}
		devices = devices[n:]
		size = s.nextSize(size, time.Since(began))
	}
	return 0, nil
}

// nextSize adapts the size of parts to the time that one took.
func (s *Service) nextSize(size int, took time.Duration) int {
	switch {
	case took > partTime:
		return min(s.AtOnce, max(minPart, size/2))
	case took < partTime/2:
		return min(s.AtOnce, size*2)
	}
	return size
}

// applyPart plans and stores a part of a file in one transaction, and adds what it did to the result and to the
// secrets to be made.
func (s *Service) applyPart(
	ctx context.Context,
	pl planner,
	v *passwordCache,
	out *Result,
	generated *[]generatedSecret,
) error {
	e := s.newExecution(v)
	e.defersSecrets = true
	err := s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		p, err := pl.plan(ctx)
		if err == nil {
			err = p.err()
		}
		if err == nil {
			err = e.run(ctx, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, g := range e.generated {
		if g.created {
			g.item += len(out.Created)
		} else {
			g.item += len(out.Changed)
		}
		*generated = append(*generated, g)
	}
	out.Created, out.Changed = append(out.Created, e.result.Created...), append(out.Changed, e.result.Changed...)
	return nil
}

// storeGenerated makes the secrets of devices that have none, and gives how many are left after an error.
func (s *Service) storeGenerated(ctx context.Context, list []generatedSecret, out *Result) (left int, err error) {
	for size := min(firstPart, s.AtOnce); len(list) > 0; {
		n := 1
		for n < min(size, len(list)) && list[n].tenant == list[0].tenant {
			n++
		}
		began := time.Now()
		if err := s.storeGeneratedPart(ctx, list[0].tenant, list[:n], out); err != nil {
			return len(list), err
		}
		list = list[n:]
		size = s.nextSize(size, time.Since(began))
	}
	return 0, nil
}

func (s *Service) storeGeneratedPart(ctx context.Context, t tenant.ID, list []generatedSecret, out *Result) error {
	made, secrets := make([]string, len(list)), make([]device.SecretsOfDevice, len(list))
	for i, g := range list {
		made[i] = device.GenerateSecret(false)
		hash := device.HashSecret(s.Key, made[i])
		secrets[i] = device.SecretsOfDevice{ID: g.device, Hashes: []device.SecretHash{hash}}
	}
	// Its people may have made a secret for a device meanwhile.
	stored, err := s.Devices.AddFirstSecrets(ctx, t, secrets)
	if err != nil {
		return err
	}
	for i, g := range list {
		if !stored[g.device] {
			continue
		}
		if g.created {
			out.Created[g.item].Secret = made[i]
		} else {
			out.Changed[g.item].Secret = made[i]
		}
	}
	return nil
}
