package silence

import (
	"context"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

// Finder finds the causes of silence. It keeps nothing: what it tells is of the moment.
type Finder struct {
	Tenants     *tenant.Store
	Catalog     *device.Catalog
	Devices     *device.Store
	Presence    *device.Presence
	Diagnostics *device.Diagnostics
	Traces      *device.TraceStore
	Readings    reading.AggregateReader
}

// Cause tells why a tenant's device is silent; nil if it is online, or deleted.
func (f *Finder) Cause(ctx context.Context, t tenant.ID, id device.ID) (*Cause, error) {
	causes, err := f.Causes(ctx, t, id)
	if c, silent := causes[id]; silent {
		return &c, err
	}
	return nil, err
}

// Causes tells why those of a tenant's devices are silent that are; the others are absent. A device
// costs a look at its battery's hours of five nights and at its readings of a few hours, and only
// if nothing else explains its silence; all together cost one query of the database.
func (f *Finder) Causes(ctx context.Context, t tenant.ID, ids ...device.ID) (map[device.ID]Cause, error) {
	wanted := make([]device.ID, 0, 2*len(ids))
	for _, id := range ids {
		if f.Presence.Status(t, id).Online {
			continue
		}
		wanted = append(wanted, id)
		if gateway := f.Traces.Get(t, id).Gateway; gateway != 0 {
			wanted = append(wanted, gateway)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	owner, err := f.Tenants.Get(ctx, t)
	if err != nil {
		return nil, err
	}
	devices, err := f.Devices.ByIDs(ctx, t, wanted)
	if err != nil {
		return nil, err
	}
	known := make(map[device.ID]*device.Device, len(devices))
	for _, d := range devices {
		known[d.ID] = d
	}
	causes := make(map[device.ID]Cause, len(ids))
	for _, id := range ids {
		d, status := known[id], f.Presence.Status(t, id)
		if d == nil || status.Online {
			continue
		}
		s := search{Finder: f, device: d, status: status, known: known, zone: owner.TimeZone}
		if causes[id], err = s.cause(ctx, t); err != nil {
			return nil, err
		}
	}
	return causes, nil
}

// search looks for the cause of one device's silence.
type search struct {
	*Finder
	device *device.Device
	status device.Status
	known  map[device.ID]*device.Device
	zone   *time.Location
}

func (s *search) cause(ctx context.Context, t tenant.ID) (Cause, error) {
	c := Cause{Kind: Unknown, Since: s.status.LastContact, LastContact: s.status.LastContact}
	if c.LastContact == 0 {
		c.Since = s.device.CreateTime
	}
	trace := s.Traces.Get(t, s.device.ID)
	switch {
	case s.device.Disabled:
		c.Kind = Disabled
	case trace.Refused.Count > 0 && trace.Refused.Last > c.LastContact:
		c.Kind, c.SignIns = SecretRefused, &trace.Refused
	case c.LastContact == 0:
		c.Kind = NeverConnected
	default:
		if c.Gateway = s.silentGateway(t, trace.Gateway); c.Gateway != nil {
			c.Kind = GatewaySilent
			return c, nil
		}
		return c, s.fromReadings(ctx, t, &c)
	}
	return c, nil
}

// silentGateway gives the gateway that last reported the device, if it fell silent with the device:
// one that reported other devices for longer is not the cause.
func (s *search) silentGateway(t tenant.ID, id device.ID) *GatewayEvidence {
	gateway := s.known[id]
	if id == 0 || gateway == nil {
		return nil
	}
	status := s.Presence.Status(t, id)
	if status.Online || status.LastContact-s.status.LastContact > s.offlineAfter().Milliseconds() {
		return nil
	}
	return &GatewayEvidence{ID: id, Name: gateway.Name, NoteName: gateway.NoteName, Since: status.LastContact}
}

// fromReadings completes c by what the device reported before its silence.
func (s *search) fromReadings(ctx context.Context, t tenant.ID, c *Cause) error {
	before, err := s.lastHours(ctx, t)
	if err != nil {
		return err
	}
	c.Interval = before.interval()
	if c.Battery, err = s.lowBattery(ctx, t, &before); err != nil {
		return err
	}
	intake := s.Diagnostics.Get(t, s.device.ID)
	last := intake.LastRefusal
	switch {
	case c.Battery != nil:
		c.Kind = BatteryLow
	case last.Reason == device.ReasonFuture && last.Time >= c.LastContact-s.offlineAfter().Milliseconds():
		c.Kind = ClockAhead
		c.Clock = &ClockEvidence{Ahead: intake.ClockAhead, RefusedAt: last.Time}
	}
	return nil
}

func (s *search) offlineAfter() time.Duration {
	if p := s.Catalog.Product(s.device.ProductID); p != nil && p.OfflineAfter >= time.Second {
		return p.OfflineAfter
	}
	return device.DefaultOfflineAfter
}
