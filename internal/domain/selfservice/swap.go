package selfservice

import (
	"context"

	"github.com/uptrace/bun"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
)

// MaxSwapNote is how many characters the note of a swap may have.
const MaxSwapNote = 200

// SwapForm is what a person says of the new box of a device.
type SwapForm struct {
	DeviceName string
	Serial     string // of the new box; empty: it has none
	Note       string
	User       string // name of the person
	Short      bool   // the secret is to be typed on the box
}

// Swap puts a new box in the place of a device's: it gets the serial and a secret of its own, which Swap
// returns. The old box's secrets are dead at once, and its connections end. Everything else of the device
// stays.
func (s *Service) Swap(ctx context.Context, t tenant.ID, f SwapForm) (secret string, err error) {
	if err := s.countChange(t); err != nil {
		return "", err
	}
	if f.Serial, err = tenant.ParseLine(f.Serial, "serial", tenant.MaxNameLength); err != nil {
		return "", err
	}
	if f.Note, err = tenant.ParseLine(f.Note, "note", MaxSwapNote); err != nil {
		return "", err
	}
	secret = device.GenerateSecret(f.Short)
	var d *device.Device
	err = s.DB.Tx(ctx, func(ctx context.Context, _ bun.IDB) error {
		if d, err = s.Devices.Get(ctx, t, f.DeviceName); err != nil {
			return err
		}
		if err := s.requireSwappable(ctx, t, d, &f); err != nil {
			return err
		}
		return s.swap(ctx, t, d, &f, device.HashSecret(s.Key, secret))
	})
	if err != nil {
		return "", err
	}
	// The registry must follow the database even if the caller's context was cancelled.
	if err := s.Devices.Reload(context.WithoutCancel(ctx), t, s.Catalog, s.Registry, d.ID); err != nil {
		return "", err
	}
	s.Hints.Forget(device.Ref{Tenant: t, ID: d.ID}) // they are about the old box, which can give no more by now
	return secret, nil
}

// requireSwappable refuses a device that cannot get the box of the form.
func (s *Service) requireSwappable(ctx context.Context, t tenant.ID, d *device.Device, f *SwapForm) error {
	if d.IsVideo() {
		secrets, err := s.Devices.Secrets(ctx, t, d.ID)
		if err != nil {
			return err
		}
		if len(secrets) == 0 {
			return errs.New(errs.Refused, "device.cameraNotSwapped")
		}
	}
	if next := (&device.Device{Serial: f.Serial}); next.IsVideo() != d.IsVideo() {
		return errs.New(errs.Refused, "device.swapType").WithField("serial")
	}
	if f.Serial == "" || f.Serial == d.Serial {
		return nil
	}
	_, bySerial, err := s.Devices.NamedAlike(ctx, t, nil, []string{f.Serial})
	if err != nil {
		return err
	}
	return taken(&Form{Serial: f.Serial}, nil, bySerial)
}

// swap stores a swap and records it in the audit log.
func (s *Service) swap(ctx context.Context, t tenant.ID, d *device.Device, f *SwapForm, hash device.SecretHash) error {
	now := s.Now()
	since := now.UnixMilli()
	if s.LastRainCount != nil {
		since = max(since, s.LastRainCount(ctx, device.Ref{Tenant: t, ID: d.ID})+1)
	}
	w := device.Swap{
		Time: now.UnixMilli(), FormerSerial: d.Serial, Serial: f.Serial, Note: f.Note, User: f.User,
	}
	if err := s.Devices.PutSwap(ctx, t, d, w, hash, since); err != nil {
		return err
	}
	if s.EndCalibrations != nil {
		if err := s.EndCalibrations(ctx, t, d.ID, f.User, now); err != nil {
			return err
		}
	}
	changes := []audit.Change{{Field: "secrets", Hidden: true}}
	if w.Serial != w.FormerSerial {
		changes = append(changes, audit.Change{Field: "serial", Before: w.FormerSerial, After: w.Serial})
	}
	if w.Note != "" {
		changes = append(changes, audit.Change{Field: "note", After: w.Note})
	}
	return audit.Log(ctx, t, audit.Action{Name: "device.swap", Thing: d.AuditThing(), Changes: changes})
}
