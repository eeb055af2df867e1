package console

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tilth/internal/domain/calibration"
	"tilth/internal/domain/device"
	"tilth/internal/domain/selfservice"
	"tilth/internal/edge/console/wire"
)

// maxDeviceEvents is how many events of a device GetDeviceEvents answers at most.
const maxDeviceEvents = 1000

// SwapDevice puts another box in the place of a device's and answers its secret, this once.
func (s *server) SwapDevice(
	ctx context.Context,
	r wire.SwapDeviceRequestObject,
) (wire.SwapDeviceResponseObject, error) {
	b := r.Body
	if err := checkTexts(map[string]*string{
		"deviceName": &b.DeviceName, "serial": b.Serial, "note": b.Note,
	}); err != nil {
		return nil, err
	}
	user, err := s.callerName(ctx)
	if err != nil {
		return nil, err
	}
	secret, err := s.SelfService.Swap(ctx, caller(ctx).Tenant, selfservice.SwapForm{
		DeviceName: trimmed(b.DeviceName), Serial: deref(b.Serial), Note: deref(b.Note), User: user,
		Short: deref(b.Short),
	})
	if err != nil {
		return nil, err
	}
	return wire.SwapDevice200JSONResponse{Code: success, Data: &wire.SwappedDevice{Secret: secret}}, nil
}

// GetDeviceEvents answers the swaps of a device and the corrections of its readings, the newest first.
func (s *server) GetDeviceEvents(
	ctx context.Context,
	r wire.GetDeviceEventsRequestObject,
) (wire.GetDeviceEventsResponseObject, error) {
	from, to := deref(r.Params.StartTime), int64(math.MaxInt64)
	if r.Params.EndTime != nil {
		to = *r.Params.EndTime
	}
	d, p, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	swaps, err := s.Devices.Swaps(ctx, d.Tenant, d.ID, from, to, maxDeviceEvents)
	if err != nil {
		return nil, err
	}
	events := []wire.DeviceEvent{}
	for _, w := range swaps {
		events = append(events, wire.DeviceEvent{
			Kind: "swap", Time: w.Time, By: omitEmpty(w.User), Note: omitEmpty(w.Note),
			Serial: omitEmpty(w.Serial), FormerSerial: omitEmpty(w.FormerSerial),
		})
	}
	corrections, err := s.correctionEvents(ctx, d, p, from, to)
	if err != nil {
		return nil, err
	}
	events = append(events, corrections...)
	// Events of the same time keep the order of their lists.
	slices.SortStableFunc(events, func(a, b wire.DeviceEvent) int { return cmp.Compare(b.Time, a.Time) })
	events = events[:min(len(events), maxDeviceEvents)]
	return wire.GetDeviceEvents200JSONResponse{Code: success, Data: &events}, nil
}

// correctionEvents are the calibrations of a device that were made or undone in from..to. The ends that a
// swap made belong to the swap.
func (s *server) correctionEvents(
	ctx context.Context, d *device.Device, p *device.Product, from, to int64,
) (events []wire.DeviceEvent, err error) {
	made, undone, err := s.Calibrations.In(ctx, d.Tenant, d.ID, from, to, maxDeviceEvents)
	if err != nil {
		return nil, err
	}
	event := func(c *calibration.Calibration) wire.DeviceEvent {
		e := wire.DeviceEvent{CalibrationId: &c.ID, Note: omitEmpty(c.Note)}
		if property := p.PropertyByID(c.Property); property != nil {
			e.YeuSign = &property.Identifier
		}
		return e
	}
	for i := range undone {
		e := event(&undone[i])
		e.Kind, e.Time, e.By = "undo", undone[i].UndoTime, omitEmpty(undone[i].UndoneBy)
		events = append(events, e)
	}
	for i := range made {
		if made[i].Swap {
			continue
		}
		e := event(&made[i])
		e.Kind, e.Time, e.By = "calibration", made[i].CreateTime, omitEmpty(made[i].MadeBy)
		events = append(events, e)
	}
	return events, nil
}
