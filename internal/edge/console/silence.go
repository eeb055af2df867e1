package console

import (
	"context"

	"tilth/internal/domain/device"
	"tilth/internal/domain/silence"
	"tilth/internal/edge/console/wire"
)

// GetDeviceSilence answers why a device is silent.
func (s *server) GetDeviceSilence(
	ctx context.Context,
	r wire.GetDeviceSilenceRequestObject,
) (wire.GetDeviceSilenceResponseObject, error) {
	d, _, err := s.deviceByName(ctx, r.Params.DeviceName)
	if err != nil {
		return nil, err
	}
	cause, err := s.Silence.Cause(ctx, d.Tenant, d.ID)
	if err != nil {
		return nil, err
	}
	answer := wire.GetDeviceSilence200JSONResponse{Code: success}
	if cause != nil {
		answer.Data = new(silenceCause(cause))
	}
	return answer, nil
}

// silenceCause writes a cause as the wire has it.
func silenceCause(c *silence.Cause) wire.SilenceCause {
	w := wire.SilenceCause{
		Kind: wire.SilenceCauseKind(c.Kind), Since: c.Since,
		LastContact: omitZero(c.LastContact), Interval: omitZero(c.Interval.Milliseconds()),
	}
	if b := c.Battery; b != nil {
		w.Sign, w.Value, w.Time, w.Unit, w.Precision = &b.Identifier, &b.Value, &b.Time, &b.Unit, b.Precision
		w.Limit, w.NightsLow, w.Nights = &b.Limit, &b.NightsLow, &b.Nights
	}
	if r := c.SignIns; r != nil {
		w.Attempts, w.LastAttempt, w.SecretChanged = &r.Count, &r.Last, omitZero(r.Retired)
	}
	if g := c.Gateway; g != nil {
		w.Gateway, w.GatewayNoteName, w.GatewaySince = &g.Name, &g.NoteName, omitZero(g.Since)
	}
	if k := c.Clock; k != nil {
		w.Ahead, w.RefusedAt = omitZero(k.Ahead.Milliseconds()), &k.RefusedAt
	}
	return w
}

// stateNumber returns what an order by battery or signal compares; nil for other orders. Voltages and
// percentages of different batteries compare by their share of the limit.
func (s *server) stateNumber(ctx context.Context, by device.Sort) func(device.ID, int64) (float64, bool) {
	property := s.Catalog.Battery
	switch by {
	case device.SortBattery:
	case device.SortSignal:
		property = s.Catalog.Signal
	default:
		return nil
	}
	t := caller(ctx).Tenant
	return func(id device.ID, product int64) (float64, bool) {
		p := s.Catalog.Product(product)
		x := property(p)
		if x == nil {
			return 0, false
		}
		value, known := s.latestOf(ctx, t, id, x)
		if !known || by == device.SortSignal {
			return value, known
		}
		// One reading shows no kind of battery; a lithium cell is the most usual one.
		limit, known := s.Catalog.BatteryLimit(p, max(value, 3.4))
		return value / limit, known
	}
}

func identifierOf(p *device.Property) *string {
	if p == nil {
		return nil
	}
	return &p.Identifier
}
