package console

import (
	"context"

	"tilth/internal/domain/audit"
	"tilth/internal/domain/device"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
)

// UpdateDevice changes a device's remark name, scene and position.
func (s *server) UpdateDevice(
	ctx context.Context,
	r wire.UpdateDeviceRequestObject,
) (wire.UpdateDeviceResponseObject, error) {
	name := trimmed(deref(r.Body.DeviceName))
	if name == "" {
		return nil, errs.New(errs.Refused, "invalid.required").WithField("deviceName")
	}
	if err := checkText("deviceName", name); err != nil {
		return nil, err
	}
	t := caller(ctx).Tenant
	err := audit.Record(ctx, t, "device.update", s.snapshotDevice(t, name), func(ctx context.Context) error {
		return s.Devices.Edit(ctx, t, name, editFrom(r.Body))
	})
	if err != nil {
		return nil, err
	}
	return wire.UpdateDevice200JSONResponse{Code: success, Data: new(true)}, nil
}

// NewDeviceSecret makes a secret for a device and answers it, this once.
func (s *server) NewDeviceSecret(
	ctx context.Context,
	r wire.NewDeviceSecretRequestObject,
) (wire.NewDeviceSecretResponseObject, error) {
	if err := checkText("deviceName", r.Body.DeviceName); err != nil {
		return nil, err
	}
	secret, err := s.Devices.NewSecret(
		ctx, caller(ctx).Tenant, trimmed(r.Body.DeviceName),
		device.SecretOptions{DropOthers: deref(r.Body.DropOthers), Short: deref(r.Body.Short)}, s.Catalog, s.Registry,
	)
	if err != nil {
		return nil, err
	}
	return wire.NewDeviceSecret200JSONResponse{Code: success, Data: &secret}, nil
}

// GetDevicePresence answers when a device came online and went offline, the newest change first.
func (s *server) GetDevicePresence(
	ctx context.Context,
	r wire.GetDevicePresenceRequestObject,
) (wire.GetDevicePresenceResponseObject, error) {
	d, _, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	q := pageQuery(r.Params.PageNo, r.Params.PageSize)
	changes, total, err := s.Status.PresenceHistory(ctx, d.Tenant, d.ID, q.Offset, q.Limit)
	if err != nil {
		return nil, err
	}
	page := &wire.PresencePage{List: make([]wire.PresenceChange, len(changes)), Total: int(total)}
	for i, c := range changes {
		page.List[i] = wire.PresenceChange{Time: c.Time, OnlineState: boolInt(c.Online)}
	}
	return wire.GetDevicePresence200JSONResponse{Code: success, Data: page}, nil
}
